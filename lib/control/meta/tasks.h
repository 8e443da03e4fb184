/* SPDX-License-Identifier: MIT
   tasks: families of tasks for meta-learning: of one qubit distributions of noise, of errors of
   calibration and of targets, of any system ranges of its parameters; what a network is told of a task.
 */
#ifndef KL_CONTROL_META_TASKS_H
#define KL_CONTROL_META_TASKS_H

#include "control/meta/meta.h"
#include "control/noise/noise.h"
#include "control/pulse/pulse.h"
#include "kernels/bloch.h"

struct kl_control_range {
    double low, high; /* equal: it does not vary */
};
enum kl_control_distribution { KL_CONTROL_UNIFORM, KL_CONTROL_LOG_UNIFORM, KL_CONTROL_GAUSSIAN };
#define KL_CONTROL_DISTRIBUTIONS "uniform|log_uniform|gaussian"
enum kl_control_gate {
    KL_CONTROL_GATE_X,
    KL_CONTROL_GATE_Y,
    KL_CONTROL_GATE_Z,
    KL_CONTROL_GATE_H,
    KL_CONTROL_ROTATION, /* exp(-i angle X/2) */
    KL_CONTROL_GATE_CZ   /* of two qubits */
};
#define KL_CONTROL_META_GATES "pauli_x|pauli_y|pauli_z|hadamard|rotation|cz"
/* given: the drawn numbers, scaled as in the reference's training; raw: those of spectra as they are
   (its guide's configurations); nothing: a constant; shots: what a few fixed experiments measure. */
enum kl_control_tells {
    KL_CONTROL_TELLS_GIVEN,
    KL_CONTROL_TELLS_RAW,
    KL_CONTROL_TELLS_NOTHING,
    KL_CONTROL_TELLS_SHOTS
};
#define KL_CONTROL_TELLS "given|raw|none|shots"
struct kl_control_psd_table;
struct kl_control_family {
    /* Of any system what optimize would solve, with ranges of its own (systems.c), as they are or about
       their middles; and the first pulse, in shares of the limits [segments][controls]. setup NULL: of a
       qubit or of two, by what stands below. Of a system that is distribution (of its rates), diversity,
       tells and duration alone. */
    const struct kl_control_setup *setup;
    struct kl_control_range ranges[KL_CONTROL_MAX_RANGES];
    const double *start;
    bool two_qubits; /* with rates of their own, H = J ZZ and local controls; the target is CZ */
    bool psd;        /* tasks are spectra of noise; else rates */
    struct kl_control_range dephasing, relaxation;     /* rates */
    struct kl_control_range alpha, amplitude, omega_c; /* spectra */
    double models[3];                                  /* probabilities of the spectra's models */
    enum kl_control_distribution distribution;         /* of the noise; the others are uniform */
    double diversity;                 /* the noise's ranges, shrunk about their middles */
    bool jump_up;                     /* relaxation runs from |0> to |1> */
    double drift;                     /* h0 */
    struct kl_control_range detuning; /* beside h0 */
    struct kl_control_range controls; /* factor of the amplitudes: 1 */
    struct kl_control_range coupling; /* factor of J: 1 */
    struct kl_control_range angle;    /* of the target rotation */
    enum kl_control_gate gate;
    bool whole_gate; /* loss 1 - F_avg of the gate; else 1 - F of |0>'s image, of two qubits the mean of
                        twelve product states */
    enum kl_control_tells tells;
    bool tells_model;                      /* which of the models */
    int64_t shots;                         /* of each experiment */
    double duration;                       /* of a pulse */
    struct kl_control_psd_table *table[3]; /* rates of the models (psd_table.c); of psd alone */
};
/* Sets of tasks that share none. */
enum kl_control_task_set { KL_CONTROL_TRAINING, KL_CONTROL_VALIDATION, KL_CONTROL_TEST };
struct kl_control_task_id {
    uint64_t seed;
    enum kl_control_task_set set;
    uint32_t number, replica;
};
struct kl_control_meta_task {
    double theta[3]; /* alpha, A, omega_c; or the rates of dephasing and relaxation */
    int model;
    double detuning, controls, angle, coupling;
    double second[2];                      /* rates of the second qubit */
    double numbers[KL_CONTROL_MAX_RANGES]; /* of a system's ranges; else nothing of this */
    double rates[KL_BLOCH_PARAMS];         /* as kl_bloch's parameters */
};
/* KL_EUSAGE: a range that cannot be. */
int kl_control_family_check(const struct kl_control_family *f, struct kl_error *err);
void kl_control_family_draw(struct kl_control_meta_task *task, const struct kl_control_family *f,
                            const struct kl_control_task_id *id);
