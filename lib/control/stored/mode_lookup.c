/* SPDX-License-Identifier: MIT
   `qcontrol lookup`: the best stored pulse for a task, with bounds on what optimising again could bring.
 */
#include <math.h>
#include <string.h>

#include "control/pulse/options.h"
#include "control/stored/stored.h"
#include "store/mode.h"
#include "store/store.h"

struct values {
    struct kl_common common;
    struct kl_control_options problem;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    KL_CONTROL_PROBLEM_OPTIONS(AT(problem)),
    KL_CONTROL_WAVEFORM_OPTIONS(AT(problem)),
    KL_CONTROL_ENSEMBLE_OPTIONS(AT(problem)),
};
const struct kl_tool kl_control_lookup_tool = {
    .name = "qcontrol",
    .summary = "Finds the best stored pulse for a task, and bounds what optimising again could bring",
    .arguments = "lookup --store DIR",
    .example = "qcontrol lookup -g x --set gamma_phi=0.09 --store pulses\n"
               "  qcontrol optimize -g x --set gamma_phi=0.09 --start FILE -o x.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output force dry-run key note no-provenance progress seed threads device",
    .chosen_by = "lookup",
    .elsewhere = "qcontrol score PULSE.h5 --set",
};

static void defaults(void *values)
{
    struct values *v = values;
    kl_control_options_default(&v->problem);
}

/* The larger of what is proven and what is assumed. */
static double floor_of(const struct kl_control_lookup *l)
{
    return l->has_assumed ? fmax(l->proven, l->assumed) : l->proven;
}
static double gain(const struct kl_control_lookup *l, double bound)
{
    return fmax(0, l->loss - fmax(bound, 0));
}

/* Bounds are of pulses of the task's own duration: a shorter one may lose less than they say. */
static bool is_bounded(const struct kl_control_lookup *l, const struct kl_control_setup *s)
{
    return l->found && fabs(l->duration - s->problem.duration) <= 1e-9 * s->problem.duration;
}

static int tell_json(FILE *out, const struct kl_control_lookup *l, const struct kl_control_setup *s,
                     const char *store, const struct kl_log *log, struct kl_error *err)
{
    const bool found = l->found, bounded = is_bounded(l, s);
    const struct kl_json_pair pairs[] = {
        { "store", KL_JSON_TEXT, .text = store },
        { "found", KL_JSON_BOOL, .number = found },
        { "pulses", KL_JSON_COUNT, .number = (double)l->pulses },
        { "fit", KL_JSON_COUNT, .number = (double)l->fit },
        { "unread", KL_JSON_COUNT, .number = (double)l->unread },
        { "best", KL_JSON_TEXT, .text = l->best },
        { "key", KL_JSON_TEXT, .text = l->key },
        { "loss", KL_JSON_NUMBER, .number = found ? l->loss : NAN },
        { "stored_loss", KL_JSON_NUMBER, .number = found ? l->stored_loss : NAN },
        { "segments", KL_JSON_COUNT, .number = found ? l->segments : 0 },
        { "duration", KL_JSON_NUMBER, .number = found ? l->duration : NAN },
        { "proven_floor", KL_JSON_NUMBER, .number = l->proven },
        { "proven_gain", KL_JSON_NUMBER, .number = bounded ? gain(l, l->proven) : NAN },
        { "assumed_floor", KL_JSON_NUMBER, .number = l->has_assumed ? l->assumed : NAN },
        { "assumed_gain", KL_JSON_NUMBER,
          .number = bounded && l->has_assumed ? gain(l, floor_of(l)) : NAN },
        { "assumed_of", KL_JSON_TEXT, .text = l->from },
        { "start", KL_JSON_TEXT, .text = l->start },
        { "start_loss", KL_JSON_NUMBER, .number = l->start_found ? l->start_loss : NAN },
        { "seconds", KL_JSON_NUMBER, .number = l->seconds },
        kl_json_cautions(log),
    };
    return kl_json_line(out, pairs, sizeof pairs / sizeof *pairs, err);
}

