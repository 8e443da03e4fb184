/* SPDX-License-Identifier: MIT
   Which heads are said to have collapsed: of predictions that were written down by hand, and of
   trainings on classes that cannot be told apart. */
#include <math.h>
#include <string.h>

#include "head/evaluate.h"
#include "head_test.h"
#include "tests/unit/check.h"

enum { N = 600 };

/* The line on this evaluation; the caller's to free. */
static char *said(const struct kl_collapse *c, const struct kl_features *f)
{
    char *text = NULL;
    size_t n = 0;
    struct kl_cautions kept = { 0 };
    const struct kl_log log = { "qeval", open_memstream(&text, &n), 0, &kept };
    kl_head_collapse_say(&log, c, f);
    fclose(log.to);
    CHECK(n == 0, "quiet: %s", text);
    free(text);
    return kept.lines ? kept.lines : strdup("");
}

/* Five heads: right but for every 100th sample; c taken for b; as the first; a quarter of a taken for b;
   as the first. */
static void of_predictions(void)
{
    static char names[] = "a\0\0\0b\0\0\0\033c\0";
    enum { HEADS = 5 };
    static int32_t labels[N], predictions[HEADS * N];
    const struct kl_features f = { .n_classes = 3, .class_names = names, .name_size = 4 };
    struct kl_evaluation e = {
        .n = N, .c = 3, .replicas = HEADS, .labels = labels, .predictions = predictions
    };
    struct kl_collapse c;
    struct kl_error err;
    for (int i = 0; i < N; i++) {
        labels[i] = i % 3;
        for (int r = 0; r < HEADS; r++) predictions[r * N + i] = i % 100 ? i % 3 : (i + 1) % 3;
        if (labels[i] == 2) predictions[N + i] = 1;
        if (labels[i] == 0 && i % 4 == 0) predictions[3 * N + i] = 1;
    }
    CHECK(kl_head_collapse_of_evaluation(&c, &e, &err) == 0, "%s", err.text);
    CHECK(c.n_collapsed == 2 && c.median > 0.98 && c.median < 1, "%zu, %g", c.n_collapsed, c.median);
    CHECK(!c.heads[0].merged && !c.heads[0].far && !c.heads[2].merged && !c.heads[2].far, "good ones");
    CHECK(c.heads[1].merged == 1 && c.heads[1].pairs[0][0] == 2 && c.heads[1].pairs[0][1] == 1, "pair");
    CHECK(!c.heads[3].merged && c.heads[3].far, "far below");
    char *line = said(&c, &f);
    CHECK(strstr(line, "2 of 5 heads do not tell all classes apart: replica 1 takes "
                       "'?c' for 'b' (accuracy 0.66"),
          "%s", line);
    CHECK(strstr(line, "), replica 3 is far below the median of the heads, 0.9"), "%s", line);
    free(line);
    kl_head_collapse_free(&c);

    e.replicas = 1;
    CHECK(kl_head_collapse_of_evaluation(&c, &e, &err) == 0 && c.n_collapsed == 0, "a good head alone");
    line = said(&c, &f);
    CHECK(!*line, "%s", line);
    free(line);
    kl_head_collapse_free(&c);
}

/* Three classes of which two are the same, and three that differ. */
static void of_trainings(bool same, double val_fraction)
{
    struct kl_head_options head;
    struct kl_train_options options;
    struct kl_head_model model;
    struct kl_features f;
    struct kl_head_train train;
    struct kl_collapse c;
    struct kl_error err;
    kl_head_options_default(&head);
    kl_train_options_default(&options);
    head.n_reduction = 0;
    options.epochs = 30, options.batch_size = 16, options.val_fraction = val_fraction;
    options.schedule.lr = 0.01;
    make_features(&f, N);
    for (int i = 0; same && i < N; i++) f.labels[i] = f.labels[i] ? 1 + i / 3 % 2 : 0;
    CHECK(kl_head_model_make(&model, &head, f.d, f.n_classes, &err) == 0, "%s", err.text);
    CHECK(kl_head_train_open(&train, &model, &f, &options, 1, &err) == 0, "%s", err.text);
    CHECK(kl_train_run(&train.loop, NULL, NULL, &err) == 0, "%s", err.text);
    CHECK(kl_head_collapse_of_training(&c, &train, NULL, &err) == 0, "%s", err.text);
    CHECK(c.n_collapsed == (same ? 1 : 0), "%s: %zu", same ? "same" : "different", c.n_collapsed);
    const int64_t best = train.loop.replicas[0].best_epoch;
    if (val_fraction > 0)
        CHECK(fabs(c.heads[0].accuracy - train.loop.replicas[0].history[KL_VAL_ACCURACY][best]) < 1e-12,
              "%g: not that of the best epoch, %g", c.heads[0].accuracy,
              train.loop.replicas[0].history[KL_VAL_ACCURACY][best]);
    if (same) {
        const int32_t *pair = c.heads[0].pairs[0];
        CHECK(pair[0] + pair[1] == 3 && pair[0] && pair[1], "%d for %d", (int)pair[0], (int)pair[1]);
        CHECK(strcmp(c.samples, val_fraction > 0 ? "val " : "train ") == 0, "%s", c.samples);
    }
    kl_head_collapse_free(&c);
    kl_head_train_close(&train);
    kl_head_model_free(&model);
    free(f.x);
    free(f.labels);
}

int main(void)
{
    of_predictions();
    of_trainings(true, 0.2);
    of_trainings(false, 0.2);
    of_trainings(true, 0);
    return failures != 0;
}