/* All ranges about their middles, times x. What is drawn by its logarithm stays above 0. */
void kl_control_family_spread(struct kl_control_family *f, double x);
/* The largest sum of a task's rates and twice its detuning. */
double kl_control_family_rates(const struct kl_control_family *f);
/* The qubit's pulse, and a task's weights [columns][3] of the loss 1/2 - weights . ends. */
struct kl_bloch kl_control_family_bloch(const struct kl_control_family *f, int segments,
                                        double duration);
void kl_control_family_weights(double weights[9], const struct kl_control_family *f,
                               const struct kl_control_meta_task *task);
/* A task, of one qubit or any system, as one of any; and one qubit's objective. Weights are the task's:
   those of the second to last column, or of the only one, in the rows of x, y and z. KL_ENOMEM; free it
   in any case. */
struct kl_control_task kl_control_family_member(const struct kl_control_family *f,
                                                const struct kl_control_meta_task *task);
int kl_control_family_objective(struct kl_control_objective *objective,
                                const struct kl_control_family *f, struct kl_error *err);
/* A network begins with the family's first pulse, of a qubit a constant that comes near the target, or
 * 0.
 */
void kl_control_family_begin(double *params, const struct kl_control_net *net,
                             const struct kl_control_family *f);
/* A task's numbers, of which a regret's file keeps as many, and their names; those whose variance is the
   family's (of a system places in its ranges, whose half is 1). */
enum { KL_CONTROL_TASK_NUMBERS = 8, KL_CONTROL_NAMES = 400 };
int kl_control_family_numbers(double to[KL_CONTROL_TASK_NUMBERS], char names[KL_CONTROL_NAMES],
                              const struct kl_control_family *f,
                              const struct kl_control_meta_task *task);
int kl_control_family_places(double to[KL_CONTROL_TASK_NUMBERS], const struct kl_control_family *f,
                             const struct kl_control_meta_task *task);

/* ---- families of any system (systems.c) ---- */
/* Of a setup, which outlives it, with its ranges. KL_EUSAGE: it has none; one begins at 0 whose
   logarithm is drawn. */
int kl_control_family_of_setup(struct kl_control_family *f, const struct kl_control_setup *setup,
                               struct kl_error *err);
/* Is the number of range i a rate, which has the family's distribution? */
bool kl_control_family_is_rate(const struct kl_control_setup *setup, int i);
/* A task of these numbers; the one with the largest of each. Their names, ", " between them. */
struct kl_control_task kl_control_family_system_member(const struct kl_control_family *f,
                                                       const double *numbers);
struct kl_control_task kl_control_family_system_most(const struct kl_control_family *f);
void kl_control_family_names(char text[KL_CONTROL_NAMES], const struct kl_control_setup *setup);
/* The best of a few short searches, spread over pool (NULL: none), for the task in the middle of all
   ranges. KL_ENOMEM, KL_EUSAGE, KL_ESIGNAL, KL_EDATA: no loss is a number. */
int kl_control_family_search(double *start, const struct kl_control_setup *setup, uint64_t seed,
                             struct kl_pool *pool, struct kl_error *err);
/* In a file; model: as of kl_control_model_put. */
int kl_control_family_put(struct kl_writer *writer, const struct kl_control_family *f, const char *model,
                          struct kl_error *err);

enum { KL_CONTROL_PROBES = 4, KL_CONTROL_MAX_FEATURES = 8 };
/* The features of a task for a network: how many numbers, at most KL_CONTROL_MAX_FEATURES, and which. */
int kl_control_family_n_features(const struct kl_control_family *f);
void kl_control_family_features(double *to, const struct kl_control_family *f,
                                const struct kl_control_meta_task *task,
                                const struct kl_control_task_id *id);

/* ---- experiments with finitely many shots (tasks.c) ---- */
/* 1 - 2 k/shots, k the ones counted, of Ramsey experiments in both quadratures, of five quarter turns,
   of a wait in |1>; their number. Pulses that are off by the task's factor. */
int kl_control_probe(double to[KL_CONTROL_PROBES], const struct kl_control_family *f,
                     const struct kl_control_meta_task *task, const struct kl_control_task_id *id);
/* Ones in n shots of probability p, by inversion of the binomial law at u in (0, 1). */
int64_t kl_control_binomial(int64_t n, double p, double u);

/* ---- rates of spectra (psd_table.c) ---- */
/* The tables of the family's models, by the integrals of noise. KL_EUSAGE, KL_ENOMEM; free them in any
   case. */
int kl_control_psd_tables(struct kl_control_family *f, const struct kl_control_noise *noise,
                          struct kl_error *err);
void kl_control_psd_tables_free(struct kl_control_family *f);
/* The task's rates by the tables; the largest of any task. */
void kl_control_psd_rates(struct kl_control_meta_task *task, const struct kl_control_family *f);
double kl_control_psd_most(const struct kl_control_family *f);

#endif
