/* SPDX-License-Identifier: MIT
   meta_train: meta-learning of a policy as a stage of lib/train: its options, its learner, its file. */
#ifndef KL_CONTROL_META_TRAIN_H
#define KL_CONTROL_META_TRAIN_H

#include "control/meta/meta.h"
#include "control/meta/meta_train.h"
#include "store/mode.h"
#include "store/kind.h"
#include "train/stage.h"
#include "control/noise/noise.h"
#include "control/pulse/pulse.h"
#include "kernels/bloch.h"

/* ---- tasks: families of tasks of one qubit for meta-learning: distributions of noise, of errors of
   calibration and of targets; what a network is told of a task
   ---- */

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
    double second[2];              /* rates of the second qubit */
    double rates[KL_BLOCH_PARAMS]; /* as kl_bloch's parameters */
};
/* KL_EUSAGE: a range that cannot be. */
int kl_control_family_check(const struct kl_control_family *f, struct kl_error *err);
void kl_control_family_draw(struct kl_control_meta_task *task, const struct kl_control_family *f,
                            const struct kl_control_task_id *id);
/* The largest sum of a task's rates and twice its detuning. */
double kl_control_family_rates(const struct kl_control_family *f);
/* The qubit's pulse, and a task's weights [columns][3] of the loss 1/2 - weights . ends. */
struct kl_bloch kl_control_family_bloch(const struct kl_control_family *f, int segments,
                                        double duration);
void kl_control_family_weights(double weights[9], const struct kl_control_family *f,
                               const struct kl_control_meta_task *task);
/* One qubit's task and objective, as those of any system. Weights are the task's: those of the second to
   last column, or of the only one, in the rows of x, y and z. KL_ENOMEM; free it in any case. */
struct kl_control_task kl_control_family_member(const struct kl_control_meta_task *task);
int kl_control_family_objective(struct kl_control_objective *objective,
                                const struct kl_control_family *f, struct kl_error *err);
/* A constant pulse that comes near the target, or 0. */
void kl_control_family_pulse(double pulse[2], const struct kl_control_family *f, double duration);

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

enum { KL_CONTROL_POLICY_SCHEMA = 1, KL_CONTROL_META_VERSION = 1 };

/* ---- options (meta_options.c) ---- */
struct kl_control_meta_values {
    struct kl_common common;
    struct kl_train_settings train;
    /* Words, and lists of numbers between commas; NULL: not given. */
    const char *ensemble, *tasks, *distribution, *gate, *fidelity, *tells, *activation, *method,
        *first_order, *start, *precision, *mapping, *psd_model, *model_types, *model_probs, *sequence,
        *temperature_text;
    const char *dephasing, *relaxation, *alpha, *amplitude, *omega_c, *detuning, *controls_range, *angle,
        *coupling;
    const char *unit; /* "20 ns", of time; NULL: numbers have no units */
    double diversity, omega0, line_width, gamma_h, temperature, scale, inner_lr, inner_clip;
    struct kl_quantity drift, duration, limit; /* without units behind kl_control_meta_settle */
    int64_t shots, features, hidden, hidden_layers, segments, controls, qubits, inner_steps, iterations,
        val_interval, val_tasks;
    bool last_layer, jump_up;
    /* Of a reference's configuration, where they change nothing. */
    const char *unused_text[18];
    /* (hidden) what they come to */
    char numbers[3][64]; /* of ranges that were given with units */
    struct kl_control_family family;
    struct kl_control_inner inner;
    struct kl_control_net_shape shape;
    enum kl_control_aggregate aggregate;
};
void kl_control_meta_defaults(void *values);
/* Texts to values, and whether they go together. KL_EUSAGE. */
int kl_control_meta_settle(void *values, struct kl_error *err);
/* Note the options that were given and change nothing. */
void kl_control_meta_unused(const struct kl_control_meta_values *v, const struct kl_log *log);

/* ---- tasks in lanes (batch.c) ---- */
/* Of a batch's tasks the worst is log(sum of exp(K L)) / K, or the mean of this share of them; they are
   in lanes together. */
