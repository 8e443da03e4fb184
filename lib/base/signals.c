/* SPDX-License-Identifier: MIT
   A handler can only speak through a flag: the one variable of the library that changes. */
#include "base/base.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t pending;

static void on_signal(int number)
{
    if (pending) { /* the second one: at once */
        signal(number, SIG_DFL);
        raise(number);
    }
    pending = number;
}

void kl_signals_install(void)
{
    struct sigaction action = { .sa_handler = on_signal };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond `ulimit -f` then fails with a reason, like a full disk */
}

int kl_signals_pending(void)
{
    return pending;
}

void kl_signals_reraise(void)
{
    int number = pending;
    if (!number) return;
    signal(number, SIG_DFL);
    raise(number);
}
