/* SPDX-License-Identifier: MIT
   Integrators of small steps, to be compared with exact propagation; what a cache of simulators would
   hold. Nothing else in this room computes with them. */
#ifndef KL_CONTROL_INTEGRATORS_H
#define KL_CONTROL_INTEGRATORS_H

#include "control/pulse/pulse.h"

enum kl_control_integrator { KL_CONTROL_EXACT, KL_CONTROL_RK4, KL_CONTROL_EULER };
#define KL_CONTROL_INTEGRATORS "exact|rk4|euler"
/* "exact", "rk4", "euler". */
const char *kl_control_integrator_name(enum kl_control_integrator integrator);

/* ---- integrators.c ---- */
/* Steps of a segment: max(1, floor(segment / dt)), as metaqctrl 1.0.0 has it; the real step is up to
   twice dt. */
int kl_control_steps(double segment, double dt);
/* State vectors in the columns of states [dim][columns] through a pulse, in place: that many steps a
   segment by Euler's method or the classical one of Runge and Kutta; exact: exponentials. Nothing is
   renormalised. task NULL: the system's own values. KL_ENOMEM, KL_EDATA. */
int kl_control_integrate(double *states, int columns, const struct kl_control_system *system,
                         const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                         enum kl_control_integrator integrator, int steps, struct kl_error *err);
/* Is a vector, r_a = Tr(B_a rho), a state? The smallest eigenvalue of rho, its largest diagonal element.
   basis: of kl_control_basis, [d * d][d][d]. rho [d][d], or NULL. KL_EDATA: not finite. */
int kl_control_state_of_vector(double _Complex *rho, double *smallest, double *population,
                               const double *vector, const double _Complex *basis, int d,
                               struct kl_error *err);

/* ---- integrators.c ---- */
struct kl_control_setting {
    enum kl_control_integrator integrator;
    double dt; /* 0: exact */
};
/* The five that metaqctrl's guide compares. */
enum { KL_CONTROL_GUIDE_SETTINGS = 5 };
extern const struct kl_control_setting kl_control_guide_settings[KL_CONTROL_GUIDE_SETTINGS];
struct kl_control_measured {
    int steps;      /* of a segment; exact: 0 */
    double seconds; /* of the loss of one task, the fastest of several rounds */
    double lanes; /* exact, one qubit: the same where sixteen pulses are computed side by side; else 0 */
    /* The largest of all tasks and initial states, the objective's own, |0> and products of eigenstates
       of X, Y and Z (or levels): of an element of rho against exact, of the loss against exact. */
    double state_off, loss_off;
    double smallest, population; /* the worst of the final states */
    int unphysical; /* tasks with an eigenvalue below -1e-9 or a population above 1 + 1e-9 */
};
/* Tasks: the rates of system, each times a number uniform in [1 - vary, 1 + vary]. */
void kl_control_bench_task(struct kl_control_task *task, const struct kl_control_system *system,
                           double vary, uint64_t seed, uint32_t number);
/* seconds: how long a setting is measured. KL_ENOMEM, KL_EDATA. */
int kl_control_bench(struct kl_control_measured *measured, const struct kl_control_setting *settings,
                     int n_settings, const struct kl_control_setup *setup, const double *u,
                     const struct kl_control_task *tasks, int n_tasks, double seconds,
                     struct kl_error *err);

/* A cache of simulators by their tasks, rounded to 6 decimals, as metaqctrl keeps it: fresh tasks come
   in batches, each is looked up so often and never thrown away. */
struct kl_control_cache {
    int64_t lookups, hits, hits_of_others; /* of others: of tasks of earlier batches */
    int64_t entries;
    double bytes;                      /* generators and jump operators that it holds then */
    double build_seconds, run_seconds; /* of one generator; of one exact loss */
    double gain;                       /* time without the cache by time with it */
};
/* KL_ENOMEM, KL_EDATA. */
int kl_control_cache_stream(struct kl_control_cache *cache, const struct kl_control_setup *setup,
                            const double *u, double vary, uint64_t seed, int iterations, int tasks,
                            int uses, struct kl_error *err);

#endif
