/* SPDX-License-Identifier: MIT
   Each of the ten tests of counts below refuses random bytes with a probability of at most 10^-11; bytes
   with a period have one of at most 256^(n / 2 - n) sum 1 / 256^i < 10^-12 for n >= 9, and the first
   ones of one of 4096 inputs 4096 / 256^9 < 10^-18. So together they do less than once in 10^9 times. */
#include "qrng/extractor/hash_seed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "stats/distributions.h"
#include "qrng/bits/form.h"
#include "store/store.h"

enum { BYTES = 256 };

#define REMEDY "expected random ones, independent of the devices (head -c %zu /dev/random > FILE)"

/* Would one of `kinds` events, each of probability p in each of n trials, come to `count` so seldom? */
static bool too_common(size_t count, size_t n, double p, double kinds)
{
    const double c = (double)count;
    if (c <= (double)n * p) return false;
    return log(kinds) + kl_stats_log_beta_lower(c, (double)n - c + 1, p, 1 - p) < log(1e-11);
}

/* Whichever of a bit's two values is the commoner one. */
static bool is_one_sided(size_t ones, size_t n)
{
    return too_common(ones > n - ones ? ones : n - ones, n, 0.5, 2);
}

/* The smallest p <= n / 2 by which the bytes repeat; 0: there is none. */
static size_t period_of(const uint8_t *seed, size_t n)
{
    for (size_t p = 1; p <= n / 2; p++)
        if (memcmp(seed, seed + p, n - p) == 0) return p;
    return 0;
}

static int check_counts(const uint8_t *seed, size_t n, const char *path, struct kl_error *err)
{
    size_t counts[BYTES] = { 0 }, places[8] = { 0 }, ones = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        counts[seed[i]]++;
        for (int bit = 0; bit < 8; bit++) places[bit] += seed[i] >> bit & 1;
    }
    for (size_t v = 1; v < BYTES; v++)
        if (counts[v] > counts[most]) most = v;
    for (int bit = 0; bit < 8; bit++) ones += places[bit];
    if (too_common(counts[most], n, 1.0 / BYTES, BYTES))
        return kl_fail(err, KL_EDATA,
                       "%s: --hash-seed: found the byte 0x%02zx %zu times in %zu, " REMEDY, path, most,
                       counts[most], n, n);
    for (int bit = 7; bit >= 0; bit--)
        if (is_one_sided(places[bit], n))
            return kl_fail(err, KL_EDATA,
                           "%s: --hash-seed: found bytes whose bit %d is 1 in %zu of %zu, " REMEDY, path,
                           bit, places[bit], n, n);
    if (is_one_sided(ones, 8 * n))
        return kl_fail(err, KL_EDATA, "%s: --hash-seed: found bits of which %zu of %zu are 1, " REMEDY,
                       path, ones, 8 * n, n);
    return KL_OK;
}

static int check_random(const uint8_t *seed, size_t n, const char *path, struct kl_error *err)
{
    const size_t period = period_of(seed, n);
    if (period == 1)
        return kl_fail(err, KL_EDATA, "%s: --hash-seed: found bytes that are all %d, " REMEDY, path,
                       seed[0], n);
    if (period)
        return kl_fail(err, KL_EDATA, "%s: --hash-seed: found %zu bytes again and again, " REMEDY, path,
                       period, n);
    const int code = kl_no_stand_in(seed, n, path, err);
    const struct kl_bits_look look = kl_bits_look(seed, n);
    if (!code && look.form != KL_FORM_NONE)
        return kl_fail(err, KL_EDATA, "%s: --hash-seed: found %s, expected random bytes%s%s", path,
                       look.what, look.remedy ? "; convert it: " : "", look.remedy ? look.remedy : "");
    return code ? code : check_counts(seed, n, path, err);
}

/* Pipes and devices are read once, by who takes their bits. */
static bool begins_as(const uint8_t *seed, size_t n, const char *input, uint8_t *room)
{
    struct stat s;
    FILE *file = stat(input, &s) == 0 && S_ISREG(s.st_mode) ? fopen(input, "rb") : NULL;
    if (!file) return false;
    const bool same = fread(room, 1, n, file) == n && memcmp(room, seed, n) == 0;
    fclose(file);
    return same;
}

/* Not by name alone: a copy depends on the bits as well. */
static int check_inputs(const uint8_t *seed, size_t n, const char *path, const char *const *inputs,
                        size_t n_inputs, struct kl_error *err)
{
    int code = KL_OK;
    uint8_t *room = malloc(n);
    if (!room) return kl_fail_memory(err, n);
    for (size_t i = 0; i < n_inputs && !code; i++)
        if (begins_as(seed, n, inputs[i], room))
            code = kl_fail(err, KL_EUSAGE,
                           "%s: --hash-seed: begins as %s; the seed must not depend on the bits", path,
                           inputs[i]);
    free(room);
    return code;
}

int kl_hash_seed_read(uint8_t *seed, size_t n, const char *path, const char *const *inputs,
                      size_t n_inputs, struct kl_error *err)
{
    for (size_t i = 0; i < n_inputs; i++)
        if (kl_store_same_place(path, inputs[i]))
            return kl_fail(err, KL_EUSAGE,
                           "%s: --hash-seed: is an input too; the seed must not depend on the bits",
                           path);
    int code = kl_no_folder(path, err);
    if (code) return code;
    FILE *file = fopen(path, "rb");
    if (!file) return kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be opened", path);
    const size_t found = fread(seed, 1, n, file);
    if (ferror(file)) code = kl_fail_errno(err, KL_EIO, "%s", path);
    fclose(file);
    if (code) return code;
    if (found != n)
        return kl_fail(err, KL_EDATA, "%s: %zu bytes, expected at least %zu to draw the matrix", path,
                       found, n);
    code = check_inputs(seed, n, path, inputs, n_inputs, err);
    return code ? code : check_random(seed, n, path, err);
}
