/* SPDX-License-Identifier: MIT
   Private to the room: exporting, optimisers, setups, views of pulses. */
#ifndef KL_CONTROL_PULSE_PULSE_INT_H
#define KL_CONTROL_PULSE_PULSE_INT_H

#include <stdatomic.h>

#include "control/pulse/export.h"
#include "control/pulse/pulse.h"
#include "control/model/model.h"
#include "kernels/inline/descent.h"

/* ---- what readers of different formats share ---- */

/* From the controls of the outputs: which are quadratures of one signal. */
void kl_control_samples_pair(struct kl_control_samples *samples);
/* Number i of output j, as it stands in the file. KL_EDATA. */
int kl_control_samples_take(struct kl_control_samples *samples, int i, int j, double number,
                            const char *path, struct kl_error *err);
/* Do two numbers that say the same agree, but for rounding? */
bool kl_control_samples_agree(double a, double b);
/* The statements behind the first line of an OpenQASM file (export_qasm.c). KL_EDATA. */
int kl_control_samples_read_qasm(struct kl_control_samples *samples, const char *text, const char *path,
                                 struct kl_error *err);

/* ---- starts that threads take in order, one after
   another
   ---- */

struct kl_control_solver;
struct kl_control_queue {
    const struct kl_control_problem *problem;
    const struct kl_control_solver *method;
    const struct kl_control_search *search;
    struct kl_control_start *results;
    double *points; /* [starts][n] */
    const struct kl_watch *watch;
    int lanes;                /* that a thread fills */
    atomic_int next, failed;  /* failed: a code */
    atomic_llong done, total; /* iterations of all starts, a first point as one; at most so many */
    atomic_flag asking;       /* a thread asks the watch */
    struct kl_error *errors;  /* [threads] */
};
/* Number of the next start for a thread's lane; -1: none is left, or it is another thread's to take, so
   that few starts are spread over the threads: but for one qubit's, whose lanes are one call. */
int kl_control_queue_take(struct kl_control_queue *queue, int lane);
struct kl_descent_rules kl_control_search_rules(const struct kl_control_search *search);
/* The start's first point into x, `stride` numbers from one to the next (Box and Muller 1958). */
void kl_control_start_draw(double *x, int stride, const struct kl_control_search *search,
                           const struct kl_control_evaluator *e, int start);
/* A running start has come so far. */
void kl_control_queue_count(struct kl_control_queue *queue, int start, int iterations);
/* The result of a start, whose point is lane `lane` of x. */
void kl_control_queue_finish(struct kl_control_queue *queue, int start,
                             const struct kl_control_start *result, const double *x, int n, int lane);
/* May thread go on? */
bool kl_control_queue_step(struct kl_control_queue *queue, int thread);

/* A method: what one thread works with, and a round of it. */
struct kl_control_solver {
    size_t size;
    int (*open)(void *solver, struct kl_control_queue *queue,
                struct kl_error *err);       /* close it in any case */
    bool (*round)(void *solver, int thread); /* false: no start is left */
    void (*close)(void *solver);
};
extern const struct kl_control_solver kl_control_newton, kl_control_adam, kl_control_krotov;
/* The method, which auto is of a problem; e: its evaluator, looked at for auto alone. See pulse.h's
   kl_control_method_of. */
enum kl_control_method kl_control_search_method(const struct kl_control_search *search,
                                                const struct kl_control_problem *problem,
                                                const struct kl_control_evaluator *e);
/* KL_EUSAGE: Newton's method has no Hessian products of it. */
int kl_control_need_hessian(const struct kl_control_evaluator *e, struct kl_error *err);

/* The loss ten iterations ago, or infinity. */
enum { KL_CONTROL_WINDOW = KL_DESCENT_WINDOW };

/* Of a waveform: the low pass of its segments, the largest change from a sample to the next, and the
   middle and half the width of control k's range (waveform.c). */
struct kl_control_low_pass kl_control_waveform_low_pass(const struct kl_control_waveform *w);
double kl_control_waveform_change(const struct kl_control_waveform *w);
void kl_control_waveform_range(double *middle, double *half, const struct kl_control_waveform *w, int k);
/* Largest |control| and |parameter| that a problem's members may have. */
void kl_control_problem_largest(double most[KL_CONTROL_MAX_CONTROLS],
                                double params[KL_CONTROL_MAX_PARAMS],
                                const struct kl_control_problem *problem);

/* ---- how options name what they speak of ---- */

/* The next of a list, with a message; option: for it. 1; 0: there was none; negative: a code. */
int kl_control_options_pair(struct kl_control_pair *pair, const char **text, const char *option,
                            struct kl_error *err);
/* The parameter that an option means: with --jump up relaxation has the rate of the other direction, so
   that "gamma_down" is the system's gamma_up. -1: there is none. */
int kl_control_options_param(const struct kl_control_options *o, const struct kl_control_system *system,
                             const char *name);
/* A --set into the system's values; and which parameters it names (set.c). KL_EUSAGE. */
int kl_control_options_set(struct kl_control_system *system, const struct kl_control_options *o,
                           const char *set, struct kl_error *err);
/* --range into the setup, whose system then has the middles; of these both functions take notice
   (set.c). KL_EUSAGE. */
int kl_control_options_ranges(struct kl_control_setup *setup, const struct kl_control_options *o,
                              struct kl_error *err);
void kl_control_options_marked(bool *given, const struct kl_control_setup *setup,
                               const struct kl_control_options *o);
/* Of numbers without a unit, where the system has one of time: limits more than ten times the usual,
   times of decay below ten times the pulse's (set.c). */
void kl_control_options_caution(const struct kl_log *log, const struct kl_control_setup *setup,
                                const struct kl_control_options *o);
int kl_control_options_fail_name(const char *option, const char *name, const struct kl_control_system *s,
                                 bool controls, struct kl_error *err);
/* An enum kl_control_quantity of parameter j; -1: of the factor of all controls. */
int kl_control_options_quantity(const struct kl_control_system *s, int j);
/* Members, checks and what is spread, for a problem whose limits and duration are known. KL_EUSAGE,
   KL_ENOMEM. */
int kl_control_ensemble_make(struct kl_control_setup *setup, const struct kl_control_options *o,
                             struct kl_error *err);

/* ---- the first start (start.c) ---- */
/* Of path, a stored pulse (*file, to be closed; else NULL) or a table .csv, .tsv, the free numbers of
   the setup's waveform, malloc'ed. KL_EUSAGE: it is of another size or system; KL_EDATA, KL_ENOINPUT,
   KL_ENOMEM. */
struct kl_file;
int kl_control_start_open(double **first, struct kl_file **file, const char *path,
                          const struct kl_control_setup *setup, const struct kl_log *log,
                          struct kl_error *err);

/* ---- datasets of a pulse's file that figures are drawn from. Another room draws
   them, which cannot compute them
   ---- */

struct kl_writer;
/* Of one qubit: path/vectors [n][points][3], Bloch vectors at equal steps of time from n states (|0>,
   |+> and |+i>, or the objective's one), path/target [n][3], where the target takes these; filter/omega
   [f], filter/F [3][f] of noise on X, Y, Z. Of any system with parameters: landscape/x, landscape/y [n],
   landscape/loss [n][n] (rows by y), the loss of a task at these values; attribute `parameter` of the
   axes: a parameter's name or "amplitude". KL_EDATA, KL_EIO, KL_ENOMEM. */
int kl_control_views_put(struct kl_writer *writer, const struct kl_control_setup *setup, const double *u,
                         struct kl_error *err);

#endif
