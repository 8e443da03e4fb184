/* SPDX-License-Identifier: MIT
   What an evaluation found, in words or as JSON. */
#include <stdlib.h>
#include <string.h>

#include "head/evaluate.h"
#include "head/features.h"
#include "store/store.h"

int kl_head_evaluation_tell_json(FILE *to, const struct kl_evaluation_found *found, struct kl_error *err)
{
    enum { HEAD = 19 };
    const struct kl_evaluation *e = found->e;
    const struct kl_evaluation_summary s = kl_head_evaluation_summary(e);
    const int n_controls = found->controls->absent ? 0 : KL_CONTROLS;
    struct kl_control_numbers numbers;
    struct kl_json_pair pairs[HEAD + 3 + 3 * KL_CONTROLS + KL_MITIGATION_PAIRS + KL_DRAWN_PAIRS] = {
        { "output", KL_JSON_TEXT, found->output, 0 },
        { "key", KL_JSON_TEXT, found->key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "samples", KL_JSON_COUNT, NULL, (double)e->n },
        { "replicas", KL_JSON_COUNT, NULL, (double)e->replicas },
        { "accuracy", KL_JSON_NUMBER, NULL, s.accuracy },
        { "accuracy_sd", KL_JSON_NUMBER, NULL, s.deviation },
        { "accuracy_low", KL_JSON_NUMBER, NULL, s.interval.low },
        { "accuracy_high", KL_JSON_NUMBER, NULL, s.interval.high },
        { "log_loss", KL_JSON_NUMBER, NULL, s.log_loss },
        { "ece", KL_JSON_NUMBER, NULL, s.calibration_error },
        { "noise", KL_JSON_TEXT, e->noise, 0 },
        { "shots", KL_JSON_COUNT, NULL, (double)e->shots },
        { "trained_shots", KL_JSON_COUNT, NULL, (double)e->trained_shots },
        { "preprocess_differs", KL_JSON_BOOL, NULL, found->cautions->differs },
        { "trained_on_these", KL_JSON_BOOL, NULL, found->cautions->trained },
        { "collapsed", KL_JSON_COUNT, NULL, (double)found->collapsed },
        kl_json_cautions(found->log),
        { "controls", KL_JSON_BOOL, NULL, n_controls > 0 }
    };
    kl_head_control_numbers(&numbers, found->controls->difference, n_controls, true);
    memcpy(pairs + HEAD, numbers.pairs, numbers.n * sizeof *pairs);
    size_t n = HEAD + numbers.n;
    if (e->replica)
        pairs[n++] = (struct kl_json_pair){ "replica", KL_JSON_COUNT, NULL, (double)e->first };
    if (e->ensemble)
        pairs[n++] = (struct kl_json_pair){ "ensemble", KL_JSON_COUNT, NULL, (double)e->ensemble };
    n += kl_head_trajectory_error_pairs(pairs + n, e->trajectories, e->drawn, e->replicas);
    n += kl_head_mitigation_pairs(pairs + n, &e->mitigation, e->mitigated, e->replicas);
    if (found->test)
        pairs[n++] = (struct kl_json_pair){ "mcnemar_p", KL_JSON_NUMBER, NULL, found->test->p };
    return kl_json_line(to, pairs, n, err);
}

int kl_head_evaluation_confusion(int64_t **confusion, const struct kl_evaluation *e,
                                 struct kl_error *err)
{
    *confusion = malloc(e->c * e->c * sizeof **confusion);
    if (!*confusion) return kl_fail_memory(err, e->c * e->c * sizeof **confusion);
    kl_stats_confusion(*confusion, e->labels, e->predictions, e->n, e->c);
    return KL_OK;
}

static void tell_classes(FILE *to, const struct kl_evaluation *e, const int64_t *confusion)
{
    const struct kl_features *f = e->features;
    fprintf(to, "%-20s %9s %9s %9s %9s\n", "class", "precision", "recall", "f1", "samples");
    for (size_t k = 0; k < f->n_classes; k++) {
        struct kl_class_metrics m = kl_stats_class_metrics(confusion, e->c, k);
        fprintf(to, "%-20.*s %9.4f %9.4f %9.4f %9lld\n", (int)f->name_size,
                f->class_names + k * f->name_size, m.precision, m.recall, m.f1, (long long)m.support);
    }
}

void kl_head_evaluation_tell(FILE *to, const struct kl_evaluation_found *found)
{
    const struct kl_evaluation *e = found->e;
    const struct kl_mcnemar *test = found->test;
    const char *output = found->output;
    const struct kl_evaluation_summary s = kl_head_evaluation_summary(e);
    char which[64] = "";
    if (e->replica) snprintf(which, sizeof which, "replica %lld, ", (long long)e->first);
    if (e->ensemble) snprintf(which, sizeof which, "ensemble of %zu draws, ", e->ensemble);
    if (e->replicas == 1)
        fprintf(to, "%s: %saccuracy %.4f [%.4f, %.4f], log loss %.4f, ECE %.4f on %zu sample%s", output,
                which, s.accuracy, s.interval.low, s.interval.high, s.log_loss, s.calibration_error,
                e->n, kl_s(e->n));
    else
        fprintf(to, "%s: accuracy %.4f +- %.4f (standard deviation) over %zu heads, on %zu sample%s",
                output, s.accuracy, s.deviation, e->replicas, e->n, kl_s(e->n));
    if (strcmp(e->noise, "none") != 0) fprintf(to, ", noise %s", e->noise);
    if (e->shots) fprintf(to, ", %zu shot%s", e->shots, kl_s(e->shots));
    if (e->trained_shots)
        fprintf(to, ", trained with %zu shot%s", e->trained_shots, kl_s(e->trained_shots));
    fputc('\n', to);
    kl_head_trajectory_error_write(to, e->trajectories, e->drawn, e->replicas);
    kl_head_mitigation_write(to, &e->mitigation, e->mitigated, e->replicas);
    if (found->controls->absent) fprintf(to, "  no controls: %s\n", found->controls->absent);
    else kl_head_controls_write(to, found->controls->difference, KL_CONTROLS);
    if (test)
        fprintf(to, "McNemar%s: %lld right only here, %lld only in %s, p = %.4g (%s)\n",
                e->replicas > 1 ? ", first heads" : "", (long long)test->only_first,
                (long long)test->only_second, found->compared, test->p,
                test->exact ? "exact" : "chi-squared");
    if (found->confusion) tell_classes(to, e, found->confusion);
}
