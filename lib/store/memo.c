/* SPDX-License-Identifier: MIT
   What was once computed of a file is remembered under $XDG_CACHE_HOME/ketline (or ~/.cache/ketline):
   one small file an entry, replaced by rename, with a digest of itself. A missing, damaged or unwritable
   cache only costs time. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/store_int.h"

enum { RACY_SECONDS = 2, MEMO_BYTES = 2048 };

static bool memo_folder(char path[1024])
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (xdg && *xdg == '/') n = snprintf(path, 1024, "%s/ketline", xdg);
    else if (home && *home == '/') n = snprintf(path, 1024, "%s/.cache/ketline", home);
    return n > 0 && n < 900;
}

static bool memo_path(char path[1200], const char *purpose, const char *slot)
{
    char folder[1024], text[512], hex[33];
    unsigned char digest[16];
    if (!memo_folder(folder)) return false;
    int n = snprintf(text, sizeof text, "%s %s", purpose, slot);
    kl_xxh128(digest, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
    kl_store_hex(hex, digest, 16);
    snprintf(path, 1200, "%s/%s", folder, hex);
    return true;
}

/* The whole entry: a heading that names what it is of, the value, a digest. */
static int memo_text(char text[MEMO_BYTES], const char *purpose, const char *slot, const char *identity,
                     const char *value)
{
    unsigned char digest[16];
    char hex[33];
    int n = snprintf(text, MEMO_BYTES - 40, "ketline memo 1\n%s %s %s\n%s\n", purpose, slot, identity,
                     value);
    if (n < 0 || n >= MEMO_BYTES - 40) return -1;
    kl_xxh128(digest, text, (size_t)n);
    kl_store_hex(hex, digest, 16);
    return n + snprintf(text + n, 40, "%s\n", hex);
}

bool kl_store_memo_get(const char *purpose, const char *slot, const char *identity, char *value,
                       size_t room)
{
    char path[1200], expected[MEMO_BYTES], heading[1024];
    bool found = false;
    int n = snprintf(heading, sizeof heading, "ketline memo 1\n%s %s %s\n", purpose, slot, identity);
    char *text = memo_path(path, purpose, slot) ? kl_store_read_small(path, MEMO_BYTES, NULL) : NULL;
    if (text && n < (int)sizeof heading && strncmp(text, heading, (size_t)n) == 0) {
        char *end = strchr(text + n, '\n');
        size_t length = end ? (size_t)(end - text - n) : room;
        if (length < room) {
            memcpy(value, text + n, length);
            value[length] = 0;
            found =
                memo_text(expected, purpose, slot, identity, value) > 0 && strcmp(expected, text) == 0;
        }
    }
    free(text);
    return found;
}

void kl_store_memo_put(const char *purpose, const char *slot, const char *identity, const char *value)
{
    char path[1200], folder[1024], temporary[1300], text[MEMO_BYTES], tag[64];
    int n = memo_text(text, purpose, slot, identity, value);
    if (n < 0 || !memo_folder(folder) || !memo_path(path, purpose, slot) ||
        kl_store_make_folders(folder))
        return;
    kl_store_process_tag(tag);
    snprintf(temporary, sizeof temporary, "%s.%s.%p", path, tag,
             (void *)text); /* two threads have two stacks */
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return;
    bool fine = write(fd, text, (size_t)n) == n;
    fine = close(fd) == 0 && fine;
    if (!fine || rename(temporary, path)) unlink(temporary);
}

void kl_store_stat_slot(char slot[64], const struct stat *s)
{
    snprintf(slot, 64, "%llx:%llx", (unsigned long long)s->st_dev, (unsigned long long)s->st_ino);
}

void kl_store_stat_identity(char identity[128], const struct stat *s)
{
    snprintf(identity, 128, "%lld %lld.%09ld %lld.%09ld", (long long)s->st_size,
             (long long)s->st_mtim.tv_sec, s->st_mtim.tv_nsec, (long long)s->st_ctim.tv_sec,
             s->st_ctim.tv_nsec);
}

/* A file changed a moment ago could change again without a new time. Such a file is not remembered. */
bool kl_store_stat_settled(const struct stat *s)
{
    time_t now = time(NULL);
    return now - s->st_mtim.tv_sec > RACY_SECONDS && now - s->st_ctim.tv_sec > RACY_SECONDS;
}

bool kl_store_input_remembered(const char *path, const char *words)
{
    struct stat s;
    char slot[64], identity[128], value[8];
    if (stat(path, &s)) return false;
    kl_store_stat_slot(slot, &s);
    kl_store_stat_identity(identity, &s);
    return kl_store_memo_get(words, slot, identity, value, sizeof value);
}

void kl_store_input_remember(const char *path, const char *words)
{
    struct stat s;
    char slot[64], identity[128];
    if (stat(path, &s) || !kl_store_stat_settled(&s)) return;
    kl_store_stat_slot(slot, &s);
    kl_store_stat_identity(identity, &s);
    kl_store_memo_put(words, slot, identity, "yes");
}
