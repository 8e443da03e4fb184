/* SPDX-License-Identifier: MIT
   model: networks on windows (channels x time): quantum Hydra and Mamba in their variants, classical
   ones, EEGNet and ShallowFBCSPNet, twins and readouts as controls. A net is a block of parameters and
   one function: logits of a batch and, if asked, the gradient of its loss. Specification of the quantum
   and classical models: the reference's modules, whose formulas each file names. */
#ifndef KL_SEQUENCE_MODEL_H
#define KL_SEQUENCE_MODEL_H

#include "kernels/cuda_windows.h"
#include "kernels/inline/real.h"
#include "nn/nn.h"

struct kl_sequence_net;
/* ---- what is chosen ---- */
struct kl_sequence_model_options {
    const char *model;               /* a name of kl_sequence_models */
    int qubits, layers, gate_layers; /* of circuits: 6, 2, 2 */
    char revision;                   /* 'a', 'b': of models whose two revisions differ; else 'b' */
    bool bare;                       /* the quantum layer alone, on the flattened window (images, DNA) */
    double dropout;                  /* of the input (quantum), of the nets' own places */
    bool logit_dropout;              /* Mamba's dropout of the logits, as the reference has it */
    bool frozen;      /* the circuit's and the input's parameters keep their first values */
    int width, state; /* classical: d_model 128, d_state 16 */
    /* EEGNet: filters in time 8, in space 2 for each, taps 64; ShallowFBCSPNet: 40, 40 in all, 25; 0:
     * that number */
    int filters, spatial, taps;
    const char *twin_of; /* twin: name of the quantum model; NULL: hydra */
};
void kl_sequence_model_options_default(struct kl_sequence_model_options *o);
struct kl_sequence_shape {
    size_t channels, steps; /* C, T */
    int classes;            /* K >= 2 */
    double rate;            /* Hz; 0: unknown */
};

/* ---- a batch ---- */
/* Row stride of a channel of T steps in a batch: T rounded up to 16; what is beyond T is 0. */
static inline size_t kl_sequence_stride(size_t steps)
{
    return (steps + 15) / 16 * 16;
}
/* A batch: windows of one step, or of one part of it.
     x (n, C, stride), aligned to 64 bytes; labels (n), NULL where cot is given;
     cot (n, K): the loss is sum(cot * logits), for tests and for gradients by the input; NULL: cross
   entropy, summed and times scale; training: dropout acts, batch norm takes the batch's statistics;
     seed, step, replica: of dropout; row: the number in the whole step's batch of the first window here.
   A result:
     logits (n, K); grad (block.size), every entry of every tensor is set, the padding stays as it was
   (0); NULL: logits alone; by_x (n, C, stride) or NULL; state (size of the running statistics) after
   this batch, of nets that have them, or NULL; loss: sum over the windows, nats, without scale (of cot:
   sum(cot * logits)); correct: windows whose first largest logit is the label's. */
#define KL_SEQUENCE_TYPES(real, p)          \
    struct kl_sequence_batch_##p {          \
        const real *x;                      \
        const int32_t *labels;              \
        const real *cot;                    \
        double scale;                       \
        size_t n;                           \
        bool training;                      \
        uint64_t seed;                      \
        uint32_t step, replica;             \
        size_t row;                         \
    };                                      \
    struct kl_sequence_result_##p {         \
        real *logits, *grad, *by_x, *state; \
        double loss;                        \
        size_t correct;                     \
    };
KL_SEQUENCE_TYPES(float, f32)
KL_SEQUENCE_TYPES(double, f64)
/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_sequence_batch KL_NAME(kl_sequence_batch)
#define kl_sequence_result KL_NAME(kl_sequence_result)

/* ---- a net that runs on a GPU ---- */
/* The GPU has what is large: from the windows to sums over time of what their circuits' wires measure,
   or of what state-space blocks give, and back (kernels/cuda_windows.h). What is small is left to the
   CPU, as when all is there: from the parameters to what the GPU is given, from the sums to logits and
   loss, from the derivatives by both to the gradient. In float. */
