/* SPDX-License-Identifier: MIT
   The options of `sgld head`, and the run that they ask for. */
#include <math.h>
#include <stdlib.h>

#include "sampling/heads/mode_head.h"

/* clang-format off */
#define AT(field) offsetof(struct kl_sampling_head_values, field)
#define WHOLE(word, field, least, most, key, help, group) { word, 0, KL_OPT_INT, AT(field), "N", least, most, key, help, group, NULL }
#define REAL(word, field, least, most, help, group) { word, 0, KL_OPT_FLOAT, AT(field), "X", least, most, true, help, group, NULL }
static const struct kl_option options[] = {
    { "head", 0, KL_OPT_STRING, AT(head), "HEAD", 0, 0, false, "whose parameters are sampled, from qtrain", "Target", NULL },
    WHOLE("replica", replica, 0, 1e6, true, "of the head's file", NULL),
    { "parameters", 0, KL_OPT_CHOICE, AT(parameters), KL_SAMPLING_PARTS, 0, 0, true, "all; tail: circuit and what follows; head: what follows it", NULL, NULL },
    { "prior", 0, KL_OPT_CHOICE, AT(prior), "layer|flat", 0, 0, true, "deviation sigma / sqrt(fan-in), or sigma", NULL, NULL },
    REAL("sigma", sigma, 1e-9, 1e9, "of the prior of weights and biases", NULL),
    REAL("sigma-angles", sigma_angles, 1e-9, 1e9, "of circuit angles; pi: uniform on the circle to 1.5 %", NULL),
    REAL("sigma-scales", sigma_scales, 1e-9, 1e9, "of learnable scales of inputs", NULL),
    { "compare", 0, KL_OPT_FLAG, AT(compare), NULL, 0, 0, true, "evidence of the circuit's twin and of none too", NULL, NULL },
    { "betas", 'B', KL_OPT_STRING, AT(betas), "LIST", 0, 0, true, "inverse temperatures, rising, up to n", "Ladder", NULL },
    WHOLE("rungs", rungs, 2, KL_SAMPLING_LADDER, true, "without --betas: n (k/(N-1))^power", NULL),
    REAL("power", power, 1, 20, "of that ladder", NULL),
    { "chains", 0, KL_OPT_INT, AT(chains), "N", 1, 4096, true, "of each beta", NULL, NULL },
    WHOLE("warmup", warmup, 0, 1e9, true, "steps before the first draw, at least: mala and hmc are tuned until the acceptance is near --accept", NULL),
    WHOLE("draws", draws, 4, 1e9, true, "of each chain", NULL),
    WHOLE("every", every, 1, 1e6, true, "steps a draw", NULL),
    WHOLE("keep", keep, 0, 1e9, true, "draws between kept heads; 0: none", NULL),
    { "sampler", 0, KL_OPT_CHOICE, AT(sampler), KL_SAMPLING_SAMPLERS, 0, 0, true, "mala, hmc: exact; the others have a step's bias", "Chain", NULL },
    REAL("step", step, 1e-12, 1e6, "first one: X / (1 + beta) in units of the prior", NULL),
    REAL("accept", accept, 0, 0.999, "to which mala and hmc tune it; 0: .57 and .8", NULL),
    { "exchange", 0, KL_OPT_FLAG, AT(exchange), NULL, 0, 0, true, "of replicas between neighbouring betas, once a draw", NULL, NULL },
    WHOLE("leapfrogs", leapfrogs, 1, 1e5, true, "of hmc, a step, at most: from half of them to all are drawn", NULL),
    { "extend", 0, KL_OPT_STRING, AT(extend), "FILE", 0, 0, false, "go on from a smaller run", "Run", NULL },
    { "resume", 0, KL_OPT_FLAG, AT(resume), NULL, 0, 0, false, "from the checkpoint of a stopped run", NULL, NULL },
};
const struct kl_tool kl_sampling_head_tool = {
    .name = "sgld",
    .summary = "Samples the posterior of a head on cached features; its evidence against a twin's.",
    .arguments = "head FEATURES.h5 --head HEAD.h5 -o CHAINS.h5",
    .example = "sgld head train.h5 --head head.h5 -o chains.h5\n"
               "  sgld head train.h5 --head head.h5 --parameters tail --compare -o c.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct kl_sampling_head_values),
    .without = "device",
    .chosen_by = "head",
};
/* clang-format on */

