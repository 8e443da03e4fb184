/* SPDX-License-Identifier: MIT
   What the benchmark's files share. */
#ifndef KL_DOCTOR_INT_H
#define KL_DOCTOR_INT_H

#include "doctor/doctor.h"

/* work(context, i) on all threads at once, i the thread, again and again: pieces of work a second. */
double kl_doctor_rates_race(void (*work)(void *context, size_t thread), void *context,
                            struct kl_pool *pool, double seconds);
/* sin(step), sin(2 step), ... */
void kl_doctor_rates_fill(float *values, size_t n, float step);
int kl_doctor_rates_convolution(struct kl_rates *rates, struct kl_pool *pool, struct kl_error *err);
int kl_doctor_rates_langevin(struct kl_rates *rates, struct kl_pool *pool, struct kl_error *err);
/* i: of kl_rates_qubits */
int kl_doctor_rates_circuit(struct kl_rates *rates, int i, struct kl_pool *pool, struct kl_error *err);

#endif
