/* SPDX-License-Identifier: MIT
   Which devices are compared, and their rates of 1. */
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "qrng/gan/study.h"

/* The device of that name, and that of that number from 1; blanks around it or not: tables have them;
   -1: there is none. */
struct meant {
    int32_t named, numbered;
};

static struct meant read_device(const char *text, size_t n, const struct kl_bits *bits)
{
    struct meant of = { -1, -1 };
    while (n && *text == ' ') text++, n--;
    while (n && text[n - 1] == ' ') n--;
    for (int32_t d = bits->n_devices - 1; d >= 0; d--)
        if (strlen(bits->names[d]) == n && strncmp(bits->names[d], text, n) == 0) of.named = d;
    char *end;
    const long number = strtol(text, &end, 10);
    if (n && end == text + n && number >= 1 && number <= bits->n_devices)
        of.numbered = (int32_t)number - 1;
    return of;
}

/* By its name or, where none has that name, by its number; -1: there is none. */
static int32_t device_of(const char *text, size_t n, const struct kl_bits *bits)
{
    const struct meant of = read_device(text, n, bits);
    return of.named >= 0 ? of.named : of.numbered;
}

/* Files 2.txt and 1.txt: is 1 the second one or the first? */
static int refuse_both(const char *text, size_t n, const struct kl_bits *bits, struct kl_error *err)
{
    const struct meant of = read_device(text, n, bits);
    if (of.named < 0 || of.numbered < 0 || of.named == of.numbered) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "--pairs: '%s' is the name of device %d and the number of device '%s'; give the "
                   "inputs in the order of their names, or other names",
                   bits->names[of.named], of.named + 1, bits->names[of.numbered]);
}

/* The first "v" whose both sides are devices: names may have one themselves. *first: how many bytes are
   before it. */
static bool read_pair(struct kl_gan_pair *pair, size_t *first, const char *text, size_t n,
                      const struct kl_bits *bits)
{
    for (size_t v = 1; v + 1 < n; v++) {
        if (text[v] != 'v') continue;
        pair->a = device_of(text, v, bits);
        pair->b = device_of(text + v + 1, n - v - 1, bits);
        *first = v;
        if (pair->a >= 0 && pair->b >= 0) return true;
    }
    return false;
}

static int read_list(struct kl_gan_pair *pairs, size_t *n, const char *text, const struct kl_bits *bits,
                     struct kl_error *err)
{
    for (*n = 0;; text++) {
        size_t first = 0;
        const size_t length = strcspn(text, ",");
        struct kl_gan_pair *pair = &pairs[*n];
        if (!read_pair(pair, &first, text, length, bits))
            return kl_fail(err, KL_EUSAGE,
                           "--pairs: found '%.*s', expected two of the %d devices, by name or number, "
                           "with a v between them: %.*sv%.*s",
                           (int)length, text, bits->n_devices, KL_BITS_NAME, bits->names[0],
                           KL_BITS_NAME, bits->names[1]);
        int code = refuse_both(text, first, bits, err);
        if (!code) code = refuse_both(text + first + 1, length - first - 1, bits, err);
        if (code) return code;
        if (pair->a == pair->b)
            return kl_fail(err, KL_EUSAGE, "--pairs: '%.*s' is one device twice", (int)length, text);
        for (size_t i = 0; i < *n; i++)
            if (pairs[i].a == pair->a && pairs[i].b == pair->b)
                return kl_fail(err, KL_EUSAGE, "--pairs: '%.*s' is there twice", (int)length, text);
        ++*n;
        text += length;
        if (!*text) return KL_OK;
    }
}

int kl_gan_pairs(struct kl_gan_pair **pairs, size_t *n, const char *text, const struct kl_bits *bits,
                 struct kl_error *err)
{
    const int32_t d = bits->n_devices;
    size_t room = (size_t)d * (size_t)(d - 1) / 2 + 1;
    if (d < 2)
        return kl_fail(err, KL_EDATA,
                       "one device, expected at least two: labels behind the rows, or a file a device");
    for (const char *c = text; c && *c; c++) room += *c == ',';
    *pairs = malloc((room + 1) * sizeof **pairs);
    if (!*pairs) return kl_fail_memory(err, room * sizeof **pairs);
    if (text) return read_list(*pairs, n, text, bits, err);
    *n = 0;
    for (int32_t a = 0; a < d; a++)
        for (int32_t b = a + 1; b < d; b++) (*pairs)[(*n)++] = (struct kl_gan_pair){ a, b };
    return KL_OK;
}

/* Which half a row belongs to in a draw: 1 or 2. */
static int half_of(size_t row, uint32_t draw, const struct kl_gan_options *o)
{
    uint32_t words[4];
    kl_philox(words, (uint64_t)o->seed, (uint32_t)row, KL_RANDOM_SPLIT, draw, 0);
    return 1 + (int)(words[0] & 1);
}

void kl_gan_rates(double rates[KL_GRID_BITS], const struct kl_bits *bits, int32_t device, int part,
                  uint32_t draw, const struct kl_gan_options *o)
{
    size_t rows = 0, taken = 0;
    memset(rates, 0, KL_GRID_BITS * sizeof *rates);
    for (size_t r = 0; r < bits->n_rows; r++) {
        if (bits->device[r] != device) continue;
        if (!rows++ && device > 0 && !o->all_rows) continue; /* lost where the study cuts its file */
        if (part && half_of(r, draw, o) != part) continue;
        const uint64_t word = kl_bits_row(bits, r)[0];
        for (int j = 0; j < KL_GRID_BITS; j++) rates[j] += (double)(word >> j & 1);
        taken++;
    }
    if (o->generator == KL_GAN_QUANTUM && !part) taken = rows; /* as its notebook divides */
    for (int j = 0; j < KL_GRID_BITS; j++) rates[j] /= (double)taken;
}
