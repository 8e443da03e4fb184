/* SPDX-License-Identifier: MIT
   signal: what is done to signals before windows are cut: rates, filters, the reference. Everything in
   double, rows of a matrix (channels, n). The formulas are MNE-Python's (Gramfort et al. 2013,
   doi:10.3389/fnins.2013.00267; mne/filter.py 1.13), whose samples the golden test has. */
#ifndef KL_SEQUENCE_SIGNAL_H
#define KL_SEQUENCE_SIGNAL_H

#include "base/base.h"

/* Workspace of the transforms, kept from call to call: one for each thread of the pool. Zeros first;
   free it in the end. */
struct kl_sequence_workspace {
    void **memory;
    size_t *bytes;
    int threads;
};
void kl_sequence_workspace_free(struct kl_sequence_workspace *workspace);

/* ---- another rate (signal.c) ---- */
/* round(n to / from), at least 1. */
size_t kl_sequence_resampled_length(size_t n, double from, double to);
/* x (channels, n) at rate `from` to out (channels, kl_sequence_resampled_length) at rate `to`: by the
   transform of the signal padded by odd reflection to a power of two, cut at the lower Nyquist
   frequency. Equal rates: a copy. KL_ENOMEM. */
int kl_sequence_resample(double *out, const double *x, size_t channels, size_t n, double from, double to,
                         struct kl_sequence_workspace *workspace, struct kl_pool *pool,
                         struct kl_error *err);

/* ---- filters (signal.c) ---- */
struct kl_sequence_fir {
    double *taps; /* (n), n odd, symmetric */
    size_t n;
};
/* Windowed sinc by Hamming; transitions min(max(low / 4, 2), low) below and min(max(high / 4, 2), rate /
   2
   - high) above, 3.3 / transition seconds long. low 0: a low-pass, high 0: a high-pass. KL_EUSAGE: a
   band that does not lie within 0 and rate / 2. */
int kl_sequence_fir_band(struct kl_sequence_fir *fir, double rate, double low, double high,
                         struct kl_error *err);
/* Takes frequency -+ frequency / 400 out, transitions of 0.5 Hz. */
int kl_sequence_fir_notch(struct kl_sequence_fir *fir, double rate, double frequency,
                          struct kl_error *err);
/* x (channels, n) in place, without delay; ends are padded by odd reflection of n - 1 taps. KL_ENOMEM.
 */
int kl_sequence_fir_apply(double *x, size_t channels, size_t n, const struct kl_sequence_fir *fir,
                          struct kl_sequence_workspace *workspace, struct kl_pool *pool,
                          struct kl_error *err);
void kl_sequence_fir_free(struct kl_sequence_fir *fir);

/* ---- the reference, windows (signal.c) ---- */
/* Each sample less the mean over the channels that take part, part (channels); NULL: all do. The others
   stay as they are. */
void kl_sequence_average_reference(double *x, const bool *part, size_t channels, size_t n);
/* Mean of x (n); 0 of none. */
double kl_sequence_mean(const double *x, size_t n);
/* The greatest value less the least. */
double kl_sequence_peak_to_peak(const double *x, size_t n);

#endif
