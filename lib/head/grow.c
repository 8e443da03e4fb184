/* SPDX-License-Identifier: MIT
   A circuit that grows while it is trained: which layers are there when. */
#include <string.h>

#include "circuit/metric.h"
#include "head/train_int.h"

int64_t kl_head_stages(const struct kl_head_model *model)
{
    const struct kl_head_options *o = &model->options;
    if (!o->grow || !model->circuit) return 1;
    const int64_t stages = o->circuit.n_layers / kl_circuit_growth(&o->circuit);
    return stages > 1 ? stages : 1;
}

int64_t kl_head_stage(const struct kl_head_model *model, int64_t epoch)
{
    const int64_t last = kl_head_stages(model) - 1;
    if (!last) return 0;
    const int64_t stage = epoch / model->options.grow;
    return stage < last ? stage : last;
}

int64_t kl_head_stage_begin(const struct kl_head_model *model, int64_t stage)
{
    return stage * model->options.grow;
}

int kl_head_stage_circuit(struct kl_circuit **circuit, const struct kl_head_model *model, int64_t stage,
                          struct kl_error *err)
{
    struct kl_circuit_options o = model->options.circuit;
    o.n_layers = (stage + 1) * kl_circuit_growth(&o);
    return kl_circuit_build(circuit, &o, err);
}

int kl_head_growth_check(const struct kl_head_options *o, int64_t epochs, struct kl_error *err)
{
    const int64_t unit = kl_circuit_growth(&o->circuit), layers = o->circuit.n_layers;
    if (!o->grow || o->core == KL_CORE_TWIN || o->core == KL_CORE_NONE) return KL_OK;
    if (o->circuit.learn_scale)
        return kl_fail(
            err, KL_EUSAGE,
            "--grow: learnable scales stand behind the weights of all layers, which then do not "
            "join one after another; leave --learn-scale or --grow away");
    if (!unit)
        return kl_fail(err, KL_EUSAGE, "--grow: %s cannot grow layer by layer",
                       *o->circuit.qasm ? "a circuit in OpenQASM" : "ansatz qcnn");
    const int64_t last = layers > unit ? (layers / unit - 1) * o->grow : 0;
    if (last < epochs) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "--grow %lld: the last of %lld layers join after epoch %lld; found %lld epochs, give "
                   "more, or a smaller --grow",
                   (long long)o->grow, (long long)layers, (long long)last, (long long)epochs);
}

/* Where layers have joined, the optimiser begins anew: moments of the old circuit's gradients would be
   wrong for the new one's, and those of the new layers are 0. */
int kl_head_enter_stage(struct kl_head_train *train, struct kl_error *err)
{
    const struct kl_head_model *whole = train->whole;
    struct kl_train *loop = &train->loop;
    const int64_t stage = kl_head_stage(whole, loop->epoch), begin = kl_head_stage_begin(whole, stage);
    const size_t moments = 2 * whole->block.size; /* m, then v */
    const bool joined = stage > 0 && loop->epoch == begin && loop->step == 0;
    for (int64_t r = 0; joined && r < loop->options.replicas; r++)
        memset(loop->replicas[r].m, 0, moments * sizeof(float));
    loop->optimizer_epoch = begin;
    if (loop->epoch > begin && loop->step == 0 && train->model != whole && train->stage.circuit)
        return 0; /* as in the epoch before */
    const bool was_whole = train->model == whole, is_whole = stage + 1 == kl_head_stages(whole);
    if (was_whole && is_whole) return 0;
    kl_circuit_free(&train->stage.circuit);
    train->model = train->whole;
    if (!is_whole) {
        train->stage = *whole;
        train->stage.circuit = NULL;
        train->model = &train->stage;
        int code = kl_head_stage_circuit(&train->stage.circuit, whole, stage, err);
        if (code) return code;
    }
    kl_circuit_metric_free(&train->metric);
    kl_circuit_measured_free(&train->measured);
    return kl_head_tools(train, err);
}
