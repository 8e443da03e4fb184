/* SPDX-License-Identifier: MIT
   A temporary beside its target, named .NAME.HOST-PID-START.XXXXXXXX.ketline-tmp, and its way to the
   final name. What dead runs left is found by that name: no lock is needed, and no file of a living run
   is touched. Bytes of other formats go the same way. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "store/store_int.h"

/* ---- who made a temporary, and is that process dead? ---- */
enum { FOREIGN_SECONDS = 2 * 24 * 3600 };

/* Start of a process in clock ticks since boot (proc(5), stat, field 22); 0: no such process; DEAD: it
   has ended. */
static const unsigned long long DEAD = ~0ull;
static unsigned long long process_start(long pid)
{
    char path[64], *text, *at;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    unsigned long long start = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    text = (char[1024]){ 0 };
    ssize_t n = read(fd, text, 1023);
    close(fd);
    at = n > 0 ? strrchr(text, ')') : NULL; /* the command's name may hold anything */
    if (at && at[1] == ' ' && (at[2] == 'Z' || at[2] == 'X'))
        return DEAD; /* killed, but nobody waits for it: usual in containers */
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    if (at) start = strtoull(at + 1, NULL, 10);
    return start;
}

/* Process numbers mean something on one host and in one namespace only. Hosts that share a folder may
   have one name (localhost), and then differ by their machine-id(5), where there is one. */
static void host_tag(char tag[9])
{
    char text[512] = "";
    unsigned char digest[16];
    gethostname(text, 256);
    size_t n = strnlen(text, 256);
    ssize_t more = readlink("/proc/self/ns/pid", text + n, 128);
    n += more > 0 ? (size_t)more : 0;
    int fd = open("/etc/machine-id", O_RDONLY | O_CLOEXEC);
    more = fd < 0 ? 0 : read(fd, text + n, sizeof text - n);
    if (fd >= 0) close(fd);
    kl_xxh128(digest, text, n + (more > 0 ? (size_t)more : 0));
    kl_store_hex(tag, digest, 4);
}

void kl_store_process_tag(char tag[64])
{
    char host[9];
    host_tag(host);
    snprintf(tag, 64, "%s-%ld-%llu", host, (long)getpid(), process_start(getpid()));
}

bool kl_store_process_dead(const char *tag, const struct stat *file)
{
    char host[9], theirs[9];
    long pid;
    unsigned long long start;
    if (sscanf(tag, "%8[0-9a-f]-%ld-%llu", theirs, &pid, &start) != 3 || pid <= 0)
        return time(NULL) - file->st_mtime > FOREIGN_SECONDS;
    host_tag(host);
    if (strcmp(host, theirs)) return time(NULL) - file->st_mtime > FOREIGN_SECONDS;
    if (kill((pid_t)pid, 0) && errno == ESRCH) return true;
    unsigned long long now = process_start(pid);
    return start && now && now != start; /* 0: it could not tell, or we cannot */
}

/* ---- the temporary ---- */
static const char suffix[] = ".ketline-tmp";
enum { NAME_ROOM = 120 };

/* ".NAME." with long names cut and told apart by a digest. */
void kl_store_name_prefix(char prefix[160], const char *name)
{
    unsigned char digest[16];
    char hex[17];
    if (strlen(name) <= NAME_ROOM) {
        snprintf(prefix, 160, ".%s.", name);
        return;
    }
    kl_xxh128(digest, name, strlen(name));
    kl_store_hex(hex, digest, 8);
    snprintf(prefix, 160, ".%.100s~%s.", name, hex);
}

bool kl_store_temporary_is(const char *name)
{
    size_t n = strlen(name);
    return name[0] == '.' && n > sizeof suffix && strcmp(name + n - (sizeof suffix - 1), suffix) == 0;
}

/* The tag lies between the last but two and the last but one dot. */
static const char *tag_of(const char *name)
{
    const char *end = name + strlen(name) - (sizeof suffix - 1);
    int dots = 0;
    while (end > name && dots < 2)
        if (*--end == '.') dots++;
    return dots == 2 ? end + 1 : "";
}

bool kl_store_temporary_sweep(const char *folder, const char *name, bool dry,
                              void (*each)(void *context, const char *path, uint64_t bytes, int error),
                              void *context)
{
    char prefix[160] = ".", path[PATH_MAX];
    DIR *d = opendir(folder);
    if (!d) return false;
    if (name) kl_store_name_prefix(prefix, name);
    for (struct dirent *entry; (errno = 0, entry = readdir(d));) {
        struct stat s;
        if (strncmp(entry->d_name, prefix, strlen(prefix)) || !kl_store_temporary_is(entry->d_name))
            continue;
        const char *tag = tag_of(entry->d_name);
        if (name && tag != entry->d_name + strlen(prefix))
            continue; /* of another target whose name begins with this one */
        if (fstatat(dirfd(d), entry->d_name, &s, AT_SYMLINK_NOFOLLOW) || !S_ISREG(s.st_mode) ||
            !kl_store_process_dead(tag, &s))
            continue;
        const int error = dry || unlinkat(dirfd(d), entry->d_name, 0) == 0 ? 0 : errno;
        if (error == ENOENT || error == ESTALE) continue; /* another run was quicker */
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (each) each(context, path, (uint64_t)s.st_size, error);
    }
    const int why = errno;
    closedir(d);
    errno = why;
    return !why;
}