struct kl_sequence_gpu {
    /* What runs there; arrays are memory's. KL_EUSAGE: an option that is not on a GPU. */
    int (*shape)(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net,
                 struct kl_arena *memory, struct kl_error *err);
    /* Bytes that live from prepare to finish, aligned to 64. */
    size_t (*work)(const struct kl_sequence_net *net);
    /* given: kl_cuda_windows_given of the shape. */
    void (*prepare)(float *given, void *work, const struct kl_sequence_net *net, const float *params);
    /* From sum to a whole batch's logits, loss and correct (x is not read); and to by_sum (NULL: not
       asked for), added to what finish takes. */
    void (*read)(struct kl_sequence_result_f32 *result, float *by_sum, void *work,
                 const struct kl_sequence_net *net, const float *sum,
                 const struct kl_sequence_batch_f32 *batch);
    /* As result.grad of a batch. */
    void (*finish)(float *grad, void *work, const struct kl_sequence_net *net, const float *params,
                   const float *by_given);
};

/* ---- a kind of net, and a net ---- */
struct kl_sequence_model {
    const char *name, *what; /* "hydra"; one line */
    bool quantum;
    bool whole_batch; /* a step's gradient needs all its windows at once (batch norm): it has one part */
    /* Tensors of net->block and what is derived from shape and options, in net->own. KL_EUSAGE: a shape
       or an option that it cannot have, with what it can; KL_ENOMEM. */
    int (*open)(struct kl_sequence_net *net, struct kl_error *err);
    void (*close)(struct kl_sequence_net *net);
    /* First parameters; params is all 0. */
    void (*init)(const struct kl_sequence_net *net, float *params, uint64_t seed, uint32_t replica);
    /* Bytes of work for n windows (with gradient or not). */
    size_t (*work_f32)(const struct kl_sequence_net *net, size_t n);
    size_t (*work_f64)(const struct kl_sequence_net *net, size_t n);
    /* Nothing is allocated; the bits depend on the arguments alone, of logits on the window's own row
       alone (but with batch statistics). work is aligned to 64 bytes. */
    void (*run_f32)(struct kl_sequence_result_f32 *result, const struct kl_sequence_net *net,
                    const float *params, const struct kl_sequence_batch_f32 *batch, void *work);
    void (*run_f64)(struct kl_sequence_result_f64 *result, const struct kl_sequence_net *net,
                    const double *params, const struct kl_sequence_batch_f64 *batch, void *work);
    const struct kl_sequence_gpu *gpu; /* NULL: it is on the CPU alone */
};
struct kl_sequence_net {
    const struct kl_sequence_model *model;
    struct kl_sequence_model_options options;
    struct kl_sequence_shape shape;
    struct kl_block
        block; /* names and shapes as in the reference; complex numbers have a last axis (re, im) */
    size_t n_parameters; /* as the field counts: a complex number once */
    int first_state; /* tensors from this one on are running statistics, no parameters; block.n: none */
    void *own;
};
/* All of them, in the order of tables; their names joined by | for a choice. (models.c) */
extern const struct kl_sequence_model *const kl_sequence_models[];
extern const size_t kl_sequence_n_models;
#define KL_SEQUENCE_MODELS                                                                          \
    "hydra|hydra-hybrid|mamba|mamba-hybrid|mamba-lite|mamba-hybrid-lite|classical-mamba|classical-" \
    "hydra|eegnet|"                                                                                 \
    "shallow|twin|means"
/* Close it in any case. KL_EUSAGE, KL_ENOMEM. */
int kl_sequence_net_open(struct kl_sequence_net *net, const struct kl_sequence_model_options *o,
                         const struct kl_sequence_shape *shape, struct kl_error *err);
void kl_sequence_net_close(struct kl_sequence_net *net);

#endif
