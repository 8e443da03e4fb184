/* SPDX-License-Identifier: MIT
   Calls that a stage must not make, and files that cannot be: refused in words, and nothing is written.
 */
#include "store/store_int.h"
#include "store_test.h"

/* The call gives this code, and its line has these words. */
#define REFUSED(call, code, words)                                                         \
    do {                                                                                   \
        struct kl_error err = { 0 };                                                       \
        const int found = (call);                                                          \
        CHECK(found == (code) && strstr(err.text, words), "code %d: %s", found, err.text); \
    } while (0)

static struct kl_writer *open_writer(char path[1024])
{
    struct kl_writer *w = NULL;
    struct kl_error err = { 0 };
    CHECK(kl_store_writer_open(&w, in_folder(path, "misused.h5"), &test_header, &err) == 0, "%s",
          err.text);
    return w;
}

static void check_headers(void)
{
    struct kl_header headers[6] = { test_header, test_header, test_header,
                                    test_header, test_header, test_header };
    char path[1024];
    headers[0].kind = NULL;
    headers[1].kind = "";
    headers[2].key = "0123";
    headers[3].key_parts = NULL;
    headers[4].key = NULL;
    headers[5].key = "zz112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    for (size_t i = 0; i < 6; i++) {
        struct kl_writer *w = NULL;
        REFUSED(kl_store_writer_open(&w, in_folder(path, "misused.h5"), &headers[i], &err), KL_EINTERNAL,
                "without kind, key or key_parts");
        CHECK(!w);
    }
    struct kl_header nameless = test_header;
    struct kl_writer *w = NULL;
    struct kl_file *f = NULL;
    struct kl_error err = { 0 };
    nameless.tool = NULL;
    CHECK(kl_store_writer_open(&w, path, &nameless, &err) == 0 &&
              kl_store_writer_publish(&w, NULL, &err) == 0,
          "%s", err.text);
    CHECK(kl_store_file_open(&f, path, &err) == 0 &&
              strncmp(kl_store_file_created_by(f), "ketline ", 8) == 0,
          "%s", err.text);
    kl_store_file_close(&f);
    kl_store_file_close(NULL);
    kl_store_writer_abort(NULL);
    unlink(path);
}

static void check_names(struct kl_writer *w)
{
    static const char *const names[] = { "",          "/a",           "a/",         "a//b",
                                         ".a",        "a/.b",         "provenance", "digests",
                                         "digests/a", "provenance/a", "a b",        "a\x7f" };
    char name[121];
    const size_t dims[1] = { 3 };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        REFUSED(kl_store_writer_dataset(w, names[i], KL_TYPE_U8, 0, 1, dims, &err), KL_EINTERNAL,
                "not a name for a dataset");
    memset(name, 'x', 120);
    name[120] = 0;
    REFUSED(kl_store_writer_dataset(w, name, KL_TYPE_U8, 0, 1, dims, &err), KL_EINTERNAL, "not a name");
    name[119] = 0;
    struct kl_error err = { 0 };
    CHECK(kl_store_writer_put(w, name, KL_TYPE_U8, 0, 1, dims, "abc", &err) == 0, "%s", err.text);
}

static void check_shapes(struct kl_writer *w)
{
    const size_t two[2] = { 2, SIZE_MAX }, many[2] = { SIZE_MAX, 2 }, half[1] = { (size_t)INT64_MAX },
                 six[6] = { 1, 1, 1, 1, 1, 1 };
    REFUSED(kl_store_writer_dataset(w, "x", KL_TYPE_U8, 0, -1, six, &err), KL_EINTERNAL, "x: rank -1");
    REFUSED(kl_store_writer_dataset(w, "x", KL_TYPE_U8, 0, 6, six, &err), KL_EINTERNAL, "x: rank 6");
    REFUSED(kl_store_writer_dataset(w, "x", (enum kl_type)7, 0, 1, six, &err), KL_EINTERNAL, "type 7");
    REFUSED(kl_store_writer_dataset(w, "x", KL_TYPE_STRING, 0, 1, six, &err), KL_EINTERNAL,
            "rank 1, type 6");
    REFUSED(kl_store_writer_dataset(w, "x", KL_TYPE_F64, 0, 2, two, &err), KL_EDATA,
            "x: its size overflows");
    REFUSED(kl_store_writer_dataset(w, "x", KL_TYPE_F64, 0, 2, many, &err), KL_EDATA,
            "its size overflows");
    REFUSED(kl_store_writer_dataset(w, "x", KL_TYPE_U8, 0, 1, half, &err), KL_EDATA,
            "its size overflows");
}

