/* SPDX-License-Identifier: MIT
   The permutations of all devices: first some of each, which tell of most statistics that they pass, and
   so what is left to do. */
#include <stdlib.h>

#include "qrng/nist/report_int.h"

/* A device's permutations as steps of the whole course. */
struct permuting {
    struct kl_course *course;
    const struct kl_nist_device *device;
    int64_t taken, planned;
};

static int tell(void *context, uint64_t done, uint64_t needed, const char *note)
{
    struct permuting *p = context;
    if ((int64_t)needed < p->planned) {
        kl_course_drop(p->course, kl_nist_permutation_steps(p->device, p->planned) -
                                      kl_nist_permutation_steps(p->device, (int64_t)needed));
        p->planned = (int64_t)needed;
    }
    const int64_t before = p->taken < p->planned ? p->taken : p->planned,
                  now = (int64_t)done < p->planned ? (int64_t)done : p->planned;
    (void)note;
    p->taken = (int64_t)done;
    return kl_course_step(p->course,
                          kl_nist_permutation_steps(p->device, now) -
                              kl_nist_permutation_steps(p->device, before),
                          "permutations", NULL) != KL_OK;
}

int kl_nist_permute(struct kl_nist_report *r, const struct kl_nist_stream *streams,
                    struct kl_course *course, struct kl_pool *pool, struct kl_error *err)
{
    enum { FIRST = 512 };
    const int64_t all = r->options.permutations, until[2] = { FIRST < all ? FIRST : all, all };
    struct permuting *p = calloc(r->n_devices, sizeof *p);
    int code = p ? KL_OK : kl_fail_memory(err, r->n_devices * sizeof *p);
    for (size_t i = 0; !code && i < r->n_devices; i++) {
        struct kl_nist_device *d = &r->devices[i];
        p[i] = (struct permuting){ course, d, 0, all };
        code = kl_iid_begin(&d->iid, streams[i].symbols, kl_nist_part(d->n_symbols), err);
    }
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; !code && i < r->n_devices; i++) {
            struct kl_nist_device *d = &r->devices[i];
            const struct kl_watch watch = { tell, &p[i] };
            code = kl_iid_go_on(&d->iid, streams[i].symbols, kl_nist_part(d->n_symbols), all,
                                until[round], r->options.seed, pool, &watch, err);
        }
    free(p);
    return code;
}