int kl_store_temporary_pattern(char *path, size_t room, const char *folder, const char *name)
{
    char prefix[160], tag[64];
    kl_store_temporary_sweep(folder, name, false, NULL, NULL);
    kl_store_name_prefix(prefix, name);
    kl_store_process_tag(tag);
    const int n = snprintf(path, room, "%s/%s%s.XXXXXX%s", folder, prefix, tag, suffix);
    return (size_t)n < room ? (int)sizeof suffix - 1 : -1;
}

static const char *spool_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

static int open_unlinked(struct kl_error *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/ketline-XXXXXX", spool_folder());
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return kl_fail_errno(err, KL_EIO, "%s: cannot make a temporary file (TMPDIR says where)",
                             spool_folder());
    unlink(path);
    return fd;
}

int kl_store_spool(int *fd, int from, uint64_t limit, const char *name, struct kl_error *err)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT; /* a second reader would find an empty input */
    *fd = -1;
    if (from == STDIN_FILENO && atomic_flag_test_and_set(&taken))
        return kl_fail(err, KL_EUSAGE,
                       "-: standard input can be one input only; name a file for the other");
    *fd = open_unlinked(err);
    if (*fd < 0) return *fd;
    int rc = kl_store_copy_all(*fd, spool_folder(), from, name, limit, err);
    if (rc) {
        close(*fd);
        *fd = -1;
    }
    return rc;
}

/* The target: symbolic links resolved, so that a link to another disk stays a link. */
int kl_store_fail_folder(struct kl_error *err, const char *path)
{
    return kl_fail(err, KL_EIO, "%s: is a folder; name a file in it", path);
}

int kl_store_temporary_resolve(struct kl_temporary *t, const char *path, struct kl_error *err)
{
    struct stat s;
    memset(t, 0, sizeof *t);
    t->fd = -1;
    t->to_stdout = t->stream = strcmp(path, "-") == 0;
    if (t->to_stdout) {
        t->target = strdup("standard output");
        return t->target ? 0 : kl_fail_memory(err, 16);
    }
    bool there = stat(path, &s) == 0;
    if (there && S_ISDIR(s.st_mode)) return kl_store_fail_folder(err, path);
    t->stream = there && !S_ISREG(s.st_mode);
    t->target = there && !t->stream ? realpath(path, NULL) : strdup(path);
    return t->target ? 0 : kl_fail_errno(err, KL_EIO, "%s: cannot be resolved", path);
}

