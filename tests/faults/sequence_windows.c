/* SPDX-License-Identifier: MIT
   Windows cut out of a recording, written, read as a list, and arrays, while allocations and reads fail:
   one line, and nothing is left behind. */
#include <stdlib.h>
#include <string.h>

#include "each.h"
#include "sequence/recording/recording.h"
#include "sequence/windows/windows_int.h"
#include "store/store.h"
#include "tests/edf_make.h"
#include "tests/unit/any_file.h"
#include "tests/unit/test_folder.h"

static char recording[1024], windows[1024], array[1024], text[1024];

static void make_files(void)
{
    static const char *const lists[] = { "+0\x14\x14@+1\x14go\x14@", "+1\x14\x14@",
                                         "+2\x14\x14@+2\x14go\x14@" };
    const struct edf_make e = { .n_channels = 3,
                                .n_records = 3,
                                .channel = { { "C3", .per_record = 10 },
                                             { "C4", .per_record = 10 },
                                             { "EDF Annotations", .per_record = 30, .lists = lists } } };
    static const char head[] =
        "\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    size_t n;
    unsigned char *bytes = edf_make(&n, &e);
    FILE *to = fopen(in_folder(recording, "a.edf"), "wb"), *npy = fopen(in_folder(array, "a.npy"), "wb");
    if (!to || fwrite(bytes, 1, n, to) != n || fclose(to)) perror(recording), exit(1);
    free(bytes);
    float values[6] = { 1, 2, 3, 4, 5, 6 };
    if (!npy || fwrite(head, 1, sizeof head - 1, npy) != sizeof head - 1 ||
        fprintf(npy, "%*s", 10 + 70 - (int)sizeof head + 1, "\n") < 1 ||
        fwrite(values, 4, 6, npy) != 6 || fclose(npy))
        perror(array), exit(1);
    in_folder(windows, "w.h5");
    FILE *dna = fopen(in_folder(text, "d.data"), "wb");
    for (int i = 0; dna && i < 2; i++) {
        fprintf(dna, "%s,S,\t", i ? "-" : "+");
        for (int k = 0; k < 57; k++) fputc("acgt"[k % 4], dna);
        fputc('\n', dna);
    }
    if (!dna || fclose(dna)) perror(text), exit(1);
}

static int cut_one(struct kl_sequence_collection *c, struct kl_error *err)
{
    const struct kl_log quiet = { .tool = "test", .level = -1 };
    const struct kl_sequence_cut how = {
        .rate = 7, .to = 0.8, .low = 1, .high = 3, .average = true, .baseline = true
    };
    struct kl_sequence_labels labels;
    int code = kl_sequence_labels_parse(&labels, "go=go", err);
    struct kl_sequence_cutter cutter = { .cut = &how, .labels = &labels, .to = c, .log = &quiet };
    struct kl_sequence_origin source = { .path = recording };
    kl_sequence_name_of(&source.name, recording);
    if (!code) code = kl_sequence_cut_recording(&cutter, &source, err);
    if (!code && c->n != 2) code = kl_fail(err, KL_EINTERNAL, "%zu windows", c->n);
    kl_sequence_cutter_free(&cutter);
    kl_sequence_labels_free(&labels);
    return code;
}

static int cut(struct kl_error *err)
{
    struct kl_sequence_collection c = { 0 };
    const int code = cut_one(&c, err);
    kl_sequence_collection_free(&c);
    return code;
}

static int write_all(struct kl_error *err)
{
    static const char *const classes[] = { "go" };
    struct kl_sequence_collection c = { 0 };
    struct kl_writer *writer = NULL;
    int code = cut_one(&c, err);
    const struct kl_sequence_windows w = { .n = c.n,
                                           .channels = c.channels,
                                           .steps = c.steps,
                                           .rate = c.rate,
                                           .unit = "uV",
                                           .x = c.x,
                                           .labels = c.labels,
                                           .subject = c.subject,
                                           .recording = c.recording,
                                           .onset = c.onset,
                                           .n_classes = 1,
                                           .n_subjects = c.n_subjects,
                                           .n_recordings = c.n_recordings,
                                           .class_names = classes,
                                           .subject_names = (const char *const *)c.subject_names,
                                           .recording_names = (const char *const *)c.recording_names,
                                           .channel_names = (const char *const *)c.channel_names };
    if (!code) code = open_any_file(&writer, windows, "windows", err);
    if (!code) code = kl_sequence_windows_write(writer, &w, NULL, err);
    if (!code) code = kl_store_writer_publish(&writer, NULL, err);
    kl_store_writer_abort(&writer);
    kl_sequence_collection_free(&c);
    return code;
}

static int read_all(struct kl_error *err)
{
    struct kl_sequence_set set = { 0 };
    struct kl_file *file = NULL;
    int code = kl_store_file_open(&file, windows, err);
    if (!code) code = kl_sequence_set_open(&set, &file, 1, err);
    for (size_t i = 0; i < set.n && !code; i++)
        if (!kl_sequence_set_window(&set, i, err)) code = err->code;
    if (!code && (set.n != 2 || set.channels != 2))
        code = kl_fail(err, KL_EINTERNAL, "%zu windows", set.n);
    kl_sequence_set_close(&set);
    kl_store_file_close(&file);
    return code;
}

static int arrays(struct kl_error *err)
{
    struct kl_sequence_collection c = { 0 };
    const struct kl_sequence_arrays a = { .x = array };
    char **classes = NULL;
    size_t n_classes = 0;
    int code = kl_sequence_arrays_read(&c, &classes, &n_classes, &a, err);
    if (!code && (c.n != 2 || c.steps != 3 || c.x[5] != 6))
        code = kl_fail(err, KL_EINTERNAL, "%zu windows", c.n);
    kl_sequence_words_free(classes, n_classes);
    kl_sequence_collection_free(&c);
    return code;
}

static int dna(struct kl_error *err)
{
    struct kl_sequence_collection c = { 0 };
    char **classes = NULL;
    size_t n_classes = 0;
    int code = kl_sequence_dna_read(&c, &classes, &n_classes, text, err);
    if (!code && (c.n != 2 || c.steps != 228 || c.n_subjects != 2 || c.x[228 + 5] != 1))
        code = kl_fail(err, KL_EINTERNAL, "%zu windows", c.n);
    kl_sequence_words_free(classes, n_classes);
    kl_sequence_collection_free(&c);
    return code;
}

int main(void)
{
    struct kl_error err;
    make_test_folder();
    make_files();
    check_each("cut", cut, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    check_each("cut", cut, FAULT_READ, KL_EIO, KL_EIO);
    CHECK(write_all(&err) == 0, "%s", err.text);
    check_each("read", read_all, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    check_each("arrays", arrays, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    check_each("dna", dna, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    return failures != 0;
}
