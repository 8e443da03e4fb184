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

/* ---- filters: which are read, and h5py's own one, lzf, of which HDF5 knows nothing ---- */

enum { LZF = 32000 };

/* ---- lzf ---- */
/* LibLZF's format: a byte below 32 says how many bytes follow as they are, less one; of any other the
   upper three bits are a length, less two, 7: a byte more; the lower five and one byte a distance back,
   less one. Bytes written to `to`, which has room for `room`; 0: damaged, or more. */
static size_t expand(unsigned char *to, size_t room, const unsigned char *from, size_t n)
{
    size_t out = 0, in = 0;
    while (in < n) {
        const size_t first = from[in++];
        size_t length = first < 32 ? first + 1 : first >> 5;
        if (first < 32) {
            if (length > n - in || length > room - out) return 0;
            memcpy(to + out, from + in, length);
            in += length, out += length;
            continue;
        }
        if (length == 7 && in < n) length += from[in++];
        if (in == n) return 0;
        const size_t back = ((first & 31) << 8 | from[in++]) + 1;
        length += 2;
        if (back > out || length > room - out) return 0;
        for (size_t i = 0; i < length; i++, out++) to[out] = to[out - back];
    }
    return out;
}

/* As HDF5 calls a filter. values: versions, then a chunk's bytes. */
static size_t read_lzf(unsigned flags, size_t n_values, const unsigned *values, size_t n, size_t *size,
                       void **buffer)
{
    enum { LARGEST = 1 << 28 };
    size_t room = n_values > 2 && values[2] ? values[2] : 4 * n;
    if (!(flags & H5Z_FLAG_REVERSE)) return 0;
    for (; room && room <= LARGEST; room *= 2) {
        unsigned char *to = malloc(room);
        const size_t out = to ? expand(to, room, *buffer, n) : 0;
        if (out) {
            free(*buffer);
            *buffer = to, *size = room;
            return out;
        }
        free(to);
        if (n_values > 2 && values[2]) return 0; /* the room is known */
    }
    return 0;
}

/* h5py's lzf, from here on a filter of HDF5 in this process. */
static void register_lzf(void)
{
    static const H5Z_class2_t lzf = {
        .version = H5Z_CLASS_T_VERS, .id = LZF, .decoder_present = 1, .name = "lzf", .filter = read_lzf
    };
    H5Zregister(&lzf);
}

/* ---- what is read ---- */
/* The name of a filter, by its number in HDF5's list. */
static const char *name_of(H5Z_filter_t filter)
{
    static const struct {
        H5Z_filter_t filter;
        const char *name;
    } known[] = { { H5Z_FILTER_SZIP, "szip" },
                  { H5Z_FILTER_NBIT, "nbit" },
                  { H5Z_FILTER_SCALEOFFSET, "scaleoffset" },
                  { 307, "bzip2" },
                  { 32001, "blosc" },
                  { 32004, "lz4" },
                  { 32008, "bitshuffle" },
                  { 32013, "zfp" },
                  { 32015, "zstd" },
                  { 32026, "blosc2" } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].filter == filter) return known[i].name;
    return "unknown";
}

void kl_store_foreign_unread(char why[200], hid_t set)
{
    const hid_t dcpl = H5Dget_create_plist(set);
    const H5D_layout_t layout = H5Pget_layout(dcpl);
    const int n = H5Pget_nfilters(dcpl);
    why[0] = 0;
    if (layout == H5D_VIRTUAL || H5Pget_external_count(dcpl) > 0)
        snprintf(why, 200,
                 "its data lie in other files (%s); copy them into one, as h5py's f['y'] = "
                 "f['x'][:] does",
                 layout == H5D_VIRTUAL ? "a virtual dataset" : "external storage");
    else if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT)
        snprintf(why, 200, "stored in a way that is not read");
    for (int i = 0; i < n && !*why; i++) {
        unsigned flags, config;
        size_t values = 0;
        const H5Z_filter_t f =
            H5Pget_filter2(dcpl, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);
        if (f != H5Z_FILTER_DEFLATE && f != H5Z_FILTER_SHUFFLE && f != H5Z_FILTER_FLETCHER32 && f != LZF)
            snprintf(why, 200,
                     "compressed by a filter that is not read, number %d (%s), expected gzip or lzf, "
                     "with shuffle or fletcher32; write it again with compression='gzip'",
                     (int)f, name_of(f));
    }
    H5Pclose(dcpl);
}

