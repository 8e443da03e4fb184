/* SPDX-License-Identifier: MIT
   Whole files from one store into another. Both may be in use meanwhile: names are keys and never
   change, so what is there already is left, and a file appears complete or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/housekeeping.h"
#include "store/store_int.h"

/* ---- places that rclone knows, as NAME:PATH ---- */
/* One process a file; its own messages go where ours do. */
struct kl_rclone {
    pid_t child;
    int fd; /* what it says, to be read; -1 */
    const char *what;
};

enum { MOST_WORDS = 16, ABSENT = 127 };

bool kl_store_is_remote(const char *place)
{
    const size_t n = strcspn(place, ":/");
    return n > 0 && place[n] == ':' && access(place, F_OK) != 0;
}

/* `rclone WORD...`, the words ending with NULL. KL_ENOINPUT: there is no rclone. */
static int rclone_start(struct kl_rclone *r, const char *const *words, struct kl_error *err)
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

/* Its exit status in *status. KL_EIO: it did not end by itself. */
static int rclone_end(struct kl_rclone *r, int *status, struct kl_error *err)
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

/* ---- from store to store ---- */
enum { NAME = 69 }; /* "ab/cdef....h5" with its NUL */

struct transfer {
    struct kl_transfer *t;
    const char *from, *to;
    char (*names)[NAME]; /* sorted: what the remote store has */
    size_t n_names;
    struct kl_error err;
};

static void key_of(char key[65], const char name[NAME])
{
    snprintf(key, 65, "%.2s%.62s", name, name + 3);
}

static int by_name(const void *x, const void *y)
{
    return strcmp(x, y);
}

static bool is_there(const struct transfer *w, const char name[NAME])
{
    char key[65], path[4200];
    if (w->names) return bsearch(name, w->names, w->n_names, NAME, by_name) != NULL;
    key_of(key, name);
    snprintf(path, sizeof path, "%.4000s/%s", w->to, name);
    return access(path, F_OK) == 0 && kl_store_is_up_to_date(path, key);
}

/* The bytes of a file into the local store at w->to, where they are checked before they appear. */
static int take(struct transfer *w, const char name[NAME], const char *from, int fd,
                struct kl_error *err)
{
    char key[65];
    key_of(key, name);
    return kl_store_shared_put(w->to, key, from, fd, err);
}

/* Was a word of rclone's obeyed? */
static int obeyed(struct kl_rclone *r, const char *place, struct kl_error *err)
{
    int status = 0, code = rclone_end(r, &status, err);
    if (kl_signals_pending()) return kl_fail(err, KL_ESIGNAL, "stopped"); /* and so was rclone */
    if (!code && status)
        code = kl_fail(err, KL_EIO, "%s: rclone %s ended with status %d", place, r->what, status);
    return code;
}

static int verify(const char *path, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int code = kl_store_file_open(&file, path, err);
    if (!code) code = kl_store_file_verify(file, NULL, err);
    kl_store_file_close(&file);
    return code;
}

static int obey(const char *const *words, const char *place, struct kl_error *err)
{
    struct kl_rclone r;
    int code = rclone_start(&r, words, err);
    return code ? code : obeyed(&r, place, err);
}

/* To the remote store. rclone leaves nothing under the name before all of it is there. */
static int send(const struct transfer *w, const char name[NAME], const char *path, struct kl_error *err)
{
    char to[4200];
    snprintf(to, sizeof to, "%.4000s/%s", w->to, name);
    const char *const words[] = { "copyto", "-q", "--ignore-existing", path, to, NULL };
    int code = verify(path, err);
    return code ? code : obey(words, to, err);
}

static void tell(struct transfer *w, const char *path, enum kl_transferred what, const char *why)
{
    w->t->n[what]++;
    if (w->t->each) w->t->each(w->t->context, path, what, why);
}

static int copy(struct transfer *w, const char name[NAME], const char *path, struct kl_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return kl_fail_errno(err, KL_EIO, "%s", path);
    int code = take(w, name, path, fd, err);
    close(fd);
    return code;
}

/* One file of the local store at w->from. Damaged ones stay where they are. */
static int push_one(void *context, const struct kl_found *found)
{
    struct transfer *w = context;
    const char *path = found->path;
    struct kl_error why = { 0 };
    if (!kl_store_has_shared_name(path)) return 0;
    const char *name = path + strlen(path) - (NAME - 1);
    if (kl_signals_pending()) return w->err.code = kl_fail(&w->err, KL_ESIGNAL, "stopped");
    if (!found->code && is_there(w, name)) {
        tell(w, path, KL_WAS_THERE, "");
        return 0;
    }
    int code = found->code;
    if (!code) code = w->names ? send(w, name, path, &why) : copy(w, name, path, &why);
    if (code == KL_EDATA) {
        tell(w, path, KL_REFUSED, found->code ? found->problem : why.text);
        return 0;
    }
    if (code) kl_fail(&w->err, code, "%s", found->code ? found->problem : why.text);
    else tell(w, path, KL_COPIED, "");
    return code;
}

