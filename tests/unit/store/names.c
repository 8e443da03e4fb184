/* SPDX-License-Identifier: MIT
   Temporaries by their names: which are ours, whose process is dead, what a sweep removes; small
   files, folders, checkpoints. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "store/store_int.h"
#include "store_test.h"

static void put(const char *name)
{
    char path[1024];
    FILE *f = fopen(in_folder(path, name), "w");
    CHECK(f && fputs("x", f) >= 0, "%s", path);
    if (f) fclose(f);
}

static bool there(const char *name)
{
    char path[1024];
    struct stat s;
    return lstat(in_folder(path, name), &s) == 0;
}

/* HOST-PID-START of this process with another number and start. */
static const char *tag_of(char tag[64], long pid, unsigned long long start)
{
    char own[64];
    kl_store_process_tag(own);
    snprintf(tag, 64, "%.8s-%ld-%llu", own, pid, start);
    return tag;
}

static unsigned long long own_start(void)
{
    char own[64];
    unsigned long long start = 0;
    kl_store_process_tag(own);
    CHECK(sscanf(own, "%*8s-%*d-%llu", &start) == 1 && start, "%s", own);
    return start;
}

static void check_dead(void)
{
    char tag[64];
    const time_t now = time(NULL);
    const struct stat fresh = { .st_mtime = now }, old = { .st_mtime = now - 3 * 24 * 3600 };
    kl_store_process_tag(tag);
    CHECK(!kl_store_process_dead(tag, &old), "this process");
    CHECK(kl_store_process_dead(tag_of(tag, getpid(), own_start() + 1), &fresh),
          "its number, used again");
    CHECK(!kl_store_process_dead(tag_of(tag, getpid(), 0), &old), "a run that could not tell its start");
    CHECK(!kl_store_process_dead("00000000-1-1", &fresh) && kl_store_process_dead("00000000-1-1", &old),
          "another machine's");
    CHECK(!kl_store_process_dead("words", &fresh) && kl_store_process_dead("words", &old), "no tag");
    CHECK(!kl_store_process_dead(tag_of(tag, 0, 1), &fresh) && kl_store_process_dead(tag, &old),
          "no process");
    kl_store_process_tag(tag);
    pid_t child = fork();
    if (child == 0)
        _exit(setuid(65534) ? 0 : kl_store_process_dead(tag, &old)); /* which may not signal us */
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0, "another user's");
    child = fork();
    if (child == 0) _exit(0);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT); /* ended, and nobody has waited for it */
    CHECK(kl_store_process_dead(tag_of(tag, child, 1), &fresh), "a zombie");
    waitpid(child, NULL, 0);
    CHECK(kl_store_process_dead(tag_of(tag, child, 1), &fresh), "an ended one");
}

static void count(void *context, const char *path, uint64_t bytes, int error)
{
    CHECK(bytes == 1 && !error && strstr(path, ".ketline-tmp"), "%s", path);
    ++*(int *)context;
}

static void check_sweep(void)
{
    char dead[64], own[64], names[6][100], folder[1024];
    int n = 0;
    tag_of(dead, getpid(), own_start() + 1);
    kl_store_process_tag(own);
    snprintf(names[0], 100, ".t.h5.%s.00000001.ketline-tmp", dead);
    snprintf(names[1], 100, ".t.h5.x.h5.%s.00000002.ketline-tmp", dead); /* of t.h5.x.h5 */
    snprintf(names[2], 100, ".t.h5.%s.00000003.ketline-tmp", own);
    snprintf(names[3], 100, ".t.h5.%s.00000004.ketline-tmp", dead); /* a link */
    snprintf(names[4], 100, "t.h5.%s.00000005.ketline-tmp", dead);
    snprintf(names[5], 100, ".nodots-ketline-tmp.ketline-tmp");
    for (int i = 0; i < 6; i++)
        if (i == 3) CHECK(symlink("nowhere", in_folder(folder, names[i])) == 0);
        else put(names[i]);
    CHECK(kl_store_temporary_is(names[0]) && !kl_store_temporary_is(names[4]) &&
          !kl_store_temporary_is(".ketline-tmp") && !kl_store_temporary_is(""));
    CHECK(kl_store_temporary_sweep(test_folder, "t.h5", true, count, &n) && n == 1 && there(names[0]),
          "%d", n);
    CHECK(kl_store_temporary_sweep(test_folder, "t.h5", false, count, &n) && n == 2 && !there(names[0]),
          "%d", n);
    CHECK(there(names[1]) && there(names[2]) && there(names[3]), "others' went");
    CHECK(kl_store_temporary_sweep(test_folder, NULL, false, NULL, NULL) && !there(names[1]), "all");
    CHECK(there(names[2]) && there(names[3]) && there(names[4]) && there(names[5]));
    CHECK(!kl_store_temporary_sweep(in_folder(folder, "none"), NULL, false, NULL, NULL) &&
          errno == ENOENT);
    for (int i = 2; i < 6; i++) unlink(in_folder(folder, names[i]));
}

