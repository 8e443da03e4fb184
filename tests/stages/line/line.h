/* SPDX-License-Identifier: MIT
   line: a toy stage: linear regression by lib/train (docs/adding-a-stage.md). */
#ifndef LINE_H
#define LINE_H

#include "tests/stages/stage.h"

struct line_values {
    struct kl_common common;
    struct kl_train_settings train;
    double ridge;
};
extern const struct kl_tool line_tool;
void line_defaults(void *values);

#endif
