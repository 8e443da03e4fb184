/* SPDX-License-Identifier: MIT
   Input that is spooled, whatever signals come; bytes that are published. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "store/store_int.h"
#include "store_test.h"

/* Standard input once; TMPDIR says where. */
static void check_spool(void)
{
    struct kl_error err = { 0 };
    int ends[2], fd = -1;
    char text[8] = "", *tmp = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    CHECK(pipe(ends) == 0 && write(ends[1], "abcdef", 6) == 6);
    close(ends[1]);
    setenv("TMPDIR", "", 1);
    CHECK(kl_store_spool(&fd, ends[0], 4, "a pipe", &err) == 0, "%s", err.text);
    CHECK(fd >= 0 && pread(fd, text, 8, 0) == 4 && strcmp(text, "abcd") == 0, "%s", text);
    close(fd);
    unsetenv("TMPDIR");
    CHECK(kl_store_spool(&fd, ends[0], 4, "a pipe", &err) == 0, "%s", err.text);
    close(fd);
    close(ends[0]);
    CHECK(kl_store_spool(&fd, 99, 4, "a pipe", &err) == KL_EIO && fd < 0 &&
              strstr(err.text, "a pipe: reading failed"),
          "%s", err.text);
    setenv("TMPDIR", "/nonexistent", 1);
    CHECK(kl_store_spool(&fd, 99, 4, "a pipe", &err) == KL_EIO && fd < 0 &&
              strstr(err.text, "/nonexistent: cannot make a temporary file (TMPDIR says where)"),
          "%s", err.text);
    if (tmp) setenv("TMPDIR", tmp, 1);
    else unsetenv("TMPDIR");
    free(tmp);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    CHECK(kl_store_spool(&fd, STDIN_FILENO, 4, "standard input", &err) == 0, "%s", err.text);
    close(fd);
    CHECK(kl_store_spool(&fd, STDIN_FILENO, 4, "standard input", &err) == KL_EUSAGE &&
              strstr(err.text, "standard input can be one input only"),
          "%s", err.text);
    struct kl_file *f;
    CHECK(kl_store_file_open(&f, "-", &err) == KL_EUSAGE && !f, "%s", err.text);
}

static int word; /* the child's to its parent: it has its handlers, or one of them ran */

static void say(int signal)
{
    (void)signal;
    if (write(word, "", 1) != 1) _exit(2);
}

/* The child waits for what it reads: 'S' in the third field, behind the name. */
static bool sleeps(pid_t child)
{
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)child);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file)) CHECK(false, "%s", path);
    if (file) fclose(file);
    const char *name_end = strrchr(line, ')');
    return !name_end || name_end[2] == 'S' || name_end[2] == 'Z';
}

/* Until the child has said a word, and waits. */
static void await(int words, pid_t child)
{
    char c;
    CHECK(read(words, &c, 1) == 1, "the child has ended");
    while (!sleeps(child)) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static _Noreturn void spool_of_child(int from, bool stop)
{
    struct kl_error err = { 0 };
    struct sigaction act = { .sa_handler = say };
    int fd = -1;
    alarm(60); /* rather that than a wait without end */
    sigaction(SIGUSR1, &act, NULL);
    kl_signals_install();
    say(0);
    const int rc = kl_store_spool(&fd, from, 100, "a pipe", &err);
    _exit(stop ? rc != KL_ESIGNAL || !strstr(err.text, "a pipe: stopped while it was read") : rc != 0);
}

/* A signal that is no wish to stop; then one that is. Each comes while the child waits for the pipe. */
static void check_interrupted(void)
{
    struct kl_error err = { 0 };
    int ends[2], words[2], fd = -1, status;
    for (int stop = 0; stop < 2; stop++) {
        CHECK(pipe(ends) == 0 && pipe(words) == 0);
        word = words[1];
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            close(ends[1]);
            spool_of_child(ends[0], stop);
        }
        close(words[1]);
        await(words[0], child);
        kill(child, stop ? SIGTERM : SIGUSR1);
        if (!stop) {
            await(words[0], child);
            CHECK(write(ends[1], "abc", 3) == 3);
            close(ends[1]);
        }
        waitpid(child, &status, 0); /* stopped, it sees no end of the pipe before */
        CHECK(status == 0, "%d: %d", stop, status);
        if (stop) close(ends[1]);
        close(ends[0]);
        close(words[0]);
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) { /* an endless input, which never waits */
        kl_signals_install();
        raise(SIGTERM);
        const int rc = kl_store_spool(&fd, open("/dev/zero", O_RDONLY), UINT64_MAX, "zeros", &err);
        _exit(rc != KL_ESIGNAL || !strstr(err.text, "zeros: stopped while it was read"));
    }
    waitpid(child, &status, 0);
    CHECK(status == 0, "%d", status);
}

static void check_published(void)
{
    char path[1024], link[1024], fifo[1024];
    struct kl_error err = { 0 };
    bool written;
    in_folder(path, "bytes");
    CHECK(kl_store_publish_bytes(&written, path, "abc", 3, &err) == 0 && written, "%s", err.text);
    CHECK(kl_store_publish_bytes(&written, path, "abc", 3, &err) == 0 && !written, "the same bytes");
    CHECK(kl_store_publish_bytes(&written, path, "abd", 3, &err) == 0 && written, "others");
    CHECK(kl_store_publish_bytes(&written, path, "abdc", 4, &err) == 0 && written, "more");
    CHECK(kl_store_publish_bytes(&written, test_folder, "abc", 3, &err) == KL_EIO && !written &&
              strstr(err.text, "is a folder; name a file in it"),
          "%s", err.text);
    CHECK(kl_store_publish_bytes(&written, "/nonexistent/a", "abc", 3, &err) == KL_EIO && !written &&
              strstr(err.text, "its folder does not exist; make it first"),
          "%s", err.text);
    CHECK(kl_store_publish_bytes(&written, "/dev/null", "abc", 3, &err) == 0 && written, "%s", err.text);
    CHECK(kl_store_publish_bytes(&written, "/dev/full", "abc", 3, &err) == KL_EIO && !written, "%s",
          err.text);
    CHECK(symlink("nowhere/x", in_folder(link, "dangling")) == 0);
    CHECK(kl_store_publish_bytes(&written, link, "abc", 3, &err) == 0 && written, "%s", err.text);
    CHECK(mkfifo(in_folder(fifo, "fifo"), 0600) == 0);
    CHECK(kl_store_publish_bytes(&written, "/dev/fd/99", "abc", 3, &err) != 0 && !written, "%s",
          err.text);
    CHECK(count_files(test_folder, ".ketline-tmp") == 0);
}

int main(void)
{
    make_test_folder();
    check_spool();
    check_interrupted();
    check_published();
    return failures != 0;
}
