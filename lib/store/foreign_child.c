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

#include "store/foreign_child.h"
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

static int check_images(struct kl_answer *a, hid_t set, const struct kl_listed *images,
                        uint64_t file_size)
{
    const char *name = images->name;
    char why[200];
    if (set < 0 || images->kind == KL_LISTED_BROKEN)
        return kl_store_answer_refuse(a, name, "HDF5 cannot open it: damaged");
    a->rank = images->rank;
    if ((a->rank != 3 && a->rank != 4) || images->kind != KL_LISTED_U8)
        return kl_store_answer_refuse(a, name, "expected uint8 of shape (n, h, w) or (n, h, w, c)");
    kl_store_foreign_unread(why, set);
    if (*why) return kl_store_answer_refuse(a, name, why);
    uint64_t all = 1;
    bool fits = true;
    for (int i = 0; i < a->rank; i++) {
        a->dims[i] = images->dims[i];
        fits &= i == 0 || a->dims[i] <= SIDE;
        fits &= !__builtin_mul_overflow(all, a->dims[i], &all);
    }
    /* deflate cannot pack more than 1032 to 1: a file that claims more is made to fill our memory */
    if (!fits || all > KL_FOREIGN_BYTES || all / 1040 > file_size)
        return kl_store_answer_refuse(a, name, "its size is beyond reason for a file of this length");
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

/* What goes through the pipe behind the answer. */
struct found {
    hid_t set; /* of the images, open */
    int32_t *labels;
    char (*names)[KL_TEXT];
    double *numbers;
};

static void read_labels(struct found *f, hid_t file, const char *name, uint64_t n_images,
                        const struct kl_listed *all, size_t n, struct kl_answer *a)
{
    const struct kl_listed *listed = NULL;
    for (size_t i = 0; i < n && !listed; i++)
        if (strcmp(all[i].name, name) == 0) listed = &all[i];
    if (listed) {
        hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
        f->labels = kl_store_foreign_labels(set, listed, n_images, &f->names, a);
        if (set >= 0) H5Dclose(set);
    } else {
        kl_store_answer_refuse(
            a, name, *name ? "absent, or not a plain dataset" : "name the labels: FILE:DATASET");
    }
    a->n_labels = f->labels ? n_images : 0;
}

/* What is in the file, as the answer: names, then shapes and labels. */
static void answer(struct kl_answer *a, struct found *f, hid_t file, const struct kl_wish *wish)
{
    const struct kl_listed *images;
    size_t n = 0;
    struct kl_listed *all = kl_store_foreign_list(&n, file, wish, a);
    if (!all) return;
    if (wish->n) read_labels(f, file, wish->labels, wish->n, all, n, a);
    else if ((images = kl_store_foreign_choose_images(a, wish->images, all, n))) {
        strcpy(a->images, images->name);
        f->set = H5Dopen2(file, images->name, H5P_DEFAULT);
        if (check_images(a, f->set, images, wish->size) == 0 &&
            kl_store_foreign_choose_labels(a, images, wish->labels, all, n) == 0 && *a->labels &&
            !wish->look)
            read_labels(f, file, a->labels, a->dims[0], all, n, a);
    }
    free(all);
}

/* What of the file was asked for, as the answer. */
static void fulfil(struct kl_answer *a, struct found *f, hid_t file, const struct kl_wish *asked)
{
    char names[2][KL_FOREIGN_NAME];
    struct kl_wish wish = *asked;
    if (kl_store_foreign_follow(names[0], file, asked->images, a)) return;
    if (*asked->images) wish.images = names[0];
    if (asked->labels && *asked->labels) {
        if (kl_store_foreign_follow(names[1], file, asked->labels, a)) return;
        wish.labels = names[1];
    }
    if (wish.texts) f->numbers = kl_store_foreign_texts_of(file, &wish, a);
    else if (wish.numbers) f->numbers = kl_store_foreign_numbers_of(file, &wish, a);
    else answer(a, f, file, &wish);
}

int kl_store_foreign_child(int to, const struct kl_wish *wish)
{
    struct kl_answer a = { 0 };
    struct found f = { .set = -1 };
    limit_child();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLset_loading_state(0);
    kl_store_foreign_lzf();
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(fapl, 0, 1);
    hid_t file = H5Fopen(wish->path, H5F_ACC_RDONLY, fapl);
    if (file < 0) kl_store_answer_refuse(&a, "", "HDF5 cannot open it: damaged or not an HDF5 file");
    else fulfil(&a, &f, file, wish);
    if (send_all(to, &a, sizeof a)) return 1;
    if (a.code || wish->look) return 0;
    if (wish->numbers) return send_all(to, f.numbers, kl_store_foreign_count(&a) * sizeof *f.numbers);
    if (!wish->n && send_images(to, f.set, &a)) return 1;
    return send_all(to, f.labels, a.n_labels * sizeof *f.labels) ||
           send_all(to, f.names, a.n_names * sizeof *f.names);
}
