/* SPDX-License-Identifier: MIT
   Grids of options: order, names, separators, what is refused. */
#include "options_test.h"

static void points(void)
{
    static const struct {
        int64_t qubits;
        double lr;
        const char *optimizer;
    } want[] = { { 2, 1e-3, "sgd" }, { 2, 1e-3, "adam" }, { 2, 3e-3, "sgd" }, { 2, 3e-3, "adam" },
                 { 5, 1e-3, "sgd" }, { 5, 1e-3, "adam" }, { 5, 3e-3, "sgd" }, { 5, 3e-3, "adam" } };
    struct kl_grid grid;
    struct kl_error err = { 0 };
    int code = kl_grid_parse(&grid, &test_tool, NULL,
                             " n_qubits=2,5 learning-rate=1e-3,3e-3\toptimizer=sgd,adam ", &err);
    CHECK(code == 0 && grid.n == 8 && grid.n_axes == 3, "%s: %zu", err.text, grid.n);
    for (size_t i = 0; i < 8 && code == 0; i++) {
        struct values v = test_defaults;
        CHECK(kl_grid_set(&grid, i, &v, &err) == 0, "%s", err.text);
        CHECK(v.qubits == want[i].qubits && v.lr == want[i].lr &&
                  strcmp(v.optimizer, want[i].optimizer) == 0,
              "point %zu: %lld %g %s", i, (long long)v.qubits, v.lr, v.optimizer);
        CHECK(v.grey, "the others stay");
    }
    CHECK(strcmp(kl_grid_value(&grid, 3, 1), "3e-3") == 0, "as it was written");
    kl_grid_free(&grid);
}

static void refused(const char *text, const char *word)
{
    static const struct kl_grid_refusal refusals[] = { { "seed", "for its reason" }, { NULL, NULL } };
    struct kl_grid grid;
    struct kl_error err = { 0 };
    CHECK(kl_grid_parse(&grid, &test_tool, refusals, text, &err) == KL_EUSAGE && strstr(err.text, word),
          "%s: %s", text, err.text);
}

/* As many options as a grid may have, and one more. */
static void many(void)
{
    enum { N = KL_GRID_AXES + 1 };
    static const char letters[N][2] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
    struct kl_option options[N];
    struct kl_grid grid;
    struct kl_error err = { 0 };
    const struct kl_tool tool = { .name = "many",
                                  .options = options,
                                  .n_options = N,
                                  .values_size = sizeof(struct kl_common) + N * sizeof(int64_t) };
    for (size_t i = 0; i < N; i++)
        options[i] = (struct kl_option){ .name = letters[i],
                                         .type = KL_OPT_INT,
                                         .offset = sizeof(struct kl_common) + i * sizeof(int64_t),
                                         .arg = "N",
                                         .max = 9,
                                         .in_key = true };
    CHECK(kl_grid_parse(&grid, &tool, NULL, "a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1,2", &err) == 0 &&
              grid.n == 2,
          "%s", err.text);
    kl_grid_free(&grid);
    CHECK(kl_grid_parse(&grid, &tool, NULL, "a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1 i=1", &err) == KL_EUSAGE &&
              strstr(err.text, "more than 8 options"),
          "%s", err.text);
}

/* Values changed since the grid was read are looked at again; the rest stays as it was. */
static void changed(void)
{
    struct kl_grid grid;
    struct kl_error err = { 0 };
    struct values v = test_defaults;
    CHECK(kl_grid_parse(&grid, &test_tool, NULL, "lr=1 qubits=3", &err) == 0, "%s", err.text);
    grid.axes[0].values[0] = "fast";
    CHECK(kl_grid_set(&grid, 0, &v, &err) == KL_EUSAGE && strstr(err.text, "found 'fast'"), "%s",
          err.text);
    CHECK(v.qubits == test_defaults.qubits && v.lr == test_defaults.lr, "%lld %g", (long long)v.qubits,
          v.lr);
    kl_grid_free(&grid);
}

