/* SPDX-License-Identifier: MIT
   Figures of device bits: what lies outside their panels is said, symbols have names that there is room
   for, and axes without spread have numbers beside each other. */
#include "tests/unit/plot/drawn.h"
#include "tests/unit/test_folder.h"

enum { DEVICES = 33, BITS = 40, RUNS = 16, LAGS = 2, SYMBOLS = 16, MOST = DEVICES * (BITS + 1) };
static char path[1024];

/* Every device has 1998 rows of BITS / 2 ones, `rare` without any. */
struct bits {
    size_t devices;
    int64_t rare;
    double long_runs, symbol_bits, inside, between, conditional;
};

static int put(struct kl_writer *w, const char *name, size_t rows, size_t columns, double value,
               struct kl_error *err)
{
    static double values[MOST];
    for (size_t i = 0; i < rows * columns; i++) values[i] = value;
    return kl_store_writer_put(w, name, KL_TYPE_F64, 0, columns > 1 ? 2 : 1,
                               (const size_t[]){ rows, columns }, values, err);
}

static int put_rows(struct kl_writer *w, const struct bits *b, struct kl_error *err)
{
    static const char names[DEVICES];
    int64_t rows[DEVICES], ones[MOST] = { 0 };
    double runs[DEVICES * RUNS];
    const size_t d = b->devices;
    for (size_t i = 0; i < d; i++) {
        rows[i] = 1998 + b->rare, ones[i * (BITS + 1)] = b->rare, ones[i * (BITS + 1) + BITS / 2] = 1998;
        for (size_t k = 0; k < RUNS; k++) runs[i * RUNS + k] = k < 14 ? 1 : b->long_runs;
    }
    int rc = kl_store_writer_put(w, "class_names", KL_TYPE_STRING, 1, 1, &d, names, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "device_stats/rows", KL_TYPE_I64, 0, 1, &d, rows, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "device_stats/ones_histogram", KL_TYPE_I64, 0, 2,
                                 (const size_t[]){ d, BITS + 1 }, ones, err);
    return rc < 0 ? rc
                  : kl_store_writer_put(w, "device_stats/run_lengths_per_row", KL_TYPE_F64, 0, 2,
                                        (const size_t[]){ d, RUNS }, runs, err);
}

static int write_bits(struct kl_writer *w, const void *what, struct kl_error *err)
{
    const struct bits *b = what;
    const struct {
        const char *name;
        size_t columns;
        double value;
    } sets[] = { { "device_stats/rate", 1, 0.5 },
                 { "device_stats/rate_se", 1, 0 },
                 { "device_stats/position_rate", BITS, 0 },
                 { "device_stats/autocorrelation", LAGS, 0 },
                 { "device_stats/autocorrelation_se", LAGS, 0 },
                 { "device_stats/run_lengths_per_row_se", RUNS, 0 },
                 { "device_stats/transition_conditional", 4, b->conditional },
                 { "device_stats/transition_conditional_se", 4, 0 },
                 { "device_tests/inside_phi", 1, b->inside },
                 { "device_tests/between_phi", 1, b->between },
                 { "device_stats/symbol_probability", SYMBOLS, 1.0 / SYMBOLS },
                 { "device_stats/symbol_probability_se", SYMBOLS, 0 } };
    int rc = put_rows(w, b, err);
    for (size_t i = 0; i < sizeof sets / sizeof *sets && rc >= 0; i++)
        rc = put(w, sets[i].name, b->devices, sets[i].columns, sets[i].value, err);
    return rc < 0 ? rc : kl_store_writer_number(w, "", "symbol_bits", b->symbol_bits, err);
}

static void draw(const char *name, const struct bits *b)
{
    draw_file(path, "device-bits", name, write_bits, b);
}

/* No number of an axis lies on the one before it. */
static void check_room(const char *name)
{
    for (size_t i = 1; i < n_drawn_texts; i++) {
        const struct drawn *a = &drawn_texts[i - 1], *b = &drawn_texts[i];
        if (fabs(a->y - b->y) < 1e-9 && b->x >= a->x)
            CHECK(b->x > a->right, "%s: %s over %s", name, b->text, a->text);
        CHECK(strlen(b->text) < 8 || strncmp(b->text, "0.00000", 7) != 0, "%s: %s", name, b->text);
    }
}

static void check_outside(void)
{
    struct bits b = { 3, 2, 0.25, 4, 0, 0, 0.5 };
    draw("bit-tests", &b);
    CHECK_WORDS("6 of 6000 rows lie below");
    CHECK_WORDS("runs of more than 14 bits are left out: at most 0.5 a row");
    CHECK_WORDS("box: quartiles and median; whiskers: 5 to 95 % of the rows");
    check_room("bit-tests");
    draw("frequency", &b);
    CHECK_WORDS("6 of 6000 rows lie outside");
    check_room("frequency");
    b.rare = 0, b.long_runs = 0;
    draw("bit-tests", &b);
    CHECK(!drawn_text("rows lie") && !drawn_text("left out"), "nothing is left out");
    draw("frequency", &b);
    CHECK(!drawn_text("rows lie"), "nothing is left out");
}

static void check_devices(void)
{
    struct bits b = { DEVICES, 0, 0, 4, 0, 0, 0.5 };
    draw("transitions", &b);
    CHECK_WORDS("the first 31 of 33 devices");
    b.devices = 31;
    draw("transitions", &b);
    CHECK(!drawn_text("the first"), "all 31 are drawn");
    b.conditional = NAN; /* of a bit that never came */
    draw("transitions", &b);
    CHECK(drawn_exactly("-") && !drawn_text("nan"), "a share of nothing");
}

static void check_symbols(void)
{
    struct bits b = { 2, 0, 0, 4, 0, 0, 0.5 };
    draw("symbols", &b);
    CHECK(drawn_exactly("f") && !drawn_exactly("1111"), "16 symbols: not hexadecimal");
    CHECK_WORDS("hexadecimal");
    check_room("symbols");
    /* rows of one symbol: no standard error between symbols */
    b.symbol_bits = BITS, b.inside = 0.9;
    draw("symbols", &b);
    CHECK(drawn_exactly("0.8"), "the axis does not reach phi");
    b.between = NAN;
    draw("symbols", &b);
}

int main(void)
{
    make_test_folder();
    in_folder(path, "bits.h5");
    check_outside();
    check_devices();
    check_symbols();
    return failures != 0;
}
