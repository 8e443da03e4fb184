/* SPDX-License-Identifier: MIT
   How ranks meet: each listens, leaves a file that says where, and calls the lower ranks that it will
   exchange with. A caller shows the number that stands in the file, so that neither a stale file nor a
   stranger passes for a rank. */
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/store.h"
#include "train/ranks.h"

enum { NONCE = 32, TEXT = 4096, HOST = 256 };
static const char magic[] = "ketline rank 1";
/* A caller's message; the answer is 'y', or a letter for the reason why not. */
struct hello {
    char magic[16], nonce[NONCE], key[64];
    uint64_t index, count;
};
enum { YES = 'y', OTHER_KEY = 'k', OTHER_COUNT = 'c' };

struct meeting {
    struct kl_ranks *ranks;
    const char *output, *key;
    char nonce[NONCE + 1], host[HOST];
    char *path; /* of this rank's file */
    int listener;
    double until;
};

static int open_listener(struct meeting *m, uint16_t *port, struct kl_error *err)
{
    struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_addr = in6addr_any };
    struct sockaddr_in at4 = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY) };
    struct sockaddr_storage got;
    socklen_t size = sizeof got;
    const int off = 0;
    m->listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool six = m->listener >= 0 &&
                     !setsockopt(m->listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) &&
                     !bind(m->listener, (struct sockaddr *)&at, sizeof at);
    if (!six) { /* a machine without IPv6 */
        if (m->listener >= 0) close(m->listener);
        m->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (m->listener < 0 || bind(m->listener, (struct sockaddr *)&at4, sizeof at4))
            return kl_fail_errno(err, KL_EIO, "--ranks: no socket to listen on");
    }
    if (listen(m->listener, 64) || getsockname(m->listener, (struct sockaddr *)&got, &size))
        return kl_fail_errno(err, KL_EIO, "--ranks: no socket to listen on");
    *port = ntohs(got.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&got)->sin6_port
                                            : ((struct sockaddr_in *)&got)->sin_port);
    return KL_OK;
}

/* Addresses of this machine that others may reach, one a line. */
static void list_addresses(FILE *to)
{
    struct ifaddrs *all = NULL;
    char host[NI_MAXHOST];
    if (getifaddrs(&all)) return;
    for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
        if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) || a->ifa_flags & IFF_LOOPBACK) continue;
        const int family = a->ifa_addr->sa_family;
        const socklen_t size =
            family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
        if (family != AF_INET && family != AF_INET6) continue;
        if (family == AF_INET6 &&
            IN6_IS_ADDR_LINKLOCAL(&((struct sockaddr_in6 *)a->ifa_addr)->sin6_addr))
            continue;
        if (!getnameinfo(a->ifa_addr, size, host, sizeof host, NULL, 0, NI_NUMERICHOST))
            fprintf(to, "%s\n", host);
    }
    freeifaddrs(all);
}

static int rank_path(char **path, const char *output, size_t index, struct kl_error *err)
{
    const char *name = strrchr(output, '/');
    name = name ? name + 1 : output;
    if (asprintf(path, "%.*s.%s.rank%zu", (int)(name - output), output, name, index) >= 0) return KL_OK;
    *path = NULL;
    return kl_fail_memory(err, strlen(output));
}

/* The file appears whole: it is written under another name first. */
static int leave_file(struct meeting *m, uint16_t port, struct kl_error *err)
{
    char *part = NULL;
    int code = KL_OK;
    if (asprintf(&part, "%s.%ld", m->path, (long)getpid()) < 0) return kl_fail_memory(err, TEXT);
    const int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!to) code = kl_fail_errno(err, KL_EIO, "%s: cannot be written", part);
    else {
        fprintf(to, "%s\n%s\n%u\n%s\n", magic, m->nonce, (unsigned)port, m->host);
        list_addresses(to);
        fprintf(to, "end\n");
        const bool bad = ferror(to) != 0;
        if (fclose(to) || bad || rename(part, m->path))
            code = kl_fail_errno(err, KL_EIO, "%s: cannot be written", m->path);
        if (code) unlink(part);
    }
    free(part);
    return code;
}

