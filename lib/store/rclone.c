/* SPDX-License-Identifier: MIT
   Places that rclone knows, as NAME:PATH. */
#include "store/rclone.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 16, ABSENT = 127 };

bool kl_store_is_remote(const char *place)
{
    const size_t n = strcspn(place, ":/");
    return n > 0 && place[n] == ':' && access(place, F_OK) != 0;
}

int kl_store_rclone_start(struct kl_rclone *r, const char *const *words, struct kl_error *err)
{
    char *argv[MOST_WORDS] = { "rclone" };
    int ends[2];
    *r = (struct kl_rclone){ .fd = -1, .what = words[0] };
    for (int i = 0; i + 2 < MOST_WORDS && words[i]; i++) argv[i + 1] = (char *)words[i];
    if (pipe2(ends, O_CLOEXEC)) return kl_fail_errno(err, KL_EIO, "rclone: no pipe");
    r->child = fork();
    if (r->child == 0) {
        const int nothing = open("/dev/null", O_RDONLY);
        if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(ends[1], 1) < 0) _exit(ABSENT);
        execvp(argv[0], argv);
        _exit(ABSENT);
    }
    close(ends[1]);
    if (r->child > 0) {
        r->fd = ends[0];
        return KL_OK;
    }
    kl_fail_errno(err, KL_EIO, "rclone: cannot be started");
    close(ends[0]);
    return err ? err->code : KL_EIO;
}

int kl_store_rclone_end(struct kl_rclone *r, int *status, struct kl_error *err)
{
    int ended = 0;
    if (r->fd >= 0) close(r->fd);
    r->fd = -1;
    for (pid_t done = 0; done != r->child;) { /* who stops us need not have stopped it */
        if (kl_signals_pending()) kill(r->child, SIGTERM);
        done = waitpid(r->child, &ended, 0);
        if (done < 0 && errno != EINTR) return kl_fail_errno(err, KL_EIO, "rclone %s", r->what);
    }
    if (!WIFEXITED(ended))
        return kl_fail(err, KL_EIO, "rclone %s: stopped by signal %d", r->what, WTERMSIG(ended));
    *status = WEXITSTATUS(ended);
    if (*status == ABSENT)
        return kl_fail(err, KL_ENOINPUT,
                       "rclone: not found; install it, or give a folder (a mounted one, for instance)");
    return KL_OK;
}
