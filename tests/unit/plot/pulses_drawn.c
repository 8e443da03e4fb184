/* SPDX-License-Identifier: MIT
   Figures of pulses, policies and what adapting is worth: what they say, numbers at the ends of their
   ranges, and files that are not of their form. */
#include "tests/unit/plot/drawn.h"
#include "tests/unit/test_folder.h"

enum { SEGMENTS = 4, CONTROLS = 2, STARTS = 5, POINTS = 3, MEMBERS = 2, STEPS = 2 };
static char path[1024];

struct pulse {
    double u, limit;          /* of all segments and controls */
    double starts[STARTS];    /* losses */
    double loss, odd;         /* of the landscape, and of its last point */
    double vector, frequency; /* all coordinates of the ways; the last frequency */
    const char *unit;
};
static const struct pulse usual = { .u = 1,
                                    .limit = 3,
                                    .starts = { 0.2, 0.1, 0.5, NAN, 0.1 },
                                    .loss = 0.1,
                                    .odd = 0.01,
                                    .vector = 0.5,
                                    .frequency = 100,
                                    .unit = "ns" };

static int put_all(struct kl_writer *w, const char *name, int rank, const size_t *dims, double value,
                   double last, struct kl_error *err)
{
    double values[64];
    size_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    for (size_t i = 0; i < n; i++) values[i] = i + 1 < n ? value : last;
    return kl_store_writer_put(w, name, KL_TYPE_F64, 0, rank, dims, values, err);
}

static int put_words(struct kl_writer *w, const struct pulse *p, struct kl_error *err)
{
    static const char *const words[][2] = {
        { "system", "qubit" }, { "gate", "x" }, { "objective", "average x" }, { "stop", "it is done" }
    };
    int rc = kl_store_writer_text(w, "", "time_unit", p->unit, err);
    for (size_t i = 0; i < 4 && rc >= 0; i++)
        rc = kl_store_writer_text(w, "", words[i][0], words[i][1], err);
    if (rc >= 0) rc = kl_store_writer_number(w, "", "duration", 12, err);
    return rc < 0 ? rc : kl_store_writer_number(w, "", "loss", 0.1, err);
}

static int put_landscape(struct kl_writer *w, const struct pulse *p, struct kl_error *err)
{
    const size_t points = POINTS, grid[] = { POINTS, POINTS }, members = MEMBERS,
                 params[] = { MEMBERS, 1 }, one = 1;
    const double x[] = { -1, 0, 1 }, y[] = { 0.9, 1, 1.1 };
    int rc = kl_store_writer_put(w, "landscape/x", KL_TYPE_F64, 0, 1, &points, x, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "landscape/y", KL_TYPE_F64, 0, 1, &points, y, err);
    if (rc >= 0) rc = put_all(w, "landscape/loss", 2, grid, p->loss, p->odd, err);
    if (rc >= 0) rc = kl_store_writer_text(w, "landscape/x", "parameter", "detuning", err);
    if (rc >= 0) rc = kl_store_writer_text(w, "landscape/y", "parameter", "amplitude", err);
    if (rc >= 0) rc = put_all(w, "members/params", 2, params, 0.5, -0.5, err);
    if (rc >= 0) rc = put_all(w, "members/amplitude", 1, &members, 1, 1, err);
    return rc < 0 ? rc
                  : kl_store_writer_put(w, "param_names", KL_TYPE_STRING, 9, 1, &one, "detuning", err);
}

