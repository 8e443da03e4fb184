/* SPDX-License-Identifier: MIT
   Variables of the environment. A mistyped one would do nothing, without a word: results in no store,
   say. */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "base/base_int.h"

/* Those that tools read, then those of the tests and of the build: KETLINE_ISA is no mistyped
 * KETLINE_DATA. */
static const char *const known[] = { "KETLINE_STORE",  "KETLINE_DATA",   "KETLINE_ISA",  "KETLINE_CUDA",
                                     "KETLINE_SHARED", "KETLINE_PYTHON", "KETLINE_SMALL" };
enum { READ = 4, MOST = 64 };

/* Two letters may be others, too many or missing, and small ones large. */
static const char *meant(const char *name, size_t n)
{
    char large[MOST];
    const char *found = NULL;
    size_t least = 3;
    if (n > MOST) return NULL;
    for (size_t i = 0; i < n; i++) large[i] = (char)toupper((unsigned char)name[i]);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t far = kl_word_distance(large, n, known[i]);
        if (strlen(known[i]) == n && strncmp(name, known[i], n) == 0) return NULL;
        if (far < least) least = far, found = i < READ ? known[i] : NULL;
    }
    return found;
}

void kl_note_variables(const struct kl_log *log)
{
    for (char **at = environ; at && *at; at++) {
        const size_t n = strcspn(*at, "=");
        const char *nearest = meant(*at, n);
        if (nearest)
            kl_note(log, 1, "variable %.*s is not read; did you mean %s?", (int)n, *at, nearest);
    }
}
