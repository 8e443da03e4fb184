/* SPDX-License-Identifier: MIT
   Private to the room. */
#ifndef KL_CLAIMS_INT_H
#define KL_CLAIMS_INT_H

#include "claims/claims.h"

/* Does the file, which the list calls `name`, come from the list's data, made with the list's options?
   If not, why says so; else it is left "". KL_EDATA, KL_ENOMEM. */
int kl_claims_origin(char why[KL_CLAIM_WHY], const struct kl_claims *claims, const char *name,
                     const struct kl_file *file, struct kl_error *err);

#endif
