/* SPDX-License-Identifier: MIT
   Looking at places and names, checkpoints and streams while memory, reads, writes and openings fail. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/store/store_test.h"
#include "each.h"
#include "plot/plot.h"
#include "store/store_int.h"

static char ours[1024], other[1024], foreign[1024], checkpoint[1024], large[1024], figure[1024];

static int wrong(struct kl_error *err, int line)
{
    return kl_fail(err, KL_EINTERNAL, "line %d: another answer", line);
}

/* A question whose answer may be "no" for want of memory, but never "yes" in its place. */
static int same_place(struct kl_error *err)
{
    return kl_store_same_place(ours, other) ? wrong(err, __LINE__) : 0;
}

static int check_target(struct kl_error *err)
{
    int rc = kl_store_target_check(ours, "features", false, NULL, 0, err);
    if (!rc) rc = kl_store_place_check(ours, err);
    return rc;
}

static int check_other(struct kl_error *err)
{
    int rc = kl_store_target_check(foreign, "features", false, NULL, 0, err);
    return rc == KL_EUSAGE ? 0 : rc;
}

static int check_mark(struct kl_error *err)
{
    return kl_store_target_check_bytes(other, 0, "words", false, NULL, 0, err);
}

static int check_figure(struct kl_error *err)
{
    return kl_plot_figure_target_check(figure, KL_SVG, false, NULL, 0, err);
}

static int checkpoints(struct kl_error *err)
{
    char *path = NULL;
    int rc = kl_store_checkpoint_path(&path, ours, err);
    if (!rc && strcmp(path, checkpoint)) rc = wrong(err, __LINE__);
    if (!rc && !kl_store_checkpoint_fits(path, test_header.key)) rc = kl_fail_memory(err, 1);
    kl_store_checkpoint_remove(checkpoint, "another key"); /* which stays, whatever fails */
    kl_store_checkpoint_remove(other, NULL);
    free(path);
    return rc;
}

static int spooled(struct kl_error *err)
{
    int fd = -1;
    FILE *f = tmpfile();
    if (f) fputs("words", f), fflush(f), rewind(f);
    int rc = f ? kl_store_spool(&fd, fileno(f), 100, "words", err) : kl_fail_memory(err, 1);
    char text[8] = "";
    if (!rc) rc = kl_store_pread_all(fd, text, 5, 0, "words", err);
    if (!rc && strcmp(text, "words")) rc = wrong(err, __LINE__);
    if (fd >= 0) close(fd);
    if (f) fclose(f);
    return rc;
}

static int resolved(struct kl_error *err)
{
    struct kl_temporary t;
    int rc = kl_store_temporary_resolve(&t, "-", err);
    if (!rc && !t.to_stdout) rc = wrong(err, __LINE__);
    kl_store_temporary_abort(&t);
    return rc;
}

/* The leftovers of a dead run go, or stay. */
static int swept(struct kl_error *err)
{
    char path[1024];
    FILE *f = fopen(in_folder(path, ".x.00000000-1-1.00000000.ketline-tmp"), "w");
    const struct timespec old[2] = { { 1, 0 }, { 1, 0 } };
    if (!f) return kl_fail_memory(err, 1);
    fclose(f);
    utimensat(AT_FDCWD, path, old, 0);
    bool done = kl_store_temporary_sweep(test_folder, "x", false, NULL, NULL);
    return done ? 0 : kl_fail_errno(err, KL_EIO, "not swept");
}

/* Of a folder all files or an error: never of a part. */
static int content(struct kl_error *err)
{
    static char first[65];
    char hex[65], path[1024];
    int rc = kl_store_input_content(hex, in_folder(path, "inputs"), err);
    if (!rc && !*first) memcpy(first, hex, sizeof first);
    return !rc && strcmp(hex, first) ? wrong(err, __LINE__) : rc;
}

static int stream(struct kl_error *err)
{
    return write_test_file("/dev/null", 30, 4, 1, err);
}

static int published(struct kl_error *err)
{
    bool written;
    int rc = kl_store_publish_bytes(&written, other, "words", 5, err);
    return rc;
}

static int questions(struct kl_error *err)
{
    struct kl_file *f = NULL;
    char *text = NULL, row[8];
    float *all = NULL;
    int rc = kl_store_file_open(&f, large, err);
    if (!rc) rc = kl_store_file_text(&text, f, "a", "word", err);
    if (!rc && strcmp(text, "text")) rc = wrong(err, __LINE__);
    if (!rc) rc = kl_store_file_rows(f, kl_store_file_find(f, "a"), 9000, 1, row, err);
    if (!rc) rc = kl_store_file_load((void **)&all, f, kl_store_file_find(f, "b"), err);
    if (!rc) rc = kl_store_file_verify(f, NULL, err);
    kl_store_file_close(&f);
    free(text);
    free(all);
    return rc;
}

/* Two large datasets of several blocks each, which come in pieces. */
static int make_large(struct kl_error *err)
{
    enum { ROWS = 100000, PIECE = 20000 };
    static char x[PIECE * 8];
    struct kl_writer *w = NULL;
    const size_t dims[2] = { ROWS, 8 };
    int rc = kl_store_writer_open(&w, large, &test_header, err), sets[2] = { 0 };
    for (int i = 0; i < 2 && !rc; i++)
        if ((sets[i] = kl_store_writer_dataset(w, i ? "b" : "a", KL_TYPE_U8, 0, 2, dims, err)) < 0)
            rc = sets[i];
    for (size_t row = 0; row < ROWS && !rc; row += PIECE)
        for (int i = 0; i < 2 && !rc; i++) rc = kl_store_writer_rows(w, sets[i], row, PIECE, x, err);
    if (!rc) rc = kl_store_writer_text(w, "a", "word", "text", err);
    if (!rc) rc = kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    return rc;
}