/* Lines of names; others are nobody's business here. */
static int read_names(struct transfer *w, int fd, const char *place, struct kl_error *err)
{
    FILE *lines = fdopen(dup(fd), "r");
    char line[4200];
    size_t room = 0;
    if (!lines) return kl_fail_errno(err, KL_EIO, "%s", place);
    int code = KL_OK;
    while (!code && fgets(line, sizeof line, lines)) {
        line[strcspn(line, "\n")] = '\0';
        char path[4300];
        snprintf(path, sizeof path, "/%s", line);
        if (strlen(line) != NAME - 1 || !kl_store_has_shared_name(path)) continue;
        if (w->n_names == room) {
            char(*more)[NAME] = realloc(w->names, (room = 2 * room + 64) * NAME);
            if (!more) code = kl_fail_memory(err, room * NAME);
            else w->names = more;
        }
        if (!code) memcpy(w->names[w->n_names++], line, NAME);
    }
    fclose(lines);
    if (w->n_names) qsort(w->names, w->n_names, NAME, by_name);
    return code;
}

/* List the files of a remote store. */
static int list_remote(struct transfer *w, const char *remote, struct kl_error *err)
{
    const char *const words[] = { "lsf", "-q", "-R", "--files-only", remote, NULL };
    struct kl_rclone r;
    int code = rclone_start(&r, words, err);
    if (code) return code;
    if (!(w->names = malloc(NAME))) code = kl_fail_memory(err, NAME);
    if (!code) code = read_names(w, r.fd, remote, err);
    const int ended = obeyed(&r, remote, code ? NULL : err);
    return code ? code : ended;
}

static int make_remote(const char *remote, struct kl_error *err)
{
    const char *const words[] = { "mkdir", "-q", remote, NULL };
    return obey(words, remote, err);
}

/* One file of the remote store at w->from, through rclone's output into a temporary. */
static int fetch(struct transfer *w, const char name[NAME], struct kl_error *err)
{
    char from[4200];
    struct kl_rclone r;
    snprintf(from, sizeof from, "%.4000s/%s", w->from, name);
    const char *const words[] = { "cat", "-q", from, NULL };
    int code = rclone_start(&r, words, err);
    if (code) return code;
    struct kl_error why = { 0 };
    code = take(w, name, from, r.fd, &why);
    const int ended = obeyed(&r, from, code ? NULL : err);
    if (code == KL_EDATA && !ended) {
        tell(w, from, KL_REFUSED, why.text);
        return KL_OK;
    }
    if (!code && ended) return ended;
    if (code) return kl_fail(err, code, "%s", why.text);
    tell(w, from, KL_COPIED, "");
    return KL_OK;
}

static int pull_all(struct transfer *w, struct kl_error *err)
{
    char(*names)[NAME] = w->names, path[4200];
    int code = KL_OK;
    w->names = NULL; /* is_there looks in the local store */
    for (size_t i = 0; i < w->n_names && !code; i++) {
        if (kl_signals_pending()) code = kl_fail(err, KL_ESIGNAL, "stopped");
        else if (is_there(w, names[i])) {
            snprintf(path, sizeof path, "%.4000s/%s", w->from, names[i]);
            tell(w, path, KL_WAS_THERE, "");
        } else code = fetch(w, names[i], err);
    }
    free(names);
    return code;
}

int kl_store_transfer(struct kl_transfer *t, const char *from, const char *to, struct kl_error *err)
{
    struct transfer w = { .t = t, .from = from, .to = to };
    if (kl_store_is_remote(from) && kl_store_is_remote(to))
        return kl_fail(err, KL_EUSAGE, "%s, %s: one of the two must be a folder here", from, to);
    int code = KL_OK;
    if (kl_store_is_remote(from)) {
        code = list_remote(&w, from, err);
        if (!code) return pull_all(&w, err);
    } else {
        if (kl_store_is_remote(to)) code = make_remote(to, err);
        if (!code && kl_store_is_remote(to)) code = list_remote(&w, to, err);
        if (!code) code = kl_store_walk(from, false, push_one, &w, NULL, err);
        if (!code && w.err.code) code = kl_fail(err, w.err.code, "%s", w.err.text);
    }
    free(w.names);
    return code;
}
