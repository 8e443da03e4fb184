/* SPDX-License-Identifier: MIT */
#include "base/course.h"

int kl_course_step(struct kl_course *course, uint64_t steps, const char *note, struct kl_error *err)
{
    if (!course) return KL_OK;
    course->done += steps;
    if (!kl_watch_step(course->watch, course->done, course->total, note)) return KL_OK;
    return kl_fail(err, KL_ESIGNAL, "stopped");
}

void kl_course_drop(struct kl_course *course, uint64_t steps)
{
    if (course) course->total -= steps;
}