/* Rows that are not there, numbers of datasets that are none, rows twice, rows that lack. */
static void check_rows(void)
{
    char path[1024];
    struct kl_writer *w = open_writer(path);
    struct kl_error err = { 0 };
    const size_t dims[2] = { 3, 0 };
    bool done[3];
    check_names(w);
    check_shapes(w);
    const int x = kl_store_writer_dataset(w, "x", KL_TYPE_U8, 0, 1, dims, &err);
    const int empty = kl_store_writer_dataset(w, "empty", KL_TYPE_F32, 0, 2, dims, &err);
    CHECK(x >= 0 && empty >= 0, "%s", err.text);
    REFUSED(kl_store_writer_dataset(w, "x", KL_TYPE_U8, 0, 1, dims, &err), KL_EINTERNAL,
            "declared twice");
    REFUSED(kl_store_writer_put(w, "x", KL_TYPE_U8, 0, 1, dims, "abc", &err), KL_EINTERNAL,
            "declared twice");
    REFUSED(kl_store_writer_rows(w, -1, 0, 1, "a", &err), KL_EINTERNAL, "number -1 is not declared");
    REFUSED(kl_store_writer_rows(w, 9, 0, 1, "a", &err), KL_EINTERNAL, "number 9 is not declared");
    REFUSED(kl_store_writer_rows(w, x, 4, 1, "a", &err), KL_EINTERNAL, "rows 4 to 5 of 3");
    REFUSED(kl_store_writer_rows(w, x, 2, 2, "a", &err), KL_EINTERNAL, "rows 2 to 4 of 3");
    REFUSED(kl_store_writer_done_rows(w, -1, done, &err), KL_EINTERNAL, "number -1 is not declared");
    REFUSED(kl_store_writer_done_rows(w, 9, done, &err), KL_EINTERNAL, "number 9 is not declared");
    REFUSED(kl_store_writer_journal(w, -1, 0, 1, &err), KL_EINTERNAL, "journal of dataset number -1");
    REFUSED(kl_store_writer_journal(w, 9, 0, 1, &err), KL_EINTERNAL, "journal of dataset number 9");
    REFUSED(kl_store_writer_journal(w, x, 4, 1, &err), KL_EINTERNAL, "rows 4 to 5");
    REFUSED(kl_store_writer_journal(w, x, 2, 2, &err), KL_EINTERNAL, "rows 2 to 4");
    CHECK(kl_store_writer_journal(w, x, 0, 1, &err) == 0, "no journal, which is no failure");
    CHECK(kl_store_writer_rows(w, x, 0, 0, "a", &err) == 0 &&
              kl_store_writer_rows(w, x, 1, 1, "b", &err) == 0,
          "%s", err.text);
    REFUSED(kl_store_writer_rows(w, x, 0, 2, "ab", &err), KL_EINTERNAL, "row 1 written twice");
    REFUSED(kl_store_writer_rows(w, x, 2, 1, "c", &err), KL_EIO, "writing failed before");
    REFUSED(kl_store_writer_publish(&w, NULL, &err), KL_EIO, "writing failed before");
    CHECK(!w && access(path, F_OK) != 0);
    w = open_writer(path);
    CHECK(kl_store_writer_dataset(w, "x", KL_TYPE_U8, 0, 1, dims, &err) == 0 &&
              kl_store_writer_rows(w, 0, 1, 1, "b", &err) == 0,
          "%s", err.text);
    REFUSED(kl_store_writer_publish(&w, NULL, &err), KL_EINTERNAL,
            "dataset x: 1 of 3 rows were written");
    CHECK(access(path, F_OK) != 0 && count_files(test_folder, NULL) == 0);
}

static void check_attributes(void)
{
    char path[1024], *text = calloc(1, KL_TEXT_BYTES + 2);
    const size_t dims[1] = { 3 };
    struct kl_error err = { 0 };
    struct kl_writer *w = open_writer(path);
    memset(text, 'x', KL_TEXT_BYTES + 1);
    REFUSED(kl_store_writer_text(w, "", "long", text, &err), KL_EDATA,
            "attribute long: 60001 bytes of text, at most 60000 fit");
    CHECK(kl_store_writer_provenance(w, "[]", &err) == 0 &&
          kl_store_writer_provenance(w, NULL, &err) == 0);
    CHECK(kl_store_writer_number(w, "nowhere", "a", 1, &err) == 0, "%s", err.text);
    REFUSED(kl_store_writer_publish(&w, NULL, &err), KL_EINTERNAL,
            "attribute a of nowhere: there is no such dataset or group");
    w = open_writer(path);
    CHECK(kl_store_writer_put(w, "a", KL_TYPE_U8, 0, 1, dims, "abc", &err) == 0, "%s", err.text);
    CHECK(kl_store_writer_put(w, "a/b", KL_TYPE_U8, 0, 1, dims, "abc", &err) == 0, "%s", err.text);
    REFUSED(kl_store_writer_publish(&w, NULL, &err), KL_EINTERNAL, "dataset a/b: cannot be created");
    CHECK(access(path, F_OK) != 0 && count_files(test_folder, NULL) == 0);
    free(text);
}

/* Empty provenance, empty texts, rows without bytes, datasets after the first rows. */
static int stop(void *context, uint64_t done, uint64_t total, const char *note)
{
    (void)done, (void)total, (void)note;
    return ++*(int *)context > 1;
}

