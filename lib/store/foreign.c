/* SPDX-License-Identifier: MIT
   Images and small arrays from other people's HDF5 files. HDF5's parser hangs or crashes on some damaged
   files, so a child process with little memory and little time parses (foreign_child.c), and hands
   pixels through a pipe; the parent, here, believes nothing but sizes it checks. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/foreign_int.h"
#include "store/kind.h"
#include "store/numbers.h"
#include "store/store_int.h"

enum { WAIT_MS = 5000 };
_Static_assert((int)KL_FOREIGN_CLASS == (int)KL_TEXT, "classes come as texts");

/* n bytes, each piece within the time limit. */
static int receive(int from, void *data, size_t n, const char *path, struct kl_error *err)
{
    char *at = data;
    while (n) {
        struct pollfd p = { .fd = from, .events = POLLIN };
        int ready = poll(&p, 1, WAIT_MS);
        ssize_t got = ready > 0 ? read(from, at, n) : ready;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return kl_fail_errno(err, KL_EIO, "%s: the pipe from the reading process failed", path);
        if (ready == 0)
            return kl_fail(err, KL_EDATA,
                           "%s: reading it took HDF5 more than %d s without progress: damaged?", path,
                           WAIT_MS / 1000);
        if (got == 0) return kl_fail(err, KL_EDATA, "%s: HDF5 failed while reading it: damaged", path);
        at += got;
        n -= (size_t)got;
    }
    return 0;
}

/* Receive the answer: the choice of datasets and their sizes. */
static int take_answer(struct kl_answer *a, int from, const struct kl_foreign_wish *wish,
                       struct kl_error *err)
{
    uint64_t all = 1;
    int rc = receive(from, a, sizeof *a, wish->path, err);
    if (rc) return rc;
    char *const texts[] = { a->images + sizeof a->images, a->labels + sizeof a->labels,
                            a->root_labels + sizeof a->root_labels, a->note + sizeof a->note,
                            a->text + sizeof a->text };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) texts[i][-1] = 0;
    if (a->code) return kl_fail(err, KL_EDATA, "%s: %s", wish->path, a->text);
    bool fits = wish->n ? a->n_labels == wish->n : a->rank == 3 || a->rank == 4;
    for (int i = 0; !wish->n && i < a->rank && fits; i++)
        fits = !__builtin_mul_overflow(all, a->dims[i], &all);
    if (!fits || all > KL_FOREIGN_BYTES || all / 1040 > wish->size ||
        (!wish->n && a->n_labels && a->n_labels != a->dims[0]) || a->n_names > a->n_labels)
        return kl_fail(err, KL_EDATA, "%s: the reading process answered nonsense: damaged", wish->path);
    return 0;
}

/* Numbers in place of images. */
static int take_numbers(double **numbers, struct kl_answer *a, int from,
                        const struct kl_foreign_wish *wish, struct kl_error *err)
{
    const size_t most = wish->texts || wish->or_texts ? KL_TEXT / sizeof(double) : 2;
    int rc = receive(from, a, sizeof *a, wish->path, err);
    if (rc) return rc;
    a->text[sizeof a->text - 1] = 0;
    if (a->code) return kl_fail(err, KL_EDATA, "%s: %s", wish->path, a->text);
    const uint64_t n = a->rank >= 0 && a->rank <= 4 ? kl_store_foreign_count(a) : UINT64_MAX;
    if (n > most * wish->numbers)
        return kl_fail(err, KL_EDATA, "%s: the reading process answered nonsense: damaged", wish->path);
    *numbers = malloc((n + 1) * sizeof **numbers);
    if (!*numbers) return kl_fail_memory(err, n * sizeof **numbers);
    rc = receive(from, *numbers, n * sizeof **numbers, wish->path, err);
    if (rc) free(*numbers), *numbers = NULL;
    return rc;
}

