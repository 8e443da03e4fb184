/* SPDX-License-Identifier: MIT
   meta: networks that give a pulse for a task, their adaptation to tasks by a few steps of gradient
   descent, and what their first parameters learn from it. Tiers: the network; adaptation in both
   precisions; tasks; training. */
#ifndef KL_CONTROL_META_H
#define KL_CONTROL_META_H

#include "control/pulse/pulse.h"
#include "kernels/bloch.h"
#include "kernels/policy.h"
#include "nn/nn.h"

/* ---- networks (policy.c) ---- */
enum { KL_CONTROL_MAX_LAYERS = 12, KL_CONTROL_MAX_UNITS = 4096 };
/* layers times linear, [norm], activation, without the last two after the last; then the output is
   scale * z, or with norms scale * tanh z. Rows are segments, columns controls. The reference's
   one-qubit network has no norms; that of its CZ experiment has, and scale pi. */
struct kl_control_net_shape {
    int features, hidden, hidden_layers; /* hidden_layers + 2 linear layers, as the reference counts */
    int segments, controls;
    double scale;
    enum kl_policy_act act; /* not KL_POLICY_NONE */
    bool norm;              /* layer norm, epsilon 1e-5, before each activation */
};
struct kl_control_net {
    struct kl_control_net_shape shape;
    int layers, size[KL_CONTROL_MAX_LAYERS + 1]; /* units: features, hidden, ..., outputs */
    struct kl_block block; /* network.0.weight, network.0.bias, ...: named as in a checkpoint */
    struct {
        int weight, bias, norm_weight, norm_bias; /* tensors of the block; norms -1: none */
    } at[KL_CONTROL_MAX_LAYERS];
    int64_t parameters;
};
/* KL_EUSAGE, KL_ENOMEM. Free it in any case. */
int kl_control_net_make(struct kl_control_net *net, const struct kl_control_net_shape *shape,
                        struct kl_error *err);
void kl_control_net_free(struct kl_control_net *net);
/* Semi-orthogonal weights (Saxe et al. 2013, arXiv:1312.6120) with gain 0.5, of the last layer 0.1 where
   there are norms; biases 0, norms 1 and 0. params: the block; scratch: kl_control_net_scratch values.
 */
void kl_control_net_init(double *params, const struct kl_control_net *net, uint64_t seed,
                         uint32_t replica, double *scratch);
size_t kl_control_net_scratch(const struct kl_control_net *net);
/* Biases of the last layer that give a constant pulse [controls] to the features 0. With all biases 0
   the pulse begins at 0, where the gradient of a state transfer vanishes. */
void kl_control_net_start(double *params, const struct kl_control_net *net, const double *pulse);

/* ---- adaptation (adapt.c), a task a lane ---- */
enum kl_control_meta_method {
    KL_CONTROL_FOMAML,   /* MAML without its second derivatives (Finn et al. 2017, arXiv:1703.03400)
                          */
    KL_CONTROL_MAML,     /* MAML */
    KL_CONTROL_REPTILE,  /* (phi_0 - phi_K) / (K lr) (Nichol et al. 2018, arXiv:1803.02999) */
    KL_CONTROL_UNADAPTED /* no adaptation: the gradient of the mean loss */
};
#define KL_CONTROL_META_METHODS "fomaml|maml|reptile|none"
enum { KL_CONTROL_MAX_STEPS = 1000 };
struct kl_control_inner {
    enum kl_control_meta_method method;
    bool last_layer; /* ANIL: only the last layer adapts (Raghu et al. 2019, arXiv:1909.09157) */
    int steps;       /* K */
    double lr;
    double clip; /* largest norm of a task's gradient; 0: any */
};

struct kl_device;
/* Tasks of any system in lanes; those that are set later may be no further from 0 than these. */
struct kl_control_any {
    const struct kl_control_task *tasks;
    size_t count, n; /* of the n lanes those with a task */
    int segments;
    double duration, limit;
    bool shares; /* pulses are shares of the system's own limits, and the limit is 1; else amplitudes */
};

/* The largest amplitude of control k. */
double kl_control_any_most(const struct kl_control_any *of, const struct kl_control_system *system,
                           int k);