static void check_patterns(void)
{
    char path[2048], name[260], prefix[160], again[160];
    memset(name, 'n', sizeof name);
    name[200] = 0;
    kl_store_name_prefix(prefix, name);
    name[150] = 'm'; /* where it is cut off */
    kl_store_name_prefix(again, name);
    CHECK(strlen(prefix) < 160 && prefix[0] == '.' && strcmp(prefix, again) != 0, "%s", prefix);
    CHECK(kl_store_temporary_pattern(path, sizeof path, test_folder, "trial") == 12,
          "the length of the end");
    CHECK(strstr(path, "/.trial.") && strstr(path, ".XXXXXX.ketline-tmp"), "%s", path);
    CHECK(kl_store_temporary_pattern(path, 20, test_folder, "trial") == -1, "no room");
}

/* Small files for the tools themselves, and folders on the way. */
static void check_small(void)
{
    char path[1024], deep[4100];
    size_t n = 0;
    struct kl_error err = { 0 };
    int fd = -1;
    put("small");
    in_folder(path, "small");
    char *text = kl_store_read_small(path, 1, &n);
    CHECK(text && n == 1 && strcmp(text, "x") == 0);
    free(text);
    CHECK(!kl_store_read_small(path, 0, &n) && errno == EFBIG, "larger than asked for");
    CHECK(!kl_store_read_small(test_folder, 100, NULL) && errno == EFBIG, "a folder");
    CHECK(!kl_store_read_small(in_folder(path, "none"), 100, NULL) && errno == ENOENT);
    CHECK(kl_store_make_folders(in_folder(path, "a/b/c")) == 0 && kl_store_make_folders(path) == 0 &&
          there("a/b/c"));
    CHECK(kl_store_make_folders("") == -1 && errno == ENOENT);
    memset(deep, 'd', sizeof deep);
    deep[sizeof deep - 1] = 0;
    CHECK(kl_store_make_folders(deep) == -1 && errno == ENAMETOOLONG);
    CHECK(kl_store_make_folders(in_folder(path, "small/a")) == -1 && errno == ENOTDIR);
    CHECK(kl_store_open_folder(&fd, "/nonexistent/a", &err) == KL_EIO &&
              strstr(err.text, "/nonexistent: cannot open the folder"),
          "%s", err.text);
    CHECK(kl_store_open_folder(&fd, "/a", &err) == 0, "%s", err.text);
    CHECK(kl_store_sync_folder(fd, "/a", &err) == 0, "%s", err.text);
    close(fd);
    CHECK(kl_store_sync_folder(fd, "/a", &err) == 0, "no descriptor: %s", err.text);
    char own[1024], *checkpoint = NULL;
    CHECK(kl_store_checkpoint_path(&checkpoint, in_folder(own, "h.h5"), &err) == 0, "%s", err.text);
    CHECK(checkpoint && strstr(checkpoint, "/.h.h5.checkpoint"), "%s", checkpoint);
    CHECK(kl_store_checkpoint_is(".h.h5.checkpoint") && !kl_store_checkpoint_is("h.h5.checkpoint") &&
          !kl_store_checkpoint_is(".checkpoint") && !kl_store_checkpoint_is(".h.h5.checkpoinx"));
    CHECK(!kl_store_checkpoint_fits(checkpoint, test_header.key), "none is there");
    CHECK(write_test_file(checkpoint, 3, 2, 1, &err) == 0, "%s", err.text);
    CHECK(!kl_store_checkpoint_fits(checkpoint, test_header.key), "of another kind");
    kl_store_checkpoint_remove(checkpoint, test_header.key);
    CHECK(there(".h.h5.checkpoint"), "not ours to remove");
    kl_store_checkpoint_remove(checkpoint, NULL);
    CHECK(!there(".h.h5.checkpoint"));
    struct kl_header header = test_header;
    struct kl_writer *w = NULL;
    char other[65];
    header.kind = "checkpoint";
    memset(other, '0', 64);
    other[64] = 0;
    CHECK(kl_store_writer_open(&w, checkpoint, &header, &err) == 0 &&
              kl_store_writer_publish(&w, NULL, &err) == 0,
          "%s", err.text);
    CHECK(kl_store_checkpoint_fits(checkpoint, test_header.key) &&
          !kl_store_checkpoint_fits(checkpoint, other));
    kl_store_checkpoint_remove(checkpoint, other);
    CHECK(there(".h.h5.checkpoint"), "of another key");
    kl_store_checkpoint_remove(checkpoint, test_header.key);
    CHECK(!there(".h.h5.checkpoint"));
    free(checkpoint);
    int ends[2];
    CHECK(pipe(ends) == 0 && kl_store_sync_folder(ends[1], "a", &err) == 0,
          "what cannot be synchronised: %s", err.text);
}

int main(void)
{
    make_test_folder();
    check_dead();
    check_sweep();
    check_patterns();
    check_small();
    return failures != 0;
}
