/* SPDX-License-Identifier: MIT
   JPEG files against what Pillow reads from the same bytes (jpeg.h5, written by make_jpeg.py beside it):
   grey and colour, with all kinds of coarser chroma, progressive, with restarts; equal in every pixel.
   And which of them say that they are to be turned. */
#include "golden.h"
#include "ingest/ingest.h"
#include "tests/unit/test_folder.h"

enum { MOST = 70 * 100 * 3 };
static int failures;
static char path[1024];

static void expect(const char *name, const char *what, double found, double expected)
{
    if (found == expected) return;
    fprintf(stderr, "%s: %s: found %g, expected %g\n", name, what, found, expected);
    failures++;
}

static void write_file(hid_t group)
{
    static double bytes[MOST];
    const size_t n = golden_values(bytes, MOST, group, "file");
    FILE *file = fopen(path, "wb");
    for (size_t i = 0; file && i < n; i++) fputc((int)bytes[i], file);
    golden_need(file && fclose(file) == 0, path);
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    static double expected[MOST];
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    struct kl_picture_header h;
    struct kl_picture p;
    struct kl_arena arena;
    struct kl_error err = { 0 };
    double wrong = 0;
    (void)info;
    write_file(group);
    const size_t n = golden_values(expected, MOST, group, "pixels");
    must(kl_arena_init(&arena, 0, &err), &err);
    must(kl_ingest_picture_header(&h, path, (size_t)1 << 20, &err), &err);
    must(kl_ingest_picture_decode(&p, path, (size_t)1 << 20, &arena, &err), &err);
    expect(name, "height", (double)p.height, golden_number(group, "height"));
    expect(name, "width", (double)p.width, golden_number(group, "width"));
    expect(name, "channels", (double)p.channels, golden_number(group, "channels"));
    expect(name, "height in the header", (double)h.height, (double)p.height);
    expect(name, "width in the header", (double)h.width, (double)p.width);
    expect(name, "colour", h.colour, p.channels == 3);
    expect(name, "turned", h.turned, golden_number(group, "turned"));
    for (size_t i = 0; i < n; i++) wrong += p.pixels[i] != expected[i];
    expect(name, "pixels that differ", wrong, 0);
    kl_arena_free(&arena);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    make_test_folder();
    in_folder(path, "a.jpg");
    golden_need(golden_groups("tests/golden/jpeg.h5", check) > 30, "cases");
    return failures != 0;
}
