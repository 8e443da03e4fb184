/* SPDX-License-Identifier: MIT
   A head with its circuit run several times: as it is, without noise to compare with, and under every
   scale of the noise; what that was worth. */
#include "head/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "circuit/noise.h"
#include "head/head_int.h"
#include "store/store.h"

/* Outputs of the core (n, k each). */
struct outputs {
    float *plain, *ideal, *scaled;
    double *sum;
    size_t n, k;
};

static int take(struct outputs *o, const struct kl_head *head, size_t n, struct kl_error *err)
{
    *o = (struct outputs){ .n = n, .k = head->model.n_expval };
    const size_t size = n * o->k + 1;
    o->plain = malloc(size * sizeof *o->plain);
    o->ideal = malloc(size * sizeof *o->ideal);
    o->scaled = malloc(size * sizeof *o->scaled);
    o->sum = calloc(size, sizeof *o->sum);
    return o->plain && o->ideal && o->scaled && o->sum ? KL_OK
                                                       : kl_fail_memory(err, size * sizeof *o->sum);
}

static void release(struct outputs *o)
{
    free(o->plain);
    free(o->ideal);
    free(o->scaled);
    free(o->sum);
}

static int load(struct kl_head **head, const struct kl_mitigation_job *job,
                const struct kl_conditions *how, struct kl_error *err)
{
    return kl_head_load(head, job->file, job->control, (int64_t)job->replica, how, err);
}

static bool misreads(const struct kl_circuit *c)
{
    bool found = false;
    for (int q = 0; q < c->n_qubits; q++) {
        const double *e = c->noise->qubit[c->noise->n_qubits ? q : 0].readout;
        found = found || e[0] > 0 || e[1] > 0;
    }
    return found;
}

/* Refuse mitigation of noise that the circuit does not have. */
static int check_noise(const struct kl_circuit *c, const struct kl_mitigation *m, struct kl_error *err)
{
    if (!c->noise)
        return kl_fail(err, KL_EUSAGE,
                       "--zne, --mitigate-readout: there is no noise to take back; give --noise");
    if (m->readout && !misreads(c))
        return kl_fail(err, KL_EUSAGE,
                       "--mitigate-readout: the noise has no readout errors; leave it out");
    if (m->n_scales && !kl_circuit_noise_errs(c->noise, c->n_qubits))
        return kl_fail(err, KL_EUSAGE,
                       "--zne: the noise has readout errors alone, which folded gates do not make "
                       "stronger; take --mitigate-readout");
    return KL_OK;
}

static int check(const struct kl_head *head, const struct kl_mitigation_job *job, struct kl_error *err)
{
    const struct kl_circuit *c = head->model.circuit;
    const bool measured = job->shots && job->shots->n && c && !c->probabilities;
    if (!c)
        return kl_fail(err, KL_EUSAGE, "%s: --zne, --mitigate-readout: the head has no circuit",
                       kl_store_file_path(job->file));
    int code = check_noise(c, job->mitigation, err);
    if (code || !job->mitigation->readout) return code;
    code = kl_circuit_readout_check(c, err);
    for (size_t i = 0; i < c->n_strings && !code && measured; i++)
        if (c->strings[i].x) code = kl_circuit_readout_mean_check(c, c->strings[i], err);
    for (size_t i = 0; i < c->n_targets && !code && measured; i++)
        if (c->targets[i].axis.x)
            code = kl_fail(err, KL_EUSAGE,
                           "shots of a fidelity with no basis state are one outcome alone, from which "
                           "readout errors are not taken back; leave --shots out, or observe strings");
    return code;
}

