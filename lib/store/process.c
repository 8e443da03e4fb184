/* SPDX-License-Identifier: MIT
   Who made a temporary, and is that process dead? */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/store_int.h"

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
