/* SPDX-License-Identifier: MIT
   The mains of the fuzz targets. Without KL_FUZZ: each file of tests/fuzz/NAME/, NAME being the
   program's; those named bad-* must be refused, all others be read. Each may take two seconds of
   processor time. */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/fuzz/frame/fuzz.h"

enum { SECONDS = 2, MOST = 1 << 20 };

void need(bool holds, const char *what, const char *found)
{
    if (holds) return;
    fprintf(stderr, "%s: %s\n", what, found);
    abort();
}

void need_refusal(int found, int code, int other, const struct kl_error *err)
{
    need(found == code || found == other || !code, "another code than expected", err->text);
    need(err->code == found && err->text[0], "no error text", err->text);
    for (const char *c = err->text; *c; c++)
        need(!kl_control_length(c), "an error with control characters", err->text);
}

void fuzz_file_make(struct fuzz_file *file, const void *data, size_t n)
{
    file->fd = memfd_create("fuzz", MFD_CLOEXEC);
    need(file->fd >= 0 && write(file->fd, data, n) == (ssize_t)n, "no file in memory", strerror(errno));
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
}

void fuzz_file_free(struct fuzz_file *file)
{
    close(file->fd);
}

static char folder[256];

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
    (void)s, (void)type, (void)ftw;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void)
{
    const char *tmp = getenv("TMPDIR");
    if (*folder) return folder;
    snprintf(folder, sizeof folder, "%s/ketline-fuzz-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    need(mkdtemp(folder) != NULL, "cannot be made", folder);
    atexit(remove_folder);
    return folder;
}

void fuzz_write(const char *path, const void *data, size_t n)
{
    FILE *file = fopen(path, "wbe");
    need(file && fwrite(data, 1, n, file) == n && fclose(file) == 0, "cannot be written", path);
}

char *fuzz_text(const unsigned char *data, size_t n)
{
    char *text = malloc(n + 1);
    need(text != NULL, "no memory", "");
    if (n) memcpy(text, data, n);
    text[n] = 0;
    return text;
}

static void too_long(int signal)
{
    static const char words[] = "more than two seconds\n";
    (void)signal;
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) abort();
    abort();
}

/* Of processor time, so that a busy machine makes no difference. */
static void limit(int seconds)
{
    const struct itimerval most = { .it_value.tv_sec = seconds };
    signal(SIGPROF, too_long);
    setitimer(ITIMER_PROF, &most, NULL);
}

#ifdef KL_FUZZ
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    limit(SECONDS);
    fuzz(data, size);
    return 0;
}
#else
static int replay(const char *corpus, const char *name)
{
    static unsigned char data[MOST];
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", corpus, name);
    FILE *file = fopen(path, "re");
    need(file != NULL, "cannot be opened", path);
    const size_t n = fread(data, 1, sizeof data, file);
    fclose(file);
    unsigned char *copy = malloc(n + !n);
    need(copy != NULL, "no memory", path);
    memcpy(copy, data, n);
    fprintf(stderr, "%s\n", path); /* the last line before an abort says which */
    limit(SECONDS);
    const bool expected = strncmp(name, "bad-", 4) != 0, found = fuzz(copy, n);
    limit(0);
    free(copy);
    if (found == expected) return 0;
    fprintf(stderr, "%s: %s\n", path, expected ? "refused" : "read");
    return 1;
}

int main(void)
{
    int failures = 0, files = 0;
    const char *folder = getenv("CORPUS");
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "build/corpus", program_invocation_short_name);
    DIR *corpus = opendir(path);
    need(corpus != NULL, "cannot be opened", path);
    for (const struct dirent *entry; (entry = readdir(corpus));)
        if (entry->d_name[0] != '.') failures += replay(path, entry->d_name), files++;
    closedir(corpus);
    printf("%d files\n", files);
    if (files < fuzz_corpus) fprintf(stderr, "%s: %d files, expected %d\n", path, files, fuzz_corpus);
    return failures || files < fuzz_corpus;
}
#endif
