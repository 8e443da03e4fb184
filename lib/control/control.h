/* SPDX-License-Identifier: MIT
   control: pulses for noisy quantum systems. A system's state is a real vector r, r_a = Tr(B_a rho), in
   an orthogonal Hermitian basis with Tr(B_a B_b) = d delta_ab and B_0 = 1: Pauli strings for qubits (the
   first is the most significant), generalised Gell-Mann matrices otherwise. Its equation is linear,
   dr/dt = (sum_k a u_k C_k + sum_j p_j P_j) r, with real matrices C_k, P_j of dim = d * d rows.
   hbar = 1; time and rates in the unit that the system names. */
#ifndef KL_CONTROL_H
#define KL_CONTROL_H

#include "base/base.h"

/* ---- systems (system.c; from files: model_file.c) ---- */
enum {
    KL_CONTROL_MAX_LEVELS = 8,
    KL_CONTROL_MAX_CONTROLS = 12,
    KL_CONTROL_MAX_PARAMS = 16,
    KL_CONTROL_NAME = 24
};
/* A matrix with the coefficient that multiplies it: the amplitude of a control, or a parameter (a rate,
   a detuning, a coupling). */
struct kl_control_entry {
    char name[KL_CONTROL_NAME]; /* "x", "gamma_phi" */
    bool rate;                  /* a parameter that is never negative */
    double value;               /* of a parameter, unless a task has another */
    double limit;               /* of a control's |u|, unless the problem has another */
    double *matrix;             /* [dim][dim] */
};
/* Which kernel knows it: parameters and controls are then in that kernel's order. */
enum kl_control_form { KL_CONTROL_GENERAL, KL_CONTROL_ONE_QUBIT, KL_CONTROL_TWO_QUBITS };
struct kl_control_system {
    char name[KL_CONTROL_NAME];
    char time_unit[8]; /* "1": dimensionless; "ns", "us" */
    enum kl_control_form form;
    int d, dim, n_qubits; /* n_qubits 0: levels of another kind */
    int subspace; /* the first levels that compute: 2 of a transmon's 3; d where there is no leakage */
    int n_controls, n_params;
    struct kl_control_entry controls[KL_CONTROL_MAX_CONTROLS], params[KL_CONTROL_MAX_PARAMS];
    double duration; /* of a pulse, unless the problem has another */
};
/* What differs between the members of a family of tasks or of an ensemble. */
struct kl_control_task {
    double params[KL_CONTROL_MAX_PARAMS];
    double amplitude; /* factor of all controls: 1 */
};
/* The built-in ones. Parameters and controls in this order; rates are of jumps gamma_phi:
   sqrt(gamma_phi/2) Z, gamma_down: |0><1|, gamma_up: |1><0|. qubit       H = detuning Z + x X + y Y (+ z
   Z); gamma_phi, gamma_down, gamma_up, detuning two-qubits  H = J ZZ + dz1 Z1 + dz2 Z2 + x1 X1 + y1 Y1 +
   x2 X2 + y2 Y2 (+ z1 Z1 + z2 Z2); gphi1, gdown1, gup1, gphi2, gdown2, gup2, J, dz1, dz2 transmon    H =
   detuning n + anharmonicity n(n-1)/2 + x (a + a^+)/2 + y i(a^+ - a)/2, in rad/ns, jumps sqrt(2
   gamma_phi) n, sqrt(gamma_down) a, sqrt(gamma_up) a^+; gamma_phi, gamma_down, gamma_up, detuning,
   anharmonicity */
#define KL_CONTROL_SYSTEMS "qubit|two-qubits|transmon"
struct kl_control_system_options {
    int controls; /* 2 or 3 of one qubit, 4 or 6 of two; 0: 2, 6 */
    int levels;   /* of a transmon; 0: 3 */
    bool jump_up; /* what relaxes runs from |0> to |1> */
};
/* name: one of KL_CONTROL_SYSTEMS, or cz for two-qubits; options NULL: all 0. Free the system in any
   case. KL_EUSAGE, KL_ENOMEM. */
int kl_control_system_make(struct kl_control_system *system, const char *name,
                           const struct kl_control_system_options *options, struct kl_error *err);
void kl_control_system_free(struct kl_control_system *system);
/* One entry more of a system whose sizes are set, from an operator [d][d]: a control's or a parameter's
   term of the Hamiltonian, or (rate) a jump. KL_EUSAGE: too many; KL_ENOMEM. */
int kl_control_system_add_control(struct kl_control_system *system, const char *name,
                                  const double _Complex *hamiltonian, double limit,
                                  struct kl_error *err);
int kl_control_system_add_param(struct kl_control_system *system, const char *name,
                                const double _Complex *operator, bool rate, double value,
                                struct kl_error *err);
/* Number of a parameter or control by name; -1: none. */
int kl_control_system_param(const struct kl_control_system *system, const char *name);
int kl_control_system_control(const struct kl_control_system *system, const char *name);
/* The generator at amplitudes u [n_controls] and of a task (NULL: the system's own), [dim][dim]. u NULL:
 * 0. */
void kl_control_system_generator(double *generator, const struct kl_control_system *system,
                                 const double *u, const struct kl_control_task *task);

/* ---- decay times to rates (system.c) ---- */
struct kl_control_decay {
    double t1, t2, tphi; /* 0: not given; at most one of t2 and tphi; 1/t2 = 1/tphi + 1/(2 t1) */
    double frequency;    /* of the level splitting, Hz; 0: not given, no thermal excitation */
    double temperature;  /* K */
    bool up;             /* relaxation runs from |0> to |1> */
};
struct kl_control_rates {
    double phi, down, up; /* in the unit of 1/t1 */
};
/* down + up = 1/t1, up/down = exp(-h f/(k T)). where begins a message ("qubit 1"). KL_EUSAGE: t2 > 2 t1,
   one that is negative or no number. */