/* ---- shares of limits (shares.c) ---- */
/* Numbers v from -1 to 1 become amplitudes u, both [segments][n_controls]: a control's place from its
   lower to its upper limit; of a pair with a limit of their modulus a square's point, which becomes the
   disc's. */
void kl_control_shares_play(double *u, const struct kl_control_system *system, int segments);
/* Derivatives by u become those by the shares v. */
void kl_control_shares_back(double *grad, const double *v, const struct kl_control_system *system,
                            int segments);

/* The largest norm of a segment's generator times its duration: a plant's memory grows with it. */
enum { KL_CONTROL_PLANT_NORM = 10000 };

/* A system under control: from pulses u [segments][controls][n] the loss [n] and its gradient by u;
   the derivative of that gradient along du (NULL: it has none). limit: amplitudes are clamped to it. */
#define KL_CONTROL_META_DECLARE(real, p)                                                               \
    struct kl_control_plant_##p {                                                                      \
        void (*gradient)(const struct kl_control_plant_##p *plant, real *loss, real *grad_u,           \
                         const real *u);                                                               \
        void (*tangent)(const struct kl_control_plant_##p *plant, real *dgrad_u, const real *u,        \
                        const real *du);                                                               \
        size_t n;                                                                                      \
        double limit;                                                                                  \
        /* One qubit (batch.c); of two qubits a system, an objective and a task a lane. */             \
        struct kl_bloch bloch;                                                                         \
        real *params, *amplitude, *weights; /* as kl_bloch's; factor of the controls [n] */            \
        double constant;                                                                               \
        real *work, *scaled;                                                                           \
        const void *context;                                                                           \
    };                                                                                                 \
    /* Arrays of one adaptation: [step] of stride x_stride or d_stride. */                             \
    struct kl_control_adapt_##p {                                                                      \
        const struct kl_control_net *net;                                                              \
        struct kl_control_inner inner;                                                                 \
        size_t n;   /* lanes */                                                                        \
        int adapts; /* the first layer that adapts */                                                  \
        size_t x_at[KL_CONTROL_MAX_LAYERS + 1], d_at[KL_CONTROL_MAX_LAYERS], x_stride, d_stride;       \
        real *x, *d;   /* activations (0: the features); gradients before the activation */            \
        real *e;       /* those before the activation's derivative; of second order */                 \
        real *tx, *td; /* derivatives along a direction; of second order */                            \
        real *loss;    /* [steps + 1][n] */                                                            \
        real *rate;    /* [steps][n]: minus a step's rate of learning */                               \
        real *u, *grad_u, *du, *dgrad_u, *c, *dots, *turned, *scratch;                                 \
        real *norm; /* per task: [layer][5][units][n] */                                               \
    };                                                                                                 \
    /* Take the memory of n lanes from the arena. KL_EUSAGE, KL_ENOMEM. */                             \
    int kl_control_adapt_make_##p(struct kl_control_adapt_##p *a, const struct kl_control_net *net,    \
                                  const struct kl_control_inner *inner, size_t n,                      \
                                  struct kl_arena *memory, struct kl_error *err);                      \
    /* The features of all lanes [features][n] are in a->x: adapt to the plant's tasks; a->loss, and   \
       a->u of the last step. whole: with all that kl_control_adapt_meta needs. */                     \
    void kl_control_adapt_run_##p(struct kl_control_adapt_##p *a, const real *params,                  \
                                  const struct kl_control_plant_##p *plant, bool whole);               \
    /* grad (the block) = sum over the lanes of weight [n] times the task's meta-gradient. */          \
    void kl_control_adapt_meta_##p(real *grad, struct kl_control_adapt_##p *a, const real *params,     \
                                   const struct kl_control_plant_##p *plant, const real *weight);      \
    /* Pulses [segments][controls][n] of the features in a->x, before any step. */                     \
    void kl_control_adapt_pulse_##p(struct kl_control_adapt_##p *a, const real *params);               \
    /* One qubit's plant of n lanes, whose params, amplitude and weights the caller fills. limit: each \
       control is clamped to it; factor: the largest of amplitudes; rates: the largest sum of a task's \
       rates and twice its detuning. KL_ENOMEM. */                                                     \
    int kl_control_plant_make_##p(struct kl_control_plant_##p *plant, const struct kl_bloch *bloch,    \
                                  size_t n, double limit, double factor, double rates,                 \
                                  struct kl_arena *memory, struct kl_error *err);                      \
    /* Any system's plant (batch.c), which has no tangent. Close it in any case. KL_EUSAGE,            \
     * KL_ENOMEM. */                                                                                   \
    int kl_control_plant_any_##p(struct kl_control_plant_##p *plant,                                   \
                                 const struct kl_control_system *system,                               \
                                 const struct kl_control_objective *objective,                         \
                                 const struct kl_control_any *of, struct kl_error *err);               \
                                                                                                       \
    void kl_control_plant_any_set_##p(struct kl_control_plant_##p *plant, size_t lane,                 \
                                      const struct kl_control_task *task);                             \
    void kl_control_plant_any_count_##p(struct kl_control_plant_##p *plant, size_t count);             \
    void kl_control_plant_any_close_##p(struct kl_control_plant_##p *plant);                           \
    /* One qubit's plant goes to a GPU (gpu.c), which its functions then ask. KL_ENOMEM, KL_EDEVICE.   \
       Close it before the arena, always. */                                                           \
    int kl_control_plant_gpu_qubit_##p(struct kl_control_plant_##p *plant,                             \
                                       const struct kl_device *device, struct kl_arena *memory,        \
                                       struct kl_error *err);                                          \
    void kl_control_plant_gpu_gradient_##p(const struct kl_control_plant_##p *plant, real *loss,       \
                                           real *grad_u, const real *u);                               \
    void kl_control_plant_gpu_tangent_##p(const struct kl_control_plant_##p *plant, real *dgrad_u,     \
                                          const real *u, const real *du);                              \
    /* Any system's on a GPU; of->tasks: one, which has the largest number of each kind. system and    \
       objective must outlive it. KL_EUSAGE, KL_ENOMEM. Close it before the arena, always. */          \
    int kl_control_plant_gpu_##p(                                                                      \
        struct kl_control_plant_##p *plant, const struct kl_control_system *system,                    \
        const struct kl_control_objective *objective, const struct kl_control_any *of,                 \
        const struct kl_device *device, struct kl_arena *memory, struct kl_error *err);                \
    void kl_control_plant_gpu_set_##p(struct kl_control_plant_##p *plant, size_t lane,                 \
                                      const struct kl_control_task *task);                             \
    /* Whether a launch has failed since it was made: 0, or the code of the first that did. */         \
    int kl_control_plant_gpu_code_##p(const struct kl_control_plant_##p *plant, struct kl_error *err); \
    void kl_control_plant_gpu_close_##p(struct kl_control_plant_##p *plant);