/* Ranges: the ends as they are written; ratios, or steps, that are equal. */
static void ranges(void)
{
    static const char *const want[] = { "1e-4", "0.001", "0.01", "1e-1", "2", "3", "4", "5" };
    struct kl_grid grid;
    struct kl_error err = { 0 };
    const int code = kl_grid_parse(&grid, &test_tool, NULL, "lr=1e-4:1e-1:log4 qubits=2:5:lin4", &err);
    CHECK(code == 0 && grid.n == 16, "%s: %zu", err.text, grid.n);
    for (size_t i = 0; i < 8 && code == 0; i++)
        CHECK(strcmp(grid.axes[i / 4].values[i % 4], want[i]) == 0, "value %zu: %s", i,
              grid.axes[i / 4].values[i % 4]);
    kl_grid_free(&grid);
}

/* The middle at first; then, at the second attempt of a point that is there, near the upper end. */
static double unit(const void *context, size_t point, int axis, size_t attempt)
{
    (void)context, (void)axis;
    return point && attempt ? 0.999 : 0.5;
}

static void drawn(void)
{
    struct kl_grid grid;
    struct kl_error err = { 0 };
    int code = kl_grid_draw(&grid, &test_tool, NULL, "lr=1e-4:1e-2:log optimizer=adam,sgd,adamw", 2,
                            unit, NULL, &err);
    CHECK(code == 0 && grid.n == 2, "%s: %zu", err.text, grid.n);
    CHECK(code || (strcmp(kl_grid_value(&grid, 0, 0), "0.001") == 0 &&
                   strcmp(kl_grid_value(&grid, 0, 1), "sgd") == 0 &&
                   strcmp(kl_grid_value(&grid, 1, 0), "0.009954") == 0 &&
                   strcmp(kl_grid_value(&grid, 1, 1), "adamw") == 0),
          "%s %s, %s %s", kl_grid_value(&grid, 0, 0), kl_grid_value(&grid, 0, 1),
          kl_grid_value(&grid, 1, 0), kl_grid_value(&grid, 1, 1));
    kl_grid_free(&grid);
    code = kl_grid_draw(&grid, &test_tool, NULL, "lr=1e-4:1e-2:log", 3, unit, NULL, &err);
    CHECK(code == KL_EUSAGE && strstr(err.text, "found 2 different points"), "%s", err.text);
}

int main(void)
{
    points();
    ranges();
    drawn();
    changed();
    many();
    refused("zzzzzzzz=1", "--grid: zzzzzzzz: no such option");
    refused("", "empty");
    refused("lr", "expected NAME=VALUE");
    refused("lr=", "no values");
    refused("lr=1e-3,fast", "found 'fast', expected a number");
    refused("lr=1,11", "from 0 to 10");
    refused("lr=1,1", "twice");
    refused("lr=1e-4:1:log", "no number of values");
    refused("lr=1e-4:1:4", "expected LO:HI:log7");
    refused("lr=1e-4:1:log1", "expected LO:HI:log7");
    refused("lr=1e-4:1:log99", "2 to 64 values");
    refused("lr=0:1:log3", "a rising range above 0");
    refused("lr=1:0.1:lin3", "a rising range");
    refused("lr=1:11:lin3", "from 0 to 10");
    refused("qubits=2:4:lin9", "twice");
    refused("lr=1 learning_rate=2", "lr is there twice");
    refused("optimiser=sgd", "did you mean optimizer?");
    refused("optimizer=sgd,lbfgs", "expected one of adam|adamw|sgd");
    refused("threads=1,2", "does not change a result");
    refused("seed=1,2", "--grid: seed: for its reason");
    /* a bar separates where values hold commas: one number that is none */
    refused("lr=(1,2),3", "found '(1,2)', expected a number"); /* nor does a comma in parentheses */
    refused("lr=1,2|3", "found '1,2', expected a number");
    return failures != 0;
}