int kl_control_decay_rates(struct kl_control_rates *rates, const struct kl_control_decay *decay,
                           const char *where, struct kl_error *err);
/* The default rates of a built-in system's qubit (from 0). */
void kl_control_system_set_rates(struct kl_control_system *system, int qubit,
                                 const struct kl_control_rates *rates);

/* ---- operators (operators.c): complex matrices [d][d], row-major ---- */
/* The basis, [d * d][d][d]. n_qubits 0: generalised Gell-Mann matrices: 1, then for j < k the symmetric
   and the antisymmetric of |j>, |k>, then d - 1 diagonal ones. */
void kl_control_basis(double _Complex *basis, int d, int n_qubits);
/* G_ab = Tr(B_a L(B_b)) / d of L(rho) = -i [H, rho] + sum_j (L_j rho L_j^+ - {L_j^+ L_j, rho} / 2),
   [d * d][d * d]. hamiltonian NULL: 0. KL_ENOMEM. */
int kl_control_generator(double *generator, const double _Complex *hamiltonian,
                         const double _Complex *jumps, int n_jumps, int d, int n_qubits,
                         struct kl_error *err);
/* R_ab = Tr(B_a U B_b U^+) / d. KL_ENOMEM. */
int kl_control_transfer_of_unitary(double *transfer, const double _Complex *unitary, int d, int n_qubits,
                                   struct kl_error *err);
/* r_a = Tr(B_a rho). KL_ENOMEM. */
int kl_control_vector_of_state(double *vector, const double _Complex *rho, int d, int n_qubits,
                               struct kl_error *err);
/* Eigenvalues of a matrix [n][n], n <= 64, in no order; the matrix is overwritten (eigenvalues.c).
   KL_EDATA: it holds what is not finite. */
int kl_control_eigenvalues(double _Complex *values, double _Complex *matrix, int n,
                           struct kl_error *err);

/* ---- shapes of pulses (system.c) ---- */
/* A Gauss pulse that begins and ends at 0, its area `angle`, with the quadrature that keeps a transmon
   in its first two levels to first order: u_y = - drag / (2 anharmonicity) d(u_x)/dt (Motzoi et al.
   2009), the derivative by central differences, one-sided at the ends. u [segments][2]; drag 0: Gauss
   alone. */
struct kl_control_shape {
    double duration, angle, sigma; /* sigma 0: duration / 4 */
    double drag, anharmonicity;
};
void kl_control_gauss(double *u, int segments, const struct kl_control_shape *shape);

/* The system's own values, amplitude 1. */
void kl_control_task_default(struct kl_control_task *task, const struct kl_control_system *system);

/* ---- targets (target.c) ---- */
enum { KL_CONTROL_MATRIX = KL_CONTROL_MAX_LEVELS * KL_CONTROL_MAX_LEVELS };
/* A unitary of the levels that compute. */
struct kl_control_target {
    char name[64];
    int d; /* rows: the system's subspace */
    double _Complex u[KL_CONTROL_MATRIX];
};
/* "hadamard", "cz", "rx(pi/2)", or gates of neighbouring qubits between commas, "h,i": the first is the
   most significant. KL_EUSAGE: unknown, or of other size than d. */
#define KL_CONTROL_GATES                                                                              \
    "i, x, y, z, h, s, sdg, t, tdg, sx, rx(ANGLE), ry(ANGLE), rz(ANGLE), p(ANGLE), cz, cnot, iswap, " \
    "swap, cp(ANGLE), rzz(ANGLE)"
int kl_control_target_gate(struct kl_control_target *target, const char *text, int d,
                           struct kl_error *err);
/* The same, or a matrix from X.npy or FILE:DATASET of HDF5, real or complex, [d][d]; or as JSON text. */
int kl_control_target_make(struct kl_control_target *target, const char *text, int d,
                           struct kl_error *err);
/* As JSON text without its name, malloc'ed, which kl_control_target_make reads: {"gate":[[re, im], ..]}.
 */
int kl_control_target_json(char **text, const struct kl_control_target *target, struct kl_error *err);
/* Any matrix. KL_EDATA: not unitary to 1e-8. */
int kl_control_target_matrix(struct kl_control_target *target, const char *name,
                             const double _Complex *matrix, int d, struct kl_error *err);
/* A state by letters as below, or its amplitudes from such a file, [d], which are normalised. */
int kl_control_state_make(double _Complex *amplitudes, const char *text, int d, int n_qubits,
                          struct kl_error *err);
/* Amplitudes [d] of a state in letters 0, 1, +, -, r, l (+i, -i of Y), one a qubit; of d levels that are
   no qubits, the level's number. KL_EUSAGE. */
int kl_control_state_text(double _Complex *amplitudes, const char *text, int d, int n_qubits,
                          struct kl_error *err);

/* ---- objectives (objective.c): loss = constant - <weights, R(T)>, 1 - fidelity ----
   All fidelities are linear in the transfer matrix R. Its first row is (1, 0, ..): what it would add is
   in the constant, the weights' first row is 0. */
