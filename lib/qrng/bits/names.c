/* SPDX-License-Identifier: MIT
   Files of one name in two folders are two devices, a and a#2: which is which. */
#include <stdlib.h>
#include <string.h>

#include "qrng/bits/bits_int.h"

enum { TOLD = 8 };

/* Has another input the same name? */
static bool is_shared(const char *const *paths, size_t i, size_t n)
{
    char own[KL_BITS_NAME], other[KL_BITS_NAME];
    kl_bits_name(own, paths[i]);
    for (size_t k = 0; k < n; k++) {
        if (k == i) continue;
        kl_bits_name(other, paths[k]);
        if (strcmp(own, other) == 0) return true;
    }
    return false;
}

static void list_shared(FILE *to, const char *const *paths, const char (*names)[KL_BITS_NAME], size_t n,
                        size_t *shared)
{
    for (size_t i = 0; i < n; i++)
        if (is_shared(paths, i, n) && ++*shared <= TOLD)
            fprintf(to, "%s%.*s is %s", *shared > 1 ? ", " : "", KL_BITS_NAME, names[i],
                    strcmp(paths[i], "-") == 0 ? KL_BITS_STDIN : paths[i]);
    if (*shared > TOLD) fprintf(to, ", and so on in the order of the inputs");
}

int kl_bits_note_names(const struct kl_log *log, const char *const *paths,
                       const char (*names)[KL_BITS_NAME], size_t n, struct kl_error *err)
{
    char *text = NULL;
    size_t size, shared = 0;
    if (n < 2) return KL_OK;
    FILE *to = open_memstream(&text, &size);
    if (!to) return kl_fail_memory(err, 256);
    list_shared(to, paths, names, n, &shared);
    const bool lost = ferror(to) != 0;
    const int code = fclose(to) || lost ? kl_fail_memory(err, 256) : KL_OK;
    if (!code && shared) kl_caution(log, "inputs of one name: device %s", text);
    free(text);
    return code;
}
