/* SPDX-License-Identifier: MIT
   meta_train: meta-learning of a policy as a stage of lib/train: its options, its learner, its file. */
#ifndef KL_CONTROL_META_TRAIN_H
#define KL_CONTROL_META_TRAIN_H

#include "control/meta/meta.h"
#include "control/meta/meta_train.h"
#include "store/mode.h"
#include "control/meta/tasks.h"
#include "store/kind.h"
#include "train/stage.h"

enum { KL_CONTROL_POLICY_SCHEMA = 1, KL_CONTROL_META_VERSION = 1 };

/* ---- options (meta_options.c) ---- */
struct kl_control_meta_values {
    struct kl_common common;
    struct kl_train_settings train;
    /* Words, and lists of numbers between commas; NULL: not given. */
    const char *tasks, *distribution, *gate, *fidelity, *tells, *activation, *method, *first_order,
        *start, *precision, *mapping, *psd_model, *model_types, *model_probs, *sequence,
        *temperature_text;
    const char *dephasing, *relaxation, *alpha, *amplitude, *omega_c, *detuning, *controls_range, *angle,
        *coupling;
    double diversity, drift, duration, omega0, line_width, gamma_h, temperature, limit, scale, inner_lr,
        inner_clip;
    int64_t shots, features, hidden, hidden_layers, segments, controls, qubits, inner_steps, iterations,
        val_interval, val_tasks;
    bool last_layer, jump_up;
    /* Of a reference's configuration, where they change nothing. */
    const char *unused_text[18];
    /* (hidden) what they come to */
    struct kl_control_family family;
    struct kl_control_inner inner;
    struct kl_control_net_shape shape;
};
void kl_control_meta_defaults(void *values);
/* Texts to values, and whether they go together. KL_EUSAGE. */
int kl_control_meta_settle(void *values, struct kl_error *err);
/* What was given and changes nothing, as a note. */
void kl_control_meta_unused(const struct kl_control_meta_values *v, const struct kl_log *log);

/* ---- tasks in lanes (batch.c) ---- */
#define KL_CONTROL_BATCH_DECLARE(real, p)                                                              \
    struct kl_control_batch_##p {                                                                      \
        struct kl_control_adapt_##p adapt;                                                             \
        struct kl_control_plant_##p plant;                                                             \
        struct kl_control_system system; /* of two qubits, and what is asked of it */                  \
        struct kl_control_objective objective;                                                         \
        const struct kl_control_family *family;                                                        \
        real *weight; /* [n]: of a task, 0 of a lane beside them */                                    \
    };                                                                                                 \
                                                                                                       \
    /* Close it in any case. */                                                                        \
    void kl_control_batch_close_##p(struct kl_control_batch_##p *b);                                   \
    int kl_control_batch_make_##p(struct kl_control_batch_##p *b, const struct kl_control_net *net,    \
                                  const struct kl_control_inner *inner,                                \
                                  const struct kl_control_family *family, double limit, size_t n,      \
                                  struct kl_arena *memory, struct kl_error *err);                      \
    /* Tasks [id.number, id.number + count) into the lanes, the last one again into those behind; each \
       has `weight`. */                                                                                \
    void kl_control_batch_fill_##p(struct kl_control_batch_##p *b, struct kl_control_task_id id,       \
                                   size_t count, double weight);                                       \
    /* A task with its features into a lane. */                                                        \
    void kl_control_batch_set_##p(struct kl_control_batch_##p *b, size_t lane,                         \
                                  const struct kl_control_meta_task *task, const double *features);    \
    /* Of the filled tasks: sums of the losses before and after adaptation; the gradient. */           \
    void kl_control_batch_gradient_##p(real *grad, double sums[2], struct kl_control_batch_##p *b,     \
                                       const real *params, size_t count);
KL_CONTROL_BATCH_DECLARE(float, f32)
KL_CONTROL_BATCH_DECLARE(double, f64)
#define kl_control_batch KL_NAME(kl_control_batch)
#define kl_control_batch_make KL_NAME(kl_control_batch_make)
#define kl_control_batch_fill KL_NAME(kl_control_batch_fill)
#define kl_control_batch_close KL_NAME(kl_control_batch_close)
#define kl_control_batch_set KL_NAME(kl_control_batch_set)
#define kl_control_batch_gradient KL_NAME(kl_control_batch_gradient)

/* ---- judging (meta_stage.c) ---- */
/* The family's tables, where tasks are spectra. */
int kl_control_meta_tables(struct kl_control_family *family, const struct kl_control_meta_values *v,
                           struct kl_error *err);
/* Of one thread. family, with its tables, and net must outlive it. KL_ENOMEM; close it in any case. */
struct kl_control_judge;
int kl_control_judge_open(struct kl_control_judge **judge, const struct kl_control_meta_values *v,
                          const struct kl_control_family *family, const struct kl_control_net *net,
                          enum kl_control_task_set set, size_t tasks, struct kl_error *err);
/* Mean losses of the set's first tasks, and the standard deviation of the adapted ones. */
void kl_control_judge_run(double *before, double *after, double *std, struct kl_control_judge *judge,
                          const double *params);
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
