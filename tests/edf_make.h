/* SPDX-License-Identifier: MIT
   Small EDF and BDF files, byte by byte, not by the library's own writer. */
#ifndef KL_TESTS_EDF_MAKE_H
#define KL_TESTS_EDF_MAKE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields as text; NULL takes the usual one. Sample k of signal i of record r is 100 r + 10 i + k. */
struct edf_make {
    const char *version, *reserved, *records, *seconds, *date, *recording;
    size_t n_channels, n_records, width;
    struct {
        const char *label, *unit, *low, *high, *digital_low, *digital_high;
        size_t per_record;
        const char *const *lists; /* of annotations, one a record, "@" for NUL; NULL: a signal */
    } channel[6];
};

static inline void edf_field(char **to, const char *text, size_t size)
{
    memset(*to, ' ', size);
    memcpy(*to, text, strlen(text) < size ? strlen(text) : size);
    *to += size;
}

static inline const char *edf_or(const char *text, const char *usual)
{
    return text ? text : usual;
}

/* *n bytes, malloc'ed. */
static inline unsigned char *edf_make(size_t *n, const struct edf_make *e)
{
    const size_t width = e->width ? e->width : 2;
    size_t record = 0;
    for (size_t i = 0; i < e->n_channels; i++) record += e->channel[i].per_record * width;
    *n = 256 * (e->n_channels + 1) + e->n_records * record;
    char *bytes = calloc(*n + 1, 1), *to = bytes, text[32];
    edf_field(&to,
              edf_or(e->version, width == 3 ? "\xff"
                                              "BIOSEMI"
                                            : "0"),
              8);
    edf_field(&to, "X X X X", 80),
        edf_field(&to, edf_or(e->recording, "Startdate 02-MAR-2011 X X X"), 80);
    edf_field(&to, edf_or(e->date, "02.03.11"), 8), edf_field(&to, "04.05.06", 8);
    snprintf(text, sizeof text, "%zu", 256 * (e->n_channels + 1));
    edf_field(&to, text, 8), edf_field(&to, edf_or(e->reserved, width == 3 ? "BDF+C" : "EDF+C"), 44);
    snprintf(text, sizeof text, "%zu", e->n_records);
    edf_field(&to, edf_or(e->records, text), 8), edf_field(&to, edf_or(e->seconds, "1"), 8);
    snprintf(text, sizeof text, "%zu", e->n_channels);
    edf_field(&to, text, 4);
    const char *low = width == 3 ? "-8388608" : "-32768", *high = width == 3 ? "8388607" : "32767";
    for (int f = 0; f < 10; f++)
        for (size_t i = 0; i < e->n_channels; i++) {
            static const size_t size[] = { 16, 80, 8, 8, 8, 8, 8, 80, 8, 32 };
            snprintf(text, sizeof text, "%zu", e->channel[i].per_record);
            const char *const field[] = { e->channel[i].label,
                                          "",
                                          edf_or(e->channel[i].unit, "uV"),
                                          edf_or(e->channel[i].low, low),
                                          edf_or(e->channel[i].high, high),
                                          edf_or(e->channel[i].digital_low, low),
                                          edf_or(e->channel[i].digital_high, high),
                                          "",
                                          text,
                                          "" };
            edf_field(&to, field[f], size[f]);
        }
    for (size_t r = 0; r < e->n_records; r++)
        for (size_t i = 0; i < e->n_channels; i++) {
            const size_t samples = e->channel[i].per_record;
            const char *list = e->channel[i].lists ? e->channel[i].lists[r] : NULL;
            for (size_t k = 0; list && list[k] && k < samples * width; k++)
                to[k] = list[k] == '@' ? '\0' : list[k];
            for (size_t k = 0; !list && k < samples; k++) {
                const int digital = (int)(100 * r + 10 * i + k);
                for (size_t b = 0; b < width; b++) to[k * width + b] = (char)(digital >> 8 * b);
            }
            to += samples * width;
        }
    return (unsigned char *)bytes;
}

#endif