static int write_pulse(struct kl_writer *w, const void *what, struct kl_error *err)
{
    const struct pulse *p = what;
    const size_t controls = CONTROLS, shape[] = { SEGMENTS, CONTROLS }, starts = STARTS, two = 2,
                 ways[] = { 1, 4, 3 }, target[] = { 1, 3 }, filter[] = { 3, 2 };
    const double omega[] = { 1, p->frequency };
    const int32_t stops[STARTS] = { 0 };
    int rc = put_words(w, p, err);
    if (rc >= 0) rc = put_all(w, "controls", 2, shape, p->u, -p->u, err);
    if (rc >= 0) rc = put_all(w, "limits", 1, &controls, p->limit, p->limit, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "control_names", KL_TYPE_STRING, 2, 1, &controls, "x\0y", err);
    if (rc >= 0) rc = kl_store_writer_put(w, "starts/loss", KL_TYPE_F64, 0, 1, &starts, p->starts, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "starts/stop", KL_TYPE_I32, 0, 1, &starts, stops, err);
    if (rc >= 0) rc = put_all(w, "path/vectors", 3, ways, p->vector, p->vector, err);
    if (rc >= 0) rc = put_all(w, "path/target", 2, target, 0, 1, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "filter/omega", KL_TYPE_F64, 0, 1, &two, omega, err);
    if (rc >= 0) rc = put_all(w, "filter/F", 2, filter, 0.1, 0, err);
    return rc < 0 ? rc : put_landscape(w, p, err);
}

static void check_words(void)
{
    draw_file(path, "pulse", "pulse", write_pulse, &usual);
    CHECK_WORDS("x of qubit, loss 0.1 (average x)");
    CHECK(drawn_exactly("x, rad/ns") && drawn_exactly("y, rad/ns") && drawn_exactly("time, ns"),
          "names and units of the axes");
    CHECK(!drawn_text("limit"), "a limit that is drawn is not written");
    draw_file(path, "pulse", "bloch", write_pulse, &usual);
    CHECK_WORDS("from (0.50, 0.50, 0.50)");
    draw_file(path, "pulse", "filter-function", write_pulse, &usual);
    CHECK_WORDS("angular frequency of the noise, rad/ns");
    draw_file(path, "pulse", "landscape", write_pulse, &usual);
    CHECK_WORDS("factor of all controls");
    CHECK_WORDS("dots: members of the ensemble");
    draw_file(path, "pulse", "starts", write_pulse, &usual);
    CHECK_WORDS("3 of 5 starts trapped"); /* one of them has no number */
    struct pulse p = usual;
    p.u = 0.01, p.unit = "1";
    draw_file(path, "pulse", "pulse", write_pulse, &p);
    CHECK(drawn_exactly("limit 3") && drawn_exactly("time"), "a limit far away is written");
}

