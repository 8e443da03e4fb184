/* SPDX-License-Identifier: MIT
   What is said of the samples of a training: counted by hand. */
#include <stdlib.h>
#include <string.h>

#include "head/run.h"
#include "tests/unit/check.h"

enum { ROWS = 1000, WIDTH = 3, NAME = 2 };

struct set {
    struct kl_features f;
    struct kl_head_train t;
    float x[ROWS * WIDTH];
    int32_t labels[ROWS];
    int64_t rows[ROWS]; /* 0, 1, 2, ... */
};

/* n different rows, of which the first n_validation validate; labels 0, 1, ... n_classes - 1, 0, ... */
static void make(struct set *s, size_t n, size_t n_validation, size_t n_classes)
{
    static char names[] = "a\0b\0c\0d";
    *s = (struct set){ .f = { .n = n,
                              .d = WIDTH,
                              .n_classes = n_classes,
                              .x = s->x,
                              .labels = s->labels,
                              .class_names = names,
                              .name_size = NAME } };
    for (size_t i = 0; i < n; i++) {
        s->rows[i] = (int64_t)i, s->labels[i] = (int32_t)(i % n_classes);
        for (size_t j = 0; j < WIDTH; j++) s->x[i * WIDTH + j] = (float)(i * WIDTH + j);
    }
    s->t = (struct kl_head_train){ .features = &s->f,
                                   .validation = s->rows,
                                   .n_validation = n_validation,
                                   .training = s->rows + n_validation,
                                   .n_training = n - n_validation };
}

static void copy_row(struct set *s, size_t to, size_t from)
{
    memcpy(s->x + to * WIDTH, s->x + from * WIDTH, WIDTH * sizeof *s->x);
}

static void expect(const struct set *s, const char *wanted)
{
    char *text = NULL;
    size_t n = 0;
    struct kl_error err = { 0 };
    const struct kl_log log = { "t", open_memstream(&text, &n), 1, NULL };
    CHECK(kl_head_remark_samples(&log, &s->t, &err) == KL_OK, "%s", err.text);
    fclose(log.to);
    CHECK(strcmp(text, wanted) == 0, "found '%s', expected '%s'", text, wanted);
    free(text);
}

static void classes(struct set *s)
{
    make(s, 100, 30, 4);
    expect(s, "");
    for (int i = 0; i < 100; i++) s->labels[i] = 1 + i % 3;
    expect(s, "t: 1 of 4 classes has no sample (first: 'a'): the head has an output for it; labels from "
              "1?\n");
    for (int i = 0; i < 100; i++) s->labels[i] = 3 * (i % 2);
    expect(s, "t: 2 of 4 classes have no sample (first: 'b'): the head has outputs for them\n");
    for (int i = 0; i < 100; i++) s->labels[i] = 2;
    expect(s, "t: one class: there is nothing to tell apart, and every accuracy is 1\n"
              "t: 3 of 4 classes have no sample (first: 'a'): the head has outputs for them\n");
    make(s, 100, 30, 1);
    expect(s, "t: one class: there is nothing to tell apart, and every accuracy is 1\n");
}

static void validation(struct set *s)
{
    make(s, 100, 1, 2);
    expect(s,
           "t: only 1 validation sample: by it the epoch is chosen and accuracies are given, too few to "
           "tell heads apart; "
           "give more samples, or a larger --val-fraction\n");
    make(s, 100, 29, 2);
    expect(s, "t: only 29 validation samples: by them the epoch is chosen and accuracies are given, too "
              "few to tell heads "
              "apart; give more samples, or a larger --val-fraction\n");
    make(s, 100, 30, 2);
    expect(s, "");
    make(s, 100, 0, 2); /* none are asked for */
    expect(s, "");
}

static void copies(struct set *s)
{
    make(s, ROWS, 300, 2);
    copy_row(s, 1, 0), copy_row(s, 900, 901); /* among themselves they flatter nothing */
    expect(s, "");
    copy_row(s, 7, 300), copy_row(s, 8, ROWS - 1);
    expect(s, ""); /* below one in a hundred */
    copy_row(s, 300, 299);
    expect(s, "");
    copy_row(s, 7, 300);
    expect(s,
           "t: 3 of 300 validation samples have the very features of training samples: val accuracy is "
           "flattered; take the copies out\n");
    s->x[8 * WIDTH + WIDTH - 1] += 1; /* one value of a row is another */
    expect(s, "");
    make(s, 60, 1, 2);
    copy_row(s, 59, 0);
    s->t.n_validation = 0, s->t.training = s->rows, s->t.n_training = 60;
    expect(s, "");
}

static void equal(struct set *s)
{
    make(s, 100, 40, 2);
    for (size_t i = 1; i < 100; i++) copy_row(s, i, 0);
    expect(s, "t: all 100 rows of the features are equal: there is nothing to learn from them\n");
    s->x[99 * WIDTH + WIDTH - 1] += 1;
    expect(s,
           "t: 40 of 40 validation samples have the very features of training samples: val accuracy is "
           "flattered; take the copies out\n");
}

int main(void)
{
    struct set *s = malloc(sizeof *s);
    classes(s);
    validation(s);
    copies(s);
    equal(s);
    free(s);
    return failures ? 1 : 0;
}