void kl_sampling_head_defaults(void *values)
{
    struct kl_sampling_head_prior prior;
    struct kl_sampling_head_values *v = values;
    kl_sampling_head_prior_default(&prior);
    v->parameters = "all";
    v->sampler = "hmc";
    v->prior = "layer";
    v->rungs = 16, v->chains = 4, v->warmup = 200, v->draws = 200, v->every = 1, v->keep = 10,
    v->leapfrogs = 16;
    v->accept = 0, v->step = 1, v->power = 5;
    v->sigma = prior.sigma, v->sigma_angles = prior.angles, v->sigma_scales = prior.scales;
}

/* "0,10,200" or "0,10,n". */
static int read_betas(struct kl_sampling_rung *rungs, size_t *n_rungs, const char *list, size_t n,
                      struct kl_error *err)
{
    size_t k = 0;
    for (const char *at = list;; at++) {
        char *end = (char *)at + 1;
        const double beta = *at == 'n' ? (double)n : strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(beta) || beta < 0 ||
            (k && !(beta > rungs[k - 1].beta)))
            return kl_fail(err, KL_EUSAGE,
                           "--betas: found '%.60s', expected rising numbers from 0, or n: 0,1,10,n", at);
        if (k == KL_SAMPLING_LADDER)
            return kl_fail(err, KL_EUSAGE, "--betas: at most %d temperatures", KL_SAMPLING_LADDER);
        rungs[k++].beta = beta;
        if (!*(at = end)) break;
    }
    *n_rungs = k;
    if (rungs[0].beta == 0 && rungs[k - 1].beta == (double)n) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "--betas: found %g to %g, expected 0, the prior, to n = %zu, the posterior (write n)",
                   rungs[0].beta, rungs[k - 1].beta, n);
}

int kl_sampling_head_settings(struct kl_sampling_settings *s, struct kl_sampling_rung *rungs,
                              const struct kl_sampling_head_values *v, size_t n, struct kl_error *err)
{
    const int sampler = kl_choice(KL_SAMPLING_SAMPLERS, v->sampler);
    const bool exact = sampler == KL_SAMPLING_MALA || sampler == KL_SAMPLING_HMC;
    kl_sampling_settings_default(s);
    s->n_rungs = (size_t)v->rungs;
    for (size_t k = 0; !v->betas && k < s->n_rungs; k++)
        rungs[k].beta = k + 1 == s->n_rungs
                            ? (double)n
                            : (double)n * pow((double)k / (double)(v->rungs - 1), v->power);
    const int code = v->betas ? read_betas(rungs, &s->n_rungs, v->betas, n, err) : KL_OK;
    if (code) return code;
    for (size_t k = 0; k < s->n_rungs; k++) {
        struct kl_sampling_rung *r = &rungs[k];
        r->lr = r->beta * v->step / (1 + r->beta);
        r->warmup = v->warmup, r->epochs = v->draws * v->every;
    }
    s->rungs = rungs;
    s->seed = (uint64_t)v->common.seed;
    s->sampler = (enum kl_sampling_sampler)sampler;
    s->chains = v->chains;
    s->every = v->every, s->test_every = v->every;
    s->tune = exact;
    s->target_accept = v->accept <= 0 ? sampler == KL_SAMPLING_HMC ? 0.8 : 0.57 : v->accept;
    s->leapfrogs = v->leapfrogs;
    s->exchange = v->exchange;
    s->keep = v->keep;
    s->keep_last = true; /* a predictive needs the posterior's draws alone */

    return KL_OK;
}
