/* SPDX-License-Identifier: MIT
   Files whose seal is true and which yet are none of ours: HDF5 itself changed them, and they were
   sealed anew. */
#include <fcntl.h>
#include <hdf5.h>

#include "store/store_int.h"
#include "store_test.h"

static void seal(const char *path, struct kl_extent *extents, size_t n)
{
    struct kl_error err = { 0 };
    const int fd = open(path, O_RDWR);
    const uint64_t eof = kl_store_superblock_eof(fd);
    CHECK(eof && ftruncate(fd, (off_t)eof) == 0, "%s", path);
    CHECK(kl_store_envelope_write(fd, path, eof, extents, n, &err) == 0, "%s", err.text);
    close(fd);
}

static void text(hid_t object, const char *name, const char *value, size_t n)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, n);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    if (H5Aexists(object, name) > 0) H5Adelete(object, name);
    hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(a >= 0 && H5Awrite(a, type, value) >= 0, "%s", name);
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
}

static hid_t dataset(hid_t file, const char *name, hid_t type, int rank, const hsize_t *dims)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, dims, NULL);
    H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    if (H5Lexists(file, name, H5P_DEFAULT) > 0) H5Ldelete(file, name, H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(dcpl);
    return set;
}

/* The digests of `features` as another dataset. */
static void digests(hid_t file, hid_t type, int rank, hsize_t first, hsize_t second)
{
    const hsize_t dims[2] = { first, second };
    hid_t set = dataset(file, "digests/features", type, rank, dims);
    CHECK(set >= 0, "digests");
    text(set, "row_sum", "00000000000000000000000000000000", 32);
    H5Dclose(set);
}

static void row_sum(hid_t file, const char *value)
{
    hid_t set = H5Dopen2(file, "digests/features", H5P_DEFAULT);
    text(set, "row_sum", value, 32);
    H5Dclose(set);
}

enum change {
    NO_SCHEMA,
    OTHER_KEY,
    SHORT_CONTENT,
    DIGESTS_I32,
    DIGESTS_ROW,
    DIGESTS_NARROW,
    ROW_SUM_LETTERS,
    ROW_SUM_OTHER,
    PROVENANCE_LIST,
    LONG_NAME,
    LONG_TEXT,
    WIDE_TEXT,
    N_CHANGES
};
static const char *const words[N_CHANGES] = {
    "root attribute schema: missing or not an integer",
    "root attribute key: missing or of another form",
    "root attribute content: missing or of another form",
    "dataset features: its digests are missing or of another form",
    "dataset features: its digests are missing or of another form",
    "dataset features: its digests are missing or of another form",
    "dataset features: its digests are missing or of another form",
    "dataset features: the sum of its rows' digests differs",
    "provenance is not a text",
    "not of a form that ketline writes",
    "attribute long of the root: not of a form that ketline writes",
    "dataset wide: not of a form that ketline writes",
};

static void make(hid_t file, enum change change)
{
    static char many[62000];
    const hsize_t one[1] = { 1 }, none[1] = { 0 };
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT), type = H5Tcopy(H5T_C_S1), set = -1;
    memset(many, 'z', sizeof many);
    H5Tset_size(type, 2);
    switch (change) {
    case NO_SCHEMA: H5Adelete(root, "schema"); break;
    case OTHER_KEY: text(root, "key", many, 64); break;
    case SHORT_CONTENT: text(root, "content", "0123", 4); break;
    case DIGESTS_I32: digests(file, H5T_STD_I32LE, 2, 1, 16); break;
    case DIGESTS_ROW: digests(file, H5T_STD_U8LE, 1, 1, 0); break;
    case DIGESTS_NARROW: digests(file, H5T_STD_U8LE, 2, 1, 8); break;
    case ROW_SUM_LETTERS: row_sum(file, many); break;
    case ROW_SUM_OTHER: row_sum(file, "0123456789abcdef0123456789abcdef"); break;
    case PROVENANCE_LIST: set = dataset(file, "provenance", type, 1, one); break;
    case LONG_NAME:
        many[130] = 0;
        set = dataset(file, many, H5T_STD_U8LE, 1, one);
        break;
    case LONG_TEXT: text(root, "long", many, sizeof many); break;
    case WIDE_TEXT:
        H5Tset_size(type, (size_t)1 << 31);
        set = dataset(file, "wide", type, 1, none);
        break;
    case N_CHANGES: break;
    }
    if (set >= 0) H5Dclose(set);
    H5Tclose(type);
    H5Gclose(root);
}

static void check_changes(void)
{
    char path[1024];
    in_folder(path, "changed.h5");
    for (enum change c = 0; c < N_CHANGES; c++) {
        struct kl_error err = { 0 };
        struct kl_file *f = NULL;
        CHECK(write_test_file(path, 6, 4, 1, &err) == 0, "%s", err.text);
        seal(path, NULL, 0); /* HDF5 wants its file to end where it says */
        int fd = open(path, O_RDWR);
        CHECK(ftruncate(fd, (off_t)kl_store_superblock_eof(fd)) == 0);
        close(fd);
        hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_V18);
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, fapl);
        CHECK(file >= 0, "%s", path);
        make(file, c);
        H5Fclose(file);
        H5Pclose(fapl);
        seal(path, NULL, 0);
        int rc = kl_store_file_open(&f, path, &err);
        if (!rc) rc = kl_store_file_verify(f, NULL, &err);
        CHECK(rc == KL_EDATA && strstr(err.text, words[c]) && strstr(err.text, path), "%d: %d %s",
              (int)c, rc, err.text);
        kl_store_file_close(&f);
    }
}

/* Large datasets that the seal does not list, or that are none. */
static void check_extents(void)
{
    char path[1024];
    struct kl_error err = { 0 };
    struct kl_file *f = NULL;
    struct kl_extent twice[2];
    in_folder(path, "large.h5");
    CHECK(write_test_file(path, 500, 64, 1, &err) == 0 && kl_store_file_open(&f, path, &err) == 0, "%s",
          err.text);
    CHECK(f && f->envelope.n == 1);
    if (!f) return;
    twice[0] = f->envelope.extents[0];
    twice[1] = (struct kl_extent){ twice[0].offset + KL_LARGE_BYTES, twice[0].length - KL_LARGE_BYTES };
    twice[0].length = KL_LARGE_BYTES;
    kl_store_file_close(&f);
    seal(path, NULL, 0);
    CHECK(kl_store_file_open(&f, path, &err) == KL_EDATA &&
              strstr(err.text, "dataset features: lies outside of what the seal knows"),
          "%s", err.text);
    seal(path, twice, 1);
    CHECK(kl_store_file_open(&f, path, &err) == KL_EDATA &&
              strstr(err.text, "dataset features: lies outside of what the seal knows"),
          "%s", err.text);
    CHECK(write_test_file(path, 6, 4, 1, &err) == 0, "%s", err.text);
    /* a file of no large dataset, behind which there is room for one */
    const int fd = open(path, O_RDWR);
    uint64_t eof = kl_store_superblock_eof(fd);
    struct kl_extent none = { eof - KL_LARGE_BYTES, KL_LARGE_BYTES };
    close(fd);
    if (eof > KL_LARGE_BYTES + 48) {
        seal(path, &none, 1);
        CHECK(kl_store_file_open(&f, path, &err) == KL_EDATA &&
                  strstr(err.text, "the seal names 1 large"),
              "%s", err.text);
    }
}

int main(void)
{
    make_test_folder();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    check_changes();
    check_extents();
    return failures != 0;
}
