/* SPDX-License-Identifier: MIT
   cairo's running numbers in an SVG file count from 0, references included; nothing else changes. */
#include <string.h>

#include "plot/plot.h"
#include "tests/unit/check.h"

static void expect(const char *from, const char *to)
{
    unsigned char bytes[200];
    size_t n = strlen(from);
    memcpy(bytes, from, n);
    n = kl_plot_svg_renumber(bytes, n);
    CHECK(n == strlen(to) && memcmp(bytes, to, n) == 0, "found %.*s", (int)n, (const char *)bytes);
}

int main(void)
{
    expect("<g id=\"surface41\"/>", "<g id=\"surface0\"/>");
    expect("<image id=\"image109\"/><use xlink:href=\"#image109\"/><g id=\"surface98\">",
           "<image id=\"image11\"/><use xlink:href=\"#image11\"/><g id=\"surface0\">");
    expect("<use id=\"glyph7-1\" x=\"98\"/> id=\"image\" \"#imagery\"",
           "<use id=\"glyph7-1\" x=\"98\"/> id=\"image\" \"#imagery\"");
    expect("", "");
    expect("id=\"surface5", "id=\"surface0");
    return failures != 0;
}