static void check_odd(void)
{
    char path[1024], *text = NULL;
    const size_t none[2] = { 3, 0 }, zero[1] = { 0 }, large[1] = { 5 << 20 };
    struct kl_error err = { 0 };
    struct kl_writer *w = open_writer(path);
    struct kl_file *f = NULL;
    unsigned char *bytes = calloc(1, 5 << 20), *back = NULL;
    bytes[(5 << 20) - 1] = 7;
    int rc = kl_store_writer_dataset(w, "rows", KL_TYPE_F32, 0, 2, none, &err);
    if (rc >= 0) rc = kl_store_writer_rows(w, rc, 0, 3, "", &err);
    const size_t few[1] = { 2 };
    const int small =
        kl_store_writer_dataset(w, "small", KL_TYPE_U8, 0, 1, few, &err); /* behind the first rows */
    if (!rc) rc = small < 0 ? small : kl_store_writer_rows(w, small, 0, 2, "ab", &err);
    if (!rc) rc = kl_store_writer_put(w, "late", KL_TYPE_U8, 0, 1, large, bytes, &err);
    if (!rc) rc = kl_store_writer_put(w, "nothing", KL_TYPE_I64, 0, 1, zero, "", &err);
    if (!rc) rc = kl_store_writer_text(w, "", "empty", "", &err);
    if (!rc) rc = kl_store_writer_provenance(w, "", &err);
    if (!rc) rc = kl_store_writer_publish(&w, NULL, &err);
    if (!rc) rc = kl_store_file_open(&f, path, &err);
    if (!rc) rc = kl_store_file_verify(f, NULL, &err);
    CHECK(rc == 0, "%s", err.text);
    if (rc) return;
    CHECK(kl_store_file_rows(f, kl_store_file_find(f, "rows"), 1, 2, NULL, &err) == 0, "%s", err.text);
    CHECK(kl_store_file_load((void **)&back, f, kl_store_file_find(f, "late"), &err) == 0, "%s",
          err.text);
    CHECK(back && memcmp(back, bytes, 5 << 20) == 0, "other bytes");
    CHECK(kl_store_file_text(&text, f, "", "empty", &err) == 0 && strcmp(text, "") == 0, "%s", err.text);
    int asked = 0;
    REFUSED(kl_store_file_verify(f, &(struct kl_watch){ stop, &asked }, &err), KL_ESIGNAL, "stopped");
    CHECK(asked == 2, "%d blocks", asked);
    CHECK(strcmp(kl_store_file_provenance(f), "[]") == 0, "%s", kl_store_file_provenance(f));
    free(text);
    free(bytes);
    free(back);
    kl_store_file_close(&f);
    unlink(path);
}

/* Questions of a reader about things that are not there. */
static void check_questions(void)
{
    char path[1024], *text = NULL;
    double x;
    struct kl_error problem = { 0 };
    struct kl_file *f = NULL;
    const struct kl_dataset *d;
    float row[4];
    CHECK(write_test_file(in_folder(path, "asked.h5"), 6, 4, 1, &problem) == 0 &&
              kl_store_file_open(&f, path, &problem) == 0,
          "%s", problem.text);
    if (!f) return;
    d = kl_store_file_find(f, "features");
    REFUSED(kl_store_file_rows(f, d, 7, 1, row, &err), KL_EINTERNAL, "features: rows 7 to 8 of 6");
    REFUSED(kl_store_file_rows(f, d, 6, 1, row, &err), KL_EINTERNAL, "rows 6 to 7 of 6");
    REFUSED(kl_store_file_text(&text, f, "", "schema", &err), KL_EDATA,
            "schema of the root is a number");
    REFUSED(kl_store_file_text(&text, f, "features", "none", &err), KL_EDATA,
            "features has no attribute none");
    REFUSED(kl_store_file_number(&x, f, "features", "backbone", &err), KL_EDATA,
            "is a text, expected a number");
    REFUSED(kl_store_file_number(&x, f, "", "none", &err), KL_EDATA, "the root has no attribute none");
    REFUSED(kl_store_file_expect(&d, f, "none", KL_TYPE_F32, 2, &err), KL_EDATA, "has no dataset none");
    REFUSED(kl_store_file_expect(&d, f, "features", KL_TYPE_F64, 2, &err), KL_EDATA,
            "features is of type f32, expected f64");
    REFUSED(kl_store_file_expect(&d, f, "features", KL_TYPE_F32, 1, &err), KL_EDATA,
            "features has 2 dimensions, expected 1");
    CHECK(kl_store_file_expect(&d, f, "features", KL_TYPE_F32, -1, &problem) == 0, "%s", problem.text);
    CHECK(!kl_store_file_dataset(f, 99) && kl_store_file_schema(f) == 1 && !text);
    int asked = 0;
    REFUSED(kl_store_file_verify(f, &(struct kl_watch){ stop, &asked }, &err), KL_ESIGNAL, "stopped");
    CHECK(asked == 2, "%d", asked);
    kl_store_file_close(&f);
    unlink(path);
}

int main(void)
{
    make_test_folder();
    check_headers();
    check_rows();
    check_attributes();
    check_odd();
    check_questions();
    return failures != 0;
}
