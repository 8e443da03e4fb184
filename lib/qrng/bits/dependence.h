/* SPDX-License-Identifier: MIT
   dependence: do symbols that follow each other in a row depend on each other? Where they do, numbers
   that take a row's symbols for independent draws do not hold. */
#ifndef KL_QRNG_BITS_DEPENDENCE_H
#define KL_QRNG_BITS_DEPENDENCE_H

#include "qrng/bits/bits.h"

/* Chi-squared of a table [n, n] of symbols and those behind them, without rows and columns that are
   empty. */
struct kl_successive {
    double chi_square, df, log10_p; /* log10_p: NaN where there is nothing to test */
    double least;                   /* smallest expected count: below 5 the test is rough */
};
struct kl_successive kl_bits_successive_test(const int64_t *table, size_t n);

/* Of several devices: log10_p of the one on which dependence is likeliest, after Holm's correction over
   all that could be tested. */
struct kl_dependence {
    double log10_p; /* NaN: none could be tested */
    int device;
    bool tested; /* on a device at least: symbols that are all equal say nothing */
    bool rough;  /* symbols too few for the test's approximation */
};
int kl_bits_dependence_judge(struct kl_dependence *d, const struct kl_successive *tests,
                             size_t n_devices, struct kl_error *err);
/* Of bits that were read, as symbols of `width` bits, whatever was declared. KL_ENOMEM. */
int kl_bits_dependence_find(struct kl_dependence *d, const struct kl_bits *bits, int width,
                            struct kl_error *err);
/* Of rows as they come: of each device the first KL_DEPENDENCE_FIRST symbols, so that it costs little
   however many there are. */
enum { KL_DEPENDENCE_FIRST = 1000000 };
struct kl_device_counts {
    int64_t *table; /* NULL: no row yet */
    size_t counted; /* symbols */
};
struct kl_dependence_counts {
    int symbol_bits; /* the caller's; all else zeroed */
    size_t n_devices;
    struct kl_device_counts *devices;
};
/* The symbols of the next row of a device. KL_ENOMEM. */
int kl_bits_dependence_count(struct kl_dependence_counts *c, int32_t device, const uint8_t *row,
                             size_t n, struct kl_error *err);
int kl_bits_dependence_counted(struct kl_dependence *d, const struct kl_dependence_counts *c,
                               struct kl_error *err);
void kl_bits_dependence_counts_free(struct kl_dependence_counts *c);

/* Both after Holm's correction over the devices. At 5 % they may depend: of fair sets one in twenty has
   such a p, whatever its number of devices. At 1 % it is stated as a fact. */
bool kl_bits_may_depend(const struct kl_dependence *d);
bool kl_bits_depends(const struct kl_dependence *d);
/* "depend", "may depend" */
const char *kl_bits_depend_words(const struct kl_dependence *d);
/* "p 10^-12.3 after Holm", "p 0.012 after Holm" */
enum { KL_DEPENDENCE_TEXT = 40 };
void kl_bits_dependence_p(char text[KL_DEPENDENCE_TEXT], const struct kl_dependence *d);
/* As attributes dependence_log10_p and, where they may depend, dependence_device; none if not tested. */
int kl_bits_dependence_put(struct kl_writer *w, const struct kl_dependence *d,
                           const char (*names)[KL_BITS_NAME], struct kl_error *err);

#endif
