/* SPDX-License-Identifier: MIT
   extract-features --qrng: bits and their statistics into a file of kind device-bits. */
#ifndef KL_QRNG_BITS_EXTRACT_H
#define KL_QRNG_BITS_EXTRACT_H

#include "qrng/bits/first_rows.h"
#include "qrng/bits/statistics.h"

struct kl_bits_extract {
    struct kl_bits_inputs inputs; /* open */
    struct kl_tallies tallies;
    struct kl_first_rows first;   /* for kl_bits_repeats */
    bool only_statistics;         /* no rows */
    bool reference;               /* also what the study computes */
    const struct kl_watch *watch; /* counts rows */
    size_t n_rows;                /* after the first pass */
};
/* The first pass: the statistics. */
int kl_bits_extract_count(struct kl_bits_extract *e, struct kl_error *err);
/* The second pass: rows, and all statistics, to a writer. */
int kl_bits_extract_save(struct kl_bits_extract *e, struct kl_writer *writer, struct kl_error *err);
void kl_bits_extract_free(struct kl_bits_extract *e); /* accepts what was zeroed */

/* The statistics of all devices and of their pairs to a writer (statistics_save.c). */
int kl_tallies_save(struct kl_writer *writer, const struct kl_tallies *t, bool reference,
                    struct kl_error *err);

struct kl_mode;
extern const struct kl_mode kl_mode_extract; /* --qrng of extract-features */
extern const struct kl_tool kl_extract_tool; /* its table, for tool->parts */

#endif
