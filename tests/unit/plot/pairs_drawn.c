/* SPDX-License-Identifier: MIT
   The figure of device pairs: every accuracy where it is, what is left out said, names inside the frame.
 */
#include "tests/unit/plot/drawn.h"
#include "tests/unit/test_folder.h"

enum { DEVICES = 6, PAIRS = DEVICES * (DEVICES - 1) / 2, BITS = 4, SCORES = 8, DIVERGENCES = 5 };
static char path[1024];

struct tournament {
    size_t devices;
    double composite, accuracy[3];
};

static int put_numbers(struct kl_writer *w, size_t p, struct kl_error *err)
{
    static const double zeros[PAIRS * SCORES];
    static const char *const names[] = { "divergence", "divergence_low", "divergence_high" };
    int rc = kl_store_writer_put(w, "score_null_q95", KL_TYPE_F64, 0, 2, (const size_t[]){ p, SCORES },
                                 zeros, err);
    for (int i = 0; i < 3 && rc >= 0; i++)
        rc = kl_store_writer_put(w, names[i], KL_TYPE_F64, 0, 2, (const size_t[]){ p, DIVERGENCES },
                                 zeros, err);
    return rc;
}

static int write_pairs(struct kl_writer *w, const void *what, struct kl_error *err)
{
    const struct tournament *t = what;
    const size_t d = t->devices, p = d * (d - 1) / 2;
    int32_t pairs[PAIRS * 2];
    int64_t order[PAIRS];
    double score[PAIRS * SCORES] = { 0 }, rates[DEVICES * BITS] = { 0 }, accuracy[PAIRS];
    size_t n = 0;
    for (int i = 0; i < (int)d; i++)
        for (int k = i + 1; k < (int)d; k++, n++) {
            pairs[2 * n] = i, pairs[2 * n + 1] = k, order[n] = (int64_t)n;
            score[n * SCORES + 3] = t->composite * (double)(n + 1);
            score[n * SCORES + 7] = t->accuracy[n % 3];
            accuracy[n] = 0.5;
        }
    int rc = kl_store_writer_put(w, "devices", KL_TYPE_STRING, 5, 1, &d,
                                 "dev00dev01dev02dev03dev04dev05", err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "pairs", KL_TYPE_I32, 0, 2, (const size_t[]){ p, 2 }, pairs, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "rates", KL_TYPE_F64, 0, 2, (const size_t[]){ d, BITS }, rates, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "order", KL_TYPE_I64, 0, 1, &p, order, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "score", KL_TYPE_F64, 0, 2, (const size_t[]){ p, SCORES }, score,
                                 err);
    if (rc >= 0) rc = kl_store_writer_put(w, "row_accuracy", KL_TYPE_F64, 0, 1, &p, accuracy, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "accuracy_low", KL_TYPE_F64, 0, 1, &p, accuracy, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "accuracy_high", KL_TYPE_F64, 0, 1, &p, accuracy, err);
    return rc < 0 ? rc : put_numbers(w, p, err);
}

/* Three accuracies a tenth apart are as far apart on the sheet; the last discs are theirs. */
static void check_accuracies(void)
{
    const struct tournament t = { 3, 1, { 0.4, 0.3, 0.2 } };
    draw_file(path, "tournament", "tournament", write_pairs, &t);
    const size_t n = n_drawn_discs;
    CHECK(n == 6, "%zu discs", n);
    if (n < 6) return;
    const double first = drawn_discs[n - 2].y - drawn_discs[n - 3].y,
                 second = drawn_discs[n - 1].y - drawn_discs[n - 2].y;
    CHECK(first > 5 && fabs(first - second) < 1e-6, "%g, %g", first, second);
    CHECK(drawn_exactly("0.2"), "the axis does not reach 0.2");
    CHECK(!drawn_text("pairs"), "%s", drawn_text("pairs")->text);
}

static void check_left_out(void)
{
    const struct tournament t = { DEVICES, 1, { 0.6, 0.7, 0.8 } };
    draw_file(path, "tournament", "tournament", write_pairs, &t);
    CHECK_WORDS("10 of 15 pairs, the furthest apart");
    const struct drawn *name = NULL;
    for (size_t i = 0; i < n_drawn_texts; i++)
        if (strcmp(drawn_texts[i].text, "dev05") == 0) name = &drawn_texts[i];
    CHECK(name && name->right < 62 + 175, "dev05 ends at %g", name ? name->right : NAN);
}

/* All composites 0: the numbers of that axis have room. What is not a number is not drawn. */
static void check_no_spread(void)
{
    const struct tournament t = { 3, 0, { 0.6, NAN, INFINITY } };
    draw_file(path, "tournament", "tournament", write_pairs, &t);
    for (size_t i = 1; i < n_drawn_texts; i++) {
        const struct drawn *a = &drawn_texts[i - 1], *b = &drawn_texts[i];
        if (fabs(a->y - b->y) > 1e-9 || b->x < a->x) continue;
        CHECK(b->x > a->right, "%s over %s", b->text, a->text);
    }
    const struct tournament none = { 3, NAN, { 0.6, 0.6, 0.6 } };
    draw_file(path, "tournament", "tournament", write_pairs, &none);
}

int main(void)
{
    make_test_folder();
    in_folder(path, "pairs.h5");
    check_accuracies();
    check_left_out();
    check_no_spread();
    return failures != 0;
}