static int take(struct kl_foreign *f, int from, const struct kl_foreign_wish *wish, struct kl_error *err)
{
    struct kl_answer a;
    uint64_t all = wish->n ? 0 : 1;
    int rc = take_answer(&a, from, wish, err);
    if (rc) return rc;
    strcpy(f->images, a.images), strcpy(f->labels, a.labels);
    strcpy(f->root_labels, a.root_labels), strcpy(f->note, a.note);
    kl_make_printable(f->note);
    f->rank = a.rank;
    for (int i = 0; i < 4; i++) all *= f->dims[i] = i < a.rank ? a.dims[i] : 1;
    if (wish->look) return 0;
    if (!wish->n && !(f->data = malloc(all + 1))) return kl_fail_memory(err, all);
    if (a.n_labels && !(f->label = malloc(a.n_labels * 4))) return kl_fail_memory(err, a.n_labels * 4);
    if (a.n_names && !(f->names = malloc(a.n_names * sizeof *f->names)))
        return kl_fail_memory(err, a.n_names * sizeof *f->names);
    if (f->data) rc = receive(from, f->data, all, wish->path, err);
    if (!rc && f->label) rc = receive(from, f->label, a.n_labels * 4, wish->path, err);
    if (!rc) rc = receive(from, f->names, a.n_names * sizeof *f->names, wish->path, err);
    f->n_names = a.n_names;
    for (size_t i = 0; i < a.n_names && !rc; i++) {
        f->names[i][KL_TEXT - 1] = 0;
        kl_make_printable(f->names[i]);
    }
    return rc;
}

static pid_t start(const int ends[2], const struct kl_foreign_wish *wish)
{
    pid_t pid = fork();
    if (pid) return pid;
    close(ends[0]);
    _exit(kl_store_foreign_child(ends[1], wish));
}

/* numbers and answer, or f. */
static int by_child(struct kl_foreign *f, double **numbers, struct kl_answer *answer,
                    const struct kl_foreign_wish *wish, struct kl_error *err)
{
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC))
        return kl_fail_errno(err, KL_EIO, "%s: no pipe for the reading process", wish->path);
    pid_t pid = start(ends, wish);
    close(ends[1]);
    int rc = pid < 0 ? kl_fail_errno(err, KL_EIO, "%s: no reading process", wish->path)
             : f     ? take(f, ends[0], wish, err)
                     : take_numbers(numbers, answer, ends[0], wish, err);
    close(ends[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    }
    return rc;
}

/* Refuse a file of ours that holds no images, such as features made from them. */
static int check_pixels(const struct kl_file *file, const char *path, struct kl_error *err)
{
    static const struct kl_kind images = { .name = "images" };
    const struct kl_dataset *d;
    for (size_t i = 0; (d = kl_store_file_dataset(file, i)); i++)
        if (d->type == KL_TYPE_U8 && (d->rank == 3 || d->rank == 4)) return KL_OK;
    return kl_store_fail_kind(err, path, kl_store_file_kind(file), &images);
}

/* Is it no HDF5 file at all, or one of ours? */
static int look_at_ends(bool *ours, const struct kl_foreign_wish *wish, struct kl_error *err)
{
    char first[KL_STAND_IN], magic[8] = "";
    const size_t n = wish->size < KL_STAND_IN ? (size_t)wish->size : KL_STAND_IN;
    int fd = open(wish->path, O_RDONLY | O_CLOEXEC), rc = 0;
    *ours = fd >= 0 && wish->size > KL_SEAL_BYTES &&
            kl_store_pread_all(fd, magic, 8, wish->size - KL_SEAL_BYTES, wish->path, NULL) == 0 &&
            memcmp(magic, "KETLSEAL", 8) == 0;
    if (fd >= 0 && kl_store_pread_all(fd, first, n, 0, wish->path, NULL) == 0)
        rc = kl_no_stand_in(first, n, wish->path, err);
    if (!rc && n >= 18 && memcmp(first, "MATLAB 5.0 MAT-fil", 18) == 0)
        rc = kl_fail(err, KL_EDATA,
                     "%s: of MATLAB before version 7.3, no HDF5; in MATLAB save('F.mat', 'x', '-v7.3'), "
                     "in Python numpy.save('x.npy', scipy.io.loadmat('F.mat')['x'])",
                     wish->path);
    if (fd >= 0) close(fd);
    return rc;
}

