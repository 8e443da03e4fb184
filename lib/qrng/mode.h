/* SPDX-License-Identifier: MIT
   Modes of tools about random-number devices. */
#ifndef KL_QRNG_MODE_H
#define KL_QRNG_MODE_H

#include "store/mode.h"

extern const struct kl_mode kl_mode_pairs, kl_mode_synthetic, kl_mode_nist,
    kl_mode_extractor;                                     /* of tournament */
extern const struct kl_mode kl_mode_qtrain, kl_mode_qeval; /* --qrng of these tools */
/* Their tables, for tool->parts. */
extern const struct kl_tool kl_synthetic_tool, kl_nist_tool, kl_extractor_tool, kl_judge_tool;

/* What files of each kind show of themselves (store/kind.h). */
extern const struct kl_kind kl_bits_kind, kl_study_kind, kl_judge_kind, kl_tournament_kind,
    kl_synthetic_kind, kl_nist_kind, kl_gan_kind;

#endif
