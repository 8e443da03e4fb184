/* SPDX-License-Identifier: MIT
   What options come to, in words: nothing that decides a result is left unsaid, given or not. */
#include <stdlib.h>
#include <string.h>

#include "control/pulse/setup_int.h"

static bool is_given(const char *text)
{
    return text && *text;
}

/* Parameters that --set names. */
static void mark_set(bool *given, const struct kl_control_setup *s, const struct kl_control_options *o)
{
    struct kl_control_pair pair;
    const char *text = o->set ? o->set : "";
    while (kl_control_pair_next(&pair, &text) > 0) {
        const int j = kl_control_options_param(o, &s->system, pair.name);
        if (j >= 0) given[j] = true;
    }
}

static void write_system(FILE *to, const struct kl_control_setup *s, const struct kl_control_options *o,
                         bool brief)
{
    bool given[KL_CONTROL_MAX_PARAMS] = { false };
    const bool model = is_given(o->model);
    mark_set(given, s, o);
    if (!brief) kl_control_system_write(to, &s->system, model ? NULL : given);
    for (int j = 0; brief && j < s->system.n_params; j++)
        if (given[j]) kl_control_system_write_param(to, &s->system, j, " (--set)");
    if (!brief || is_given(o->limit))
        kl_control_system_write_controls(to, &s->system,
                                         is_given(o->limit) ? " (--limit)"
                                         : model            ? ""
                                                            : " (default)");
    if (!model && strcmp(o->jump, "up") == 0)
        fputs("jump    relaxation runs up: down and up are exchanged, in --set and --spread too\n", to);
}

static void write_pulse(FILE *to, const struct kl_control_setup *s, const struct kl_control_options *o)
{
    const char *unit = s->system.time_unit;
    fprintf(to, "pulse   T %.10g%s%s%s, %lld segment%s", s->problem.duration,
            strcmp(unit, "1") ? " " : "", strcmp(unit, "1") ? unit : "",
            o->duration > 0 ? "" : " (default)", (long long)o->segments, kl_s((uint64_t)o->segments));
    if (strcmp(o->functions, "piecewise") != 0)
        fprintf(to, ", %lld %s", (long long)o->count, o->functions);
    if (o->zero_ends) fputs(", the first and the last sample 0", to);
    putc('\n', to);
}

/* One state says nothing of a gate. */
static void write_target(FILE *to, const struct kl_control_setup *s)
{
    static const char *const names[] = { "state", "entanglement", "average", "states", "leakage" };
    const bool one = s->objective.columns == 1 && !s->is_state;
    fprintf(to, "target  %s%s, 1 - fidelity %s%s\n", s->is_state ? "" : "gate ", s->target.name,
            names[s->is_state ? KL_CONTROL_STATE : s->fidelity],
            one ? ": |0> alone is transferred, the gate is not asked for" : "");
}

static void write_ensemble(FILE *to, const struct kl_control_setup *s,
                           const struct kl_control_options *o)
{
    const bool normal = strcmp(o->law, "gauss") == 0;
    for (int i = 0; i < s->n_spreads; i++) {
        const struct kl_control_spread *p = &s->spreads[i];
        fprintf(to, "spread  %s, %s%.10g: %d members",
                p->param < 0 ? "amplitude" : s->system.params[p->param].name,
                normal ? "normal of deviation " : "uniform within +-", p->size, p->n);
        if (p->n < p->needed) fprintf(to, ", fewer than the %d that the law needs", p->needed);
        putc('\n', to);
    }
    if (s->n_spreads)
        fprintf(to, "        the %s of %d members, judged on %d others\n", o->ensemble, s->n_members,
                s->n_checks);
}

void kl_control_setup_write(FILE *to, const struct kl_control_setup *s,
                            const struct kl_control_options *o, bool brief)
{
    write_system(to, s, o, brief);
    write_pulse(to, s, o);
    write_target(to, s);
    write_ensemble(to, s, o);
}

static void say_lines(const struct kl_log *log, const char *lines)
{
    for (const char *line = lines; *line; line += strcspn(line, "\n") + 1)
        kl_note(log, 1, "%.*s", (int)strcspn(line, "\n"), line);
}

int kl_control_setup_say(const struct kl_log *log, const struct kl_control_setup *s,
                         const struct kl_control_options *o, const struct kl_control_texts *texts,
                         struct kl_error *err)
{
    char *words = NULL;
    size_t size;
    if (texts->said) say_lines(log, texts->said);
    FILE *to = open_memstream(&words, &size);
    if (!to) return kl_fail_memory(err, 1024);
    kl_control_setup_write(to, s, o, texts->model != NULL);
    const bool failed = ferror(to) | (fclose(to) != 0);
    if (!failed) say_lines(log, words);
    free(words);
    return failed ? kl_fail_memory(err, 1024) : KL_OK;
}