/* One of ours has digests, and they are checked: HDF5 itself returns damaged pixels without a word. */
static int check_ours(const struct kl_foreign_wish *wish, struct kl_error *err)
{
    struct kl_file *file = NULL;
    bool ours;
    int rc = look_at_ends(&ours, wish, err);
    if (rc || !ours) return rc;
    rc = kl_store_file_open(&file, wish->path, err);
    if (!rc && !wish->look) rc = kl_store_file_verify(file, NULL, err);
    if (!rc && !wish->n && !wish->numbers) rc = check_pixels(file, wish->path, err);
    kl_store_file_close(&file);
    return rc;
}

bool kl_store_is_hdf5(int fd)
{
    enum { FARTHEST = 1 << 24 };
    char magic[8];
    for (off_t at = 0; at <= FARTHEST; at = at ? 2 * at : 512) {
        ssize_t got;
        while ((got = pread(fd, magic, sizeof magic, at)) < 0 && errno == EINTR) continue;
        if (got != sizeof magic) return false;
        if (memcmp(magic, "\211HDF\r\n\032\n", 8) == 0) return true;
    }
    return false;
}

void kl_store_foreign_free(struct kl_foreign *f)
{
    free(f->data);
    free(f->label);
    free(f->names);
    f->data = NULL, f->label = NULL, f->names = NULL, f->n_names = 0;
}

/* FILE:DATASET, unless that is a file's name: *name becomes FILE, malloc'ed, and what is returned points
   into it. NULL: no memory. */
static const char *split_path(char **name, const char *path)
{
    struct stat s;
    if (!(*name = strdup(path))) return NULL;
    char *colon = strrchr(*name, ':');
    if (!colon || stat(*name, &s) == 0) return "";
    *colon = 0;
    return colon + 1 + (colon[1] == '/');
}

static int look_at(struct kl_foreign_wish *wish, struct kl_error *err)
{
    struct stat s;
    int rc = stat(wish->path, &s) ? kl_fail_errno(err, KL_ENOINPUT, "%s: cannot be opened", wish->path)
                                  : kl_regular(&s, wish->path, err);
    if (rc) return rc;
    wish->size = (uint64_t)s.st_size;
    return check_ours(wish, err);
}

static int fulfil(struct kl_foreign *f, struct kl_foreign_wish *wish, struct kl_error *err)
{
    int rc = look_at(wish, err);
    if (rc) return rc;
    rc = by_child(f, NULL, NULL, wish, err);
    if (rc) kl_store_foreign_free(f);
    return rc;
}

/* Starts the child and takes its answer; *numbers: kl_store_foreign_count, malloc'ed. */
static int fulfil_numbers(double **numbers, struct kl_answer *answer, struct kl_foreign_wish *wish,
                          struct kl_error *err)
{
    *numbers = NULL;
    const int rc = look_at(wish, err);
    return rc ? rc : by_child(NULL, numbers, answer, wish, err);
}

static int read_images(struct kl_foreign *f, const char *path, const char *labels, bool look,
                       struct kl_error *err)
{
    char *name;
    const char *images = split_path(&name, path);
    struct kl_foreign_wish wish = { .images = images, .path = name, .look = look };
    *f = (struct kl_foreign){ 0 };
    if (!name) return kl_fail_memory(err, strlen(path));
    if (labels) wish.labels = strcmp(labels, "none") == 0 ? "" : labels + (labels[0] == '/');
    const int rc = fulfil(f, &wish, err);
    free(name);
    return rc;
}

int kl_store_foreign_read(struct kl_foreign *f, const char *path, const char *labels,
                          struct kl_error *err)
{
    return read_images(f, path, labels, false, err);
}

int kl_store_foreign_look(struct kl_foreign *f, const char *path, const char *labels,
                          struct kl_error *err)
{
    return read_images(f, path, labels, true, err);
}