static bool all_of(int fd, void *bytes, size_t n, bool out, double until)
{
    char *at = bytes;
    while (n) {
        const ssize_t k =
            out ? send(fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT) : recv(fd, at, n, MSG_DONTWAIT);
        if (k > 0) at += k, n -= (size_t)k;
        else if (k == 0 || (errno != EAGAIN && errno != EINTR)) return false;
        struct pollfd wait = { .fd = fd, .events = out ? POLLOUT : POLLIN };
        if (k < 0 && (kl_clock() > until || kl_signals_pending() || poll(&wait, 1, 200) < 0)) {
            if (errno != EINTR || kl_clock() > until || kl_signals_pending()) return false;
        }
    }
    return true;
}

static void set_up(int fd)
{
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

static int call(const char *host, const char *port)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                    .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
    struct addrinfo *to = NULL;
    if (getaddrinfo(host, port, &hints, &to)) return -1;
    const int fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct pollfd wait = { .fd = fd, .events = POLLOUT };
    int failed = 0;
    socklen_t size = sizeof failed;
    const bool ok = fd >= 0 && (!connect(fd, to->ai_addr, to->ai_addrlen) ||
                                (errno == EINPROGRESS && poll(&wait, 1, 3000) == 1 &&
                                 !getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size) && !failed));
    freeaddrinfo(to);
    if (!ok && fd >= 0) close(fd);
    return ok ? fd : -1;
}

/* The lines of another rank's file, if it is whole: line[0] the number, [1] the port, [2] the host, then
 * addresses. */
enum { LINES = 64 };
static int read_file(char text[TEXT], char *line[LINES], const char *path)
{
    FILE *from = fopen(path, "re");
    if (!from) return 0;
    const size_t n = fread(text, 1, TEXT - 1, from);
    int count = 0;
    fclose(from);
    text[n] = 0;
    const char *first = strtok(text, "\n");
    if (!first || strcmp(first, magic) != 0) return 0;
    while (count < LINES && (line[count] = strtok(NULL, "\n"))) count++;
    return count >= 4 && strlen(line[0]) == NONCE && strcmp(line[count - 1], "end") == 0 ? count - 1 : 0;
}

/* Call the rank whose file stands at path and say hello; -1: not now. */
static int reach(const struct meeting *m, const char *path)
{
    char text[TEXT], *line[LINES];
    const int n = read_file(text, line, path);
    int fd = -1;
    if (!n) return -1;
    if (strcmp(line[2], m->host) == 0) fd = call("127.0.0.1", line[1]);
    for (int k = 3; k < n && fd < 0; k++) fd = call(line[k], line[1]);
    if (fd < 0) return -1;
    struct hello hello = { .index = m->ranks->index, .count = m->ranks->count };
    memcpy(hello.magic, magic, sizeof magic);
    memcpy(hello.nonce, line[0], NONCE);
    memcpy(hello.key, m->key, sizeof hello.key);
    set_up(fd);
    if (all_of(fd, &hello, sizeof hello, true, m->until)) return fd;
    close(fd);
    return -1;
}

static int give_up(const struct meeting *m, size_t rank, struct kl_error *err)
{
    if (kl_signals_pending())
        return kl_fail(err, KL_ESIGNAL, "stopped while waiting for rank %zu", rank);
    return kl_fail(err, KL_EDEVICE,
                   "--ranks: rank %zu of %zu has not come; all ranks need one output's folder, and a "
                   "network between them",
                   rank, m->ranks->count);
}

static void pause_a_moment(void)
{
    poll(NULL, 0, 20);
}

/* The answer of rank `rank` to the hello. */
static int hear(const struct meeting *m, int fd, size_t rank, bool *again, struct kl_error *err)
{
    char answer = 0;
    *again = !all_of(fd, &answer, 1, false, m->until);
    if (*again || answer == YES) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   answer == OTHER_KEY ? "--ranks: rank %zu trains something else: all ranks need the "
                                         "same options, inputs and version"
                                       : "--ranks: rank %zu is one of another number of ranks",
                   rank);
}

