/* SPDX-License-Identifier: MIT
   What the index of a store keeps of a pulse, so that a lookup opens no file. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/stored/lookup_int.h"
#include "store/kind.h"

enum { VERSION = 5 };

/* ---- digests ---- */
/* To 10 digits of the largest: what another compiler rounds otherwise is the same. */
static void put(FILE *to, const double *values, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(values[i]));
    fprintf(to, "|%.9e", largest);
    for (int i = 0; i < n; i++) {
        const double share = largest > 0 ? round(values[i] / largest * 1e10) : 0;
        if (share != 0) fprintf(to, " %d:%.0f", i, share);
    }
}

/* Closes a stream in memory. No memory: a digest that no other has. */
static void finish(unsigned char digest[16], FILE *to, char **text, size_t *size)
{
    static int none;
    const bool whole = to && !ferror(to);
    if (to && fclose(to) == 0 && whole) kl_xxh128(digest, *text, *size);
    else memset(digest, 0, 16), memcpy(digest, &(int){ ++none }, sizeof none);
    free(*text);
}

void kl_control_family(unsigned char digest[16], const struct kl_control_setup *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    const struct kl_control_system *y = &s->system;
    const int square = y->dim * y->dim, n = y->dim * s->objective.columns;
    if (to) {
        fprintf(to, "%s %d %d %d %s", y->name, y->d, y->n_qubits, y->subspace, y->time_unit);
        for (int k = 0; k < y->n_controls; k++) put(to, y->controls[k].matrix, square);
        for (int j = 0; j < y->n_params; j++)
            fprintf(to, " %s %d", y->params[j].name, y->params[j].rate),
                put(to, y->params[j].matrix, square);
        fprintf(to, " %d", (int)s->fidelity);
        put(to, s->objective.start, n), put(to, s->objective.weights, n);
        put(to, &s->objective.constant, 1);
    }
    finish(digest, to, &text, &size);
}

void kl_control_rule(unsigned char digest[16], const struct kl_control_setup *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    const struct kl_control_problem *p = &s->problem;
    if (to) {
        const int kind = s->n_members > 1 ? (int)p->aggregate : 0;
        fprintf(to, "%d %.9e %.9e %d", kind, kind == KL_CONTROL_WORST ? p->sharpness : 0,
                kind == KL_CONTROL_CVAR ? p->tail : 0, s->n_members);
        put(to, s->weights, s->n_members);
    }
    finish(digest, to, &text, &size);
}

void kl_control_shape_of(unsigned char digest[16], const struct kl_control_setup *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    const struct kl_control_waveform *w = &s->waveform;
    if (to) {
        fprintf(to, "%d %d %d %d %d %.9e %.9e %.9e", (int)w->functions, w->samples, w->oversample,
                w->functions == KL_CONTROL_PIECEWISE ? 0 : w->count, w->zero_ends, w->tau, w->slew,
                s->problem.duration);
        for (int k = 0; k < w->controls; k++) fprintf(to, " %d", w->constant[k]);
    }
    finish(digest, to, &text, &size);
}

/* ---- descriptions ---- */
static bool keeps_members(int n)
{
    return n > 1 && n <= KL_CONTROL_KEPT;
}
static size_t size_of(int segments, int controls, int members)
{
    return sizeof(struct kl_control_indexed) + (size_t)segments * (size_t)controls * sizeof(double) +
           (keeps_members(members) ? (size_t)members * sizeof(struct kl_control_task) : 0);
}
const double *kl_control_indexed_u(const struct kl_control_indexed *p)
{
    return (const double *)(p + 1);
}
const struct kl_control_task *kl_control_indexed_members(const struct kl_control_indexed *p)
{
    if (!keeps_members(p->members)) return NULL;
    return (const void *)(kl_control_indexed_u(p) + p->segments * p->controls);
}
const struct kl_control_indexed *kl_control_indexed_of(const void *data, size_t n)
{
    const struct kl_control_indexed *p = data;
    return data && n >= sizeof *p && p->segments > 0 && p->segments <= KL_CONTROL_MOST_SEGMENTS * 16 &&
                   p->controls > 0 && p->controls <= KL_CONTROL_MAX_CONTROLS && p->params >= 0 &&
                   p->params <= KL_CONTROL_MAX_PARAMS && p->members > 0 &&
                   n == size_of(p->segments, p->controls, p->members)
               ? p
               : NULL;
}

/* Are the first and the last of n samples 0? */
static bool ends_at_zero(const double *samples, int n, int controls)
{
    bool all = true;
    for (int k = 0; k < controls; k++) all &= samples[k] == 0 && samples[(n - 1) * controls + k] == 0;
    return all;
}

static void measure(struct kl_control_indexed *p, const struct kl_control_stored *s)
{
    const struct kl_control_system *y = &s->setup.system;
    const double dt = p->duration / p->segments;
    for (int i = 0; i < p->segments * p->controls; i++) {
        const int k = i % p->controls;
        p->least[k] = fmin(p->least[k], s->u[i]), p->most[k] = fmax(p->most[k], s->u[i]);
        p->turn += dt * fabs(s->u[i]) * p->moves.controls[k];
    }
    kl_control_task_default(&p->task, y);
    for (int k = 0; k < p->controls; k++)
        p->low[k] = y->controls[k].low, p->high[k] = y->controls[k].high;
    p->n_moduli = y->n_moduli;
    memcpy(p->moduli, y->moduli, sizeof p->moduli);
}

