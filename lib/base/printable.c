/* SPDX-License-Identifier: MIT
   Texts that are safe to show. */
#include <string.h>

#include "base/base.h"

int kl_control_length(const char *text)
{
    const unsigned char c = (unsigned char)text[0];
    if (c == 0xc2) return (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0 ? 2 : 0;
    return (c && c < ' ') || c == 127;
}

void kl_make_printable(char *text)
{
    while (*text) {
        const int n = kl_control_length(text);
        memset(text, '?', (size_t)n);
        text += n ? n : 1;
    }
}