enum { KL_CONTROL_PART = 32, KL_CONTROL_TASKS_SHARPNESS = 1000 };
#define KL_CONTROL_TASKS_TAIL 0.1
#define KL_CONTROL_BATCH_DECLARE(real, p)                                                              \
    struct kl_control_batch_##p {                                                                      \
        struct kl_control_adapt_##p adapt;                                                             \
        struct kl_control_plant_##p plant;                                                             \
        struct kl_control_system system; /* of two qubits, and what is asked of it */                  \
        struct kl_control_objective objective;                                                         \
        const struct kl_control_family *family;                                                        \
        real *weight;                        /* [n]: of a task, 0 of a lane beside them */             \
        enum kl_control_aggregate aggregate; /* of the tasks' adapted losses; but of a mean their      \
                                                losses alone decide what each counts, 1 in all */      \
        bool on_gpu;                                                                                   \
    };                                                                                                 \
                                                                                                       \
    void kl_control_batch_close_##p(struct kl_control_batch_##p *b);                                   \
    /* device: where pulses are judged; NULL: the CPU. Close it in any case, before the arena. */      \
    int kl_control_batch_make_##p(                                                                     \
        struct kl_control_batch_##p *b, const struct kl_control_net *net,                              \
        const struct kl_control_inner *inner, const struct kl_control_family *family, double limit,    \
        size_t n, const struct kl_device *device, struct kl_arena *memory, struct kl_error *err);      \
    /* Tasks [id.number, id.number + count) into the lanes, the last one again into those behind; each \
       has `weight`. */                                                                                \
    void kl_control_batch_fill_##p(struct kl_control_batch_##p *b, struct kl_control_task_id id,       \
                                   size_t count, double weight);                                       \
    /* A task with its features into a lane. */                                                        \
    void kl_control_batch_set_##p(struct kl_control_batch_##p *b, size_t lane,                         \
                                  const struct kl_control_meta_task *task, const double *features);    \
    /* The filled tasks are adapted to: b->adapt.loss. KL_ENOMEM, KL_EDEVICE: of a GPU, as below. */   \
    int kl_control_batch_adapt_##p(struct kl_control_batch_##p *b, const real *params,                 \
                                   struct kl_error *err);                                              \
    /* Of the filled tasks: sums of the losses before and after adaptation; the gradient. */           \
    int kl_control_batch_gradient_##p(real *grad, double sums[2], struct kl_control_batch_##p *b,      \
                                      const real *params, size_t count, struct kl_error *err);
KL_CONTROL_BATCH_DECLARE(float, f32)
KL_CONTROL_BATCH_DECLARE(double, f64)
#define kl_control_batch KL_NAME(kl_control_batch)
#define kl_control_batch_make KL_NAME(kl_control_batch_make)
#define kl_control_batch_fill KL_NAME(kl_control_batch_fill)
#define kl_control_batch_close KL_NAME(kl_control_batch_close)
#define kl_control_batch_set KL_NAME(kl_control_batch_set)
#define kl_control_batch_adapt KL_NAME(kl_control_batch_adapt)
#define kl_control_batch_gradient KL_NAME(kl_control_batch_gradient)

/* ---- judging (meta_stage.c) ---- */
/* The family's tables, where tasks are spectra. */
int kl_control_meta_tables(struct kl_control_family *family, const struct kl_control_meta_values *v,
                           struct kl_error *err);
/* Of one thread; device as of a batch. family, with its tables, and net must outlive it. KL_ENOMEM;
   close it in any case. */
struct kl_control_judge;
int kl_control_judge_open(struct kl_control_judge **judge, const struct kl_control_meta_values *v,
                          const struct kl_control_family *family, const struct kl_control_net *net,
                          enum kl_control_task_set set, size_t tasks, const struct kl_device *device,
                          struct kl_error *err);
/* Losses of the set's first tasks before and after adaptation, as --ensemble has them, the worst being
   the worst itself; and the standard deviation of the adapted ones. KL_ENOMEM, KL_EDEVICE. */
int kl_control_judge_run(double *before, double *after, double *std, struct kl_control_judge *judge,
                         const double *params, struct kl_error *err);
void kl_control_judge_close(struct kl_control_judge **judge);

/* ---- the stage (meta_stage.c) and its file (policy.c) ---- */
extern const struct kl_train_stage kl_control_meta_stage;

extern const struct kl_kind kl_control_policy_kind;
/* Attributes beside the parameters: shape, family, adaptation. */
int kl_control_policy_write(struct kl_writer *w, const struct kl_control_net *net,
                            const struct kl_control_family *family, const struct kl_control_inner *inner,
                            double limit, const char *precision, struct kl_error *err);
/* A policy from its file: network, parameters of replica `replica` in double, the family it was trained
   on and how it adapts. KL_EDATA, KL_ENOMEM. Free it in any case. */
struct kl_control_policy {
    struct kl_control_net net;
    struct kl_control_family family;
    struct kl_control_inner inner;
    double limit;
    double *params; /* the block */
    int64_t replicas;
};
int kl_control_policy_read(struct kl_control_policy *policy, struct kl_file *file, int64_t replica,
                           struct kl_error *err);
void kl_control_policy_free(struct kl_control_policy *policy);

/* ---- what the first words of qcontrol do (mode_WORD.c) ---- */
struct kl_mode;
struct kl_tool;
struct kl_kind;
extern const struct kl_mode kl_control_mode_train;
extern const struct kl_mode kl_control_mode_regret;
extern const struct kl_mode kl_control_mode_import;
extern const struct kl_tool kl_control_train_tool;
extern const struct kl_tool kl_control_regret_tool;
extern const struct kl_tool kl_control_import_tool;
extern const struct kl_kind kl_control_regret_kind;

#endif