/* Adds weight times the outputs at one scale. */
static int add_scale(struct outputs *o, const struct kl_mitigation_job *job, int scale, double weight,
                     const float *x, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_mitigation *m = job->mitigation;
    const bool measured = job->shots && job->shots->n;
    struct kl_shots shots = measured ? *job->shots : (struct kl_shots){ 0 };
    struct kl_head *head = NULL;
    shots.step = (uint32_t)(scale - 1) / 2; /* measurements of their own */
    shots.undo_readout = m->readout;
    struct kl_conditions how = job->how;
    how.fold = scale;
    how.perfect_readout = m->readout && !measured;
    how.draws.step = shots.step; /* and realisations */
    int code = load(&head, job, &how, err);
    if (!code) code = kl_head_logits(NULL, o->scaled, head, x, o->n, &shots, pool, err);
    for (size_t i = 0; i < o->n * o->k && !code; i++) o->sum[i] += weight * (double)o->scaled[i];
    kl_head_free(&head);
    return code;
}

static void find_errors(struct kl_mitigated *m, const struct outputs *o)
{
    m->error = m->error_mitigated = 0;
    for (size_t i = 0; i < o->n * o->k; i++) {
        m->error += fabs((double)o->plain[i] - (double)o->ideal[i]) / (double)(o->n * o->k);
        m->error_mitigated += fabs(o->sum[i] - (double)o->ideal[i]) / (double)(o->n * o->k);
    }
}

/* Outputs without mitigation, the logits that follow, and outputs without noise to compare both with. */
static int compare(struct outputs *o, float *plain, const struct kl_head *head,
                   const struct kl_mitigation_job *job, const float *x, struct kl_pool *pool,
                   struct kl_error *err)
{
    struct kl_head *ideal = NULL;
    int code = kl_head_logits(plain, o->plain, head, x, o->n, job->shots, pool, err);
    if (!code) code = load(&ideal, job, &(struct kl_conditions){ .noise = "" }, err);
    if (!code) code = kl_head_logits(NULL, o->ideal, ideal, x, o->n, NULL, pool, err);
    kl_head_free(&ideal);
    return code;
}

int kl_head_mitigated_logits(float *logits, float *plain, struct kl_mitigated *m,
                             const struct kl_mitigation_job *job, const float *x, size_t n,
                             struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_mitigation *how = job->mitigation;
    struct outputs o = { 0 };
    struct kl_head *head = NULL;
    int code = load(&head, job, &job->how, err);
    if (!code) code = check(head, job, err);
    if (!code) code = take(&o, head, n, err);
    kl_head_judge_progress_runs(job->how.meter,
                                (size_t)(how->n_scales ? how->n_scales : 1) + (plain != NULL));
    if (!code && plain) code = compare(&o, plain, head, job, x, pool, err);
    if (!code && !how->n_scales) code = add_scale(&o, job, 1, 1, x, pool, err);
    for (int s = 0; s < how->n_scales && !code; s++)
        code = add_scale(&o, job, how->scale[s], how->weight[s], x, pool, err);
    if (!code && m) find_errors(m, &o);
    for (size_t i = 0; i < n * o.k && !code; i++) o.scaled[i] = (float)o.sum[i];
    if (!code) code = kl_head_classify_outputs(logits, head, o.scaled, n, err);
    release(&o);
    kl_head_free(&head);
    return code;
}

/* ---- Zero-noise extrapolation is linear in the outputs: the weights of the scales ---- */

/* The polynomial through all points, at 0. */
static void richardson(struct kl_mitigation *m)
{
    for (int i = 0; i < m->n_scales; i++) {
        m->weight[i] = 1;
        for (int k = 0; k < m->n_scales; k++)
            if (k != i) m->weight[i] *= (double)m->scale[k] / (double)(m->scale[k] - m->scale[i]);
    }
}

/* The line of least squares, at 0. */
static void linear(struct kl_mitigation *m)
{
    double mean = 0, squares = 0;
    for (int i = 0; i < m->n_scales; i++) mean += (double)m->scale[i] / m->n_scales;
    for (int i = 0; i < m->n_scales; i++) squares += (m->scale[i] - mean) * (m->scale[i] - mean);
    for (int i = 0; i < m->n_scales; i++)
        m->weight[i] = 1.0 / m->n_scales - mean * (m->scale[i] - mean) / squares;
}

