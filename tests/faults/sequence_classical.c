/* SPDX-License-Identifier: MIT
   Opening classical Mamba and Hydra: every allocation fails once, or from then on; a run asks for none.
 */
#include <stdlib.h>

#include "each.h"
#include "sequence/model/model.h"

static const char *model;

static int open_net(struct kl_error *err)
{
    struct kl_sequence_net net;
    struct kl_sequence_model_options o;
    const struct kl_sequence_shape shape = { 3, 9, 2, 0 };
    kl_sequence_model_options_default(&o);
    o.model = model, o.width = 8;
    const int code = kl_sequence_net_open(&net, &o, &shape, err);
    kl_sequence_net_close(&net);
    return code;
}

static void check_run(void)
{
    static float x[3 * 16], params[1 << 16], grad[1 << 16], logits[2];
    static int32_t labels[1];
    struct kl_error err;
    struct kl_sequence_net net;
    struct kl_sequence_model_options o;
    const struct kl_sequence_shape shape = { 3, 9, 2, 0 };
    kl_sequence_model_options_default(&o);
    o.model = model, o.width = 8;
    CHECK(kl_sequence_net_open(&net, &o, &shape, &err) == 0, "%s", err.text);
    CHECK(net.block.size <= 1 << 16);
    void *work = aligned_alloc(64, net.model->work_f32(&net, 1));
    if (!work) exit(75);
    struct kl_sequence_result_f32 result = { .logits = logits, .grad = grad };
    const struct kl_sequence_batch_f32 batch = { .x = x, .labels = labels, .scale = 1, .n = 1 };
    faults_arm(FAULT_MEMORY, 0, false);
    net.model->run_f32(&result, &net, params, &batch, work);
    CHECK(faults_seen() == 0, "%s: a run asked for memory", model);
    faults_disarm();
    free(work);
    kl_sequence_net_close(&net);
}

int main(void)
{
    static const char *const models[] = { "classical-mamba", "classical-hydra" };
    for (int i = 0; i < 2; i++) {
        model = models[i];
        check_each(model, open_net, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
        check_run();
    }
    return failures != 0;
}
