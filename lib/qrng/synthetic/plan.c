/* SPDX-License-Identifier: MIT
   Which devices are to be made: lists by class, the study's variants. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/synthetic/synthetic.h"

void kl_synthetic_options_default(struct kl_synthetic_options *o)
{
    *o = (struct kl_synthetic_options){ .devices = 30,
                                        .rows = 2000,
                                        .bits = 100,
                                        .variant = "own",
                                        .source = "chain",
                                        .spread = 0.02,
                                        .permutations = 20000,
                                        .trials = 100 };
}

/* What the study calls the same in all its scripts. */
static const struct {
    const char *name, *bias, *copy, *drift;
} variants[] = {
    { "validate", "0.48-0.52,0.54-0.58,0.60-0.65", "0-0.05,0-0.10,0.05-0.15", "0.01,0.02,0.03" },
    { "full", "0.48-0.52,0.54-0.58,0.60-0.65", "0-0.05,0-0.10,0-0.15", "0.01,0.02,0.03" },
    { "framework", "0.48-0.52,0.54-0.58,0.59-0.65", "0-0.05,0.05-0.15,0.15-0.30", "0.02,0.05,0.08" },
    { "bridge", "0.48-0.52,0.54-0.58,0.60-0.65", "0,0,0", "0,0,0" },
};
static const char measured_laws[] =
    "0.234/0.261/0.178/0.327,0.220/0.262/0.167/0.351,0.274/0.221/0.247/0.258";

static int refuse(const char *option, const char *text, const char *form, struct kl_error *err)
{
    return kl_fail(err, KL_EUSAGE, "--%s: found '%s', expected %s", option, text, form);
}

/* "lo-hi" or "x" for each class into range [2]; the field lies at `offset` of a class. */
static int read_ranges(struct kl_synthetic_plan *plan, const char *option, const char *text,
                       size_t offset, struct kl_error *err)
{
    static const char form[] = "for each class a number or a range within 0 to 1, as in 0.48-0.52,0.6";
    const char *at = text;
    int n = 0;
    for (;; at++) {
        char *end;
        if (n == KL_SYNTHETIC_CLASSES) return refuse(option, text, "at most 16 classes", err);
        double *range = (double *)((char *)&plan->classes[n] + offset);
        range[0] = range[1] = strtod(at, &end);
        if (end == at) return refuse(option, text, form, err);
        at = end;
        if (*at == '-') {
            range[1] = strtod(++at, &end);
            if (end == at) return refuse(option, text, form, err);
            at = end;
        }
        if (!(range[0] >= 0 && range[1] >= range[0] && range[1] <= 1) || (*at && *at != ','))
            return refuse(option, text, form, err);
        n++;
        if (!*at) break;
    }
    if (plan->n_classes && n != plan->n_classes)
        return kl_fail(err, KL_EUSAGE, "--%s: found %d classes in '%s', the lists before have %d",
                       option, n, text, plan->n_classes);
    plan->n_classes = n;
    return KL_OK;
}

/* Like ranges, but each is one number. */
static int read_drifts(struct kl_synthetic_plan *plan, const char *text, struct kl_error *err)
{
    int code = read_ranges(plan, "drift", text, offsetof(struct kl_synthetic_class, drift), err);
    for (int i = 0; i < plan->n_classes && !code; i++)
        if (plan->classes[i].drift[0] != plan->classes[i].drift[1])
            code = refuse("drift", text, "one number for each class", err);
    return code;
}

static int read_laws(struct kl_synthetic_plan *plan, const char *text, struct kl_error *err)
{
    static const char form[] = "four probabilities for each class with sum 1, as in 0.3/0.2/0.2/0.3,...";
    const char *at = text;
    for (int n = 0;; at++) {
        double sum = 0;
        if (n == KL_SYNTHETIC_CLASSES) return refuse("laws", text, "at most 16 classes", err);
        for (int s = 0; s < KL_LAW; s++) {
            char *end;
            const double p = plan->classes[n].law[s] = strtod(at, &end);
            if (end == at || !(p >= 0 && p <= 1) || (s < KL_LAW - 1 && *end != '/'))
                return refuse("laws", text, form, err);
            sum += p;
            at = s < KL_LAW - 1 ? end + 1 : end;
        }
        if (fabs(sum - 1) > 1e-6 || (*at && *at != ',')) return refuse("laws", text, form, err);
        plan->n_classes = ++n;
        if (!*at) return KL_OK;
    }
}

static int read_chain(struct kl_synthetic_plan *plan, const char *bias, const char *copy,
                      const char *drift, struct kl_error *err)
{
    int code = read_ranges(plan, "bias", bias, offsetof(struct kl_synthetic_class, bias), err);
    if (!code) code = read_ranges(plan, "copy", copy, offsetof(struct kl_synthetic_class, copy), err);
    return code ? code : read_drifts(plan, drift, err);
}

int kl_synthetic_plan(struct kl_synthetic_plan *plan, const struct kl_synthetic_options *o,
                      struct kl_error *err)
{
    size_t v = 0;
    int code;
    *plan = (struct kl_synthetic_plan){ .options = o, .pairs = strcmp(o->source, "pairs") == 0 };
    plan->study = strcmp(o->variant, "own") != 0;
    if (plan->study && (plan->pairs || o->bias || o->copy || o->drift || o->laws))
        return kl_fail(err, KL_EUSAGE,
                       "--variant %s has its own source, bias, copy and drift; leave them away",
                       o->variant);
    if (plan->pairs ? o->bias || o->copy || o->drift : o->laws != NULL)
        return kl_fail(err, KL_EUSAGE, "--source %s: %s", o->source,
                       plan->pairs ? "takes --laws, not --bias, --copy or --drift"
                                   : "takes --bias, --copy and --drift, not --laws");
    if (plan->study && (o->seed < 0 || o->seed > UINT32_MAX))
        return kl_fail(err, KL_EUSAGE, "--seed: found %lld; those of the study's devices are 0 to %lld",
                       (long long)o->seed, (long long)UINT32_MAX);
    while (plan->study && strcmp(variants[v].name, o->variant) != 0) v++;
    plan->bias_alone = strcmp(o->variant, "bridge") == 0;
    if (plan->pairs) code = read_laws(plan, o->laws ? o->laws : measured_laws, err);
    else
        code =
            read_chain(plan, o->bias ? o->bias : variants[v].bias, o->copy ? o->copy : variants[v].copy,
                       o->drift ? o->drift : variants[v].drift, err);
    if (!code && o->devices < plan->n_classes)
        code = kl_fail(err, KL_EUSAGE, "--synthetic: found %lld devices, there are %d classes",
                       (long long)o->devices, plan->n_classes);
    if (!code && plan->pairs && o->bits % 2)
        code =
            kl_fail(err, KL_EUSAGE, "--bits: found %lld, expected an even number of two-qubit symbols",
                    (long long)o->bits);
    return code;
}