struct kl_control_objective {
    char name[64];
    int columns; /* of R: 1 a state, dim a transfer matrix; start and weights are [dim][columns] */
    double *start, *weights; /* weights: already divided by what makes the loss 1 - fidelity */
    double constant;
};
/* d levels compute, of D; P projects on them, E is the map of the whole system.
   state         <t|E(|0><0|)|t>, t = U|0>
   entanglement  F_e = sum_jk Tr((U|j><k|U^+)^+ E(|j><k|)) / d^2, j, k < d
   average       F_avg = (d F_e + 1 - L1) / (d + 1) (Wood and Gambetta 2018)
   states        mean of <t|E(|s><s|)|t>, t = U s: of two qubits the twelve products ++ +- -+ -- rr rl 1+
   1- +1 -1 00 11, of one the six eigenstates of X, Y, Z leakage       loss L1 = 1 - Tr(P E(P / d)),
   whatever the target */
enum kl_control_fidelity {
    KL_CONTROL_STATE,
    KL_CONTROL_ENTANGLEMENT,
    KL_CONTROL_AVERAGE,
    KL_CONTROL_STATES,
    KL_CONTROL_LEAKAGE
};
#define KL_CONTROL_FIDELITIES "state|entanglement|average|states|leakage"
/* Free it in any case. KL_EUSAGE: the target has not the system's size; KL_ENOMEM. */
int kl_control_objective_make(struct kl_control_objective *objective,
                              const struct kl_control_system *system, enum kl_control_fidelity fidelity,
                              const struct kl_control_target *target, struct kl_error *err);
/* The mean over n given states [n][subspace] and what each should become. One: columns is 1. */
int kl_control_objective_states(struct kl_control_objective *objective,
                                const struct kl_control_system *system, const double _Complex *inputs,
                                const double _Complex *targets, int n, struct kl_error *err);
void kl_control_objective_free(struct kl_control_objective *objective);
/* constant - <weights, ends>, ends [dim][columns]. */
double kl_control_objective_loss(const struct kl_control_objective *objective,
                                 const struct kl_control_system *system, const double *ends);
/* The twelve, or six, states of `states`, [n][d]; returns n, 0 for other d. */
enum { KL_CONTROL_STATES_MOST = 12 };
int kl_control_states(double _Complex *states, int d);

/* ---- what a transfer matrix is (channel.c) ---- */
struct kl_control_channel {
    double entanglement, average; /* fidelities, as above */
    double leakage;               /* L1; 0 where all levels compute */
    double smallest_choi; /* eigenvalue of the Choi matrix of trace 1: negative, it is no physical map */
    double trace_error;   /* largest deviation of R's first row from (1, 0, ..) */
};
/* transfer [dim][dim]. KL_ENOMEM, KL_EDATA (not finite), KL_EUSAGE as the objective. */
int kl_control_channel_measure(struct kl_control_channel *channel,
                               const struct kl_control_system *system,
                               const struct kl_control_target *target, const double *transfer,
                               struct kl_error *err);
/* <t|E(|s><s|)|t> of n pairs of states [n][subspace] into fidelities [n]. KL_ENOMEM. */
int kl_control_channel_states(double *fidelities, const struct kl_control_system *system,
                              const double *transfer, const double _Complex *inputs,
                              const double _Complex *targets, int n, struct kl_error *err);

/* ---- models from files (model_file.c; docs/control.md has the format) ---- */
enum { KL_CONTROL_MODEL_TARGETS = 8 };
struct kl_control_model_target {
    bool is_state;
    enum kl_control_fidelity fidelity;
    struct kl_control_target gate; /* of a state: one that takes `from` to it */
    double _Complex from[KL_CONTROL_MAX_LEVELS], state[KL_CONTROL_MAX_LEVELS]; /* [subspace] */
};
struct kl_control_model {
    struct kl_control_system system;
    int n_targets;
    struct kl_control_model_target targets[KL_CONTROL_MODEL_TARGETS];
    char *said; /* what was understood, in the model's units, a line each */
};
/* KL_ENOINPUT, KL_EDATA, KL_EIO, KL_ENOMEM; then nothing is to be freed. */
int kl_control_model_read(struct kl_control_model *model, const char *path, struct kl_error *err);
/* All of it as JSON text, malloc'ed: what --model means in a key and in a file of a pulse; and back,
   with numbers to 15 digits (model_json.c). KL_EDATA, KL_ENOMEM. */
int kl_control_model_json(char **text, const struct kl_control_model *model, struct kl_error *err);
int kl_control_model_parse(struct kl_control_model *model, const char *text, struct kl_error *err);
/* Of a text that begins with '{', else of a file. */
int kl_control_model_open(struct kl_control_model *model, const char *text, struct kl_error *err);
void kl_control_model_free(struct kl_control_model *model);
int kl_control_model_objective(struct kl_control_objective *objective,
                               const struct kl_control_model *model, int target, struct kl_error *err);
/* A system that a kernel knows is given that kernel's form and order: what is missing is added as 0, the
   names stay (system.c). KL_ENOMEM. */
int kl_control_system_recognise(struct kl_control_system *system, struct kl_error *err);
/* The system as an object for keys and reports, *json a new reference: sizes, unit, values, limits, and
   the matrices by a digest of their entries to 12 digits (describe.c). KL_ENOMEM. */
struct json_t;
int kl_control_system_json(struct json_t **json, const struct kl_control_system *system,
                           struct kl_error *err);
/* An objective likewise: its name, constant, and a digest of start and weights. */
int kl_control_objective_json(struct json_t **json, const struct kl_control_objective *objective,
                              const struct kl_control_system *system, struct kl_error *err);