static void tell(FILE *out, const struct kl_control_lookup *l, const struct kl_control_setup *s,
                 const char *store)
{
    fprintf(out, "%s: %zu pulse%s, %zu fit %s of %s (%s), loss of %zu computed; %.2f ms\n", store,
            l->pulses, kl_s(l->pulses), l->fit, s->target.name, s->system.name, s->objective.name,
            l->compared, 1e3 * l->seconds);
    if (l->found) {
        fprintf(out, "best     %s\n         loss %.6g here%s, ", l->best, l->loss,
                s->n_checks > 1 ? " over the law" : "");
        if (isfinite(l->stored_loss)) fprintf(out, "%.6g where it was made", l->stored_loss);
        else fputs("not judged on the law where it was made", out);
        fprintf(out, "; %d segments, T %g\n", l->segments, l->duration);
        if (!is_bounded(l, s))
            fprintf(
                out,
                "gain     not bounded: the best pulse is shorter than T %g, and what is proven is of "
                "pulses of that duration\n",
                s->problem.duration);
        else if (l->proven > 0)
            fprintf(out,
                    "gain     at most %.3g, proven: no pulse of T %g, of any amplitude, loses less "
                    "than %.6g, what decays meanwhile\n",
                    gain(l, l->proven), s->problem.duration, l->proven);
        else
            fprintf(out,
                    "gain     at most %.3g, the loss itself: of all pulses nothing is proven here\n",
                    fmax(l->loss, 0));
    }
    if (is_bounded(l, s) && l->has_assumed && l->assumed > l->proven)
        fprintf(out,
                "         at most %.3g if the search of %s found the least loss of its own task to "
                "%.2g: a move to this task is proven to change any loss by at most %.3g\n",
                gain(l, floor_of(l)), l->from, l->slack, l->moved);
    if (l->start_found) {
        fprintf(out, "start    --start %s", l->start);
        if (isfinite(l->start_loss)) fprintf(out, "   loss %.6g here\n", l->start_loss);
        else fprintf(out, "   is cut at the limits\n");
    }
}

static int look(struct kl_mode_run *run, const struct kl_control_setup *setup,
                const struct kl_control_texts *texts, struct kl_error *err)
{
    const struct values *v = run->values;
    struct kl_control_lookup found;
    int code = kl_control_lookup(&found, v->common.store, setup, err);
    if (!code) code = kl_control_setup_say(run->stage.log, setup, &v->problem, texts, err);
    if (code) return code;
    if (found.unread)
        kl_caution(run->stage.log, "store %s: %zu file%s could not be read, see `cache fsck`",
                   v->common.store, found.unread, kl_s(found.unread));
    if (v->common.json) code = tell_json(run->out, &found, setup, v->common.store, run->stage.log, err);
    else if (!v->common.quiet) tell(run->out, &found, setup, v->common.store);
    if (code || found.found) return code;
    *err = (struct kl_error){ .code = KL_ENO };
    return KL_ENO;
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct values *v = run->values;
    struct kl_control_setup setup = { 0 };
    struct kl_control_texts texts = { 0 };
    int code = 0;
    if (!v->common.store || !*v->common.store)
        return kl_fail(err, KL_EUSAGE, "lookup: no store; give --store DIR, or KETLINE_STORE");
    code = kl_control_options_files(&v->problem, &texts, err);
    if (!code) code = kl_control_setup_make(&setup, &v->problem, err);
    if (!code) code = look(run, &setup, &texts, err);
    kl_control_setup_free(&setup);
    v->problem.model = v->problem.gate = NULL;
    kl_control_texts_free(&texts);
    return code;
}

const struct kl_mode kl_control_mode_lookup = {
    .tool = &kl_control_lookup_tool, .defaults = defaults, .run = run, .keeps_nothing = true
};
