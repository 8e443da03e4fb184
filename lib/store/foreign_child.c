/* SPDX-License-Identifier: MIT
   The process that lets HDF5 parse other people's files. It may hang, crash or be short of memory: the
   parent (foreign.c) ends it. */
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "store/foreign_int.h"
#include "store/store_int.h"

enum { CHILD_BYTES = 1 << 30, SLAB = 4 << 20, SIDE = 65535 };

static int send_all(int to, const void *data, size_t n)
{
    const char *at = data;
    while (n) {
        ssize_t put = write(to, at, n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return -1;
        at += put;
        n -= (size_t)put;
    }
    return 0;
}

static int say(struct kl_answer *a, const char *text, const char *name)
{
    a->code = KL_EDATA;
    snprintf(a->text, sizeof a->text, "%s%.200s%s%s", *name ? "dataset " : "", name, *name ? ": " : "",
             text);
    return -1;
}

/* Every component is a plain link: no soft, external or user-defined ones, which lead elsewhere. */
static bool is_plain(hid_t file, const char *name)
{
    char part[256];
    H5L_info_t info;
    for (size_t i = 1; i <= strlen(name) && i < sizeof part; i++) {
        if (name[i] != '/' && name[i] != 0) continue;
        memcpy(part, name, i);
        part[i] = 0;
        if (H5Lget_info(file, part, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) return false;
    }
    return strlen(name) < sizeof part;
}

static bool is_dataset(hid_t file, const char *name)
{
    H5O_info_t info;
    return is_plain(file, name) &&
           H5Oget_info_by_name2(file, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
           info.type == H5O_TYPE_DATASET;
}

/* The first of these names that is there; it, and no other in its place, is then opened. */
static const char *first_of(hid_t file, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_dataset(file, names[i])) return names[i];
    return NULL;
}

/* Contiguous or chunked, in this file, no filters but HDF5's own deflate, shuffle and checksum. */
static bool is_simple(hid_t set)
{
    hid_t dcpl = H5Dget_create_plist(set);
    H5D_layout_t layout = H5Pget_layout(dcpl);
    bool simple = (layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED || layout == H5D_COMPACT) &&
                  H5Pget_external_count(dcpl) == 0;
    int n = H5Pget_nfilters(dcpl);
    for (int i = 0; i < n; i++) {
        unsigned flags, config;
        size_t values = 0;
        H5Z_filter_t filter = H5Pget_filter2(dcpl, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);
        simple &= filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE ||
                  filter == H5Z_FILTER_FLETCHER32;
    }
    H5Pclose(dcpl);
    return simple;
}

static bool is_u8(hid_t set)
{
    hid_t type = H5Dget_type(set);
    bool fine =
        H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 1 && H5Tget_sign(type) == H5T_SGN_NONE;
    H5Tclose(type);
    return fine;
}

static int shape(hid_t set, hsize_t dims[4])
{
    hid_t space = H5Dget_space(set);
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank >= 1 && rank <= 4) H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    return rank;
}

struct search {
    char name[256];
    int n;
};

static herr_t consider(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    struct search *s = context;
    hsize_t dims[4];
    (void)info;
    if (!is_dataset(file, name)) return 0;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    int rank = shape(set, dims);
    bool could_be = set < 0 || ((rank == 3 || rank == 4) && is_u8(set));
    if (could_be && s->n++ == 0) strcpy(s->name, name);
    H5Dclose(set);
    return 0;
}

/* Named, or the usual names, or the only one that fits. */
static hid_t find_images(hid_t file, const char *wanted, struct search *s, struct kl_answer *a)
{
    static const char *const usual[] = { "images", "x", "X", "data", "image", "x_train" };
    hsize_t at = 0;
    const char *name = *wanted ? wanted : first_of(file, usual, sizeof usual / sizeof *usual);
    if (name && !is_dataset(file, name)) return say(a, "absent, or not a plain dataset", name);
    if (name) {
        strcpy(s->name, name);
        return H5Dopen2(file, name, H5P_DEFAULT);
    }
    H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, &at, consider, s);
    if (s->n == 1) return H5Dopen2(file, s->name, H5P_DEFAULT);
    return say(a,
               s->n ? "several uint8 datasets could be the images; name one as FILE:DATASET"
                    : "no uint8 dataset of shape (n, h, w) or (n, h, w, c); name one as FILE:DATASET",
               "");
}