static int open_beside(struct kl_temporary *t, struct kl_error *err)
{
    char prefix[160], tag[64];
    char *folder = kl_store_path_folder(t->target);
    int rc = 0;
    if (!folder) return kl_fail_memory(err, strlen(t->target));
    size_t room = strlen(folder) + 320;
    kl_store_temporary_sweep(folder, kl_store_path_name(t->target), false, NULL, NULL);
    kl_store_name_prefix(prefix, kl_store_path_name(t->target));
    kl_store_process_tag(tag);
    t->path = malloc(room);
    if (!t->path) rc = kl_fail_memory(err, room);
    for (int tries = 0; !rc && t->fd < 0; tries++) {
        uint32_t random = (uint32_t)tries;
        if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
            random = (uint32_t)(kl_clock() * 1e6) + (uint32_t)tries;
        snprintf(t->path, room, "%s/%s%s.%08x%s", folder, prefix, tag, random, suffix);
        t->fd = open(t->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (t->fd < 0 && (errno != EEXIST || tries > 100)) rc = kl_store_fail_place(err, t->target);
    }
    if (rc) {
        free(t->path);
        t->path = NULL;
    }
    free(folder);
    return rc;
}

int kl_store_temporary_open(struct kl_temporary *t, const char *path, struct kl_error *err)
{
    int rc = kl_store_temporary_resolve(t, path, err);
    if (!rc && t->stream) {
        t->fd = open_unlinked(err);
        rc = t->fd < 0 ? t->fd : 0;
    } else if (!rc) {
        rc = open_beside(t, err);
    }
    if (rc) kl_store_temporary_abort(t);
    return rc;
}

void kl_store_temporary_abort(struct kl_temporary *t)
{
    if (t->fd >= 0) close(t->fd);
    if (t->path) unlink(t->path);
    free(t->path);
    free(t->target);
    memset(t, 0, sizeof *t);
    t->fd = -1;
}

static int to_stream(struct kl_temporary *t, struct kl_error *err)
{
    int to = t->to_stdout ? STDOUT_FILENO : open(t->target, O_WRONLY | O_CLOEXEC);
    if (to < 0) return kl_fail_errno(err, KL_EIO, "%s: cannot be opened for writing", t->target);
    int rc = lseek(t->fd, 0, SEEK_SET)
                 ? kl_fail_errno(err, KL_EIO, "%s: seeking failed", t->target)
                 : kl_store_copy_all(to, t->target, t->fd, t->target, UINT64_MAX, err);
    if (!t->to_stdout && close(to) && !rc)
        rc = kl_fail_errno(err, KL_EIO, "%s: closing failed", t->target);
    return rc;
}

/* The folder is opened before the rename: whatever can fail should fail while the old file is still
   there. */
static int to_target(struct kl_temporary *t, struct kl_error *err)
{
    int folder = -1, rc = kl_store_open_folder(&folder, t->target, err);
    if (!rc && fsync(t->fd)) rc = kl_fail_errno(err, KL_EIO, "%s: fsync failed", t->target);
    if (!rc && rename(t->path, t->target))
        rc = kl_fail_errno(err, KL_EIO, "%s: renaming the finished file to this name failed", t->target);
    if (!rc) {
        free(t->path);
        t->path = NULL;
        rc = kl_store_sync_folder(folder, t->target, err);
    }
    if (folder >= 0) close(folder);
    return rc;
}

int kl_store_temporary_publish(struct kl_temporary *t, struct kl_error *err)
{
    int rc = t->stream ? to_stream(t, err) : to_target(t, err);
    kl_store_temporary_abort(t);
    return rc;
}

/* ---- raw bytes, written as they come and published whole ---- */
struct kl_raw {
    struct kl_temporary temporary;
    uint64_t size; /* written */
    size_t n;      /* in the buffer */
    unsigned char buffer[1 << 16];
};

int kl_store_raw_open(struct kl_raw **raw, const char *path, struct kl_error *err)
{
    *raw = calloc(1, sizeof **raw);
    if (!*raw) return kl_fail_memory(err, sizeof **raw);
    const int code = kl_store_temporary_open(&(*raw)->temporary, path, err);
    if (!code) return KL_OK;
    free(*raw);
    *raw = NULL;
    return code;
}

static int flush(struct kl_raw *raw, struct kl_error *err)
{
    const struct kl_temporary *t = &raw->temporary;
    const int code = kl_store_pwrite_all(t->fd, raw->buffer, raw->n, raw->size, t->target, err);
    raw->size += raw->n;
    raw->n = 0;
    return code;
}

int kl_store_raw_write(struct kl_raw *raw, const void *data, size_t n, struct kl_error *err)
{
    const unsigned char *from = data;
    int code = KL_OK;
    while (!code && n) {
        const size_t room = sizeof raw->buffer - raw->n, part = n < room ? n : room;
        memcpy(raw->buffer + raw->n, from, part);
        raw->n += part, from += part, n -= part;
        if (raw->n == sizeof raw->buffer) code = flush(raw, err);
    }
    return code;
}

int kl_store_raw_publish(struct kl_raw **raw, struct kl_error *err)
{
    int code = flush(*raw, err);
    if (!code) code = kl_store_temporary_publish(&(*raw)->temporary, err);
    else kl_store_temporary_abort(&(*raw)->temporary);
    free(*raw);
    *raw = NULL;
    return code;
}

void kl_store_raw_abort(struct kl_raw **raw)
{
    if (*raw) kl_store_temporary_abort(&(*raw)->temporary);
    free(*raw);
    *raw = NULL;
}

/* ---- a file of another format, given whole ---- */
/* Is this what the file holds? */
static bool holds(const char *path, const void *data, size_t n)
{
    size_t found = 0;
    char *old = kl_store_read_small(path, n, &found);
    bool same = old && found == n && memcmp(old, data, n) == 0;
    free(old);
    return same;
}

int kl_store_publish_bytes(bool *written, const char *path, const void *data, size_t n,
                           struct kl_error *err)
{
    struct kl_temporary t;
    *written = false;
    int rc = kl_store_temporary_resolve(&t, path, err);
    char *folder = rc || t.stream ? NULL : kl_store_path_folder(t.target);
    if (folder) kl_store_temporary_sweep(folder, kl_store_path_name(t.target), false, NULL, NULL);
    bool same = folder && holds(t.target, data, n);
    free(folder);
    kl_store_temporary_abort(&t);
    if (rc || same) return rc;
    rc = kl_store_temporary_open(&t, path, err);
    if (!rc) rc = kl_store_pwrite_all(t.fd, data, n, 0, t.target, err);
    if (!rc) rc = kl_store_temporary_publish(&t, err);
    else kl_store_temporary_abort(&t);
    *written = !rc;
    return rc;
}