/* A system in words, a line for each parameter and control. */
void kl_control_system_write(FILE *to, const struct kl_control_system *system);

/* ---- exact propagation (propagate.c), in double ---- */
struct kl_control_pulse {
    int segments, controls;
    double duration;
    double *u; /* [segments][controls] */
};
/* What is asked for of a pulse; NULL: not asked for. */
struct kl_control_gradient {
    double loss;
    double *u;         /* [segments][controls]: d loss / d u */
    double *params;    /* [n_params]: d loss / d params */
    double *amplitude; /* d loss / d amplitude */
    double *path;      /* [segments + 1][dim][columns]: R at the segments' boundaries */
};
/* Piecewise-constant controls, each segment by its exponential, exact to rounding; task NULL: the
   system's own values. KL_ENOMEM; KL_EDATA: a number is not finite. */
int kl_control_propagate(struct kl_control_gradient *to, const struct kl_control_system *system,
                         const struct kl_control_objective *objective,
                         const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                         struct kl_error *err);
/* The transfer matrix R(T) [dim][dim] of a pulse. KL_ENOMEM, KL_EDATA. */
int kl_control_transfer(double *transfer, const struct kl_control_system *system,
                        const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                        struct kl_error *err);

/* ---- a low pass of the first order (low_pass.c): y' = (a - y) / tau, y(0) = 0 ---- */
struct kl_control_low_pass {
    double decay, mean; /* over a segment: exp(-dt/tau), and what its mean keeps of y at its start */
};
/* dt: of a segment; tau 0: what goes in comes out. */
void kl_control_low_pass_make(struct kl_control_low_pass *f, double tau, double dt);
/* Of samples [n][row], each held for `oversample` segments: means of y over these, and y at their ends
   (NULL: not asked for), both [n * oversample][row]. */
void kl_control_low_pass(double *means, double *ends, const struct kl_control_low_pass *f,
                         const double *samples, int n, int oversample, int row);
/* back [n][row] += the adjoint of the means, applied to by_means [n * oversample][row]. */
void kl_control_low_pass_back(double *back, const double *by_means, const struct kl_control_low_pass *f,
                              int n, int oversample, int row);

/* ---- waveforms (waveform.c): free numbers x to samples of a generator to the controls of the qubit
 * ---- */
/* In units of the limits of the controls. Samples of control k are those of its functions: one a sample;
   cubic B-splines; sines and cosines (with zero ends: sines alone); or one constant. Where they are not
   the free numbers themselves, they are kept within the limit by v / (1 + v^4)^(1/4). A low pass of the
   first order with the time constant tau stands between them and the qubit: a sample lasts `oversample`
   segments, and a control's is the mean of the filter's output over its own. Everything is
   differentiated exactly. */
enum kl_control_functions { KL_CONTROL_PIECEWISE, KL_CONTROL_SPLINES, KL_CONTROL_FOURIER };
struct kl_control_waveform {
    enum kl_control_functions functions;
    int samples, controls, oversample;
    int count;      /* functions of a control that is neither piecewise nor constant */
    bool zero_ends; /* the pulse begins and ends at 0 */
    bool constant[KL_CONTROL_MAX_CONTROLS];
    double duration, tau; /* tau 0: no low pass */
    double slew;          /* largest change a unit of time; 0: any */
    int n;                /* free numbers; those of control k stand from first[k] on */
    int first[KL_CONTROL_MAX_CONTROLS + 1];
    double *values; /* [samples][count] */
};
/* From the fields above `n`. KL_EUSAGE, KL_ENOMEM. Free it in any case. */
int kl_control_waveform_make(struct kl_control_waveform *w, struct kl_error *err);
void kl_control_waveform_free(struct kl_control_waveform *w);
/* All free numbers are samples that play as they are. */
bool kl_control_waveform_plain(const struct kl_control_waveform *w);
/* Of `lanes` points side by side: samples [samples][controls][lanes] and controls u [samples *
   oversample] [controls][lanes] of x [n][lanes]; and the way back, gx += (du/dx)^T gu + (dsamples/dx)^T
   back, where back, like samples, is overwritten. */
void kl_control_waveform_play(double *samples, double *u, const struct kl_control_waveform *w,
                              const double *x, int lanes);
void kl_control_waveform_back(double *gx, const double *gu, const struct kl_control_waveform *w,
                              const double *x, double *back, int lanes);
/* f [lanes] += what samples that change faster than slew cost, its gradient into back (samples'). */
void kl_control_waveform_slew(double *f, double *back, const struct kl_control_waveform *w,
                              const double *samples, int lanes);
/* One pulse's samples [samples][controls] as near as they may be: no change is faster than slew, and
   with zero ends the pulse leaves and reaches 0 no faster. */
void kl_control_waveform_limit(double *samples, const struct kl_control_waveform *w);
/* Samples of one pulse to its controls. */
void kl_control_waveform_filter(double *u, const struct kl_control_waveform *w, const double *samples);

/* ---- problems (problem.c): the loss of an ensemble as a function of what is free, many points at once
 * ---- */
/* What the members of an ensemble make together: their weighted mean; a smooth upper bound of the worst,
   log(sum of exp(k L)) / k with k the sharpness, whatever the weights; the mean of the worst share
   (conditional value at risk, Rockafellar and Uryasev 2000). */