static int read_scales(struct kl_mitigation *m, const char *scales, struct kl_error *err)
{
    const char *at = scales;
    for (int last = 0;; at++) {
        char *end = NULL;
        const long scale = *at >= '1' && *at <= '9' ? strtol(at, &end, 10) : 0;
        if (scale <= last || scale % 2 == 0 || scale > KL_MOST_FOLD || (*end && *end != ',') ||
            m->n_scales == KL_MOST_SCALES)
            break;
        m->scale[m->n_scales++] = last = (int)scale;
        at = end;
        if (!*at && m->n_scales > 1) return KL_OK;
        if (!*at) break;
    }
    return kl_fail(
        err, KL_EUSAGE,
        "--zne: found '%s', expected 2 to %d odd numbers up to %d in rising order, as in 1,3,5", scales,
        KL_MOST_SCALES, KL_MOST_FOLD);
}

int kl_head_mitigation_make(struct kl_mitigation *m, const char *scales, const char *method,
                            bool readout, struct kl_error *err)
{
    *m = (struct kl_mitigation){ .readout = readout };
    int code = scales ? read_scales(m, scales, err) : KL_OK;
    if (code) return code;
    if (m->n_scales) (strcmp(method, "linear") == 0 ? linear : richardson)(m);
    snprintf(m->label, sizeof m->label, "%s%s", readout ? "readout" : "", readout && scales ? ", " : "");
    const size_t n = strlen(m->label);
    if (scales) snprintf(m->label + n, sizeof m->label - n, "ZNE %s %s", scales, method);
    return KL_OK;
}

/* ---- What mitigation was worth, in words and numbers ---- */

/* In the order of struct kl_mitigated. */
enum { NUMBERS = 4 };
static const char *const names[NUMBERS] = { "unmitigated_accuracy", "unmitigated_log_loss",
                                            "unmitigated_output_error", "output_error" };

static double number(const struct kl_mitigated *m, int i)
{
    const double numbers[NUMBERS] = { m->accuracy, m->log_loss, m->error, m->error_mitigated };
    return numbers[i];
}

static double mean(const struct kl_mitigated *m, size_t n, int i)
{
    double sum = 0;
    for (size_t r = 0; r < n; r++) sum += number(&m[r], i);
    return sum / (double)n;
}

size_t kl_head_mitigation_pairs(struct kl_json_pair pairs[KL_MITIGATION_PAIRS],
                                const struct kl_mitigation *how, const struct kl_mitigated *m, size_t n)
{
    if (!kl_head_mitigates(how)) return 0;
    pairs[0] = (struct kl_json_pair){ "mitigation", KL_JSON_TEXT, how->label, 0 };
    for (int i = 0; i < NUMBERS; i++)
        pairs[1 + i] = (struct kl_json_pair){ names[i], KL_JSON_NUMBER, NULL, mean(m, n, i) };
    return 1 + NUMBERS;
}

void kl_head_mitigation_write(FILE *to, const struct kl_mitigation *how, const struct kl_mitigated *m,
                              size_t n)
{
    if (!kl_head_mitigates(how)) return;
    fprintf(
        to,
        "  mitigated (%s): outputs are off by %.4f; without it by %.4f, accuracy %.4f, log loss %.4f\n",
        how->label, mean(m, n, 3), mean(m, n, 2), mean(m, n, 0), mean(m, n, 1));
}

int kl_head_mitigation_save(struct kl_writer *w, const struct kl_mitigation *how,
                            const struct kl_mitigated *m, size_t n, struct kl_error *err)
{
    if (!kl_head_mitigates(how)) return KL_OK;
    double *values = malloc(n * sizeof *values);
    int code = values ? kl_store_writer_text(w, "", "mitigation", how->label, err)
                      : kl_fail_memory(err, n * sizeof *values);
    for (int i = 0; i < NUMBERS && code >= 0; i++) {
        char name[64];
        snprintf(name, sizeof name, "replicas/%s", names[i]);
        for (size_t r = 0; r < n; r++) values[r] = number(&m[r], i);
        code = kl_store_writer_number(w, "", names[i], mean(m, n, i), err);
        if (code >= 0) code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 1, &n, values, err);
    }
    free(values);
    return code < 0 ? code : KL_OK;
}