static bool at_minimum(int stop)
{
    return stop == KL_CONTROL_FLAT || stop == KL_CONTROL_STALLED || stop == KL_CONTROL_NO_DESCENT;
}

/* Do starts end elsewhere than at minima: by looser rules, by a method whose loss may stand still on the
   way, or because they all begin at one point? Where L-BFGS ends as it usually does, the least loss is
   known to the hundredth by which trapped starts are told, and slack becomes that. */
static bool is_loosened(double *slack, const json_t *config, double loss)
{
    struct kl_control_search usual;
    double gradient = 0, stall = 0, size = 0;
    const char *method = "";
    kl_control_search_default(&usual);
    if (json_unpack((json_t *)config, "{s:F, s:F, s:F, s:s}", "gradient", &gradient, "stall", &stall,
                    "start-size", &size, "method", &method) != 0)
        return true;
    if (stall > usual.progress) *slack = fmax(*slack, 0.01 * loss);
    return gradient > usual.gradient || stall > KL_CONTROL_LBFGS_PROGRESS || size < usual.size ||
           strcmp(method, "adam") == 0 || strcmp(method, "krotov") == 0;
}

/* How many starts ended at a minimum, and not for a limit of iterations, a loss that was asked for or a
   loosened rule. */
static int count_ended(struct kl_control_indexed *to, const json_t *config, struct kl_file *file,
                       struct kl_error *err)
{
    const struct kl_dataset *set = kl_store_file_find(file, "starts/stop");
    char *words = NULL;
    void *data = NULL;
    bool best = false;
    to->slack = KL_CONTROL_ASSUMED;
    if (!set || set->type != KL_TYPE_I32 || is_loosened(&to->slack, config, to->loss)) return 0;
    int code = kl_store_file_text(&words, file, "", "stop", err);
    for (int i = 0; !code && i < KL_CONTROL_STOPS; i++)
        best |= at_minimum(i) && strcmp(words, kl_control_stop_words((enum kl_control_stop)i)) == 0;
    if (!code) code = kl_store_file_load(&data, file, set, err);
    for (size_t i = 0; !code && best && i < set->rows; i++)
        to->ended += at_minimum(((int32_t *)data)[i]);
    free(words), free(data);
    return code;
}

static int describe_pulse(struct kl_control_indexed **to, size_t *n, const struct kl_control_stored *s,
                          struct kl_file *file, struct kl_error *err)
{
    const struct kl_control_setup *setup = &s->setup;
    const struct kl_control_problem *problem = &setup->problem;
    const int segments = problem->segments, controls = setup->system.n_controls;
    *n = size_of(segments, controls, setup->n_members);
    struct kl_control_indexed *p = *to = calloc(1, *n);
    if (!p) return kl_fail_memory(err, *n);
    p->segments = segments, p->samples = setup->waveform.samples, p->controls = controls;
    p->params = setup->system.n_params, p->members = setup->n_members;
    p->plain = kl_control_waveform_plain(&setup->waveform), p->energy = problem->energy > 0;
    p->zero_ends = s->samples ? ends_at_zero(s->samples, p->samples, controls)
                              : ends_at_zero(s->u, segments, controls);
    p->mean = setup->n_members == 1 || problem->aggregate == KL_CONTROL_MEAN;
    p->duration = problem->duration, p->loss = s->judged ? s->loss : NAN;
    kl_control_family(p->family, setup), kl_control_rule(p->rule, setup);
    kl_control_shape_of(p->shape, setup);
    int code = kl_store_file_number(&p->nominal, file, "", "nominal_loss", err);
    if (!code && s->judged) code = count_ended(p, s->config, file, err);
    if (!code)
        code = kl_control_sensitivity_make(
            &p->moves, &setup->system,
            setup->objective.columns == 1 ? KL_CONTROL_STATE : setup->fidelity, err);
    if (code) return code;
    measure(p, s);
    double *u = (double *)(p + 1);
    memcpy(u, s->u, (size_t)(segments * controls) * sizeof *u);
    if (keeps_members(p->members))
        memcpy(u + segments * controls, setup->members, (size_t)p->members * sizeof *setup->members);
    return 0;
}

static int describe(void *context, void **data, size_t *n, struct kl_file *file, struct kl_error *err)
{
    struct kl_control_stored stored;
    struct kl_control_indexed *p = NULL;
    (void)context;
    int code = kl_control_pulse_load(&stored, file, err);
    if (!code) code = describe_pulse(&p, n, &stored, file, err);
    kl_control_stored_close(&stored);
    if (code) free(p);
    else *data = p;
    return code;
}

const struct kl_index_maker kl_control_pulse_index = { .kind = &kl_control_pulse_kind,
                                                       .version = VERSION,
                                                       .describe = describe };
