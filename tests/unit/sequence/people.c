/* SPDX-License-Identifier: MIT
   Synthetic people: their files are read as they were made; the side opposite to the imagined hand loses
   as much mu power as their truth says, and none where there is no effect. */
#include <math.h>
#include <stdlib.h>

#include "sequence/recording/recording.h"
#include "sequence/synthetic/synthetic.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

enum { C3, C4, FP1 = 3 };

/* Mean power within 1.5 Hz of f, by the sum of discrete Fourier coefficients. */
static double power(const double *x, size_t n, double rate, double f)
{
    double sum = 0;
    const size_t from = (size_t)((f - 1.5) * (double)n / rate),
                 to = (size_t)((f + 1.5) * (double)n / rate);
    for (size_t k = from; k <= to; k++) {
        double re = 0, im = 0;
        for (size_t t = 0; t < n; t++) {
            const double angle = 6.283185307179586 * (double)(k * t % n) / (double)n;
            re += x[t] * cos(angle), im += x[t] * sin(angle);
        }
        sum += re * re + im * im;
    }
    return sum / (double)n;
}

/* Mean power at C3 and C4 during left and right hands of a run: [hand][side]. */
static void powers(double mean[2][2], const struct kl_sequence_people *o, size_t person)
{
    size_t n[2] = { 0 };
    for (int i = 0; i < 4; i++) mean[i / 2][i % 2] = 0;
    for (int run = 0; run < KL_SEQUENCE_RUNS; run++) {
        struct kl_sequence_annotation a[64];
        struct kl_sequence_person p;
        struct kl_error err = { 0 };
        size_t n_annotations, samples = kl_sequence_people_samples(o, person, run);
        double *x = malloc(o->channels * samples * sizeof *x);
        kl_sequence_person_draw(&p, o, person);
        CHECK(kl_sequence_people_run(x, a, &n_annotations, o, person, run, &err) == 0, "%s", err.text);
        for (size_t i = 0; i < n_annotations; i++) {
            const size_t from = (size_t)((a[i].onset + 0.6) * p.rate), length = (size_t)(3.4 * p.rate);
            const int hand = strcmp(a[i].text, "T1") == 0 ? 0 : strcmp(a[i].text, "T2") == 0 ? 1 : -1;
            if (hand < 0 || from + length > samples) continue;
            for (int side = 0; side < 2; side++)
                mean[hand][side] += power(x + (size_t)side * samples + from, length, p.rate, p.mu_hz);
            n[hand]++;
        }
        free(x);
    }
    for (int i = 0; i < 4; i++) mean[i / 2][i % 2] /= (double)n[i / 2];
}

static void test_effect(void)
{
    struct kl_sequence_people o;
    kl_sequence_people_default(&o);
    o.channels = 8, o.mains = 0;
    for (int null = 0; null < 2; null++) {
        double ratio = 0;
        o.effect = null ? 0 : 0.9;
        for (size_t person = 0; person < 5; person++) {
            double mean[2][2];
            powers(mean, &o, person);
            /* how much more the own side has than the opposite one: of both hands, in logarithms */
            ratio += 0.5 * log(mean[0][C3] / mean[0][C4] * mean[1][C4] / mean[1][C3]) / 5;
        }
        CHECK(null ? fabs(ratio) < 0.15 : ratio > 0.6, "%d: %g", null, ratio);
    }
}

