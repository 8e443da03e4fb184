/* SPDX-License-Identifier: MIT
   Problems that a walk over a store passes over, and tells of at its end. */
#include "store/housekeeping.h"

int kl_store_pass_over(struct kl_passed *passed, struct kl_error *err)
{
    if (err->code == KL_ENOMEM) return KL_ENOMEM; /* that is not the file's fault */
    if (passed->n++ == 0) passed->first = *err;
    *err = (struct kl_error){ 0 };
    return KL_OK;
}

int kl_store_passed_end(const struct kl_passed *passed, struct kl_error *err)
{
    if (!passed->n) return KL_OK;
    if (passed->n == 1) return kl_fail(err, KL_EIO, "%s", passed->first.text);
    return kl_fail(err, KL_EIO, "%s; and %zu more", passed->first.text, passed->n - 1);
}
