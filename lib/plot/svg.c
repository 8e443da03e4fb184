/* SPDX-License-Identifier: MIT
   SVG inside a page: its identifiers made the page's own. */
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"

/* If one of cairo's running numbers begins at `at`, the length of what stands before its digits. */
static size_t before_number(const unsigned char *at, size_t n)
{
    static const char *const marks[] = { "id=\"surface", "id=\"image", "\"#surface", "\"#image" };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t length = strlen(marks[i]);
        if (n > length && memcmp(at, marks[i], length) == 0 && at[length] >= '0' && at[length] <= '9')
            return length;
    }
    return 0;
}

static unsigned long read_number(const unsigned char *bytes, size_t n, size_t *at)
{
    unsigned long number = 0;
    while (*at < n && bytes[*at] >= '0' && bytes[*at] <= '9')
        number = 10 * number + (unsigned long)(bytes[(*at)++] - '0');
    return number;
}

size_t kl_plot_svg_renumber(unsigned char *bytes, size_t n)
{
    unsigned long least = (unsigned long)-1;
    size_t kept = 0;
    for (size_t at = 0, length; at < n; at++) {
        if (!(length = before_number(bytes + at, n - at))) continue;
        at += length;
        const unsigned long number = read_number(bytes, n, &at);
        if (number < least) least = number;
    }
    for (size_t at = 0, length; at < n;) {
        if (!(length = before_number(bytes + at, n - at))) {
            bytes[kept++] = bytes[at++];
            continue;
        }
        char text[24];
        memmove(bytes + kept, bytes + at, length);
        at += length;
        const int digits = snprintf(text, sizeof text, "%lu", read_number(bytes, n, &at) - least);
        memcpy(bytes + kept + length, text, (size_t)digits); /* never longer than the old number */
        kept += length + (size_t)digits;
    }
    return kept;
}
