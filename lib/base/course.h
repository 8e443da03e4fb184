/* SPDX-License-Identifier: MIT
   course: how far a run of several kinds of work has come, in steps of about equal time, so that what is
   left can be told. Work that turns out not to be needed is dropped: what is left never grows. */
#ifndef KL_BASE_COURSE_H
#define KL_BASE_COURSE_H

#include "base/base.h"

struct kl_course {
    const struct kl_watch *watch;
    uint64_t done, total;
};
/* So many more are done. NULL: nobody asks. KL_ESIGNAL. */
int kl_course_step(struct kl_course *course, uint64_t steps, const char *note, struct kl_error *err);
/* So many are not needed. */
void kl_course_drop(struct kl_course *course, uint64_t steps);

#endif