static int check_images(struct kl_answer *a, hid_t set, const char *name, uint64_t file_size)
{
    hsize_t dims[4] = { 0 };
    if (set < 0) return say(a, "HDF5 cannot open it: damaged", name);
    a->rank = shape(set, dims);
    if ((a->rank != 3 && a->rank != 4) || !is_u8(set))
        return say(a, "expected uint8 of shape (n, h, w) or (n, h, w, c)", name);
    if (!is_simple(set))
        return say(
            a,
            "stored in a way that is not read (external, virtual, or a filter other than gzip, shuffle, "
            "fletcher32)",
            name);
    uint64_t all = 1;
    bool fits = true;
    for (int i = 0; i < a->rank; i++) {
        a->dims[i] = dims[i];
        fits &= i == 0 || dims[i] <= SIDE;
        fits &= !__builtin_mul_overflow(all, dims[i], &all);
    }
    /* deflate cannot pack more than 1032 to 1: a file that claims more is made to fill our memory */
    if (!fits || all > KL_FOREIGN_BYTES || all / 1040 > file_size)
        return say(a, "its size is beyond reason for a file of this length", name);
    return 0;
}

static int send_images(int to, hid_t set, const struct kl_answer *a)
{
    hsize_t start[4] = { 0 }, count[4] = { 0 };
    uint64_t item = 1;
    for (int i = 1; i < a->rank; i++) item *= count[i] = a->dims[i];
    uint64_t step = item && item < SLAB ? SLAB / item : 1;
    hid_t space = H5Dget_space(set);
    char *slab = malloc(step * item + 1);
    int rc = slab ? 0 : -1;
    for (start[0] = 0; start[0] < a->dims[0] && !rc; start[0] += count[0]) {
        count[0] = a->dims[0] - start[0] < step ? a->dims[0] - start[0] : step;
        hid_t memory = H5Screate_simple(a->rank, count, NULL);
        if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
            H5Dread(set, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, slab) < 0 ||
            send_all(to, slab, count[0] * item))
            rc = -1;
        H5Sclose(memory);
    }
    H5Sclose(space);
    free(slab);
    return rc;
}

/* The dataset of labels, if there is one of a usual name. One that cannot be meant is refused: images
   that silently have no labels are found out much later. */
static int32_t *read_labels(hid_t file, uint64_t n, struct kl_answer *a)
{
    static const char *const names[] = { "labels", "y", "label", "y_train" };
    hsize_t dims[4];
    int32_t *labels = NULL;
    const char *name = first_of(file, names, sizeof names / sizeof *names);
    if (!name) return NULL;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set);
    bool fits = H5Tget_class(type) == H5T_INTEGER && is_simple(set) && shape(set, dims) == 1 &&
                dims[0] == n && (labels = malloc(n * 4 + 1)) &&
                H5Dread(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels) >= 0;
    H5Tclose(type);
    H5Dclose(set);
    if (fits) return labels;
    say(a, "expected one whole number for each image; --labels none leaves the labels out", name);
    free(labels);
    return NULL;
}

static void limit_child(void)
{
#ifndef __SANITIZE_ADDRESS__ /* its shadow alone is beyond any limit */
    unsigned long pages = 0;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    char line[64] = "";
    if (fd >= 0 && read(fd, line, sizeof line - 1) > 0) pages = strtoul(line, NULL, 10);
    struct rlimit most = { CHILD_BYTES + pages * 4096ul, CHILD_BYTES + pages * 4096ul };
    setrlimit(RLIMIT_AS, &most);
#endif
    struct rlimit none = { 0, 0 };
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

int kl_foreign_child(int to, const char *path, const char *wanted, uint64_t size, bool want_labels)
{
    struct kl_answer a = { 0 };
    struct search s = { 0 };
    limit_child();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLset_loading_state(0);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(fapl, 0, 1);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, fapl), set = -1;
    int32_t *labels = NULL;
    if (file < 0) say(&a, "HDF5 cannot open it: damaged or not an HDF5 file", "");
    else set = find_images(file, wanted, &s, &a);
    if (!a.code && check_images(&a, set, s.name, size) == 0) {
        labels = want_labels ? read_labels(file, a.dims[0], &a) : NULL;
        a.n_labels = labels ? a.dims[0] : 0;
    }
    if (send_all(to, &a, sizeof a)) return 1;
    if (a.code) return 0;
    return send_images(to, set, &a) || send_all(to, labels, a.n_labels * 4);
}
