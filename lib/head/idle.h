/* SPDX-License-Identifier: MIT
   Options of a head that change nothing unless another one has a certain value: a training notes those
   that were given, a grid refuses them as axes if all points have them idle. */
#ifndef KL_HEAD_IDLE_H
#define KL_HEAD_IDLE_H

#include "head/settings.h"

/* An option is idle unless `other` has one of the values, "A|B". An option may stand in several rows. */
struct kl_idle {
    const char *option, *other, *values;
};
extern const struct kl_idle kl_idle[]; /* up to one without an option */
/* "sgd" in "adam|sgd" */
bool kl_head_idle_among(const char *values, const char *value);
/* What the settings say of an option that is the `other` of a row. */
const char *kl_head_idle_value(const struct kl_head_settings *settings, const char *other);
/* A note on each option that was given and is idle; what kl_head_remarks says is left out. */
void kl_head_say_idle(const struct kl_log *log, const struct kl_head_settings *settings);

#endif
