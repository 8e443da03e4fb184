/* SPDX-License-Identifier: MIT
   The figure of synthetic devices: quartiles between the values, pairs that a logarithm does not show
   counted, classes named, words where there is no correlation. */
#include "tests/unit/plot/drawn.h"
#include "tests/unit/test_folder.h"

enum { DEVICES = 3, PAIRS = 15, COLUMNS = 8 };
static char path[1024];

struct study {
    double divergence[3]; /* of 0-1, 0-2, 1-2 */
    double mean[DEVICES], accuracy[DEVICES], r;
    size_t class_pairs;
    int32_t class[DEVICES];
};

static int write_study(struct kl_writer *w, const void *what, struct kl_error *err)
{
    const struct study *s = what;
    const double *e = s->divergence, square[9] = { 0, e[0], e[1], e[0], 0, e[2], e[1], e[2], 0 };
    static const double pairs[PAIRS * COLUMNS];
    const size_t d = DEVICES;
    int rc = kl_store_writer_put(w, "class", KL_TYPE_I32, 0, 1, &d, s->class, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "smoothed/divergence", KL_TYPE_F64, 0, 2, (const size_t[]){ d, d },
                                 square, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "smoothed/mean", KL_TYPE_F64, 0, 1, &d, s->mean, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "accuracy", KL_TYPE_F64, 0, 1, &d, s->accuracy, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "smoothed/class_pairs", KL_TYPE_F64, 0, 2,
                                 (const size_t[]){ s->class_pairs, COLUMNS }, pairs, err);
    return rc < 0 ? rc : kl_store_writer_number(w, "smoothed/divergence", "pearson", s->r, err);
}

static void draw(const struct study *s)
{
    draw_file(path, "synthetic", "synthetic", write_study, s);
}

/* Of 0.01 and 1 the quartiles are 0.2575 and 0.7525; the axis, 130 points, has two decades. */
static void check_quartiles(void)
{
    const struct study s = { { 0.01, 1, 0 }, { 0.5, 0.005, 0.5 }, { 0.5, 0.6, 0.7 }, 0.25, 1, { 0 } };
    const double expected = log10(0.7525 / 0.2575) / 2 * 130;
    bool found = false;
    draw(&s);
    for (size_t i = 0; i < n_drawn_boxes; i++)
        found = found || (fabs(drawn_boxes[i].width - 36) < 1e-9 &&
                          fabs(drawn_boxes[i].height - expected) < 1e-6);
    CHECK(found, "no box is %g points high", expected);
    CHECK_WORDS("1 of 3 pairs below 10\xe2\x81\xbb\xe2\x81\xb6 are grey");
    CHECK_WORDS("1 of 3 pairs below 10\xe2\x81\xbb\xe2\x81\xb6 are left out");
    CHECK_WORDS("r = 0.250");
}

static void check_words(void)
{
    struct study s = { { 0.1, 1, 0.5 }, { 0.5, 0.3, 0.7 }, { 1, 1, 1 }, NAN, PAIRS, { 0, 1, 2 } };
    draw(&s);
    CHECK_WORDS("devices by class; all accuracies are equal");
    CHECK(!drawn_text("nan") && !drawn_text("below"), "words without a reason");
    CHECK_WORDS("smoothed divergence of every pair, nats");
    CHECK_WORDS("first 10 of 15");
    CHECK_WORDS("class 0");
    CHECK_WORDS("class 2");
    CHECK(!drawn_text("class 3"), "there is no class 3");
    /* device 0 in the middle of the first of three columns of the map, 130 points wide from 50 on */
    double middle = 0;
    for (size_t i = 0; i < n_drawn_texts && middle == 0; i++)
        if (drawn_texts[i].x < 200 && strcmp(drawn_texts[i].text, "0") == 0)
            middle = (drawn_texts[i].x + drawn_texts[i].right) / 2;
    CHECK(fabs(middle - 50 - 130.0 / 6) < 0.5, "device 0 at %g", middle);
    s.accuracy[0] = 0.5, s.mean[0] = s.mean[1] = s.mean[2] = 0.3;
    draw(&s);
    CHECK_WORDS("devices by class; all divergences are equal");
    s.divergence[0] = s.divergence[1] = s.divergence[2] = 0;
    draw(&s);
    CHECK_WORDS("3 of 3 pairs below");
}

int main(void)
{
    make_test_folder();
    in_folder(path, "synthetic.h5");
    check_quartiles();
    check_words();
    return failures != 0;
}
