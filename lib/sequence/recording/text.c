/* SPDX-License-Identifier: MIT
   Fields of a header: texts of unknown encoding, numbers that are nothing but numbers, units. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/recording/recording_int.h"

/* Bytes of the UTF-8 character at s, of n left; 0: it is none. */
static size_t utf8_length(const unsigned char *s, size_t n)
{
    const unsigned char c = s[0];
    const size_t length = c < 0x80                ? 1
                          : c >= 0xc2 && c < 0xe0 ? 2
                          : c >= 0xe0 && c < 0xf0 ? 3
                          : c >= 0xf0 && c < 0xf5 ? 4
                                                  : 0;
    if (!length || length > n) return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] >= 0xa0) || (c == 0xf0 && s[1] < 0x90) ||
        (c == 0xf4 && s[1] >= 0x90))
        return 0;
    return length;
}

static bool is_utf8(const unsigned char *s, size_t n)
{
    while (n) {
        const size_t length = utf8_length(s, n);
        if (!length) return false;
        s += length, n -= length;
    }
    return true;
}

bool kl_sequence_text(char *to, const void *from, size_t n)
{
    const unsigned char *s = from;
    char *const begin = to;
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\0')) n--;
    while (n && *s == ' ') s++, n--;
    const bool latin1 = !is_utf8(s, n);
    for (size_t i = 0; i < n; i++) {
        if (latin1 && s[i] >= 0x80)
            *to++ = (char)(0xc0 | s[i] >> 6), *to++ = (char)(0x80 | (s[i] & 0x3f));
        else *to++ = s[i] ? (char)s[i] : '?';
    }
    *to = '\0';
    kl_make_printable(begin);
    return latin1;
}

bool kl_sequence_number(double *value, const char *text)
{
    char *end;
    if (!*text || text[strspn(text, "+-.0123456789eE")]) return false;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

bool kl_sequence_whole(int64_t *value, const char *text)
{
    char *end;
    const char *digits = text + (*text == '+' || *text == '-');
    if (!*digits || digits[strspn(digits, "0123456789")] || strlen(digits) > 17) return false;
    *value = strtoll(text, &end, 10);
    return true;
}

double kl_sequence_unit_volts(const char *unit)
{
    /* Both signs for micro, of Latin-1 and of Greek, in UTF-8. */
    static const struct {
        const char *unit;
        double volts;
    } units[] = {
        { "V", 1 },         { "mV", 1e-3 }, { "uV", 1e-6 }, { "\xc2\xb5V", 1e-6 }, { "\xce\xbcV", 1e-6 },
        { "microV", 1e-6 }, { "nV", 1e-9 }
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].unit) == 0) return units[i].volts;
    /* What software writes that knows no small letters; a megavolt is none. */
    if (strcmp(unit, "UV") == 0 || strcmp(unit, "uv") == 0) return 1e-6;
    return strcmp(unit, "mv") == 0 ? 1e-3 : 0;
}
