/* SPDX-License-Identifier: MIT
   Looking at places and names, checkpoints and streams while memory, reads, writes and openings fail. */
#include <stdlib.h>
#include <string.h>

#include "../unit/store/store_test.h"
#include "each.h"
#include "store/store_int.h"

static char ours[1024], other[1024], folder[1024], checkpoint[1024], large[1024];

static int wrong(struct kl_error *err, int line)
{
    return kl_fail(err, KL_EINTERNAL, "line %d: another answer", line);
}

/* A question whose answer may be "no" for want of memory, but never "yes" in its place. */
static int same_place(struct kl_error *err)
{
    return kl_same_place(ours, other) ? wrong(err, __LINE__) : 0;
}

static int check_target(struct kl_error *err)
{
    int rc = kl_target_check(ours, "features", false, NULL, 0, err);
    if (!rc) rc = kl_place_check(ours, err);
    return rc;
}

static int check_other(struct kl_error *err)
{
    int rc = kl_target_check(other, "features", false, NULL, 0, err);
    return rc == KL_EUSAGE ? 0 : rc ? rc : 0;
}

static int check_mark(struct kl_error *err)
{
    return kl_target_check_bytes(other, 0, "words", false, NULL, 0, err);
}

static int checkpoints(struct kl_error *err)
{
    char *path = NULL;
    int rc = kl_checkpoint_path(&path, ours, err);
    if (!rc && strcmp(path, checkpoint)) rc = wrong(err, __LINE__);
    if (!rc && !kl_checkpoint_fits(path, test_header.key)) rc = kl_fail_memory(err, 1);
    kl_checkpoint_remove(checkpoint, "another key"); /* which stays, whatever fails */
    free(path);
    return rc;
}

static int spooled(struct kl_error *err)
{
    int fd = -1;
    FILE *f = tmpfile();
    if (f) fputs("words", f), fflush(f), rewind(f);
    int rc = f ? kl_spool(&fd, fileno(f), 100, "words", err) : kl_fail_memory(err, 1);
    char text[8] = "";
    if (!rc) rc = kl_pread_all(fd, text, 5, 0, "words", err);
    if (!rc && strcmp(text, "words")) rc = wrong(err, __LINE__);
    if (fd >= 0) close(fd);
    if (f) fclose(f);
    return rc;
}

static int stream(struct kl_error *err)
{
    return write_test_file("/dev/null", 30, 4, 1, err);
}

static int published(struct kl_error *err)
{
    bool written;
    int rc = kl_publish_bytes(&written, other, "words", 5, err);
    return rc;
}

static int questions(struct kl_error *err)
{
    struct kl_file *f = NULL;
    char *text = NULL, row[8];
    float *all = NULL;
    int rc = kl_file_open(&f, large, err);
    if (!rc) rc = kl_file_text(&text, f, "a", "word", err);
    if (!rc && strcmp(text, "text")) rc = wrong(err, __LINE__);
    if (!rc) rc = kl_file_rows(f, kl_file_find(f, "a"), 9000, 1, row, err);
    if (!rc) rc = kl_file_load((void **)&all, f, kl_file_find(f, "b"), err);
    if (!rc) rc = kl_file_verify(f, NULL, err);
    kl_file_close(&f);
    free(text);
    free(all);
    return rc;
}

/* Two large datasets. */
static void make_large(void)
{
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    const size_t dims[2] = { 10000, 8 };
    char *x = calloc(10000, 8);
    int rc = kl_writer_open(&w, large, &test_header, &err);
    const int a = rc ? rc : kl_writer_dataset(w, "a", KL_TYPE_U8, 0, 2, dims, &err);
    const int b = rc ? rc : kl_writer_dataset(w, "b", KL_TYPE_U8, 0, 2, dims, &err);
    if (!rc) rc = kl_writer_rows(w, a, 0, dims[0], x, &err);
    if (!rc) rc = kl_writer_rows(w, b, 0, dims[0], x, &err);
    if (!rc) rc = kl_writer_text(w, "a", "word", "text", &err);
    if (!rc) rc = kl_writer_publish(&w, NULL, &err);
    CHECK(rc == 0, "%s", err.text);
    free(x);
}

int main(void)
{
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    struct kl_header header = test_header;
    make_test_folder();
    in_folder(ours, "ours.h5");
    in_folder(other, "other");
    in_folder(folder, "folder");
    in_folder(large, "large.h5");
    in_folder(checkpoint, ".ours.h5.checkpoint");
    header.kind = "checkpoint";
    /* the first call of HDF5 that can fail is the one that makes its driver known */
    faults_arm(FAULT_HDF5, 1, false);
    CHECK(write_test_file(ours, 6, 4, 1, &err) == KL_ENOMEM, "%s", err.text);
    faults_disarm();
    CHECK(write_test_file(ours, 6, 4, 1, &err) == 0, "%s", err.text);
    CHECK(kl_writer_open(&w, checkpoint, &header, &err) == 0 && kl_writer_publish(&w, NULL, &err) == 0,
          "%s", err.text);
    bool written;
    CHECK(kl_publish_bytes(&written, other, "words", 5, &err) == 0, "%s", err.text);
    make_large();
    static const struct {
        const char *what;
        each_run *run;
        int kinds;
    } all[] = {
        { "same place", same_place, FAULT_MEMORY },
        { "target", check_target, FAULT_MEMORY | FAULT_READ | FAULT_OPEN },
        { "another's file", check_other, FAULT_MEMORY | FAULT_READ | FAULT_OPEN },
        { "a mark", check_mark, FAULT_READ | FAULT_OPEN },
        { "checkpoints", checkpoints, FAULT_MEMORY | FAULT_READ },
        { "spooled", spooled, FAULT_MEMORY | FAULT_READ | FAULT_OPEN | FAULT_FILE | FAULT_INTERRUPTED },
        { "stream", stream, FAULT_MEMORY | FAULT_READ | FAULT_OPEN | FAULT_FILE | FAULT_INTERRUPTED },
        { "bytes", published, FAULT_MEMORY | FAULT_OPEN },
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
        if (all[i].kinds & FAULT_LIE) check_each(all[i].what, all[i].run, FAULT_LIE, KL_EDATA, KL_EDATA);
        if (all[i].kinds & FAULT_INTERRUPTED) check_interrupted(all[i].what, all[i].run);
    }
    CHECK(access(checkpoint, F_OK) == 0, "removed");
    return failures != 0;
}
