/* SPDX-License-Identifier: MIT
   Any bytes as a CSV with a ladder. What is read can be integrated: finite, rising from 0, within its
   range; its bounds are numbers or none, never below the training error; and written as the reference's
   CSV it is read again to the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/ladder/ladder.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 20;

static void check_bounds(const struct kl_sampling_ladder *l, const char *path)
{
    struct kl_sampling_bounds b;
    struct kl_sampling_bound_options o;
    struct kl_sampling_calibration c;
    struct kl_error err = { 0 };
    char *text;
    size_t size;
    kl_sampling_bound_options_default(&o, 1000);
    need(kl_sampling_bounds_make(&b, l, &o, 0.5, NAN, &err) == 0, err.text, path);
    for (size_t k = 0; k < b.n_rungs; k++) {
        const struct kl_sampling_rung_bounds *r = &b.rungs[k];
        need(isfinite(r->raw.left) && isfinite(r->raw.right) && isfinite(r->gamma),
             "an integral that is not finite", path);
        need(isnan(r->bound) || k == 0 || (r->bound >= r->train - 1e-12 && r->bound <= 1), "a bound",
             path);
    }
    need(kl_sampling_bounds_calibrate(&c, l, &o, &err) == 0, err.text, path);
    need(!c.exists || c.factor >= 0, "a factor", path);
    FILE *to = open_memstream(&text, &size);
    need(to != NULL, "no memory", "");
    kl_sampling_bounds_tell(&b, to), kl_sampling_classic_report(to, l);
    fclose(to);
    for (const char *t = text; *t; t++)
        need(*t == '\n' || ((unsigned char)*t >= ' ' && *t != 127), "no printable words", text);
    free(text);
    kl_sampling_bounds_free(&b);
}

static void check_again(const struct kl_sampling_ladder *l, const char *path)
{
    struct kl_sampling_ladder again;
    const struct kl_sampling_ladder_source none = { 0 };
    struct kl_error err = { 0 };
    struct fuzz_file file;
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    need(to != NULL, "no memory", "");
    const int code = kl_sampling_csv_write(to, l, l->scale, "again, \"quoted\"\n", &err);
    fclose(to);
    need(code == 0, err.text, path);
    fuzz_file_make(&file, text, size);
    need(kl_sampling_ladder_read_csv(&again, file.path, &none, &err) == 0, err.text, text);
    need(again.n_rungs == l->n_rungs && again.n == l->n && again.scale == l->scale, "another ladder",
         text);
    for (size_t k = 0; k < l->n_rungs; k++)
        need(again.beta[k] == l->beta[k] && again.loss[k] == l->loss[k] &&
                 again.train01[k] == l->train01[k],
             "other numbers", text);
    kl_sampling_ladder_free(&again);
    fuzz_file_free(&file), free(text);
}

static bool check(const char *path, const struct kl_sampling_ladder_source *source)
{
    struct kl_sampling_ladder l;
    struct kl_error err = { 0 };
    const int code = kl_sampling_ladder_read_csv(&l, path, source, &err);
    if (code) {
        need_refusal(code, KL_EDATA, KL_EUSAGE, &err);
        return false;
    }
    need(l.n >= 1 && l.n_rungs >= 2 && l.beta[0] == 0 && isfinite(l.low) && l.high > l.low, "a ladder",
         path);
    for (size_t k = 0; k < l.n_rungs; k++)
        need(isfinite(l.beta[k]) && isfinite(l.loss[k]) && (k == 0 || l.beta[k] > l.beta[k - 1]),
             "a temperature", path);
    check_bounds(&l, path);
    check_again(&l, path);
    kl_sampling_ladder_free(&l);
    return true;
}

bool fuzz(const unsigned char *data, size_t n)
{
    const struct kl_sampling_ladder_source sources[] = { { 0 },
                                                         { .set = "a", .labels = "true", .seed = 1 },
                                                         { .m = 10, .chance = 0.9 } };
    struct fuzz_file file;
    bool read = false;
    fuzz_file_make(&file, data, n);
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) read |= check(file.path, &sources[i]);
    fuzz_file_free(&file);
    return read;
}
