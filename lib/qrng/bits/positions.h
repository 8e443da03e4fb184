/* SPDX-License-Identifier: MIT
   positions: the study's Jensen-Shannon divergence of two devices' rates of 1 by position, in nats: each
   is divided by its sum, which throws the bias away, and the mixture is made before that. */
#ifndef KL_QRNG_BITS_POSITIONS_H
#define KL_QRNG_BITS_POSITIONS_H

/* One position's part: half of p ln(p / m) + q ln(q / m), where p = a / sum_a, q = b / sum_b and
   m = (a + b) / (sum_a + sum_b). If the sums are 1, that is the divergence of what was normalised first.
 */
double kl_position_part(double a, double sum_a, double b, double sum_b);

#endif
