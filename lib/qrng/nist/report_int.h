/* SPDX-License-Identifier: MIT
   Private to the report of the standards. */
#ifndef KL_QRNG_NIST_REPORT_INT_H
#define KL_QRNG_NIST_REPORT_INT_H

#include "base/course.h"
#include "qrng/nist/report.h"
#include "qrng/nist/stream.h"

static inline size_t kl_nist_part(size_t n)
{
    return n < KL_NIST_PART ? n : KL_NIST_PART;
}

/* Steps of the course: one is what permuting a thousand symbols takes. */
static inline uint64_t kl_nist_permutation_steps(const struct kl_nist_device *d, int64_t permutations)
{
    return (uint64_t)permutations * kl_nist_part(d->n_symbols) / 1000;
}

/* device->iid of all devices (permute.c); the course has all permutations planned. KL_ENOMEM,
   KL_ESIGNAL. */
int kl_nist_permute(struct kl_nist_report *r, const struct kl_nist_stream *streams,
                    struct kl_course *course, struct kl_pool *pool, struct kl_error *err);

#endif
