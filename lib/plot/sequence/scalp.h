/* SPDX-License-Identifier: MIT
   Values at electrodes as a smooth map of the head. */
#ifndef KL_PLOT_SCALP_H
#define KL_PLOT_SCALP_H

#include <stddef.h>

struct kl_error;

/* Spherical splines through values at n places on the unit disc (the head from above, radius 1 at 90
   degrees from the vertex). Places or values that are no number are left out. */
struct kl_scalp {
    size_t n;
    double *place; /* (n, 3) on the unit sphere */
    double *disc;  /* (n, 2) */
    double *hull;  /* (n_hull, 2) corners of the area between the electrodes, anticlockwise, each once;
                      beyond it the map is a guess */
    size_t n_hull;
    double *weights; /* (n + 1), the last is the constant */
};
/* Of order 4, 50 Legendre terms (Perrin et al. 1989, doi:10.1016/0013-4694(89)90180-6), as MNE-Python
   interpolates channels, but for what is added to the diagonal: 1e-9, so that the map has the
   electrodes' own values, where MNE's 1e-5 takes three quarters of a peak at one of 64. KL_ENOMEM. Free
   it in any case. */
int kl_plot_scalp_fit(struct kl_scalp *s, const double *values, const double *positions, size_t n,
                      struct kl_error *err);
/* The map's value at a place of the disc. */
double kl_plot_scalp_at(const struct kl_scalp *s, double x, double y);
void kl_plot_scalp_free(struct kl_scalp *s);

#endif
