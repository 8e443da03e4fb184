/* SPDX-License-Identifier: MIT
   Inside the room of chains: what the file's writer and its reader share. */
#ifndef KL_SAMPLING_CHAINS_INT_H
#define KL_SAMPLING_CHAINS_INT_H

#include "sampling/chain/chain_int.h"
#include "store/store.h"

enum { KL_SAMPLING_IDENTITIES = 48 };
/* What makes two runs the same but for their lengths: an attribute of the root each, number, integer or
 * text. */
struct kl_sampling_identity {
    const char *name;
    double number;
    char text[24]; /* empty: it is a number */
    bool whole;    /* an integer */
};
size_t kl_sampling_identity(struct kl_sampling_identity list[KL_SAMPLING_IDENTITIES],
                            const struct kl_sampling_run *run);
/* Group of a role's state: "state", "half_step", "companion". */
const char *kl_sampling_group(enum kl_sampling_role role);
/* Dataset of a trace of the main chains, "posterior/train_loss"; of the others only the loss is held. */
const char *kl_sampling_trace_name(int field);
/* What says how far a run is from what it is to sample: datasets bias/... and path/... (bias.c) */
int kl_sampling_bias_put(struct kl_writer *w, const struct kl_sampling_run *run, struct kl_error *err);

#endif
