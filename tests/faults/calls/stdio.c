/* SPDX-License-Identifier: MIT
   Files of the C library whose reads can fail: under FAULT_READ a file that is opened for reading reads
   through the wrapper of read. */
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

FILE *__real_fopen(const char *path, const char *mode);

static ssize_t cookie_read(void *cookie, char *data, size_t size)
{
    return read(*(const int *)cookie, data, size);
}

static int cookie_seek(void *cookie, off64_t *offset, int from)
{
    const off_t at = lseek(*(const int *)cookie, *offset, from);
    if (at >= 0) *offset = at;
    return at < 0 ? -1 : 0;
}

static int cookie_close(void *cookie)
{
    return close(*(const int *)cookie);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    static int fds[64], n; /* as many at once as no test has */
    if (fault_fails(FAULT_MEMORY)) return fault_no_memory();
    if (fault_fails(FAULT_OPEN)) return fault_no(EMFILE), NULL;
    if (!fault_counts(FAULT_READ) || *mode != 'r' || strchr(mode, '+')) return __real_fopen(path, mode);
    int *fd = &fds[n++ % 64];
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0) return NULL;
    return fopencookie(
        fd, "r",
        (cookie_io_functions_t){ .read = cookie_read, .seek = cookie_seek, .close = cookie_close });
}

int __real_ferror(FILE *file);
int __wrap_ferror(FILE *file)
{
    return fault_fails(FAULT_STREAM) ? -fault_no(ENOMEM) : __real_ferror(file);
}

/* It is closed all the same. */
int __real_fclose(FILE *file);
int __wrap_fclose(FILE *file)
{
    const int status = __real_fclose(file);
    return fault_fails(FAULT_STREAM) ? fault_no(ENOMEM) : status;
}
