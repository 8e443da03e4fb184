/* SPDX-License-Identifier: MIT
   A handler can only speak through a flag: what stands here are the library's variables that change. */
#include "base/base.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int pending; /* threads read it as well, so no sig_atomic_t; and a handler may, as it is */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal's handler takes no lock");
static atomic_int told;         /* as whose end the tool's is to look */
static _Atomic double deadline; /* kl_clock(); 0: none */
static atomic_bool bar;         /* a line without an end stands on the terminal */

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
