/* SPDX-License-Identifier: MIT
   Models that name one class for all windows that they are judged on, or for all of a fold or a person,
   though these are of several: what one line says of them. */
#include <stdlib.h>
#include <string.h>

#include "sequence/report/report.h"

enum {
    FEWEST = 8, /* windows: fewer can be of one class by chance */
    MOST = 4,   /* that the line names */
    SENTENCE = 1000,
};

struct search {
    const struct kl_sequence_report *r;
    int32_t *predicted; /* (n) by a replica */
    bool *said;         /* (n) of something that the line has */
    size_t replica, found;
    char text[SENTENCE];
};

static void predict(struct search *s)
{
    const size_t K = s->r->classes;
    for (size_t i = 0; i < s->r->n; i++) {
        const double *p = s->r->probabilities + (s->replica * s->r->n + i) * K;
        int32_t most = 0;
        for (size_t k = 1; k < K; k++)
            if (p[k] > p[most]) most = (int32_t)k;
        s->predicted[i] = most;
        s->said[i] = false;
    }
}

enum group { ALL, FOLD, PERSON };
static bool among(const struct kl_sequence_report *r, size_t i, enum group group, size_t id)
{
    return group == ALL || (group == FOLD ? r->tested[i].model : r->person[i]) == (int32_t)id;
}

/* At the end of the line, as far as there is room. */
static void add(struct search *s, enum group group, size_t id, size_t n, size_t right, int32_t class)
{
    const struct kl_sequence_report *r = s->r;
    const size_t used = strlen(s->text);
    char of[400] = "", replica[40] = "";
    if (s->found++ >= MOST) return;
    if (group == FOLD) snprintf(of, sizeof of, " of %.300s", kl_store_file_path(r->model_files[id]));
    if (group == PERSON) snprintf(of, sizeof of, " of '%.300s'", r->people[id]);
    if (r->replicas > 1) snprintf(replica, sizeof replica, "replica %zu takes ", s->replica);
    snprintf(s->text + used, SENTENCE - used, "%s%sall %zu windows%s for '%.100s' (accuracy %.4f)",
             used ? ", " : "", replica, n, of, r->set.class_names[class], (double)right / (double)n);
}

/* Windows of a group, not all of which the line has, of several classes. */
static void look(struct search *s, enum group group, size_t id)
{
    const struct kl_sequence_report *r = s->r;
    size_t n = 0, right = 0, first = 0;
    bool mixed = false, fresh = false;
    for (size_t i = 0; i < r->n; i++) {
        if (!among(r, i, group, id)) continue;
        if (!n) first = i;
        if (s->predicted[i] != s->predicted[first]) return;
        mixed |= r->labels[i] != r->labels[first], fresh |= !s->said[i];
        right += r->labels[i] == s->predicted[i], n++;
    }
    if (n < FEWEST || !mixed || !fresh) return;
    add(s, group, id, n, right, s->predicted[first]);
    for (size_t i = 0; i < r->n; i++) s->said[i] |= among(r, i, group, id);
}

int kl_sequence_report_say_one_class(const struct kl_sequence_report *r, const struct kl_log *log,
                                     struct kl_error *err)
{
    struct search s = { .r = r };
    s.predicted = malloc((r->n + 1) * sizeof *s.predicted);
    s.said = malloc((r->n + 1) * sizeof *s.said);
    const int code = s.predicted && s.said ? KL_OK : kl_fail_memory(err, r->n * sizeof *s.predicted);
    for (; s.replica < r->replicas && !code; s.replica++) {
        predict(&s);
        look(&s, ALL, 0);
        for (size_t k = 0; k < r->n_models; k++) look(&s, FOLD, k);
        for (size_t p = 0; p < r->n_people; p++) look(&s, PERSON, p);
    }
    if (s.found) {
        char more[40] = "";
        if (s.found > MOST) snprintf(more, sizeof more, " and %zu more", s.found - MOST);
        kl_caution(log, "the model does not tell all classes apart: %s%s%s",
                   r->replicas > 1 ? "" : "it takes ", s.text, more);
    }
    free(s.predicted), free(s.said);
    return code;
}