/* ---- links: soft ones are followed inside of the file, none into another ---- */

/* Every component is a plain link. */
static bool is_plain(hid_t file, const char *name)
{
    char part[KL_FOREIGN_NAME];
    H5L_info_t info;
    for (size_t i = 1; i <= strlen(name) && i < sizeof part; i++) {
        if (name[i] != '/' && name[i] != 0) continue;
        memcpy(part, name, i);
        part[i] = 0;
        if (H5Lget_info(file, part, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) return false;
    }
    return strlen(name) < sizeof part;
}

bool kl_store_foreign_is_dataset(hid_t file, const char *name)
{
    H5O_info_t info;
    return is_plain(file, name) &&
           H5Oget_info_by_name2(file, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
           info.type == H5O_TYPE_DATASET;
}

static int refuse_external(struct kl_answer *a, const char *name, hid_t file, const char *link,
                           size_t size)
{
    char value[1024] = "", text[400];
    const char *to = "", *in = "";
    if (size > sizeof value || H5Lget_val(file, link, value, sizeof value, H5P_DEFAULT) < 0 ||
        H5Lunpack_elink_val(value, size, NULL, &in, &to) < 0)
        in = "?";
    snprintf(text, sizeof text, "a link to %.150s of another file, '%.150s'; give that file", to, in);
    kl_make_printable(text);
    return kl_store_answer_refuse(a, name, text);
}

/* The soft link `plain`, of which `before` bytes are its group, is replaced in path by where it leads;
   false: that is too long. */
static bool replace(char path[KL_FOREIGN_NAME], hid_t file, const char *plain, size_t before,
                    const char *rest, size_t size)
{
    char to[KL_FOREIGN_NAME], all[3 * KL_FOREIGN_NAME];
    if (size > sizeof to || H5Lget_val(file, plain, to, sizeof to, H5P_DEFAULT) < 0) return false;
    to[sizeof to - 1] = 0;
    const int n = snprintf(all, sizeof all, "%.*s%s%s", *to == '/' ? 0 : (int)before, plain, to, rest);
    if (n < 0 || n >= KL_FOREIGN_NAME) return false;
    memcpy(path, all, (size_t)n + 1);
    return true;
}

/* Replace a name that leads through soft links by one of plain links; a name that is not there stays as
   it is. -1: it leads to another file, and the answer refuses. */
static int follow(char to[KL_FOREIGN_NAME], hid_t file, const char *name, struct kl_answer *a)
{
    enum { MOST = 16 }; /* as HDF5 itself */
    char path[KL_FOREIGN_NAME], plain[KL_FOREIGN_NAME] = "";
    snprintf(path, sizeof path, "%s", strlen(name) < sizeof path ? name : "");
    for (int links = 0; links <= MOST; links++) {
        bool followed = false;
        size_t n = 0;
        for (const char *at = path + strspn(path, "/"); *at && !followed;) {
            H5L_info_t info;
            const size_t length = strcspn(at, "/"), before = n;
            const char *rest = at + length;
            n += (size_t)snprintf(plain + n, sizeof plain - n, "%s%.*s", n ? "/" : "", (int)length, at);
            if (H5Lget_info(file, plain, &info, H5P_DEFAULT) < 0) goto absent;
            if (info.type == H5L_TYPE_EXTERNAL)
                return refuse_external(a, name, file, plain, info.u.val_size);
            if (info.type == H5L_TYPE_SOFT) {
                followed = true;
                if (!replace(path, file, plain, before ? before + 1 : 0, rest, info.u.val_size))
                    goto absent;
            } else if (info.type != H5L_TYPE_HARD) goto absent;
            at = rest + strspn(rest, "/");
        }
        if (followed) continue;
        memcpy(to, plain, n + 1);
        return 0;
    }
absent:
    snprintf(to, KL_FOREIGN_NAME, "%s", name);
    return 0;
}

/* ---- datasets ----
   Only plain links are followed, and soft ones to labels: no external or user-defined ones, which lead
   to other files. */

struct list {
    struct kl_listed *items;
    size_t n, room;
};

static int kind_of(hid_t set)
{
    hid_t type = H5Dget_type(set);
    const H5T_class_t class = H5Tget_class(type);
    const bool u8 = class == H5T_INTEGER && H5Tget_size(type) == 1 && H5Tget_sign(type) == H5T_SGN_NONE;
    H5Tclose(type);
    if (class < 0) return KL_LISTED_BROKEN;
    if (u8) return KL_LISTED_U8;
    if (class == H5T_STRING) return KL_LISTED_TEXTS;
    return class == H5T_INTEGER || class == H5T_FLOAT || class == H5T_ENUM ? KL_LISTED_NUMBERS
                                                                           : KL_LISTED_OTHER;
}

static void look(struct kl_listed *l, hid_t file)
{
    hsize_t dims[4] = { 0 };
    hid_t set = H5Dopen2(file, l->name, H5P_DEFAULT), space = set < 0 ? -1 : H5Dget_space(set);
    l->rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    if (l->rank >= 1 && l->rank <= 4) H5Sget_simple_extent_dims(space, dims, NULL);
    for (int i = 0; i < 4; i++) l->dims[i] = dims[i];
    l->kind = l->rank < 0 ? KL_LISTED_BROKEN : kind_of(set);
    l->matlab = set >= 0 && H5Aexists(set, "MATLAB_class") > 0;
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
}

static bool leads_to_dataset(hid_t file, const char *name)
{
    struct kl_answer unused = { 0 };
    char to[KL_FOREIGN_NAME];
    return follow(to, file, name, &unused) == 0 && kl_store_foreign_is_dataset(file, to);
}

static void add(struct list *list, hid_t file, const char *name, bool link)
{
    if (list->n == list->room || strlen(name) >= KL_FOREIGN_NAME) return;
    if (!(link ? leads_to_dataset(file, name) : kl_store_foreign_is_dataset(file, name))) return;
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->items[i].name, name) == 0) return;
    struct kl_listed *l = &list->items[list->n++];
    strcpy(l->name, name);
    l->link = link;
    look(l, file);
}

