/* SPDX-License-Identifier: MIT
   What is said before a training: how measured circuits are differentiated, how many trajectories nobody
   asked for, and which options change nothing. */
#include "head/run.h"

static void say_shots(const struct kl_log *log, const struct kl_head_settings *v)
{
    if (v->train.optimizer.kind == KL_SPSA)
        kl_note(log, 1, "losses from %s measurements an evaluation", v->shots);
    else
        kl_note(log, 1, "gradients by %s, from %s measurements an evaluation", v->diff_method, v->shots);
}

void kl_head_remarks(const struct kl_log *log, const struct kl_head_settings *v,
                     const struct kl_head_model *model)
{
    const bool circuit = model->circuit;
    if (model->n_classes == 1)
        kl_note(log, 1, "one class: there is nothing to tell apart, and every accuracy is 1");
    if (v->train.shots && circuit) say_shots(log, v);
    if (circuit && model->circuit->trajectories && !v->trajectories)
        kl_note(log, 1, "noise by %zu trajectories a sample and step",
                (size_t)model->circuit->trajectories);
    if (!circuit && (v->train.shots || v->head.circuit.noise))
        kl_note(log, 1, "--core %s has no circuit: --noise and --shots change nothing", v->shape.core);
    if (circuit && v->train.optimizer.kind == KL_SPSA && !v->train.shots &&
        v->train.diff != KL_DIFF_ADJOINT)
        kl_note(log, 1, "--optimizer spsa takes no derivatives: --diff-method %s changes nothing",
                v->diff_method);
    if (circuit && model->options.grow && kl_head_stages(model) == 1)
        kl_note(log, 1, "--grow: the circuit begins with all of its %lld layer%s: it changes nothing",
                (long long)v->head.circuit.n_layers, kl_s((uint64_t)v->head.circuit.n_layers));
}
