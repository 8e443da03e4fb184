/* SPDX-License-Identifier: MIT
   Modes of the tool `tournament`: each has a table of options and a file mode_NAME.c of its own. */
#ifndef KL_QRNG_MODE_H
#define KL_QRNG_MODE_H

#include "store/store.h"

/* One run. stage: tool, values, common, log, inputs are set. */
struct kl_mode_run {
    struct kl_stage stage;
    void *values; /* of the tool's table, parsed */
    FILE *out;    /* standard output */
};
struct kl_mode {
    const char *option; /* that selects it: "--synthetic"; NULL: pairs, without any */
    const struct kl_tool *tool;
    void (*defaults)(void *values);
    int (*run)(struct kl_mode_run *run, struct kl_error *err);
};
extern const struct kl_mode kl_mode_pairs, kl_mode_synthetic;

#endif
