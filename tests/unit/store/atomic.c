/* SPDX-License-Identifier: MIT
   The target is the old file or the new one, whole, whatever happens: killed at random times, sixteen
   writers at once, a full disk, a limit on file sizes, a folder that cannot be written, a stream that is
   full. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "store/housekeeping.h"
#include "store/store_int.h"
#include "killed.h"
#include "store_test.h"

enum { ROWS = 400, WIDTH = 64, KILLS = 200 };

/* Seed of what the target holds, -1: neither whole nor absent. */
static int which(const char *path, int seeds)
{
    struct kl_error err = { 0 };
    for (int seed = 1; seed <= seeds; seed++)
        if (read_test_file(path, ROWS, WIDTH, (unsigned)seed, &err) == 0) return seed;
    fprintf(stderr, "%s\n", err.text);
    return -1;
}

static void check_kills(void)
{
    struct kl_error err = { 0 };
    char path[1024];
    int killed = 0, fresh = 0, seed = 1;
    in_folder(path, "kill.h5");
    CHECK(write_test_file(path, ROWS, WIDTH, 1, &err) == 0, "%s", err.text);
    srand(3);
    int i = 0;
    double span = 0.005;
    for (; killed < KILLS && i < 10 * KILLS; i++) { /* some come after the end */
        const int next = seed == 2 ? 3 : 2;         /* another than lies there */
        pid_t child = fork();
        if (child == 0) _exit(write_test_file(path, ROWS, WIDTH, (unsigned)next, &err) != 0);
        killed += killed_within(child, &span);
        seed = which(path, 3);
        CHECK(seed > 0, "after kill %d", i);
        fresh += seed == next;
    }
    CHECK(write_test_file(path, ROWS, WIDTH, 1, &err) == 0, "%s", err.text);
    CHECK(count_files(test_folder, ".ketline-tmp") == 0, "the next run left dead temporaries");
    CHECK(killed == KILLS && fresh > 0 && fresh < i, "%d killed of %d", killed, i);
    printf("%d of %d killed, the target was new after %d\n", killed, i, fresh);
}

static void check_concurrent(void)
{
    struct kl_error err = { 0 };
    char path[1024], store[1024];
    int status, bad = 0;
    in_folder(path, "many.h5");
    in_folder(store, "store");
    CHECK(write_test_file(path, ROWS, WIDTH, 1, &err) == 0, "%s", err.text);
    for (int i = 0; i < 16; i++)
        if (fork() == 0) {
            int rc = 0;
            for (int round = 0; round < 5 && !rc; round++) {
                rc = write_test_file(path, ROWS, WIDTH, 1, &err);
                rc = rc ? rc : read_test_file(path, ROWS, WIDTH, 1, &err);
                const int fd = open(path, O_RDONLY | O_CLOEXEC);
                rc = rc ? rc : kl_store_shared_publish(store, test_header.key, path, fd, &err);
                close(fd);
            }
            if (rc) fprintf(stderr, "%s\n", err.text);
            _exit(rc != 0);
        }
    while (wait(&status) > 0) bad += status != 0;
    CHECK(bad == 0, "%d of 16 writers failed", bad);
    CHECK(which(path, 1) == 1, "after 16 writers");
    size_t broken = 1;
    int n = 0;
    CHECK(kl_store_walk(store, true, NULL, NULL, &broken, &err) == 0 && broken == 0, "%s", err.text);
    n = count_files(test_folder, ".ketline-tmp");
    CHECK(n == 0, "%d temporaries left", n);
}

/* In a child: the limit would stay. */
static void check_limit(void)
{
    char path[1024];
    int status;
    struct kl_error err = { 0 };
    in_folder(path, "limit.h5");
    CHECK(write_test_file(path, ROWS, WIDTH, 1, &err) == 0, "%s", err.text);
    struct stat s;
    CHECK(stat(path, &s) == 0, "stat");
    for (int i = 0; i <= 20; i++) { /* up to one byte less than is needed */
        rlim_t most = (rlim_t)(s.st_size - 1) * (rlim_t)i / 20;
        if (fork() == 0) {
            struct rlimit limit = { most, most };
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            int rc = write_test_file(path, ROWS, WIDTH, 2, &err);
            _exit(rc == KL_EIO && err.text[0] ? 0 : 1);
        }
        wait(&status);
        CHECK(status == 0, "limit of %ld bytes: status %d", (long)most, status);
        CHECK(which(path, 1) == 1, "limit of %ld bytes", (long)most);
    }
    CHECK(count_files(test_folder, ".ketline-tmp") == 0, "temporaries left");
}

