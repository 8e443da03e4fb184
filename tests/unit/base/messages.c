/* SPDX-License-Identifier: MIT
   Errors in words, messages by level, exit status, progress in each mode, signals seen by a watch. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "base_test.h"

static void errors(void)
{
    static const struct {
        int code, status;
    } table[] = {
        { KL_OK, 0 },         { KL_ENO, 1 },  { KL_EUSAGE, 2 },  { KL_EDATA, 65 },   { KL_ENOINPUT, 66 },
        { KL_EINTERNAL, 70 }, { KL_EIO, 74 }, { KL_ENOMEM, 75 }, { KL_EDEVICE, 75 }, { -12345, 70 },
    };
    struct kl_error err = { 0 };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        CHECK(kl_exit_status(table[i].code) == table[i].status, "code %d: status %d", table[i].code,
              kl_exit_status(table[i].code));
    CHECK(kl_fail(&err, KL_EDATA, "%s: found %d", "f.h5", 3) == KL_EDATA && err.code == KL_EDATA, "%d",
          err.code);
    CHECK(strcmp(err.text, "f.h5: found 3") == 0, "%s", err.text);
    errno = EACCES;
    CHECK(kl_fail_errno(&err, KL_EIO, "out") == KL_EIO && errno == EACCES, "errno %d", errno);
    CHECK(strcmp(err.text, "out: Permission denied") == 0, "%s", err.text);
    errno = ENOMEM;
    CHECK(kl_fail_errno(&err, KL_EIO, "out") == KL_ENOMEM && err.code == KL_ENOMEM,
          "ENOMEM is no memory");
    CHECK(kl_fail_memory(&err, 4096) == KL_ENOMEM && strstr(err.text, "4096 bytes"), "%s", err.text);
    CHECK(kl_fail(NULL, KL_EIO, "x") == KL_EIO && kl_fail_errno(NULL, KL_EIO, "x") != 0,
          "err may be NULL");
    kl_fail(&err, KL_EDATA, "a\nb\x1b[2J \x7f \xc2\x9b \xc2\xa0 \xe2\x82\xac \xc2");
    CHECK(strcmp(err.text, "a?b?[2J ? ?? \xc2\xa0 \xe2\x82\xac \xc2") == 0, "%s", err.text);
    char *longer = malloc(5000);
    if (!longer) exit(1);
    memset(longer, 'x', 4999);
    longer[4999] = '\0';
    errno = EACCES;
    kl_fail_errno(&err, KL_EIO, "%s", longer);
    CHECK(strlen(err.text) == sizeof err.text - 1, "cut to %zu", strlen(err.text));
    free(longer);
}

static void notes(void)
{
    char *text = NULL;
    size_t n = 0;
    struct kl_log log = { "tool", open_memstream(&text, &n), 1, NULL };
    struct kl_error err = { .code = KL_EDATA, .text = "a: b" },
                    stopped = { .code = KL_ESIGNAL, .text = "stopped" };
    kl_note(&log, 0, "always %d", 1);
    kl_note(&log, 1, "normally");
    kl_note(&log, 2, "verbosely");
    kl_note(NULL, 0, "nowhere");
    CHECK(kl_report(&log, &err) == 65, "status of a report");
    kl_report(&log, &stopped);
    fclose(log.to);
    CHECK(strcmp(text, "tool: always 1\ntool: normally\ntool: a: b\n") == 0, "%s", text);
    free(text);
}

/* Said as notes are, or not; kept in any case, each once. */
static void cautions(void)
{
    char *text = NULL, *json = NULL;
    size_t n = 0;
    struct kl_cautions kept = { 0 };
    struct kl_log log = { "tool", open_memstream(&text, &n), 1, &kept }, quiet = log;
    struct kl_error err;
    quiet.level = 0;
    kl_caution(&log, "%d of %d", 3, 4);
    kl_caution(&quiet, "a line\nand its end");
    kl_caution(&log, "%d of %d", 3, 4);
    kl_caution(&log, "3 of");
    kl_caution(NULL, "nowhere");
    fclose(log.to);
    CHECK(strcmp(text, "tool: 3 of 4\ntool: 3 of 4\ntool: 3 of\n") == 0, "%s", text);
    CHECK(kept.lines && strcmp(kept.lines, "3 of 4\na line?and its end\n3 of\n") == 0, "%s", kept.lines);
    free(text);
    FILE *to = open_memstream(&json, &n);
    const struct kl_json_pair pairs[] = { kl_json_cautions(&log), { "none", KL_JSON_LINES, NULL, 0 } };
    CHECK(kl_json_line(to, pairs, 2, &err) == 0, "%s", err.text);
    fclose(to);
    CHECK(strcmp(json, "{\"cautions\":[\"3 of 4\",\"a line?and its end\",\"3 of\"],\"none\":[]}\n") == 0,
          "%s", json);
    free(json);
    kept.lost = true;
    CHECK(strstr(kl_caution_lines(&log), "cautions are missing here"));
    kl_cautions_free(&kept);
    CHECK(!kept.lines, "freed");
}

