/* SPDX-License-Identifier: MIT */
#include "store/store_int.h"
int kl_partial_publish(struct kl_writer *w, struct kl_error *err) {
    return kl_temporary_publish(&w->temporary, err);
}
void kl_partial_free(struct kl_writer *w) {
    w->partial = NULL;
}
