/* SPDX-License-Identifier: MIT
   Private to lib/sequence/model: each net's table; the loss at the end of every net; dropout of inputs.
 */
#ifndef KL_SEQUENCE_MODEL_INT_H
#define KL_SEQUENCE_MODEL_INT_H

#include "sequence/model/model.h"

extern const struct kl_sequence_model kl_sequence_hydra, kl_sequence_hydra_hybrid, kl_sequence_mamba,
    kl_sequence_mamba_hybrid, kl_sequence_mamba_lite, kl_sequence_mamba_hybrid_lite,
    kl_sequence_classical_mamba, kl_sequence_classical_hydra, kl_sequence_eegnet, kl_sequence_shallow,
    kl_sequence_twin, kl_sequence_means;

/* Tensor t of params: uniform in (low, high); stream: the tensor's number. (start.c) */
void kl_sequence_start(float *params, const struct kl_tensor *t, double low, double high, uint64_t seed,
                       int stream, uint32_t replica);
/* Loss of window i of a batch, whose logits (K) stand in the result: adds to loss and correct, d (K)
   becomes the gradient by the logits (NULL: not asked for). (layers.c) */
#define kl_sequence_loss KL_NAME(kl_sequence_loss)
void kl_sequence_loss(kl_real *d, struct kl_sequence_result *result,
                      const struct kl_sequence_batch *batch, size_t i, int classes);

/* A workspace in pieces, each on a line of the cache: `at` bytes are taken of it; base NULL: they are
   only counted. KL_SEQUENCE_TAKE stands where `base` and `at` do. */
static inline void *kl_sequence_take(char *base, size_t *at, size_t count, size_t size)
{
    void *const here = base ? base + *at : NULL;
    *at += (count * size + 63) / 64 * 64;
    return here;
}
#define KL_SEQUENCE_TAKE(field, count) (field) = kl_sequence_take(base, &at, count, sizeof *(field))

/* Passes of nets that are compiled in both precisions, as in struct kl_sequence_model. */
#define KL_SEQUENCE_RUN(name)                                                                  \
    void kl_sequence_##name##_run_f32(struct kl_sequence_result_f32 *result,                   \
                                      const struct kl_sequence_net *net, const float *params,  \
                                      const struct kl_sequence_batch_f32 *batch, void *work);  \
    void kl_sequence_##name##_run_f64(struct kl_sequence_result_f64 *result,                   \
                                      const struct kl_sequence_net *net, const double *params, \
                                      const struct kl_sequence_batch_f64 *batch, void *work);
#define KL_SEQUENCE_PASS(name)                                                         \
    size_t kl_sequence_##name##_work_f32(const struct kl_sequence_net *net, size_t n); \
    size_t kl_sequence_##name##_work_f64(const struct kl_sequence_net *net, size_t n); \
    KL_SEQUENCE_RUN(name)
/* Its places in struct kl_sequence_model. */
#define KL_SEQUENCE_PASSES(name)                                                          \
    .work_f32 = kl_sequence_##name##_work_f32, .work_f64 = kl_sequence_##name##_work_f64, \
    .run_f32 = kl_sequence_##name##_run_f32, .run_f64 = kl_sequence_##name##_run_f64
KL_SEQUENCE_PASS(eegnet)
KL_SEQUENCE_PASS(shallow)
KL_SEQUENCE_PASS(twin)
KL_SEQUENCE_PASS(hydra)
KL_SEQUENCE_PASS(hydra_hybrid)
KL_SEQUENCE_PASS(mamba)
KL_SEQUENCE_PASS(hybrid)
KL_SEQUENCE_RUN(means)
#define kl_sequence_eegnet_work KL_NAME(kl_sequence_eegnet_work)
#define kl_sequence_eegnet_run KL_NAME(kl_sequence_eegnet_run)
#define kl_sequence_shallow_work KL_NAME(kl_sequence_shallow_work)
#define kl_sequence_shallow_run KL_NAME(kl_sequence_shallow_run)
#define kl_sequence_twin_work KL_NAME(kl_sequence_twin_work)
#define kl_sequence_twin_run KL_NAME(kl_sequence_twin_run)
#define kl_sequence_hydra_work KL_NAME(kl_sequence_hydra_work)
#define kl_sequence_hydra_run KL_NAME(kl_sequence_hydra_run)
#define kl_sequence_hydra_hybrid_work KL_NAME(kl_sequence_hydra_hybrid_work)
#define kl_sequence_hydra_hybrid_run KL_NAME(kl_sequence_hydra_hybrid_run)
#define kl_sequence_mamba_work KL_NAME(kl_sequence_mamba_work)
#define kl_sequence_mamba_run KL_NAME(kl_sequence_mamba_run)
#define kl_sequence_hybrid_work KL_NAME(kl_sequence_hybrid_work)
#define kl_sequence_hybrid_run KL_NAME(kl_sequence_hybrid_run)
#define kl_sequence_means_run KL_NAME(kl_sequence_means_run)

#endif