static herr_t visit(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    struct kl_words words = { 0 };
    const bool soft = info->type == H5L_TYPE_SOFT;
    if (soft) kl_store_words_of(&words, name);
    if (!soft || words.labels) add(context, file, name, soft);
    return 0;
}

static void add_all(struct list *list, hid_t file, const char *const *names)
{
    for (; *names; names++) add(list, file, *names, false);
}

struct kl_listed *kl_store_foreign_list(size_t *n, hid_t file, const struct kl_foreign_wish *wish,
                                        struct kl_answer *a)
{
    struct list list = { .room = KL_FOREIGN_LISTED + 32 };
    if (!(list.items = calloc(list.room, sizeof *list.items))) {
        kl_store_answer_refuse(a, "", "no memory to list its datasets");
        return NULL;
    }
    if (*wish->images) add(&list, file, wish->images, false);
    if (wish->labels && *wish->labels) add(&list, file, wish->labels, false);
    add_all(&list, file, kl_usual_images);
    add_all(&list, file, kl_usual_labels);
    if (H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &list) < 0) {
        kl_store_answer_refuse(a, "", "HDF5 cannot list its datasets: damaged");
        free(list.items);
        return NULL;
    }
    *n = list.n;
    return list.items;
}

/* ---- the process ---- */
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
        return kl_store_answer_refuse(
            a, name,
            "expected uint8 of shape (n, h, w) or (n, h, w, c); vectors of numbers take "
            "--label DATASET");
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

/* The data that follow the answer through the pipe. */
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

/* Answer with the contents of the file: names, then shapes and labels. */
static void answer(struct kl_answer *a, struct found *f, hid_t file, const struct kl_foreign_wish *wish)
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

/* Answer with the part of the file that was asked for. */
static void fulfil(struct kl_answer *a, struct found *f, hid_t file, const struct kl_foreign_wish *asked)
{
    char names[2][KL_FOREIGN_NAME];
    struct kl_foreign_wish wish = *asked;
    if (follow(names[0], file, asked->images, a)) return;
    if (*asked->images) wish.images = names[0];
    if (asked->labels && *asked->labels) {
        if (follow(names[1], file, asked->labels, a)) return;
        wish.labels = names[1];
    }
    if (wish.texts) f->numbers = kl_store_foreign_texts_of(file, &wish, a);
    else if (wish.numbers) f->numbers = kl_store_foreign_numbers_of(file, &wish, a);
    else answer(a, f, file, &wish);
}

int kl_store_foreign_child(int to, const struct kl_foreign_wish *wish)
{
    struct kl_answer a = { 0 };
    struct found f = { .set = -1 };
    limit_child();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLset_loading_state(0);
    register_lzf();
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
