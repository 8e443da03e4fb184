/* SPDX-License-Identifier: MIT
   Figures of chains: what they say, many chains and temperatures, a temperature without draws, draws
   that are no numbers, and files that are not of their form. */
#include "tests/unit/plot/drawn.h"
#include "tests/unit/test_folder.h"

static char path[1024];
struct chains {
    size_t chains, most, betas;
    float value;   /* of the last draw of the last chain */
    bool constant; /* all others are 0.5 */
    int64_t first; /* draws at the first temperature; the others have all */
    size_t virial; /* temperatures of the virial ratio */
};
static const struct chains usual = { 4, 40, 3, 0.5F, false, 40, 3 };

static int write_chains(struct kl_writer *w, const void *what, struct kl_error *err)
{
    const struct chains *p = what;
    const size_t dims[3] = { p->chains, p->most, p->betas },
                 other[3] = { p->chains, p->most, p->virial };
    const size_t accepted[2] = { p->chains, p->betas }, n = p->chains * p->most * (p->betas + p->virial);
    float *x = malloc(n * sizeof *x);
    double *beta = malloc(p->betas * sizeof *beta);
    int64_t *draws = malloc(p->betas * sizeof *draws);
    if (!x || !beta || !draws) exit(1);
    for (size_t i = 0; i < n; i++) x[i] = p->constant ? 0.5F : (float)((i * 7919 + i / 13) % 101) / 100;
    x[p->chains * p->most * p->betas - 1] = p->value;
    for (size_t b = 0; b < p->betas; b++)
        beta[b] = (double)(10 * b), draws[b] = b ? (int64_t)p->most : p->first;
    int rc = kl_store_writer_put(w, "ladder/beta", KL_TYPE_F64, 0, 1, &p->betas, beta, err);
    if (!rc) rc = kl_store_writer_put(w, "ladder/draws", KL_TYPE_I64, 0, 1, &p->betas, draws, err);
    if (!rc) rc = kl_store_writer_put(w, "posterior/train_loss", KL_TYPE_F32, 0, 3, dims, x, err);
    if (!rc) rc = kl_store_writer_put(w, "sample_stats/acceptance", KL_TYPE_F32, 0, 2, accepted, x, err);
    if (!rc && p->virial)
        rc = kl_store_writer_put(w, "sample_stats/virial", KL_TYPE_F32, 0, 3, other, x, err);
    free(x), free(beta), free(draws);
    return rc;
}

static const char *const names[] = { "traces", "ranks", "autocorrelation", "acceptance" };

static void check_words(void)
{
    draw_file(path, "chains", "traces", write_chains, &usual);
    CHECK_WORDS("training loss of each chain; 4 chains");
    CHECK(drawn_exactly("\xce\xb2 = 20") && drawn_exactly("draw") && drawn_exactly("loss"),
          "words of the axes");
    draw_file(path, "chains", "ranks", write_chains, &usual);
    CHECK_WORDS("rank among all chains");
    CHECK(n_drawn_boxes >= 3 * 4 * 20, "%zu bars", n_drawn_boxes);
    draw_file(path, "chains", "autocorrelation", write_chains, &usual);
    CHECK_WORDS("mean over the chains; 4 chains");
    draw_file(path, "chains", "acceptance", write_chains, &usual);
    CHECK(n_drawn_discs == 2 * 4 * 3, "%zu marks", n_drawn_discs);
    CHECK_WORDS("virial ratio");
    struct chains p = usual;
    p.virial = 0;
    draw_file(path, "chains", "acceptance", write_chains, &p);
    CHECK(n_drawn_discs == 4 * 3 && !drawn_exactly("virial ratio"), "%zu marks without virial ratios",
          n_drawn_discs);
    p = usual, p.first = 0;
    draw_file(path, "chains", "traces", write_chains, &p);
    CHECK(!drawn_exactly("\xce\xb2 = 0") && drawn_exactly("\xce\xb2 = 10"),
          "a temperature without draws");
    p = usual, p.betas = p.virial = 30;
    draw_file(path, "chains", "traces", write_chains, &p);
    CHECK_WORDS("8 of 30 temperatures");
    CHECK(drawn_exactly("\xce\xb2 = 0") && drawn_exactly("\xce\xb2 = 290"), "the ends of the ladder");
    p = usual, p.chains = 30;
    draw_file(path, "chains", "ranks", write_chains, &p);
    CHECK_WORDS("the first 12; 30 chains");
    p = usual, p.value = NAN;
    draw_file(path, "chains", "ranks", write_chains, &p);
    CHECK_WORDS("a draw is no number");
}

/* Nothing is drawn far outside of the sheet (upright texts have coordinates of their own) or at no
 * number. */
static void check_ends(void)
{
    const struct chains cases[] = {
        { 1, 1, 1, 0.5F, false, 1, 1 },       { 4, 40, 3, NAN, false, 40, 3 },
        { 4, 40, 3, 0.5F, true, 40, 3 },      { 2, 40, 2, 1e30F, false, 40, 2 },
        { 3, 2500, 1, 0.5F, false, 2500, 1 }, { 4, 40, 30, 0.5F, false, 3, 30 },
        { 2, 40, 2, INFINITY, false, 40, 2 }
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            draw_file(path, "chains", names[k], write_chains, &cases[i]);
            for (size_t t = 0; t < n_drawn_texts; t++)
                CHECK(isfinite(drawn_texts[t].x) && drawn_texts[t].x > -80 &&
                          drawn_texts[t].right < 560 && drawn_texts[t].y < 560 &&
                          !strstr(drawn_texts[t].text, "nan"),
                      "case %zu, %s: '%s' at %g", i, names[k], drawn_texts[t].text, drawn_texts[t].x);
            for (size_t t = 0; t < n_drawn_discs; t++)
                CHECK(isfinite(drawn_discs[t].y), "case %zu, %s: a mark nowhere", i, names[k]);
        }
}

static void check_refused(const char *name, const struct chains *what, const char *word)
{
    const struct kl_figure *figure = kl_figures;
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    struct kl_file *file = NULL;
    unsigned char *bytes = NULL;
    size_t n = 0;
    while (figure->name && strcmp(figure->name, name) != 0) figure++;
    int rc = open_any_file(&w, path, "chains", &err);
    if (!rc) rc = write_chains(w, what, &err);
    if (!rc) rc = kl_store_writer_publish(&w, NULL, &err);
    if (!rc) rc = kl_store_file_open(&file, path, &err);
    const struct kl_figure_inputs inputs = { .file = file };
    if (!rc) rc = kl_plot_figure_bytes(&bytes, &n, figure, &inputs, KL_SVG, &err);
    CHECK(rc == KL_EDATA && strstr(err.text, word), "%s: %d %s", name, rc, err.text);
    free(bytes);
    kl_store_writer_abort(&w);
    kl_store_file_close(&file);
}

int main(void)
{
    struct chains p = usual;
    make_test_folder();
    in_folder(path, "chains.h5");
    check_words();
    check_ends();
    p.first = 41;
    check_refused("traces", &p, "beta 0 with 41 draws of 40");
    p = usual, p.virial = 5;
    check_refused("acceptance", &p, "ladder/beta");
    p = usual, p.betas = p.virial = 1, p.first = 0;
    check_refused("ranks", &p, "no draws");
    return failures != 0;
}
