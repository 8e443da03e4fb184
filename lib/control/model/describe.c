/* SPDX-License-Identifier: MIT
   A system in words, with the values and limits that it has; the objective of a model's target. */
#include <math.h>
#include <string.h>

#include "control/model/model.h"

/* " rad/ns", " 1/ns"; "" where times have no unit. */
static const char *per_time(char text[16], const struct kl_control_system *s, const char *what)
{
    snprintf(text, 16, " %s/%s", what, s->time_unit);
    return strcmp(s->time_unit, "1") == 0 ? "" : text;
}

void kl_control_system_write_param(FILE *to, const struct kl_control_system *s, int j, const char *end)
{
    const struct kl_control_entry *e = &s->params[j];
    char unit[16];
    fprintf(to, "%-7s %s = %.10g%s", e->rate ? "jump" : "H", e->name, e->value,
            per_time(unit, s, e->rate ? "1" : "rad"));
    if (e->words) fprintf(to, "%s %s", e->rate ? ", operator" : " times", e->words);
    fprintf(to, "%s\n", end);
}

static bool is_in_pair(const struct kl_control_system *s, int k)
{
    bool any = false;
    for (int i = 0; i < s->n_moduli; i++) any |= s->moduli[i].x == k || s->moduli[i].y == k;
    return any;
}

void kl_control_system_write_controls(FILE *to, const struct kl_control_system *s, const char *end)
{
    char unit[16];
    const char *per = per_time(unit, s, "rad");
    for (int k = 0; k < s->n_controls; k++) {
        const struct kl_control_entry *e = &s->controls[k];
        fprintf(to, "control %s%s%s", e->name, e->words ? " times " : "", e->words ? e->words : "");
        if (is_in_pair(s, k)) putc('\n', to);
        else if (e->low == -e->high)
            fprintf(to, ", |%s| at most %.10g%s%s\n", e->name, e->high, per, end);
        else fprintf(to, ", from %.10g to %.10g%s%s\n", e->low, e->high, per, end);
    }
    for (int i = 0; i < s->n_moduli; i++)
        fprintf(to, "modulus |%s + i %s| at most %.10g%s%s\n", s->controls[s->moduli[i].x].name,
                s->controls[s->moduli[i].y].name, s->moduli[i].most, per, end);
}

void kl_control_system_write(FILE *to, const struct kl_control_system *s, const bool *given)
{
    fprintf(to, "system  %s: %d levels", s->name, s->d);
    if (s->subspace < s->d) fprintf(to, ", the first %d compute", s->subspace);
    fprintf(to, ", time in %s\n", strcmp(s->time_unit, "1") == 0 ? "no unit" : s->time_unit);
    for (int j = 0; j < s->n_params; j++)
        kl_control_system_write_param(to, s, j, given && !given[j] ? " (default)" : "");
}

int kl_control_model_objective(struct kl_control_objective *o, const struct kl_control_model *model,
                               int target, struct kl_error *err)
{
    const struct kl_control_model_target *t = &model->targets[target];
    if (t->is_state) return kl_control_objective_states(o, &model->system, t->from, t->state, 1, err);
    return kl_control_objective_make(o, &model->system, t->fidelity, &t->gate, err);
}