int kl_store_foreign_labels_of(struct kl_foreign *f, size_t n, const char *path, struct kl_error *err)
{
    char *name;
    *f = (struct kl_foreign){ 0 };
    const char *dataset = split_path(&name, path);
    struct kl_foreign_wish wish = { .images = "", .labels = dataset, .path = name, .n = n };
    if (!name) return kl_fail_memory(err, strlen(path));
    const int rc = fulfil(f, &wish, err);
    free(name);
    return rc;
}

/* ---- small arrays ---- */
/* Items of `size` bytes, of an array whose indices run the other way; dims: as it is after that. */
static int reverse(void **items, size_t size, int rank, const size_t dims[4], size_t n,
                   struct kl_error *err)
{
    char *to = malloc(n * size + 1);
    if (!to) return kl_fail_memory(err, n * size);
    for (size_t i = 0; i < n; i++) {
        size_t rest = i, at = 0, step = n;
        for (int d = rank - 1; d >= 0; d--) {
            step /= dims[d];
            at += rest % dims[d] * step;
            rest /= dims[d];
        }
        memcpy(to + i * size, (const char *)*items + at * size, size);
    }
    free(*items);
    *items = to;
    return KL_OK;
}

static int take_array(struct kl_numbers *to, const struct kl_answer *a, double *values,
                      struct kl_error *err)
{
    void *items = values;
    size_t n = 1;
    to->pairs = a->pairs, to->rank = a->rank;
    if (a->rank > 1) memcpy(to->mark, a->mark, sizeof to->mark);
    for (int i = 0; i < a->rank; i++) {
        to->dims[i] = a->dims[*to->mark ? a->rank - 1 - i : i];
        n *= to->dims[i];
    }
    const size_t size = a->texts ? KL_TEXT : a->pairs ? 2 * sizeof *values : sizeof *values;
    const int code = *to->mark ? reverse(&items, size, a->rank, to->dims, n, err) : KL_OK;
    if (a->texts) to->texts = items;
    else to->values = items;
    for (size_t i = 0; i < n && a->texts; i++)
        to->texts[i][KL_TEXT - 1] = 0, kl_make_printable(to->texts[i]);
    return code;
}

int kl_store_foreign_numbers(struct kl_numbers *numbers, const char *path, size_t most, bool texts,
                             struct kl_error *err)
{
    char *name;
    double *values = NULL;
    const char *dataset = split_path(&name, path);
    struct kl_answer answer = { 0 };
    *numbers = (struct kl_numbers){ 0 };
    if (!name) return kl_fail_memory(err, strlen(path));
    struct kl_foreign_wish wish = {
        .images = dataset, .path = name, .numbers = most, .or_texts = texts
    };
    int code = fulfil_numbers(&values, &answer, &wish, err);
    if (!code) code = take_array(numbers, &answer, values, err);
    if (code) kl_store_numbers_free(numbers);
    free(name);
    return code;
}

void kl_store_numbers_free(struct kl_numbers *numbers)
{
    free(numbers->values);
    free(numbers->texts);
    numbers->values = NULL, numbers->texts = NULL;
}

/* ---- names of their numbers ---- */
int kl_store_foreign_texts(char (**texts)[KL_TEXT], size_t *n, const char *path, const char *name,
                           size_t most, struct kl_error *err)
{
    char *file;
    const char *dataset = split_path(&file, path);
    struct kl_answer answer = { 0 };
    *texts = NULL, *n = 0;
    if (!file) return kl_fail_memory(err, strlen(path));
    struct kl_foreign_wish wish = { .images = dataset, .path = file, .texts = name, .numbers = most };
    double *bytes = NULL;
    const int code = fulfil_numbers(&bytes, &answer, &wish, err);
    *texts = (char(*)[KL_TEXT])bytes;
    if (!code && answer.texts && answer.rank == 1) *n = answer.dims[0];
    for (size_t i = 0; i < *n; i++) (*texts)[i][KL_TEXT - 1] = 0, kl_make_printable((*texts)[i]);
    free(file);
    return code;
}