/* Nothing is drawn outside of the sheet or as no number. */
static void check_ends(void)
{
    static const char *const names[] = { "pulse", "bloch", "filter-function", "landscape", "starts" };
    const struct pulse cases[] = {
        { .limit = 1, .odd = 0, .frequency = 2, .unit = "1" },
        { .u = 1e12, .limit = 1e12, .loss = 1, .odd = 1, .vector = 1, .frequency = 1e12, .unit = "us" },
        { .u = 1e-12,
          .limit = 1,
          .starts = { -1e-17, 0, 1e-300, 1, 2 },
          .loss = -1e-17,
          .odd = 1e-300,
          .vector = -1,
          .frequency = 1.001,
          .unit = "ns" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 5; k++) {
            draw_file(path, "pulse", names[k], write_pulse, &cases[i]);
            CHECK(n_drawn_texts > 0, "%s has no text", names[k]);
            for (size_t t = 0; t < n_drawn_texts; t++)
                CHECK(!strstr(drawn_texts[t].text, "nan") && !strstr(drawn_texts[t].text, "inf") &&
                          drawn_texts[t].x > -60 && drawn_texts[t].right < 620,
                      "%s, %zu: '%s' at %g", names[k], i, drawn_texts[t].text, drawn_texts[t].x);
            for (size_t d = 0; d < n_drawn_discs; d++)
                CHECK(isfinite(drawn_discs[d].x) && isfinite(drawn_discs[d].y), "%s, %zu: a disc",
                      names[k], i);
        }
}

/* A file that is not of the form is told, and nothing drawn. */
static void check_refused(const char *name, const struct pulse *p, const char *words)
{
    const struct kl_figure *figure = kl_figures;
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    struct kl_file *file = NULL;
    unsigned char *bytes = NULL;
    size_t n;
    int rc = open_any_file(&w, path, "pulse", &err);
    if (rc >= 0) rc = write_pulse(w, p, &err);
    if (rc >= 0) rc = kl_store_writer_publish(&w, NULL, &err);
    if (rc >= 0) rc = kl_store_file_open(&file, path, &err);
    CHECK(rc >= 0, "%s", err.text);
    while (figure->name && strcmp(figure->name, name) != 0) figure++;
    const struct kl_figure_inputs inputs = { .file = file };
    rc = kl_plot_figure_bytes(&bytes, &n, figure, &inputs, KL_SVG, &err);
    CHECK(rc == KL_EDATA && strstr(err.text, words), "%s: %d, %s", name, rc, err.text);
    free(bytes);
    kl_store_file_close(&file);
    kl_store_writer_abort(&w);
}

static void check_damaged(void)
{
    struct pulse p = usual;
    p.u = NAN;
    check_refused("pulse", &p, "controls: number 0 is not finite");
    p = usual, p.odd = INFINITY;
    check_refused("landscape", &p, "landscape/loss: number 8 is not finite");
    p = usual, p.vector = NAN;
    check_refused("bloch", &p, "path/vectors: number 0 is not finite");
    p = usual, p.frequency = 0.5;
    check_refused("filter-function", &p, "rising frequencies");
    p = usual;
    for (int i = 0; i < STARTS; i++) p.starts[i] = NAN;
    check_refused("starts", &p, "no start has a loss that is a number");
}

/* ---- what adapting is worth ---- */
static int write_regret(struct kl_writer *w, const void *what, struct kl_error *err)
{
    const double *scale = what;
    const size_t tasks = 2, losses[] = { 2, STEPS + 1 }, scales = 2;
    const double policy[] = { 0.4, 0.3, 0.25, 0.6, 0.5, 0.45 };
    double scaled[6];
    static const char *const others[] = { "losses/fixed_pulse", "losses/steered_pulse",
                                          "losses/mean_network", "losses/optimum" };
    static const char *const numbers[] = { "gain_c", "gain_beta",  "gain_r2",    "inner_steps",
                                           "regret", "regret_low", "regret_high" };
    for (int i = 0; i < 6; i++) scaled[i] = *scale * policy[i];
    int rc = kl_store_writer_put(w, "losses/policy", KL_TYPE_F64, 0, 2, losses, scaled, err);
    for (int i = 0; i < 4 && rc >= 0; i++)
        rc = put_all(w, others[i], 1, &tasks, *scale * 0.2, *scale * 0.1, err);
    if (rc >= 0) rc = put_all(w, "scales/variance", 1, &scales, 0, 1, err);
    if (rc >= 0) rc = put_all(w, "scales/gain", 1, &scales, *scale, 2 * *scale, err);
    for (int i = 0; i < 7 && rc >= 0; i++)
        rc = kl_store_writer_number(w, "", numbers[i], i == 3 ? 2 : *scale * 0.5, err);
    return rc < 0 ? rc : kl_store_writer_text(w, "", "verdict", "it pays", err);
}

static void check_numbers(double scale)
{
    for (size_t t = 0; t < n_drawn_texts; t++)
        CHECK(!strstr(drawn_texts[t].text, "nan") && !strstr(drawn_texts[t].text, "inf"), "%g: '%s'",
              scale, drawn_texts[t].text);
    for (size_t d = 0; d < n_drawn_discs; d++)
        CHECK(isfinite(drawn_discs[d].x) && isfinite(drawn_discs[d].y), "%g: a disc", scale);
}

int main(void)
{
    static const double scales[] = { 1, 0, 1e-12, 1e9 };
    make_test_folder();
    in_folder(path, "pulse.h5");
    check_words();
    check_ends();
    check_damaged();
    for (int i = 0; i < 4; i++) {
        draw_file(path, "regret", "adaptation", write_regret, &scales[i]);
        CHECK_WORDS(": it pays");
        check_numbers(scales[i]);
        draw_file(path, "regret", "tasks", write_regret, &scales[i]);
        CHECK_WORDS("2 tasks; bar: ");
        check_numbers(scales[i]);
    }
    return failures != 0;
}