/* Everything but the mu rhythm is the same whatever the effect; it changes the opposite side alone. */
static void test_sides(void)
{
    struct kl_sequence_people with, without;
    struct kl_sequence_annotation a[64], b[64];
    struct kl_sequence_person p;
    struct kl_error err = { 0 };
    size_t n, m;
    kl_sequence_people_default(&with);
    with.channels = 8, without = with, without.effect = 0;
    const size_t samples = kl_sequence_people_samples(&with, 2, 0);
    double *x = malloc(8 * samples * sizeof *x), *y = malloc(8 * samples * sizeof *y);
    kl_sequence_person_draw(&p, &with, 2);
    CHECK(kl_sequence_people_run(x, a, &n, &with, 2, 0, &err) == 0 &&
              kl_sequence_people_run(y, b, &m, &without, 2, 0, &err) == 0,
          "%s", err.text);
    CHECK(n == 30 && m == 30);
    for (size_t i = 0; i < n; i++) {
        const double middle = a[i].onset + 2;
        double change[2] = { 0 };
        for (size_t t = (size_t)(middle * p.rate); (double)t < (middle + 1) * p.rate; t++)
            for (int side = 0; side < 2; side++)
                change[side] = fmax(change[side],
                                    fabs(x[(size_t)side * samples + t] - y[(size_t)side * samples + t]));
        CHECK(strcmp(a[i].text, b[i].text) == 0 && a[i].onset == b[i].onset);
        if (strcmp(a[i].text, "T0") == 0) CHECK(change[C3] == 0 && change[C4] == 0, "%zu", i);
        else if (strcmp(a[i].text, "T1") == 0)
            CHECK(change[C4] > 1 && change[C4] > 3 * change[C3], "%zu: %g %g", i, change[C3],
                  change[C4]);
        else
            CHECK(change[C3] > 1 && change[C3] > 3 * change[C4], "%zu: %g %g", i, change[C3],
                  change[C4]);
    }
    free(x), free(y);
}

static void test_file(void)
{
    struct kl_sequence_people o;
    struct kl_sequence_recording r;
    struct kl_sequence_annotation a[64];
    struct kl_error err = { 0 };
    char *bytes, *again, path[1024], name[32];
    size_t n, m, n_annotations;
    kl_sequence_people_default(&o);
    o.people = 3, o.odd_rate = o.short_last = true;
    kl_sequence_people_name(name, 2, 2);
    CHECK(strcmp(name, "S003R12.edf") == 0, "%s", name);
    for (size_t person = 0; person < 3; person += 2) {
        const size_t samples = kl_sequence_people_samples(&o, person, 2);
        CHECK(samples == (person ? 125 * 128 : 50 * 160), "%zu", samples);
        CHECK(kl_sequence_people_file(&bytes, &n, &o, person, 2, &err) == 0 &&
                  kl_sequence_people_file(&again, &m, &o, person, 2, &err) == 0,
              "%s", err.text);
        CHECK(n == m && memcmp(bytes, again, n) == 0);
        FILE *to = fopen(in_folder(path, name), "wb");
        CHECK(to && fwrite(bytes, 1, n, to) == n && fclose(to) == 0);
        CHECK(kl_sequence_recording_open(&r, path, &err) == 0, "%s", err.text);
        CHECK(r.n_signals == 64 && r.n_remarks == 0 && r.signals[0].rate == (person ? 128 : 160) &&
                  r.n_annotations == (person ? 30 : 13),
              "%zu remarks, %zu annotations", r.n_remarks, r.n_annotations);
        double *x = malloc(64 * samples * sizeof *x), *y = malloc(samples * sizeof *y), worst = 0;
        CHECK(kl_sequence_people_run(x, a, &n_annotations, &o, person, 2, &err) == 0, "%s", err.text);
        for (size_t c = 0; c < 64; c++) {
            CHECK(strcmp(r.signals[c].name, kl_sequence_people_channel(c)) == 0);
            CHECK(kl_sequence_recording_read(y, &r, c, 0, samples, &err) == 0, "%s", err.text);
            for (size_t t = 0; t < samples; t++) worst = fmax(worst, fabs(x[c * samples + t] - y[t]));
        }
        CHECK(worst <= 0.05001, "%g", worst);
        for (size_t i = 0; i < n_annotations; i++)
            CHECK(fabs(a[i].onset - r.annotations[i].onset) < 1e-9 &&
                  strcmp(a[i].text, r.annotations[i].text) == 0);
        free(x), free(y), free(bytes), free(again);
        kl_sequence_recording_close(&r);
    }
    CHECK(!kl_sequence_people_channel(85) && kl_sequence_people_channel(63));
}

int main(void)
{
    make_test_folder();
    test_effect(), test_sides(), test_file();
    return failures != 0;
}
