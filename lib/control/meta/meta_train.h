/* SPDX-License-Identifier: MIT
   meta_train: meta-learning of a policy as a stage of lib/train: its options, its learner, its file. */
#ifndef KL_CONTROL_META_TRAIN_H
#define KL_CONTROL_META_TRAIN_H

#include "control/meta/meta.h"
#include "control/meta/tasks.h"
#include "store/mode.h"
#include "store/kind.h"
#include "train/stage.h"

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
    /* Of any system; system NULL: it is no such family. */
    struct kl_control_options problem;
    /* (hidden) what they come to */
    struct kl_control_texts texts;
    struct kl_control_setup setup;
    const char *model; /* that stands for its digest; NULL: nothing does */
    char digest[KL_CONTROL_DIGEST], limit_text[64];
    char numbers[3][64]; /* of ranges that were given with units */
    struct kl_control_family family;
    struct kl_control_inner inner;
    struct kl_control_net_shape shape;
    enum kl_control_aggregate aggregate;
};
void kl_control_meta_defaults(void *values);
/* Texts to values, and whether they go together. KL_EUSAGE, of a model what its reading returns. Close
   them in any case. */
int kl_control_meta_settle(void *values, struct kl_error *err);
void kl_control_meta_close(struct kl_control_meta_values *v);
/* Parts of that: the family of a system, or that nothing speaks of one; a model that is too long for the
   key (systems.c). */
int kl_control_meta_system(struct kl_control_meta_values *v, struct kl_error *err);
int kl_control_meta_shorten(struct kl_control_meta_values *v, struct kl_error *err);
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
        struct kl_control_system system; /* of no setup, and what is asked of it */                    \
        struct kl_control_objective objective;                                                         \
        const struct kl_control_family *family;                                                        \
        real *weight;                        /* [n]: of a task, 0 of a lane beside them */             \
        enum kl_control_aggregate aggregate; /* of the tasks' adapted losses; but of a mean their      \
                                                losses alone decide what each counts, 1 in all */      \
        bool on_gpu;                                                                                   \
    };                                                                                                 \
                                                                                                       \
    void kl_control_batch_close_##p(struct kl_control_batch_##p *b);                                   \
    /* limit: 1 of a system's shares. device: where pulses are judged; NULL: the CPU. Close it in      \
       any case, before the arena. */                                                                  \
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
/* Attributes beside the parameters: shape, family, adaptation. model: as of kl_control_model_put. */
int kl_control_policy_write(struct kl_writer *w, const struct kl_control_net *net,
                            const struct kl_control_family *family, const struct kl_control_inner *inner,
                            double limit, const char *precision, const char *model,
                            struct kl_error *err);
/* A policy from its file: network, parameters of replica `replica` in double, the family it was trained
   on and how it adapts. KL_EDATA, KL_ENOMEM. Free it in any case. */
struct kl_control_policy {
    struct kl_control_net net;
    struct kl_control_family family;
    struct kl_control_inner inner;
    double limit;
    double *params; /* the block */
    int64_t replicas;
    /* Of any system what its family points to. */
    struct kl_control_options problem;
    struct kl_control_setup setup;
    struct json_t *config;
    char *model, limit_text[64];
    double *start;
};
/* The family of a system, of a file whose numbers are read (systems.c). The codes below. */
int kl_control_policy_system(struct kl_control_policy *policy, const struct kl_control_net_shape *shape,
                             struct kl_file *file, struct kl_error *err);
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
