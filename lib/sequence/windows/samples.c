/* SPDX-License-Identifier: MIT
   Windows from what has no time: images, whose pixels are the steps of one channel, and DNA sequences of
   UCI's promoters (Towell et al. 1990), four steps a base. Each sample is a person of its own, as none
   knows another. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/ingest.h"
#include "sequence/windows/windows_int.h"
#include "store/store.h"

enum { BASES = 57, LARGEST_TEXT = 1 << 20 };

/* n samples of one channel, named by their file and number: the first of two files are not one person.
 */
static int make_room(struct kl_sequence_collection *c, const char *path, size_t n, size_t steps,
                     struct kl_error *err)
{
    struct kl_sequence_name file;
    kl_sequence_name_of(&file, path);
    c->channels = 1, c->steps = steps;
    c->channel_names = calloc(1, sizeof *c->channel_names);
    c->subject_names = calloc(n, sizeof *c->subject_names);
    c->recording_names = calloc(n, sizeof *c->recording_names);
    if (!c->channel_names || !c->subject_names || !c->recording_names ||
        !(*c->channel_names = strdup("1")))
        return kl_fail_memory(err, n * sizeof(char *));
    int code = kl_sequence_collect_room(c, n, err);
    for (size_t i = 0; i < n && !code; i++) {
        char name[sizeof file.subject + 24];
        snprintf(name, sizeof name, "%s %zu", file.subject, i + 1);
        c->subject[i] = c->recording[i] = (int32_t)i, c->onset[i] = NAN;
        if ((c->subject_names[i] = strdup(name))) c->n_subjects++;
        if ((c->recording_names[i] = strdup(name))) c->n_recordings++;
        if (c->n_recordings != i + 1 || c->n_subjects != i + 1) code = kl_fail_memory(err, sizeof name);
    }
    if (!code) c->n = c->count.windows = n;
    return code;
}

/* ---- images ---- */
static int read_images(struct kl_sequence_collection *c, char ***classes, size_t *n_classes,
                       const char *path, struct kl_images *images, struct kl_error *err)
{
    const size_t steps = images->height * images->width * images->channels;
    struct kl_arena arena = { 0 };
    uint8_t *pixels = malloc(steps + 1);
    int code = pixels ? kl_arena_init(&arena, 1 << 16, err) : kl_fail_memory(err, steps);
    if (!code) code = make_room(c, path, images->n, steps, err);
    for (size_t i = 0; i < images->n && !code; i++) {
        code = kl_ingest_images_read(images, i, 1, pixels, &arena, err);
        for (size_t k = 0; k < steps && !code; k++) c->x[i * steps + k] = (float)pixels[k] / 255;
        c->labels[i] = images->labels[i];
    }
    for (size_t k = 0; k < images->n_classes && !code; k++) {
        int32_t place;
        char *name = strndup(images->class_names + k * images->class_name_size, images->class_name_size);
        code = name ? kl_sequence_collect_name(&place, classes, n_classes, name, err)
                    : kl_fail_memory(err, images->class_name_size);
        free(name);
    }
    kl_arena_free(&arena);
    free(pixels);
    return code;
}

int kl_sequence_images_read(struct kl_sequence_collection *c, char ***classes, size_t *n_classes,
                            const char *path, const char *labels, size_t limit, struct kl_error *err)
{
    struct kl_images_options how;
    struct kl_images *images = NULL;
    kl_ingest_images_options_default(&how);
    how.labels = labels, how.limit = limit;
    int code = kl_ingest_images_open(&images, &path, 1, &how, err);
    if (!code) code = read_images(c, classes, n_classes, path, images, err);
    kl_ingest_images_close(&images);
    return code;
}

/* ---- DNA ---- */
/* "+,S10,\t\ttactag...", 57 bases; +: a promoter. */
static int read_line(float *x, int32_t *label, char *line, const char *path, size_t number,
                     struct kl_error *err)
{
    char *name = strchr(line, ','), *sequence = name ? strchr(name + 1, ',') : NULL;
    size_t n = 0;
    if (!sequence || name != line + 1 || (*line != '+' && *line != '-'))
        return kl_fail(
            err, KL_EDATA,
            "%s: line %zu is none of UCI's promoters, expected +,NAME,SEQUENCE or -,NAME,SEQUENCE", path,
            number);
    for (char *at = sequence + 1; *at; at++) {
        const char *const bases = "acgt", *base = strchr(bases, tolower((unsigned char)*at));
        if (isspace((unsigned char)*at)) continue;
        if (!base || n == BASES)
            return kl_fail(err, KL_EDATA,
                           "%s: line %zu: found '%c' behind %zu bases, expected %d of a, c, g, t", path,
                           number, isprint((unsigned char)*at) ? *at : '?', n, BASES);
        for (int b = 0; b < 4; b++) x[4 * n + (size_t)b] = base == bases + b;
        n++;
    }
    if (n != BASES)
        return kl_fail(err, KL_EDATA, "%s: line %zu has %zu bases, expected %d", path, number, n, BASES);
    *label = *line == '+' ? 0 : 1;
    return 0;
}

int kl_sequence_dna_read(struct kl_sequence_collection *c, char ***classes, size_t *n_classes,
                         const char *path, struct kl_error *err)
{
    char *text = NULL, *rest = NULL;
    size_t bytes = 0, lines = 1, number = 0, n = 0;
    int32_t place;
    int code = kl_read_text(&text, &bytes, path, LARGEST_TEXT, "UCI's promoters", err);
    for (size_t i = 0; i < bytes; i++) lines += text[i] == '\n';
    if (!code) code = make_room(c, path, lines, 4 * BASES, err);
    for (char *line = text; line && !code; line = rest) {
        rest = strchr(line, '\n');
        if (rest) *rest++ = 0;
        number++;
        if (!line[strspn(line, " \t\r")]) continue;
        code = read_line(c->x + n * 4 * BASES, &c->labels[n], line, path, number, err);
        n++;
    }
    if (!code && !n) code = kl_fail(err, KL_EDATA, "%s: has no sequences", path);
    c->n = c->count.windows = n;
    for (; !code && c->n_subjects > n; c->n_subjects--, c->n_recordings--)
        free(c->subject_names[c->n_subjects - 1]), free(c->recording_names[c->n_recordings - 1]);
    if (!code) code = kl_sequence_collect_name(&place, classes, n_classes, "promoter", err);
    if (!code) code = kl_sequence_collect_name(&place, classes, n_classes, "none", err);
    free(text);
    return code;
}