enum kl_control_aggregate { KL_CONTROL_MEAN, KL_CONTROL_WORST, KL_CONTROL_CVAR };
struct kl_control_problem {
    const struct kl_control_system *system;
    const struct kl_control_objective *objective;
    int segments;
    double duration;
    double limit[KL_CONTROL_MAX_CONTROLS];      /* of |u| */
    const struct kl_control_waveform *waveform; /* NULL: the controls themselves are free */
    const struct kl_control_task *members;      /* NULL: the system's own values alone */
    int n_members;
    const double *weights; /* [n_members], their sum 1; NULL: equal */
    const double (
        *targets)[9]; /* of one qubit: of each member [columns][3] in place of the objective's weights */
    enum kl_control_aggregate aggregate;
    double sharpness, tail; /* of the worst; of the share, in (0, 1] */
    double energy;          /* factor of the mean square of u / limit in the loss */
};
enum { KL_CONTROL_LANES = 16 };
struct kl_control_evaluator;
/* Values that evaluations share; one a thread. KL_ENOMEM, KL_EUSAGE. Close accepts NULL. */
int kl_control_evaluator_open(struct kl_control_evaluator **e, const struct kl_control_problem *problem,
                              struct kl_error *err);
void kl_control_evaluator_close(struct kl_control_evaluator **e);
int kl_control_evaluator_size(const struct kl_control_evaluator *e); /* n: numbers of a point */
/* Points are in units of the limits, so that one size of step serves controls of any unit.
   f [16] and its gradient g [n][16] (NULL: not asked for) at 16 points x [n][16], those that are wanted;
   a point's numbers do not depend on the others. Points lie within low and high [n]. */
void kl_control_evaluate(struct kl_control_evaluator *e, double *f, double *g, const double *x,
                         const bool wanted[KL_CONTROL_LANES]);
const double *kl_control_evaluator_low(const struct kl_control_evaluator *e);
const double *kl_control_evaluator_high(const struct kl_control_evaluator *e);
/* The same and the Hessian's products hv [n][16] with v [n][16]; of one qubit and a mean alone: see
   kl_control_has_hessian. */
void kl_control_evaluate_hessian(struct kl_control_evaluator *e, double *f, double *g, double *hv,
                                 const double *x, const double *v);
bool kl_control_has_hessian(const struct kl_control_evaluator *e);
/* The largest difference between the gradient at a random point and central differences of the loss, and
   between a Hessian product, where there is one, and central differences of the gradient; each as a
   share of its largest component. KL_ENOMEM, KL_EUSAGE. */
int kl_control_check_gradients(double *gradient, double *hessian,
                               const struct kl_control_problem *problem, uint64_t seed,
                               struct kl_error *err);
/* A point's samples, as they may be played, and its controls u [segments][controls]; samples NULL: there
   is no waveform, or they are not asked for. KL_ENOMEM. */
int kl_control_amplitudes(double *samples, double *u, const struct kl_control_problem *problem,
                          const double *x, struct kl_error *err);

/* ---- optimisation from many starts (optimize.c) ---- */
/* Auto: newton where there are Hessian products, else lbfgs. */
#define KL_CONTROL_METHODS "auto|lbfgs|newton|adam|krotov"
enum kl_control_method {
    KL_CONTROL_AUTO,
    KL_CONTROL_LBFGS,
    KL_CONTROL_NEWTON,
    KL_CONTROL_ADAM,
    KL_CONTROL_KROTOV
};
enum kl_control_stop {
    KL_CONTROL_RUNS,       /* it has not stopped */
    KL_CONTROL_REACHED,    /* the loss that was asked for */
    KL_CONTROL_FLAT,       /* the projected gradient vanishes */
    KL_CONTROL_STALLED,    /* the loss no longer falls */
    KL_CONTROL_NO_DESCENT, /* no step along the gradient lowers it: rounding */
    KL_CONTROL_ITERATIONS, /* their limit */
    KL_CONTROL_NO_NUMBER,  /* the loss is none */
    KL_CONTROL_STOPS
};
const char *kl_control_stop_words(enum kl_control_stop stop);
struct kl_control_search {
    enum kl_control_method method;
    int starts, iterations;
    double target;   /* loss at which a start stops; below every loss: never */
    double gradient; /* largest component of the projected gradient at which it stops */
    double progress; /* relative fall of the loss over ten iterations at which it stops */
    double size;     /* starts are normal numbers times this, in units of the limits */
    double lr;       /* of Adam */
    uint64_t seed;
    const double *first; /* the first start [n], in these units; NULL: drawn as well */
};
void kl_control_search_default(struct kl_control_search *search);
struct kl_control_start {
    double loss;
    int iterations, evaluations;
    enum kl_control_stop stop;
};
/* results [starts] and their points [starts][n]. Neither the threads of pool (NULL: none) nor starts
   beside it change a start. KL_ENOMEM; KL_ESIGNAL where watch says so. */
int kl_control_optimize(struct kl_control_start *results, double *points,
                        const struct kl_control_problem *problem, const struct kl_control_search *search,
                        struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err);

/* ---- a problem from options (setup.c; options.h has their rows) ---- */
struct kl_control_options {
    const char *system, *model, *gate, *fidelity,
        *jump;            /* model: a file in place of a built-in system */
    const char *set;      /* "gamma_phi=0.085 J=2" */
    const char *limit;    /* "3.14", or "x=3,y=2" */
    const char *spread;   /* of an ensemble: "detuning=0.3 amplitude=0.05" */
    const char *law;      /* gauss|uniform: what spread is of */
    const char *ensemble; /* mean|worst|cvar */
    int64_t segments, controls,
        members;     /* controls 0: those of the system; members: of each that is spread */
    double duration; /* 0: the system's */
    double sharpness, tail, energy;
    const char *functions, *constant; /* piecewise|splines|fourier; names of constant controls */
    int64_t count, oversample;
    bool zero_ends;
    double slew, tau;
};
void kl_control_options_default(struct kl_control_options *o);
enum { KL_CONTROL_MOST_MEMBERS = 4096, KL_CONTROL_MOST_SEGMENTS = 16384 };
/* Files that options name, the model's and the gate's, become what is in them: then key, provenance and
   file of a pulse say what was computed. The texts live as long as the options; said: of
   kl_control_model. */
