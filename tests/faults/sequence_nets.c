/* SPDX-License-Identifier: MIT
   Opening nets on windows when the k-th allocation fails, for every k: no memory is said, closing works
   and nothing is left behind. */
#include <stdio.h>

#include "each.h"
#include "sequence/model/model.h"

static const char *model, *twin_of;

static int open_and_close(struct kl_error *err)
{
    struct kl_sequence_model_options o;
    struct kl_sequence_net net;
    const struct kl_sequence_shape shape = { .channels = 5, .steps = 120, .classes = 2 };
    kl_sequence_model_options_default(&o);
    o.model = model, o.twin_of = twin_of;
    int code = kl_sequence_net_open(&net, &o, &shape, err);
    if (!code && (net.n_parameters == 0 || net.model->work_f32(&net, 3) == 0))
        code = kl_fail(err, KL_EINTERNAL, "%s: a net without parameters or work", model);
    kl_sequence_net_close(&net);
    return code;
}

int main(void)
{
    static const char *const twins[] = { "hydra",        "hydra-hybrid", "mamba",
                                         "mamba-hybrid", "mamba-lite",   "mamba-hybrid-lite" };
    for (size_t i = 0; i < kl_sequence_n_models; i++) {
        model = kl_sequence_models[i]->name;
        const size_t n = strcmp(model, "twin") ? 1 : sizeof twins / sizeof *twins;
        for (size_t j = 0; j < n; j++) {
            twin_of = twins[j];
            check_each(model, open_and_close, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
        }
    }
    return failures != 0;
}
