/* SPDX-License-Identifier: MIT
   The resolution of a finished PNG file, which cairo leaves out: printers and word processors take a
   picture without one for 72 or 96 dots an inch. */
#include <math.h>
#include <string.h>
#include <zlib.h>

#include "plot/plot.h"

/* The signature and the header's chunk, which is the first; then length, name, data and check of the new
   one (PNG specification, third edition, 11.3.4.3). */
enum { HEAD = 8 + 25, DATA = 9, CHUNK = 4 + 4 + DATA + 4 };

static void put_number(unsigned char *to, uint32_t n)
{
    for (int i = 0; i < 4; i++) to[i] = (unsigned char)(n >> (24 - 8 * i));
}

size_t kl_plot_png_set_resolution(unsigned char *bytes, size_t n, double dots_an_inch)
{
    unsigned char chunk[CHUNK] = { 0, 0, 0, DATA, 'p', 'H', 'Y', 's' };
    const uint32_t dots_a_metre = (uint32_t)lround(dots_an_inch / 0.0254);
    if (n < HEAD) return n;
    put_number(chunk + 8, dots_a_metre);
    put_number(chunk + 12, dots_a_metre);
    chunk[16] = 1; /* the unit is the metre */
    put_number(chunk + 17, (uint32_t)crc32(0, chunk + 4, 4 + DATA));
    memmove(bytes + HEAD + CHUNK, bytes + HEAD, n - HEAD);
    memcpy(bytes + HEAD, chunk, CHUNK);
    return n + CHUNK;
}