struct kl_control_texts {
    char *model, *gate, *said;
};
int kl_control_options_files(struct kl_control_options *o, struct kl_control_texts *texts,
                             struct kl_error *err);
void kl_control_texts_free(struct kl_control_texts *texts);
/* The system with --set; target: the model's first, untouched where there is none, or NULL. */
int kl_control_options_system(struct kl_control_system *system, struct kl_control_model_target *target,
                              const struct kl_control_options *o, struct kl_error *err);
struct kl_control_setup {
    struct kl_control_system system;
    struct kl_control_target target;
    struct kl_control_objective objective;
    enum kl_control_fidelity fidelity;
    struct kl_control_task *members;
    double *weights;
    int n_members;
    struct kl_control_waveform waveform;
    struct kl_control_problem problem; /* its segments are samples times oversample */
};
/* KL_EUSAGE names the option; what reading a model returns. Free it in any case. */
int kl_control_setup_make(struct kl_control_setup *setup, const struct kl_control_options *o,
                          struct kl_error *err);
void kl_control_setup_free(struct kl_control_setup *setup);

/* ---- a pulse and its file (pulse_file.c), kind "pulse" ---- */
struct kl_file;
struct kl_writer;
extern const struct kl_kind kl_control_pulse_kind;
enum { KL_CONTROL_PULSE_SCHEMA = 1 };
/* What is known of a pulse in its problem. */
struct kl_control_report {
    double loss;     /* of the ensemble, without the factor of energy */
    double nominal;  /* of the system's own values */
    double worst;    /* of the members */
    double gradient; /* largest component of the projected gradient of the ensemble's loss by controls in
                                          units of their limits */
    struct kl_control_channel channel; /* of the nominal transfer matrix */
    double *members;                   /* [n_members]: losses */
    double *transfer;                  /* [dim][dim], nominal */
};
int kl_control_report_make(struct kl_control_report *report, const struct kl_control_setup *setup,
                           const double *u, struct kl_error *err);
void kl_control_report_free(struct kl_control_report *report);
/* samples: of the generator, NULL where they are the controls. starts, n_starts: of the optimisation,
 * best the one whose pulse u is; config: the options as JSON. */
int kl_control_pulse_save(struct kl_writer *writer, const struct kl_control_setup *setup,
                          const double *samples, const double *u, const struct kl_control_report *report,
                          const struct kl_control_start *starts, int n_starts, int best,
                          const char *config, struct kl_error *err);
/* A pulse and the problem that it was made for. Close it in any case. KL_EDATA, KL_ENOMEM. */
struct kl_control_stored {
    struct kl_control_options options; /* its words are in config */
    struct kl_control_setup setup;
    double *u;       /* [segments][controls] */
    double *samples; /* of the generator [samples][controls]; NULL: they are the controls */
    double loss;
    struct json_t *config;
};
int kl_control_pulse_load(struct kl_control_stored *stored, struct kl_file *file, struct kl_error *err);
void kl_control_stored_close(struct kl_control_stored *stored);

/* ---- bounds that hold for all pulses (bound.c) ---- */
/* No pulse of this duration, whatever its amplitudes, loses less: the decay that no control undoes. Of
   one qubit's gate it is what doing nothing costs an identity. 0 where nothing is proven: of one state,
   of `states` and `leakage` with levels that do not compute, where a control is no Hamiltonian's.
   KL_ENOMEM. */
int kl_control_decoherence_limit(double *limit, const struct kl_control_system *system,
                                 const struct kl_control_objective *objective,
                                 enum kl_control_fidelity fidelity, double duration,
                                 const struct kl_control_task *task, struct kl_error *err);
/* For any pulse, a parameter that moves by x for the duration T moves the loss by at most params x T; a
   control likewise. KL_ENOMEM. */
struct kl_control_sensitivity {
    double params[KL_CONTROL_MAX_PARAMS], controls[KL_CONTROL_MAX_CONTROLS];
};
int kl_control_sensitivity_make(struct kl_control_sensitivity *to,
                                const struct kl_control_system *system,
                                enum kl_control_fidelity fidelity, struct kl_error *err);

/* ---- the best stored pulse for a task (lookup.c, pulse_index.c) ---- */
enum { KL_CONTROL_PATH = 1024 };
struct kl_control_lookup {
    size_t pulses, unread; /* in the store; files that could not be read */
    size_t fit, compared;  /* that fit the task; of these, whose loss was computed */
    bool found;            /* else the rest says nothing, but start_found and floors */
    char best[KL_CONTROL_PATH], key[65];
    double loss, stored_loss; /* here; and where it was optimised */
    int segments;
    double duration;
    double proven; /* no pulse loses less: the mean of the members' kl_control_decoherence_limit */
    /* No pulse loses less if the search that made `from` found the least loss of its own task to within
       KL_CONTROL_ASSUMED: that least less how far a loss can move from there to here. */
    bool has_assumed;
    double assumed, moved;
    char from[KL_CONTROL_PATH];
    bool start_found; /* of as many samples and controls, nearest by how far a loss can move */
    char start[KL_CONTROL_PATH];
    double start_loss, start_distance;
    double seconds;
};
#define KL_CONTROL_ASSUMED 1e-6
/* Losses are the setup's without its factor of energy. KL_ENOINPUT: no such store; KL_ENOMEM. */
int kl_control_lookup(struct kl_control_lookup *to, const char *store,
                      const struct kl_control_setup *setup, struct kl_error *err);