/* The text that a watch writes when it is told of `done` after so many seconds. */
static char *drawn(const char *mode, int level, double seconds, uint64_t done, uint64_t total,
                   const char *note)
{
    char *text = NULL;
    size_t n = 0;
    struct kl_log log = { "tool", open_memstream(&text, &n), level, NULL };
    struct kl_progress p;
    kl_progress_begin(&p, &log, mode, "epochs");
    p.start -= seconds;
    p.shown -= seconds;
    CHECK(kl_watch_step(&p.watch, done, total, note) == 0, "no signal came");
    kl_progress_end(&p);
    fclose(log.to);
    return text;
}

/* 9 of 9 in 100 s; then 400 of 1,000 at once, and 100 more in 10 s: these tell what the rest takes. */
static char *second_phase(void)
{
    char *text = NULL;
    size_t n = 0;
    struct kl_log log = { "tool", open_memstream(&text, &n), 1, NULL };
    struct kl_progress p;
    kl_progress_begin(&p, &log, "plain", "tests");
    p.start -= 100;
    kl_watch_step(&p.watch, 9, 9, NULL);
    kl_watch_step(&p.watch, 400, 1000, NULL);
    p.start -= 10;
    p.shown -= 100;
    kl_watch_step(&p.watch, 500, 1000, NULL);
    kl_progress_end(&p);
    fclose(log.to);
    return text;
}

static void progress(void)
{
    char *text = drawn("plain", 1, 40, 10, 30, "loss 0.5");
    CHECK(strcmp(text, "tool: 10/30 epochs, 0.25/s  loss 0.5, 1:20 min left\n") == 0, "%s", text);
    free(text);
    text = drawn("auto", 1, 40, 10, 30, NULL); /* a memory stream is no terminal */
    CHECK(strcmp(text, "tool: 10/30 epochs, 0.25/s, 1:20 min left\n") == 0, "%s", text);
    free(text);
    text = drawn("json", 1, 40, 10, 30, NULL);
    CHECK(
        strcmp(text,
               "{\"done\":10,\"total\":30,\"unit\":\"epochs\",\"rate\":0.25,\"seconds_left\":80.0}\n") ==
            0,
        "%s", text);
    free(text);
    text = drawn("bar", 1, 40, 10, 30, NULL);
    CHECK(strstr(text, "[########----------------] 10/30 epochs") && strstr(text, "\r\033[K"), "%s",
          text);
    free(text);
    text = second_phase();
    CHECK(strcmp(text, "tool: 500/1000 tests, 10/s, 50 s left\n") == 0, "%s", text);
    free(text);
    static const struct {
        const char *mode;
        int level;
        double seconds;
    } silent[] = {
        { "none", 1, 100 }, { "bar", 0, 100 }, { "plain", 1, 1 }, { "bar", 1, 1.5 }, { "plain", 1, 20 }
    };
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        text = drawn(silent[i].mode, silent[i].level, silent[i].seconds, 1, 9, NULL);
        CHECK(!*text, "%s at level %d after %g s: %s", silent[i].mode, silent[i].level,
              silent[i].seconds, text);
        free(text);
    }
    CHECK(kl_watch_step(NULL, 1, 2, NULL) == 0, "no watch goes on");
}

/* A child gets the signal once or twice; its status says what became of it. */
static int child_status(int number, int times)
{
    pid_t child = fork();
    if (child == 0) {
        struct kl_log log = { "tool", stderr, 0, NULL };
        struct kl_progress p;
        kl_signals_install();
        kl_progress_begin(&p, &log, "none", "steps");
        if (kl_signals_pending() || kl_watch_step(&p.watch, 1, 2, NULL)) _exit(40);
        raise(number);
        if (kl_signals_pending() != number || !kl_watch_step(&p.watch, 1, 2, NULL)) _exit(41);
        if (times > 1) raise(number);
        if (times > 1) _exit(42);
        kl_signals_reraise();
        _exit(43);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) exit(1);
    return status;
}

static void signals(void)
{
    static const int numbers[] = { SIGINT, SIGTERM };
    for (int i = 0; i < 2; i++)
        for (int times = 1; times < 3; times++) {
            int status = child_status(numbers[i], times);
            CHECK(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i],
                  "signal %d, %d times: status %x", numbers[i], times, status);
        }
    kl_signals_reraise(); /* nothing pending: goes on */
}

/* The first process of a namespace, which no signal ends by default; how: as the tools that keep
   something, at the first signal or the second, and as those that do not. Returns its status, or -1
   where no namespace is to be had. */
static int first_process_status(int how)
{
    int status = 0;
    const pid_t around = fork();
    if (around == 0) {
        if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID)) _exit(255);
        const pid_t first = fork();
        if (first == 0) {
            if (how == 2) kl_signals_plain();
            else kl_signals_install();
            raise(SIGTERM);
            if (how == 1) raise(SIGTERM);
            kl_signals_reraise();
            _exit(43);
        }
        if (first < 0 || waitpid(first, &status, 0) != first) _exit(255);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 254);
    }
    if (around < 0 || waitpid(around, &status, 0) != around || !WIFEXITED(status)) exit(1);
    return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

static void first_processes(void)
{
    for (int how = 0; how < 3; how++) {
        const int status = first_process_status(how);
        if (status < 0) puts("left out: no namespace of processes is to be had");
        else CHECK(status == 143, "the first process, %d: status %d", how, status);
    }
}

int main(void)
{
    errors();
    notes();
    cautions();
    progress();
    signals();
    first_processes();
    return failures != 0;
}
