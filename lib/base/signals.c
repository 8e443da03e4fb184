/* SPDX-License-Identifier: MIT
   A handler can only speak through a flag: what stands here are the library's variables that change. */
#include "base/base.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static atomic_int pending; /* threads read it as well, so no sig_atomic_t; and a handler may, as it is */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal's handler takes no lock");
static atomic_int told;         /* as whose end the tool's is to look */
static _Atomic double deadline; /* kl_clock(); 0: none */
static atomic_bool bar;         /* a line without an end stands on the terminal */
static struct kl_mapped *_Atomic mapped;
static pthread_mutex_t mapping = PTHREAD_MUTEX_INITIALIZER; /* of those who change the list */

/* The first process of a namespace, as a container's is, ignores whatever it has no handler for, so that
   raising ends it not: it takes the status by which a shell would name the signal. */
static void end_by(int number)
{
    sigset_t set;
    if (bar && write(STDERR_FILENO, "\r\033[K", 4) < 0) bar = false; /* nothing to be done about it */
    sigemptyset(&set);
    sigaddset(&set, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* within a handler it is blocked */
    raise(number);
    _exit(128 + number);
}

static void on_signal(int number)
{
    if (pending) end_by(number); /* the second one: at once */
    pending = number;
}

static void install(void (*handler)(int))
{
    struct sigaction action = { .sa_handler = handler };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void refuse_long_files(void)
{
    signal(SIGXFSZ, SIG_IGN); /* a write beyond `ulimit -f` then fails with a reason, like a full disk */
}

void kl_signals_install(void)
{
    install(on_signal);
    refuse_long_files();
}

void kl_signals_plain(void)
{
    struct sigaction now;
    if (pending) end_by(pending);
    if (getpid() == 1 || (sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler == on_signal))
        install(end_by);
    refuse_long_files();
}

void kl_signals_bar(bool drawn)
{
    bar = drawn;
}

int kl_signals_pending(void)
{
    const double at = deadline;
    return pending ? pending : at > 0 && kl_clock() > at ? SIGALRM : 0;
}

void kl_signals_deadline(double at)
{
    deadline = at;
}

void kl_signals_told(int number)
{
    told = number;
}

void kl_signals_reraise(void)
{
    if (pending || told) end_by(pending ? pending : told);
}

/* ---- files that are cut while they are read ---- */
static void on_bus(int number, siginfo_t *info, void *context)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const char *const at = info->si_addr;
    struct kl_mapped *m = mapped;
    (void)context;
    while (m && !(at >= m->from && at < m->from + m->n)) m = m->next;
    if (!m) end_by(number);
    while (atomic_flag_test_and_set(&said)) pause(); /* another thread's line ends the tool */
    if (bar && write(STDERR_FILENO, "\r\033[K", 4) < 0) bar = false;
    if (write(STDERR_FILENO, m->line, strlen(m->line)) < 0) bar = false; /* the status says it, too */
    _exit(kl_exit_status(KL_EIO));
}

void kl_signals_map(struct kl_mapped *m, const char *path)
{
    struct sigaction action = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO };
    snprintf(m->line, sizeof m->line - 1, "%.40s: %.200s: became shorter while it was read",
             program_invocation_short_name, path);
    kl_make_printable(m->line);
    strcat(m->line, "\n");
    sigemptyset(&action.sa_mask);
    pthread_mutex_lock(&mapping);
    if (!mapped) sigaction(SIGBUS, &action, NULL);
    m->next = mapped, mapped = m;
    pthread_mutex_unlock(&mapping);
}

void kl_signals_unmap(struct kl_mapped *m)
{
    pthread_mutex_lock(&mapping);
    struct kl_mapped *before = NULL, *at = mapped;
    while (at && at != m) before = at, at = at->next;
    if (at && before) before->next = m->next;
    else if (at) mapped = m->next;
    pthread_mutex_unlock(&mapping);
}