/* ---- error budget (budget.c) ---- */
enum { KL_CONTROL_BUDGET_TERMS = KL_CONTROL_MAX_PARAMS + KL_CONTROL_MAX_CONTROLS + 1 };
enum { KL_CONTROL_BUDGET_UNCERTAIN = 5 }; /* terms with a size that is not 0, at most */
struct kl_control_budget_term {
    char name[40]; /* "gamma_phi", "detuning", "amplitude", "skew_y": control y is late */
    int param;     /* of the system; KL_CONTROL_AMPLITUDE; or less: of control - 2 - param the delay */
    bool rate;
    double size;             /* of a rate its value; else the standard deviation of a normal error */
    double slope, curvature; /* of the loss; curvature of a rate: 0, it is not asked for */
    double part;             /* size slope of a rate; size^2 curvature / 2 of an error */
    double swing; /* |size slope| of an error: what one standard deviation does, to first order */
    double alone, without; /* exact: this one and no other, less none; all, less all but this one */
    double filter;   /* one qubit's gate: by the filter function, dephasing and detuning; else NAN */
    double averaged; /* exact mean over this error, rates as they are, less the loss
                        (kl_control_noise_average); NAN of a rate and of a delay */
};
struct kl_control_budget {
    int n;
    struct kl_control_budget_term terms[KL_CONTROL_BUDGET_TERMS];
    double loss;      /* rates as they are, no error */
    double residual;  /* no rate, no error: the pulse's own */
    double total;     /* rates and errors, the mean by Gauss's nodes: 48 of one error, 5 of five */
    double unsettled; /* by how much two thirds of the nodes give another total */
    double sum;       /* residual and all parts */
};
/* sigmas: "detuning=0.01 amplitude=0.01 skew_y=0.002". A delayed control is 0 before the pulse and cut
   behind it. task: the system's own values. KL_EUSAGE, KL_ENOMEM, KL_EDATA. */
int kl_control_budget(struct kl_control_budget *budget, const struct kl_control_setup *setup,
                      const double *u, const char *sigmas, struct kl_error *err);

/* ---- noise: spectra and rates (noise.c) ---- */
/* one_over_f: A/(|w|^alpha + omega_c^alpha), A where alpha <= 0; lorentzian: A/(w^2 + omega_c^2);
   double_exp: with f = alpha/5 within [0, 1], a share 1 - f of such a line and f of one 1 + alpha times
   as wide. Two-sided, S(-w) = S(w), w in radians per unit of time: the mean of x(0) x(t) is the integral
   of S exp(i w t) dw/2pi. */
#define KL_CONTROL_PSD_CHOICES "one_over_f|lorentzian|double_exp"
enum kl_control_psd_model { KL_CONTROL_ONE_OVER_F, KL_CONTROL_LORENTZIAN, KL_CONTROL_DOUBLE_EXP };
struct kl_control_psd {
    enum kl_control_psd_model model;
    double alpha, amplitude, omega_c;
};
double kl_control_psd(const struct kl_control_psd *psd, double omega);
/* Its mean over a Lorentzian line of full width `width` at omega; 0: at omega itself. */
double kl_control_psd_line(const struct kl_control_psd *psd, double omega, double width);
/* Half its mean over [0, width]. */
double kl_control_psd_band(const struct kl_control_psd *psd, double width);

/* STANDARD: noise x(t) (Z + X)/2 of this spectrum. Dephasing is chi/T, chi = (1/pi) int_0^inf S
   F(wT)/w^2 dw with the standard filter of a sequence (Cywinski et al. 2008,
   doi:10.1103/PhysRevB.77.174509); up and down follow from S at omega0 by the golden rule and detailed
   balance. FILTER and BAND are the mappings of an earlier system, metaqctrl 1.0.0, with its own filters
   (Ramsey twice as large), its trapezoids on 4,000, 4,001 and 500 points and its decay without a
   coupling factor: to compare with it, not to compute with. */
#define KL_CONTROL_MAPPING_CHOICES "filter|band|standard"
enum kl_control_mapping { KL_CONTROL_FILTER, KL_CONTROL_BAND, KL_CONTROL_STANDARD };
struct kl_control_noise {
    enum kl_control_mapping mapping;
    int pulses;         /* of the sequence: 0 Ramsey, 1 echo, n CPMG */
    int segments;       /* BAND: of the pulse, which make the band */
    double duration;    /* T */
    double omega0;      /* between the levels */
    double gamma_h;     /* FILTER: full width of the line */
    double line_width;  /* STANDARD: the same; 0: sharp */
    double temperature; /* STANDARD: kT/hbar in radians per unit of time; INFINITY: as much up as down */
};
void kl_control_noise_default(struct kl_control_noise *noise);
/* KL_EUSAGE: a parameter is out of its range or no number. KL_EDATA: a rate is not finite. */
int kl_control_noise_rates(struct kl_control_rates *rates, const struct kl_control_psd *psd,
                           const struct kl_control_noise *noise, struct kl_error *err);
