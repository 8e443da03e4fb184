/* SPDX-License-Identifier: MIT
   The figure of generators: a score that is no number has no bar, and the others are drawn. */
#include "tests/unit/plot/drawn.h"
#include "tests/unit/test_folder.h"

enum { PAIRS = 2, EPOCHS = 200 };
static char path[1024];

/* One of the four scores of the second pair, or all of the first history. */
struct bad {
    int which;
    double value, scores;
};

static int write_gan(struct kl_writer *w, const void *what, struct kl_error *err)
{
    const struct bad *bad = what;
    const size_t two = PAIRS, pairs[] = { PAIRS, 2 }, epochs[] = { PAIRS, EPOCHS };
    const int32_t of[] = { 0, 1, 1, 0 };
    double history[PAIRS * EPOCHS];
    static const char *const scores[] = { "scores/excess", "scores/excess_low", "scores/excess_high",
                                          "scores/plugin_excess" };
    static const char *const histories[] = { "history/divergence", "history/generator_loss",
                                             "history/discriminator_loss" };
    int rc = kl_store_writer_put(w, "pairs", KL_TYPE_I32, 0, 2, pairs, of, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "model", KL_TYPE_I32, 0, 2, pairs, of, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "devices", KL_TYPE_STRING, 1, 1, &two, "ab", err);
    for (int i = 0; i < 4 && rc >= 0; i++) {
        const double score[PAIRS] = { bad->scores, i == bad->which ? bad->value : bad->scores };
        rc = kl_store_writer_put(w, scores[i], KL_TYPE_F64, 0, 1, &two, score, err);
    }
    for (int i = 0; i < 3 && rc >= 0; i++) {
        for (int k = 0; k < PAIRS * EPOCHS; k++)
            history[k] = i == 0 && bad->which == 4 ? bad->value : 1 / (1.0 + k);
        rc = kl_store_writer_put(w, histories[i], KL_TYPE_F64, 0, 2, epochs, history, err);
    }
    return rc;
}

int main(void)
{
    static const double values[] = { NAN, INFINITY, -INFINITY };
    make_test_folder();
    in_folder(path, "gan.h5");
    for (int i = 0; i < 10; i++) {
        const struct bad bad = { i % 5, values[i % 3], i < 5 ? 0 : 0.1 };
        draw_file(path, "gan", "gan", write_gan, &bad);
        CHECK_WORDS("a v b");
        for (size_t k = 0; k < n_drawn_texts; k++)
            CHECK(strlen(drawn_texts[k].text) < 8 || strncmp(drawn_texts[k].text, "0.00000", 7) != 0,
                  "%s: scores of 0 have no spread", drawn_texts[k].text);
    }
    return failures != 0;
}