/* One caller: -1: a stranger. */
static int welcome(const struct meeting *m, int fd, int *level, struct kl_error *err)
{
    struct hello hello;
    const struct kl_ranks *r = m->ranks;
    *level = -1;
    set_up(fd);
    if (!all_of(fd, &hello, sizeof hello, false, kl_clock() + 10)) return KL_OK;
    if (memcmp(hello.magic, magic, sizeof magic) != 0 || memcmp(hello.nonce, m->nonce, NONCE) != 0)
        return KL_OK;
    char answer = memcmp(hello.key, m->key, sizeof hello.key) != 0 ? OTHER_KEY
                  : hello.count != r->count                        ? OTHER_COUNT
                                                                   : YES;
    all_of(fd, &answer, 1, true, m->until);
    if (answer != YES)
        return kl_fail(err, KL_EUSAGE, "--ranks: rank %llu %s", (unsigned long long)hello.index,
                       answer == OTHER_KEY
                           ? "trains something else: all ranks need the same options, inputs and version"
                           : "is one of another number of ranks");
    for (int l = 0; l < r->levels; l++)
        if ((r->index ^ (size_t)1 << l) == hello.index && hello.index > r->index) *level = l;
    return KL_OK;
}

/* All that will call this rank. */
static int receive(struct meeting *m, struct kl_error *err)
{
    struct kl_ranks *r = m->ranks;
    for (;;) {
        int missing = -1, level, code = KL_OK;
        for (int l = 0; l < r->levels; l++)
            if (!(r->index & (size_t)1 << l) && r->peer[l] < 0) missing = l;
        if (missing < 0) return KL_OK;
        struct pollfd wait = { .fd = m->listener, .events = POLLIN };
        const int fd = poll(&wait, 1, 100) == 1 ? accept4(m->listener, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (fd < 0) {
            if (kl_clock() > m->until || kl_signals_pending())
                return give_up(m, r->index | (size_t)1 << missing, err);
            continue;
        }
        code = welcome(m, fd, &level, err);
        if (level >= 0 && r->peer[level] < 0) r->peer[level] = fd;
        else close(fd);
        if (code) return code;
    }
}

/* A call that ends without an answer went to a rank that has died since, or to a stale file. */
static int call_lower(struct meeting *m, int level, struct kl_error *err)
{
    const size_t rank = m->ranks->index ^ (size_t)1 << level;
    char *path = NULL;
    bool again = true;
    int fd = -1, code = rank_path(&path, m->output, rank, err);
    while (!code && again) {
        fd = reach(m, path);
        if (fd >= 0) code = hear(m, fd, rank, &again, err);
        if (fd >= 0 && (code || again)) close(fd), fd = -1;
        if (!code && again && (kl_clock() > m->until || kl_signals_pending()))
            code = give_up(m, rank, err);
        if (!code && again) pause_a_moment();
    }
    free(path);
    m->ranks->peer[level] = fd;
    return code;
}

static int meet(struct meeting *m, struct kl_error *err)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char random[NONCE / 2];
    uint16_t port = 0;
    struct kl_ranks *r = m->ranks;
    int code = rank_path(&m->path, m->output, r->index, err);
    if (code) return code;
    if (gethostname(m->host, sizeof m->host - 1)) snprintf(m->host, sizeof m->host, "unknown");
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return kl_fail_errno(err, KL_EIO, "no random number");
    for (size_t i = 0; i < NONCE; i++) m->nonce[i] = digits[random[i / 2] >> 4 * (i & 1) & 15];
    code = open_listener(m, &port, err);
    if (!code) code = leave_file(m, port, err);
    /* From the top down: the rank called has, by then, only lower ones to call, so there is no circle.
     */
    for (int l = r->levels - 1; l >= 0 && !code; l--)
        if (r->index & (size_t)1 << l) code = call_lower(m, l, err);
    if (!code) code = receive(m, err);
    return code;
}

int kl_train_ranks_open(struct kl_ranks **ranks, const struct kl_shard *place, const char *output,
                        const char key[65], double patience, struct kl_error *err)
{
    struct kl_ranks *r = calloc(1, sizeof *r);
    *ranks = r;
    if (!r) return kl_fail_memory(err, sizeof *r);
    r->index = place->index, r->count = place->count;
    while ((size_t)1 << r->levels < r->count) r->levels++;
    for (int l = 0; l < r->levels; l++) r->peer[l] = -1;
    struct meeting m = {
        .ranks = r, .output = output, .key = key, .listener = -1, .until = kl_clock() + patience
    };
    const int code = meet(&m, err);
    if (m.listener >= 0) close(m.listener);
    if (m.path) unlink(m.path);
    free(m.path);
    return code;
}