/* A whole file of HDF5, as long as it says, and no seal. */
static void make_foreign(void)
{
    unsigned char bytes[200] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 2, 8, 8 };
    FILE *f = fopen(foreign, "w");
    bytes[28] = sizeof bytes;
    CHECK(f && fwrite(bytes, 1, sizeof bytes, f) == sizeof bytes && fclose(f) == 0);
}

/* A folder of images, as far as names go. */
static void make_inputs(void)
{
    static const char *const names[] = { "inputs", "inputs/b", "inputs/a", "inputs/a/1", "inputs/a/2" };
    char path[1024];
    for (int i = 0; i < 5; i++) {
        in_folder(path, names[i]);
        if (i < 3) CHECK(mkdir(path, 0777) == 0, "%s", path);
        else
            CHECK(kl_store_publish_bytes(&(bool){ false }, path, names[i], strlen(names[i]), NULL) == 0);
    }
}

int main(void)
{
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    struct kl_header header = test_header;
    make_test_folder();
    in_folder(ours, "ours.h5");
    in_folder(other, "other");
    in_folder(foreign, "foreign.h5");
    in_folder(large, "large.h5");
    in_folder(figure, "figure.svg");
    in_folder(checkpoint, ".ours.h5.checkpoint");
    header.kind = "checkpoint";
    /* the first call of HDF5 that can fail is the one that makes its driver known */
    faults_arm(FAULT_HDF5, 1, false);
    CHECK(write_test_file(ours, 6, 4, 1, &err) == KL_ENOMEM, "%s", err.text);
    faults_disarm();
    CHECK(write_test_file(ours, 6, 4, 1, &err) == 0, "%s", err.text);
    CHECK(kl_store_writer_open(&w, checkpoint, &header, &err) == 0 &&
              kl_store_writer_publish(&w, NULL, &err) == 0,
          "%s", err.text);
    bool written;
    CHECK(kl_store_publish_bytes(&written, other, "words", 5, &err) == 0, "%s", err.text);
    CHECK(kl_store_publish_bytes(&written, figure, "<svg></svg>", 11, &err) == 0, "%s", err.text);
    CHECK(make_large(&err) == 0, "%s", err.text);
    make_foreign();
    make_inputs();
    static const struct {
        const char *what;
        each_run *run;
        int kinds;
    } all[] = {
        { "same place", same_place, FAULT_MEMORY },
        { "target", check_target, FAULT_MEMORY | FAULT_READ | FAULT_OPEN },
        { "another's file", check_other, FAULT_MEMORY | FAULT_READ | FAULT_OPEN },
        { "a mark", check_mark, FAULT_READ | FAULT_OPEN },
        { "a figure", check_figure, FAULT_READ | FAULT_OPEN },
        { "checkpoints", checkpoints, FAULT_MEMORY | FAULT_READ },
        { "spooled", spooled, FAULT_MEMORY | FAULT_READ | FAULT_OPEN | FAULT_FILE | FAULT_INTERRUPTED },
        { "stream", stream, FAULT_MEMORY | FAULT_READ | FAULT_OPEN | FAULT_FILE | FAULT_INTERRUPTED },
        { "standard output", resolved, FAULT_MEMORY },
        { "swept", swept, FAULT_REMOVE },
        { "content", content, FAULT_MEMORY | FAULT_READ | FAULT_OPEN },
        { "large", make_large, FAULT_MEMORY | FAULT_READ | FAULT_FILE },
        { "bytes", published, FAULT_MEMORY | FAULT_READ | FAULT_OPEN },
        { "questions", questions, FAULT_MEMORY | FAULT_READ | FAULT_LIE | FAULT_INTERRUPTED },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CHECK(all[i].run(&err) == 0, "%s: %s", all[i].what, err.text);
        if (all[i].kinds & FAULT_MEMORY)
            check_each(all[i].what, all[i].run, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
        if (all[i].kinds & FAULT_READ)
            check_each(all[i].what, all[i].run, FAULT_READ, KL_EIO, KL_ENOMEM);
        if (all[i].kinds & FAULT_OPEN)
            check_each(all[i].what, all[i].run, FAULT_OPEN, KL_EIO, KL_ENOINPUT);
        if (all[i].kinds & FAULT_FILE) check_each(all[i].what, all[i].run, FAULT_FILE, KL_EIO, KL_EIO);
        if (all[i].kinds & FAULT_REMOVE)
            check_each(all[i].what, all[i].run, FAULT_REMOVE, KL_EIO, KL_EIO);
        if (all[i].kinds & FAULT_LIE) check_each(all[i].what, all[i].run, FAULT_LIE, KL_EDATA, KL_EDATA);
        if (all[i].kinds & FAULT_INTERRUPTED) check_interrupted(all[i].what, all[i].run);
    }
    CHECK(access(checkpoint, F_OK) == 0, "removed");
    return failures != 0;
}
