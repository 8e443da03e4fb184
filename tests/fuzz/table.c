/* SPDX-License-Identifier: MIT
   Any bytes as a table of numbers. What is read is finite, has a name for each column and a class for
   each row; and written as a table it is read again to the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backbone/table.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 12;

/* A first row that is no number names the columns, as some cell below it is one. */
static void check_again(const struct kl_vectors *t)
{
    const struct kl_vectors_options o = { .label = "none" };
    struct kl_vectors again;
    struct kl_error err = { 0 };
    struct fuzz_file file;
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    need(to != NULL, "no memory", "");
    for (size_t j = 0; j < t->d; j++) fprintf(to, "%sc%zu", j ? "," : "", j);
    for (size_t i = 0; i < t->n; i++)
        for (size_t j = 0; j < t->d; j++)
            fprintf(to, "%s%.9g", j ? "," : "\n", (double)t->x[i * t->d + j]);
    fclose(to);
    fuzz_file_make(&file, text, size);
    need(kl_backbone_table_read(&again, file.path, &o, &err) == 0, err.text, text);
    need(again.n == t->n && again.d == t->d && again.named, "another table", text);
    need(memcmp(again.x, t->x, t->n * t->d * sizeof *t->x) == 0, "other numbers", text);
    kl_backbone_table_free(&again);
    fuzz_file_free(&file), free(text);
}

static bool check(const char *path, const struct kl_vectors_options *o)
{
    struct kl_vectors t;
    struct kl_error err = { 0 };
    const int code = kl_backbone_table_read(&t, path, o, &err);
    if (code) {
        need_refusal(code, KL_EDATA, KL_EUSAGE, &err);
        kl_backbone_table_free(&t);
        return false;
    }
    need(t.n >= 1 && t.d >= 1 && (t.classes != NULL) == (strcmp(o->label, "none") != 0), "a table",
         path);
    for (size_t k = 0; k < t.n * t.d; k++) need(isfinite(t.x[k]), "a number", path);
    for (size_t j = 0; j < t.d; j++)
        need(*t.columns[j] && strlen(t.columns[j]) < KL_TABLE_NAME, "a name", path);
    for (size_t i = 0; t.classes && i < t.n; i++)
        need(*t.classes[i] && strlen(t.classes[i]) < KL_TABLE_NAME, "a class", path);
    check_again(&t);
    kl_backbone_table_free(&t);
    return true;
}

bool fuzz(const unsigned char *data, size_t n)
{
    const struct kl_vectors_options options[] = { { .label = "1" },
                                                  { .label = "class", .ignore = "b" },
                                                  { .label = "none", .columns = "1,2" } };
    struct fuzz_file file;
    bool read = false;
    fuzz_file_make(&file, data, n);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) read |= check(file.path, &options[i]);
    fuzz_file_free(&file);
    return read;
}