/* "ramsey", "echo", "cpmg_N". KL_EUSAGE. */
int kl_control_sequence(int *pulses, const char *name, struct kl_error *err);
/* F(x): 2 sin^2(x/2); 8 sin^4(x/4n) sin^2(x/2)/cos^2(x/2n), n even, cos^2(x/2) in place of sin^2, n odd.
 */
double kl_control_sequence_filter(int pulses, double x);

/* ---- filter function of a pulse on one qubit (filter_function.c) ---- */
/* Noise x(t) P/2 beside H = (u_x X + u_y Y + (detuning + u_z) Z), P = X, Y or Z by axis 0, 1, 2. In the
   frame that the pulse moves P/2 is sum_k y_k(t) B_k, B_k = X, Y, Z over sqrt 2;
   F(omega) = sum_k |int_0^T y_k exp(i omega t) dt|^2, the convention of the Python package
   filter_functions; with P = Z and no control it is the standard filter of Ramsey over omega^2. To
   second order the noise costs an entanglement infidelity int S F domega/(4 pi) over both signs of
   omega. */
struct kl_control_filter; /* belongs to one thread at a time */
/* omega (n): radians per unit of time. limit: the largest sqrt(u_x^2 + u_y^2 + (detuning + u_z)^2) that
   may come. KL_EUSAGE, KL_ENOMEM. */
int kl_control_filter_open(struct kl_control_filter **filter, const double *omega, size_t n,
                           int segments, double duration, double limit, struct kl_error *err);
void kl_control_filter_close(struct kl_control_filter **filter);
/* Weights (n) with which sum of weights F is the trapezoid of S F/(4 pi) over rising omega. both_signs:
   the grid has omega > 0 alone and stands for -omega too. */
void kl_control_filter_weights(double *weights, const double *omega, const double *psd, size_t n,
                               bool both_signs);
struct kl_control_filter_gradient {
    double *values;      /* F (n), or NULL */
    double infidelity;   /* sum of weights F */
    double *u, detuning; /* its derivatives [segments][controls], and by the detuning; u NULL: neither */
};
/* pulse: of 2 or 3 controls. weights (n), or NULL: values alone. KL_EUSAGE: another grid of time, or an
   amplitude above the limit. */
int kl_control_filter_evaluate(struct kl_control_filter_gradient *to, struct kl_control_filter *filter,
                               const struct kl_control_pulse *pulse, double detuning, int axis,
                               const double *weights, struct kl_error *err);

/* ---- averages over classical noise, exact (noise_average.c) and sampled (noise_trajectories.c) ---- */
/* x(t) is added to a parameter of the system, or all controls are multiplied by 1 + x(t). QUASI_STATIC:
   a normal number, the same for all of a pulse. TELEGRAPH: sigma or -sigma, `rate` switches a unit of
   time, <x(0) x(t)> = sigma^2 exp(-2 rate t). ORNSTEIN_UHLENBECK: Gaussian, sigma^2 exp(-rate t). */
enum kl_control_process_kind {
    KL_CONTROL_QUASI_STATIC,
    KL_CONTROL_TELEGRAPH,
    KL_CONTROL_ORNSTEIN_UHLENBECK
};
enum { KL_CONTROL_AMPLITUDE = -1, KL_CONTROL_MAX_PROCESSES = 4 };
struct kl_control_process {
    enum kl_control_process_kind kind;
    int param; /* which of the system's, or KL_CONTROL_AMPLITUDE */
    double sigma, rate;
};
/* ends [dim][columns]: the mean of R(T), from start [dim][columns]; processes are independent. Exact up
   to `tolerance` (1e-12), by which one more half of the levels may change it; levels: how many it took;
   may be NULL. KL_EUSAGE; KL_ENO: 128 levels do not suffice; KL_ENOMEM. */
int kl_control_noise_average(double *ends, const double *start, int columns,
                             const struct kl_control_system *system,
                             const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                             const struct kl_control_process *processes, int n_processes,
                             double tolerance, int *levels, struct kl_error *err);
/* The system and its telegraph and Ornstein-Uhlenbeck noise as one system, of dim * levels rows, and an
   objective of it: kl_control_propagate and kl_control_optimize then see the average and its exact
   gradient. levels: of an Ornstein-Uhlenbeck process; those that kl_control_noise_average took are
   enough. It has a parameter more, "noise", of value 1. Free both in any case (noise_join.c). KL_EUSAGE:
   a quasi-static process, which is an ensemble of tasks; more than 64 rows (16 levels of a qubit); no
   place for a parameter; KL_ENOMEM. */
int kl_control_noise_join(struct kl_control_system *joint, struct kl_control_objective *joint_objective,
                          const struct kl_control_system *system,
                          const struct kl_control_objective *objective,
                          const struct kl_control_process *processes, int n_processes, int levels,
                          struct kl_error *err);
/* The mean of <weights, R(T)> over n trajectories of the same noise, and its standard error: a check of
   the averages by another route. Telegraph noise switches at its own times, Ornstein-Uhlenbeck noise has
   its exact means over parts of at most 1/8 of its memory. Random numbers: seed, KL_RANDOM_NOISE,
   trajectory, process. weights [dim][columns]. */
struct kl_control_estimate {
    double mean, error;
};
int kl_control_noise_trajectories(struct kl_control_estimate *to, const double *start,
                                  const double *weights, int columns,
                                  const struct kl_control_system *system,
                                  const struct kl_control_pulse *pulse,
                                  const struct kl_control_task *task,
                                  const struct kl_control_process *processes, int n_processes, size_t n,
                                  uint64_t seed, struct kl_pool *pool, struct kl_error *err);

#endif