KL_CONTROL_META_DECLARE(float, f32)
KL_CONTROL_META_DECLARE(double, f64)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_control_plant KL_NAME(kl_control_plant)
#define kl_control_adapt KL_NAME(kl_control_adapt)
#define kl_control_adapt_make KL_NAME(kl_control_adapt_make)
#define kl_control_adapt_run KL_NAME(kl_control_adapt_run)
#define kl_control_adapt_meta KL_NAME(kl_control_adapt_meta)
#define kl_control_adapt_pulse KL_NAME(kl_control_adapt_pulse)
#define kl_control_plant_make KL_NAME(kl_control_plant_make)
#define kl_control_plant_any KL_NAME(kl_control_plant_any)
#define kl_control_plant_any_set KL_NAME(kl_control_plant_any_set)
#define kl_control_plant_any_count KL_NAME(kl_control_plant_any_count)
#define kl_control_plant_any_close KL_NAME(kl_control_plant_any_close)
#define kl_control_plant_gpu KL_NAME(kl_control_plant_gpu)
#define kl_control_plant_gpu_qubit KL_NAME(kl_control_plant_gpu_qubit)
#define kl_control_plant_gpu_gradient KL_NAME(kl_control_plant_gpu_gradient)
#define kl_control_plant_gpu_tangent KL_NAME(kl_control_plant_gpu_tangent)
#define kl_control_plant_gpu_set KL_NAME(kl_control_plant_gpu_set)
#define kl_control_plant_gpu_code KL_NAME(kl_control_plant_gpu_code)
#define kl_control_plant_gpu_close KL_NAME(kl_control_plant_gpu_close)

#endif
