/* SPDX-License-Identifier: MIT
   model: noisy quantum systems under control. A system's state is a real vector r, r_a = Tr(B_a rho), in
   an orthogonal Hermitian basis with Tr(B_a B_b) = d delta_ab and B_0 = 1: Pauli strings for qubits (the
   first is the most significant), generalised Gell-Mann matrices otherwise. Its equation is linear,
   dr/dt = (sum_k a u_k C_k + sum_j p_j P_j) r, with real matrices C_k, P_j of dim = d * d rows.
   hbar = 1; time and rates in the unit that the system names. */
#ifndef KL_CONTROL_MODEL_H
#define KL_CONTROL_MODEL_H

#include <math.h>

#include "base/base.h"

/* ---- systems (system.c; from files: model_file.c) ---- */
enum {
    KL_CONTROL_MAX_LEVELS = 16,
    KL_CONTROL_MAX_PARTS = 4,
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
    double low, high;           /* a control lies between them, unless the problem has others */
    const char *words;          /* "Z": what the value multiplies; NULL: not told */
    double *matrix;             /* [dim][dim] */
};
/* Two controls are the quadratures of one: sqrt(u_x^2 + u_y^2) <= most. */
struct kl_control_modulus {
    int x, y;
    double most;
};
/* The kernel that computes a system: parameters and controls are then in that kernel's order. Those of
   KL_CONTROL_TURNED, one qubit too, stay as they are, and axes.h makes the kernel's from them. */
enum kl_control_form {
    KL_CONTROL_GENERAL,
    KL_CONTROL_ONE_QUBIT,
    KL_CONTROL_TWO_QUBITS,
    KL_CONTROL_TURNED
};
struct kl_control_system {
    char name[KL_CONTROL_NAME];
    char time_unit[8]; /* "1": dimensionless; "ns", "us" */
    enum kl_control_form form;
    int d, dim, n_qubits; /* n_qubits 0: levels of another kind */
    int subspace; /* the first levels that compute: 2 of a transmon's 3; d where there is no leakage */
    int n_controls, n_params, n_moduli;
    struct kl_control_entry controls[KL_CONTROL_MAX_CONTROLS], params[KL_CONTROL_MAX_PARAMS];
    struct kl_control_modulus moduli[KL_CONTROL_MAX_CONTROLS / 2];
    double duration; /* of a pulse, unless the problem has another */
};
/* The values that differ between the members of a family of tasks or of an ensemble. */
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
    bool jump_up; /* what relaxes runs from |0> to |1>: the defaults are exchanged */
};
/* name: one of KL_CONTROL_SYSTEMS, or cz for two-qubits; options NULL: all 0. Free the system in any
   case. KL_EUSAGE, KL_ENOMEM. */
int kl_control_system_make(struct kl_control_system *system, const char *name,
                           const struct kl_control_system_options *options, struct kl_error *err);
void kl_control_system_free(struct kl_control_system *system);
/* One entry more of a system whose sizes are set, from an operator [d][d]: a control's or a parameter's
   term of the Hamiltonian, or (rate) a jump. KL_EUSAGE: too many; KL_ENOMEM. */
int kl_control_system_add_control(struct kl_control_system *system, const char *name,
                                  const double _Complex *hamiltonian, double low, double high,
                                  struct kl_error *err);
int kl_control_system_add_param(struct kl_control_system *system, const char *name,
                                const double _Complex *operator, bool rate, double value,
                                struct kl_error *err);
/* "x + i y", of two controls. false: it is something else. */
bool kl_control_system_quadratures(int *x, int *y, const struct kl_control_system *system,
                                   const char *text);
/* A limit of the modulus of two controls in place of their own, which are none (NaN) or at least as
   large. KL_EUSAGE: they are less, or one is in another pair. */
int kl_control_system_add_modulus(struct kl_control_system *system, int x, int y, double most,
                                  struct kl_error *err);
/* The largest |u| of a control between these. */
static inline double kl_control_largest(double low, double high)
{
    return -low > high ? -low : high;
}
/* Does kernels/bloch.h know it, in whichever form? */
static inline bool kl_control_one_qubit(const struct kl_control_system *system)
{
    return system->form == KL_CONTROL_ONE_QUBIT || system->form == KL_CONTROL_TURNED;
}
/* Number of a parameter or control by name; -1: none. */
int kl_control_system_param(const struct kl_control_system *system, const char *name);
int kl_control_system_control(const struct kl_control_system *system, const char *name);
/* The generator at amplitudes u [n_controls] and of a task (NULL: the system's own), [dim][dim]. u NULL:
 * 0. */
void kl_control_system_generator(double *generator, const struct kl_control_system *system,
                                 const double *u, const struct kl_control_task *task);

/* sqrt(||M||_1 ||M||_inf) of a matrix [dim][dim]: at least its 2-norm. */
double kl_control_norm(const double *matrix, int dim);

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
/* Of a Hermitian matrix [n][n] (operators.c): it becomes diagonal; vectors [n][n] (or NULL): its
   eigenvectors as columns. NaN stays NaN. */
