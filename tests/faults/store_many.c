/* SPDX-License-Identifier: MIT
   Files of several large and several small datasets, written at once and resumed, while every call fails
   once, or from then on: a failure is told, and a run on what it left gives the bytes of an undisturbed
   one. */
#include "../unit/store/store_test.h"
#include "faults.h"

enum { ROWS = 9000, WIDTH = 100, PIECES = 3, PIECE = ROWS / PIECES, SETS = 7, LARGE = 2, ONE = 5 };
/* Against the order of their names: two large ones and `tiny` by rows, two at once that are too large
   for one read together, one of a single row, and a scalar, which is no row. */
static const char *const names[SETS] = { "z", "b", "tiny", "x", "a", "one", "scalar" };
static const struct shape {
    int rank;
    size_t dims[2];
} shapes[SETS] = { { 2, { ROWS, WIDTH } }, { 2, { ROWS, WIDTH } }, { 2, { ROWS, 1 } },
                   { 2, { 600, WIDTH } },  { 2, { 600, WIDTH } },  { 2, { 1, WIDTH } },
                   { 0, { 1, 1 } } };
static char path[1024], whole[1024], partial[1024];
static char saved[1 << 22]; /* the partial that a stopped run left */
static size_t n_saved;

/* `pieces` of all rows, then the end; of fewer than all: stopped there. */
static int run(const char *to, bool resumable, size_t pieces, struct kl_error *err)
{
    static unsigned char rows[PIECE * WIDTH];
    static bool done[ROWS];
    struct kl_writer *w = NULL;
    int sets[SETS] = { 0 }, rc = (resumable ? kl_store_writer_open_partial
                                            : kl_store_writer_open)(&w, to, &test_header, err);
    for (int i = 0; i < SETS && !rc; i++) {
        const struct shape *h = &shapes[i];
        if (i > LARGE && i < ONE)
            rc = kl_store_writer_put(w, names[i], KL_TYPE_U8, 0, h->rank, h->dims, rows, err);
        else if ((sets[i] = kl_store_writer_dataset(w, names[i], KL_TYPE_U8, 0, h->rank, h->dims, err)) <
                 0)
            rc = sets[i];
    }
    if (!rc && resumable) rc = kl_store_writer_done_rows(w, sets[ONE], done, err);
    if (!rc && !done[0]) rc = kl_store_writer_rows(w, sets[ONE], 0, 1, rows, err);
    if (!rc) rc = kl_store_writer_rows(w, sets[ONE + 1], 0, 1, rows, err);
    if (!rc && resumable && !done[0]) rc = kl_store_writer_journal(w, sets[ONE], 0, 1, err);
    memset(done, 0, sizeof done);
    if (!rc && resumable) rc = kl_store_writer_done_rows(w, sets[0], done, err);
    for (size_t p = 0; p < pieces && !rc; p++) {
        const size_t row = p * PIECE;
        for (size_t i = 0; i < sizeof rows; i++) rows[i] = (unsigned char)(i * 7 + p);
        for (int i = 0; i <= LARGE && !rc && !done[row]; i++)
            rc = kl_store_writer_rows(w, sets[i], row, PIECE, rows, err);
        if (!rc && resumable && !done[row]) rc = kl_store_writer_journal(w, sets[0], row, PIECE, err);
        memset(rows, 0, sizeof rows);
    }
    if (!rc) rc = kl_store_writer_provenance(w, "[{\"id\":\"x\"}]", err);
    if (!rc && pieces == PIECES) rc = kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    return rc;
}

static size_t bytes_of(const char *name, char *bytes, size_t room)
{
    FILE *f = fopen(name, "r");
    const size_t n = f ? fread(bytes, 1, room, f) : 0;
    if (f) fclose(f);
    return n;
}

static bool same_bytes(const char *name)
{
    static char one[1 << 22], two[1 << 22];
    const size_t n = bytes_of(name, one, sizeof one);
    return n > 0 && n == bytes_of(whole, two, sizeof two) && memcmp(one, two, n) == 0;
}

static void clear(void)
{
    DIR *d = opendir(test_folder);
    char name[1024];
    for (struct dirent *e; d && (e = readdir(d));)
        if (strstr(e->d_name, ".ketline-partial")) unlink(in_folder(name, e->d_name));
    if (d) closedir(d);
    unlink(path);
}

/* Put back the file of a run that was stopped after one piece. */
static void put_partial(void)
{
    FILE *f = fopen(partial, "w");
    CHECK(f && fwrite(saved, 1, n_saved, f) == n_saved && fclose(f) == 0, "%s", partial);
}

static void save_partial(void)
{
    struct kl_error err = { 0 };
    char name[1024];
    CHECK(run(path, true, 1, &err) == 0, "%s", err.text);
    DIR *d = opendir(test_folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strstr(e->d_name, ".ketline-partial"))
            n_saved = bytes_of(in_folder(name, e->d_name), saved, sizeof saved);
    if (d) closedir(d);
    CHECK(n_saved > (size_t)ROWS * WIDTH * LARGE && n_saved < sizeof saved, "%zu", n_saved);
}

static void check_all(bool resumable, int kind, int code, int other, bool forever)
{
    const char *how = resumable ? "resumed" : "written";
    long n = 1;
    for (bool fired = true; fired && n < 5000 && failures < 20; n++) {
        struct kl_error err = { 0 };
        clear();
        if (resumable) put_partial();
        faults_arm(kind, n, forever);
        const int rc = run(path, resumable, PIECES, &err);
        fired = faults_disarm();
        CHECK(rc == 0 ||
                  (fired && (rc == code || rc == other) && err.text[0] && !strchr(err.text, '\n')),
              "%s, kind %d, %ld: %d %s", how, kind, n, rc, err.text);
        CHECK(rc ? access(path, F_OK) != 0 || same_bytes(path) : same_bytes(path),
              "%s, kind %d, %ld: %d: other bytes", how, kind, n, rc);
        CHECK(count_files(test_folder, ".ketline-tmp") == 0, "%s, kind %d, %ld: a temporary is left",
              how, kind, n);
        if (rc == 0) continue;
        CHECK(run(path, resumable, PIECES, &err) == 0 && same_bytes(path),
              "%s, kind %d, %ld: the next run: %s", how, kind, n, err.text);
    }
    printf("%s, kind %d, %s: %ld places\n", how, kind, forever ? "for ever" : "once", n - 2);
}

int main(void)
{
    struct kl_error err = { 0 };
    make_test_folder();
    in_folder(path, "many.h5");
    in_folder(whole, "whole.h5");
    in_folder(partial, ".many.h5.0011223344556677.free.00000000.ketline-partial");
    CHECK(run(whole, false, PIECES, &err) == 0, "%s", err.text);
    save_partial();
    static const struct {
        int kind, code, other;
    } kinds[] = { { FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM }, { FAULT_FILE, KL_EIO, KL_EIO },
                  { FAULT_READ, KL_EIO, KL_EIO },         { FAULT_OPEN, KL_EIO, KL_ENOINPUT },
                  { FAULT_HDF5, KL_ENOMEM, KL_ENOMEM },   { FAULT_LIE, KL_EIO, KL_EDATA } };
    for (int resumable = 0; resumable < 2; resumable++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (int forever = 0; forever < 2; forever++)
                check_all(resumable, kinds[k].kind, kinds[k].code, kinds[k].other, forever);
    return failures != 0;
}
