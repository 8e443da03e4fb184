/* SPDX-License-Identifier: MIT
   Choices: one word of "a|b|c". */
#include <ctype.h>
#include <string.h>

#include "base/base_int.h"

int kl_choice(const char *choices, const char *text)
{
    const size_t n = strlen(text);
    int i = 0;
    for (const char *c = choices; c; c = strchr(c, '|'), i++) {
        c += *c == '|';
        if (strcspn(c, "|") == n && strncmp(c, text, n) == 0) return i;
    }
    return -1;
}

/* How many letters and digits two names have alike from their beginning, large or small; others are
   passed over. whole: all of a's. */
static size_t alike(const char *a, size_t length, const char *b, bool *whole)
{
    const char *end = a + length;
    for (size_t n = 0;; n++, a++, b++) {
        while (a < end && !isalnum((unsigned char)*a)) a++;
        while (*b && !isalnum((unsigned char)*b)) b++;
        *whole = a == end;
        if (*whole || tolower((unsigned char)*a) != tolower((unsigned char)*b)) return n;
    }
}

static size_t letters(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += isalnum((unsigned char)*text) != 0;
    return n;
}

/* The choice that is alike for longest, of equals the one that is so as a whole; NULL: none, or it is
   not clear which. Two letters do where they are all that one of both has. */
static const char *nearest(const char *choices, const char *text)
{
    const char *best = NULL;
    const size_t all = letters(text);
    size_t most = 0;
    bool best_whole = false, clear = false;
    for (const char *c = choices; c; c = strchr(c, '|')) {
        bool whole;
        c += *c == '|';
        const size_t n = alike(c, strcspn(c, "|"), text, &whole);
        if (n < (whole || n == all ? 2 : 4) || n < most || (n == most && best_whole)) continue;
        clear = n > most || whole;
        most = n, best = c, best_whole = whole;
    }
    return clear ? best : NULL;
}

int kl_choice_wrong(const char *choices, const char *text, const char *where, struct kl_error *err)
{
    const char *best = nearest(choices, text);
    const int n = best ? (int)strcspn(best, "|") : 0;
    return kl_fail(err, KL_EUSAGE, "%s: found '%s', expected one of %s%s%.*s%s", where, text, choices,
                   best ? "; did you mean " : "", n, best ? best : "", best ? "?" : "");
}