void kl_control_diagonalise(double _Complex *matrix, double _Complex *vectors, int n);
/* The matrix is overwritten. KL_EDATA: it holds what is not finite. */
int kl_control_smallest_eigenvalue(double *value, double _Complex *matrix, int n, struct kl_error *err);

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
/* Does a text name a file with a matrix: X.npy, or FILE:DATASET of HDF5? */
bool kl_control_is_matrix_file(const char *text);
/* The same, or a matrix from X.npy or FILE:DATASET of HDF5, real or complex, [d][d]; or as JSON text.
   how (NULL: not asked for): in which order a file was read, in words, "" where that makes no
   difference.
 */
enum { KL_CONTROL_HOW = 160 };
int kl_control_target_make(struct kl_control_target *target, const char *text, int d,
                           char how[KL_CONTROL_HOW], struct kl_error *err);
/* As JSON text without its name, malloc'ed, which kl_control_target_make reads: {"gate":[[re, im], ..]}.
 */
int kl_control_target_json(char **text, const struct kl_control_target *target, struct kl_error *err);
/* Any matrix. KL_EDATA: not unitary to 1e-8. */
int kl_control_target_matrix(struct kl_control_target *target, const char *name,
                             const double _Complex *matrix, int d, struct kl_error *err);
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

/* ---- what a transfer matrix is (objective.c) ---- */
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
/* A system in words, a line each (system.c): its levels and parameters, those that are not `given`
   (NULL: all are) as defaults; one parameter; its controls with their limits. end: of such lines. */
void kl_control_system_write(FILE *to, const struct kl_control_system *system, const bool *given);
void kl_control_system_write_param(FILE *to, const struct kl_control_system *system, int param,
                                   const char *end);
void kl_control_system_write_controls(FILE *to, const struct kl_control_system *system, const char *end);

/* ---- exact propagation (engine.c), in double ---- */
struct kl_control_pulse {
    int segments, controls;
    double duration;
    double *u; /* [segments][controls] */
};
/* The results asked for of a pulse; NULL: not asked for. */
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

/* ---- Normal numbers from uniform ones (Box and Muller 1958) ---- */

/* Two of mean 0 and variance 1 from two in (0, 1). */
static inline void kl_control_normals(double to[2], double first, double second)
{
    const double radius = sqrt(-2 * log(first)), angle = 2 * 3.14159265358979323846 * second;
    to[0] = radius * cos(angle), to[1] = radius * sin(angle);
}

/* The first of them. */
static inline double kl_control_normal(double first, double second)
{
    double both[2];
    kl_control_normals(both, first, second);
    return both[0];
}

/* ---- units: numbers with their units, of models and of options beside them, and lists of them
   (notation.c)
   ---- */

enum kl_control_quantity {
    KL_CONTROL_FREQUENCY,  /* to radians a unit of time: 5 GHz is 2 pi times 5, 31.4 rad/ns is 31.4 */
    KL_CONTROL_RATE,       /* 0.05 1/us */
    KL_CONTROL_TIME,       /* 20 us */
    KL_CONTROL_HERTZ,      /* cycles a second */
    KL_CONTROL_TEMPERATURE /* K */
};
enum { KL_CONTROL_UNITLESS = 99 };
/* A unit of time as a power of ten, seconds: "ns" -9; "1", numbers have no units: KL_CONTROL_UNITLESS.
 */
bool kl_control_time_unit(int *power, const char *name);
/* text: a number and its unit. unit: the model's unit of time. KL_EDATA: no number, no unit or one of
   something else, not finite. */
int kl_control_units_read(double *value, const char *text, enum kl_control_quantity quantity, int unit,
                          const char *where, struct kl_error *err);
/* Is it a frequency to which 2 pi is applied? */
bool kl_control_units_turns(const char *text);

/* An item of a list "x=3,y=2" or "detuning=1 MHz amplitude=0.05"; name "": a number alone.
   at, length: of it in the text, for messages. */
struct kl_control_pair {
    char name[2 * KL_CONTROL_NAME + 8];
    bool range;
    double low;        /* of a range LOW:HIGH */
    double value;      /* before any unit; of a range its HIGH */
    char quantity[64]; /* number and unit as they stand; "": there is no unit */
    double seconds;    /* of the unit of time of those without a system; 0: it has none */
    const char *at;
    int length;
};
/* The next of text (NULL: none), which moves behind it. 1; 0: there is none; -1: it is none of these. */
int kl_control_pair_next(struct kl_control_pair *pair, const char **text);
enum { KL_CONTROL_NO_UNIT = -1 };
/* Its value in the system's unit of time (NULL: in one of `seconds`); without a unit it is that already.
   quantity: an enum kl_control_quantity, or KL_CONTROL_NO_UNIT of a factor. KL_EUSAGE: a unit of
   something else, or where there is none. */
int kl_control_pair_value(double *value, const struct kl_control_pair *pair, int quantity,
                          const struct kl_control_system *system, const char *option,
                          struct kl_error *err);
/* The same of both ends of a range; the unit stands behind the second. */
int kl_control_pair_ends(double *low, double *high, const struct kl_control_pair *pair, int quantity,
                         const struct kl_control_system *system, const char *option,
                         struct kl_error *err);
/* --unit: "20 ns" in seconds; NULL: 0, there is none. KL_EUSAGE. */
int kl_control_unit_read(double *seconds, const char *text, struct kl_error *err);
/* An option's number with a unit becomes one of that unit of time, without. The same codes. */
int kl_control_quantity_take(struct kl_quantity *q, enum kl_control_quantity quantity,
                             const struct kl_control_system *system, double seconds, const char *option,
                             struct kl_error *err);

#endif