static void check_full_disk(void)
{
    struct kl_error err = { 0 };
    char disk[1024], path[1100];
    in_folder(disk, "disk");
    mkdir(disk, 0777);
    if (mount("tmpfs", disk, "tmpfs", 0, "size=200k")) {
        fprintf(stderr, "skipped: no tmpfs can be mounted here: %s\n", strerror(errno));
        return;
    }
    snprintf(path, sizeof path, "%s/x.h5", disk);
    int rc = write_test_file(path, ROWS, WIDTH, 1, &err);
    CHECK(rc == 0, "%s", err.text);
    rc = write_test_file(path, ROWS, WIDTH, 2, &err);
    CHECK(rc == KL_EIO && strstr(err.text, "No space left"), "%d %s", rc, err.text);
    CHECK(which(path, 1) == 1, "full disk");
    CHECK(count_files(disk, NULL) == 1, "temporaries left");
    umount(disk);
}

static void check_folders(void)
{
    struct kl_error err = { 0 };
    char path[1024];
    int rc = write_test_file("/dev/full", ROWS, WIDTH, 1, &err);
    struct stat s;
    CHECK(rc == KL_EIO && strstr(err.text, "/dev/full"), "%d %s", rc, err.text);
    CHECK(stat("/dev/full", &s) == 0 && S_ISCHR(s.st_mode), "a device was replaced by a file");
    rc = write_test_file(in_folder(path, "absent/x.h5"), ROWS, WIDTH, 1, &err);
    CHECK(rc == KL_EIO && strstr(err.text, "absent"), "%d %s", rc, err.text);
    int status;
    mkdir(in_folder(path, "closed"), 0777);
    chmod(path, 0555);
    chmod(test_folder, 0755);
    if (fork() == 0) {
        if (geteuid() == 0 && setuid(65534)) /* root may write everywhere */
            _exit(77);
        rc = write_test_file(in_folder(path, "closed/x.h5"), ROWS, WIDTH, 1, &err);
        _exit(rc == KL_EIO && strstr(err.text, "closed/x.h5") && strstr(err.text, "ermission") ? 0 : 1);
    }
    wait(&status);
    CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77),
          "closed folder: %d", status);
}

static void check_modes(void)
{
    struct kl_error err = { 0 };
    char path[1024], link[1024];
    struct stat s;
    mode_t old = umask(027);
    CHECK(write_test_file(in_folder(path, "mode.h5"), ROWS, WIDTH, 1, &err) == 0, "%s", err.text);
    umask(old);
    CHECK(stat(path, &s) == 0 && (s.st_mode & 0777) == 0640 && s.st_nlink == 1, "mode %o", s.st_mode);
    CHECK(symlink("mode.h5", in_folder(link, "link.h5")) == 0, "symlink");
    CHECK(write_test_file(link, ROWS, WIDTH, 2, &err) == 0 && which(path, 2) == 2, "%s", err.text);
    CHECK(lstat(link, &s) == 0 && S_ISLNK(s.st_mode), "the link was replaced");
}

/* "-": standard output at the end, standard input at opening. */
static void check_pipe(void)
{
    struct kl_error err = { 0 };
    char path[1024];
    int ends[2], status;
    CHECK(pipe(ends) == 0, "pipe");
    if (fork() == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        _exit(write_test_file("-", ROWS, WIDTH, 4, &err) != 0);
    }
    dup2(ends[0], 0);
    close(ends[0]);
    close(ends[1]);
    CHECK(read_test_file("-", ROWS, WIDTH, 4, &err) == 0, "%s", err.text);
    wait(&status);
    CHECK(status == 0, "the writer failed");
    CHECK(access(in_folder(path, "-"), F_OK) != 0, "a file named -");
}

int main(void)
{
    make_test_folder();
    setvbuf(stdout, NULL, _IOLBF, 0);
    check_kills();
    check_concurrent();
    check_limit();
    check_full_disk();
    check_folders();
    check_modes();
    check_pipe();
    return failures != 0;
}
