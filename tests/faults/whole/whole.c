/* SPDX-License-Identifier: MIT */
#include "whole.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../../unit/store/store_test.h"
#include "../faults.h"
#include "snapshot.h"

enum { DEFAULT_PLACES = 8, HANG_SECONDS = 60, FEWEST = 20 };

int __real_main(int argc, char **argv);

static struct shared {
    long seen;
    bool fired;
} * shared; /* what the child says: anonymous memory of both */

/* GPU: what the emulated GPU is told behind the number, once and for ever; or NULL. */
static const struct kind {
    const char *name;
    int kinds, status;
    const char *const *gpu;
} kinds[] = { { "memory", FAULT_MEMORY, 75, NULL },
              { "files", FAULT_FILE, 74, NULL },
              { "reads", FAULT_READ, 74, NULL },
              { "removals", FAULT_REMOVE, 74, NULL },
              { "memory of the card", 0, 75, (const char *const[]){ "m", "M" } },
              { "calls of the card", 0, 75, (const char *const[]){ "o", "" } } };

/* The outcome of one run. */
struct outcome {
    int status; /* as the shell has it: 128 + signal */
    char errors[2048], *output, *folder;
};

static void shell(const char *command)
{
    if (system(command) == 0) return;
    fprintf(stderr, "cannot be prepared: %s\n", command);
    exit(1);
}

static void redirect(int fd, const char *path)
{
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (to < 0 || dup2(to, fd) < 0) _exit(99);
    close(to);
}

/* Calls that the library of the emulated GPU has had, in this process. */
static long gpu_calls(void)
{
    void *library = dlopen(getenv("KETLINE_CUDA"), RTLD_NOW | RTLD_NOLOAD);
    int (*calls)(void) = NULL;
    if (library) *(void **)&calls = dlsym(library, "emulated_calls");
    return calls ? calls() : 0;
}

static _Noreturn void child(const struct fault_job *job, const struct kind *kind, long n, bool forever)
{
    if (!job->gpu) unsetenv("KETLINE_CUDA"); /* or --device auto says that it is not taken */
    char words[1024], which[32], *argv[40];
    int argc = 0;
    snprintf(words, sizeof words, "%s", job->command);
    for (char *rest = NULL, *w = strtok_r(words, " ", &rest); w && argc < 39;
         w = strtok_r(NULL, " ", &rest))
        argv[argc++] = w;
    argv[argc] = NULL;
    redirect(1, "../output");
    redirect(2, "../errors");
    json_set_alloc_funcs(malloc, free); /* through this program's wrappers */
    alarm(HANG_SECONDS);
    if (job->gpu) setenv("KETLINE_EMULATED_MEMORY", job->gpu, 1);
    if (kind && kind->gpu && n) {
        snprintf(which, sizeof which, "%ld,%s", n, kind->gpu[forever]);
        setenv("KETLINE_EMULATED_FAIL", which, 1);
    }
    faults_arm(kind ? kind->kinds : 0, n, forever);
    int status = __real_main(argc, argv);
    shared->fired = faults_disarm();
    shared->seen = faults_seen();
    if (kind && kind->gpu) shared->seen = gpu_calls(), shared->fired = shared->seen >= n;
    exit(status);
}

static struct outcome run(const struct fault_job *job, const struct kind *kind, long n, bool forever)
{
    struct outcome o = { 0 };
    int status;
    remove_folder("../cache"); /* what was remembered: every run starts alike */
    if (job->before) shell(job->before);
    *shared = (struct shared){ 0 };
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) child(job, kind, n, forever);
    if (pid < 0 || waitpid(pid, &status, 0) != pid) exit(1);
    o.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    char *errors = read_text("../errors");
    snprintf(o.errors, sizeof o.errors, "%s", errors);
    free(errors);
    o.output = read_text("../output");
    o.folder = snapshot(".", job->varies);
    if (job->may_lack) take_out(o.folder, job->may_lack, "");
    return o;
}

static void outcome_free(struct outcome *o)
{
    free(o->output);
    free(o->folder);
    *o = (struct outcome){ 0 };
}

static void restore(void)
{
    shell("find . -mindepth 1 -delete && cp -a ../old/. .");
}

/* "TOOL: words" and nothing else. */
static bool one_line(const char *text, const char *command)
{
    size_t name = strcspn(command, " "), n = strlen(text);
    return n > name + 3 && strncmp(text, command, name) == 0 && strncmp(text + name, ": ", 2) == 0 &&
           strchr(text, '\n') == text + n - 1;
}

/* The rest behind the first lines, as far as a run without a failure says them too: cautions of what it
 * reads. */
static const char *after_said(const char *text, const char *said)
{
    for (const char *at = said; *at; at += strcspn(at, "\n") + 1) {
        const size_t n = strcspn(at, "\n") + 1;
        if (at[n - 1] != '\n') break;
        if (strncmp(text, at, n) == 0) text += n;
    }
    return text;
}

struct loop {
    const struct fault_job *job;
    const struct kind *kind;
    bool forever;
    char *old;
    struct outcome want;
    long total, tried, refused;
    long *places, count; /* the calls that may fail, by number */
    bool *new_site;      /* it asks for memory where none did in the jobs before */
};

static void judge(const struct loop *l, long n, const struct outcome *o)
{
    const char *what = l->job->name, *kind = l->kind->name, *how = l->forever ? "for ever" : "once";
    bool is_new = strcmp(o->folder, l->want.folder) == 0, is_old = strcmp(o->folder, l->old) == 0;
    CHECK(shared->fired || o->status != 0 || l->job->timed || n > l->total || l->total - n < 40,
          "%s, %s %ld %s: not reached", what, kind, n, how);
    if (l->kind->kinds == FAULT_READ && l->job->tells && (o->status == 0 || o->status == 1)) {
        CHECK(is_old || is_new || (l->job->several && mixed(o->folder, l->old, l->want.folder)),
              "%s, %s %ld %s: left\n%s", what, kind, n, how, o->folder);
        return;
    }
    if (o->status == 0) {
        CHECK(is_new, "%s, %s %ld %s: success, but left\n%s instead of\n%s", what, kind, n, how,
              o->folder, l->want.folder);
        CHECK(l->job->talks || strcmp(o->output, l->want.output) == 0,
              "%s, %s %ld %s: success, but said\n%s", what, kind, n, how, o->output);
        return;
    }
    const bool file = l->kind->status == 74;
    CHECK(o->status == (file && l->job->status ? l->job->status : l->kind->status),
          "%s, %s %ld %s: status %d\n%s", what, kind, n, how, o->status, o->errors);
    CHECK(one_line(after_said(o->errors, l->want.errors), l->job->command),
          "%s, %s %ld %s: not one line: %s", what, kind, n, how, o->errors);
    /* A failure after the renaming (fsync of the folder) leaves the new file, whole. */
    if (l->job->several) is_old = is_old || mixed(o->folder, l->old, l->want.folder);
    CHECK(is_old || (is_new && file), "%s, %s %ld %s: failed, and left\n%s instead of\n%s", what, kind,
          n, how, o->folder, l->old);
}

/* Work that was kept is either of use or in nobody's way. */
static void go_on(const struct loop *l, long n)
{
    struct outcome o = run(l->job, NULL, 0, false);
    /* After a failure behind the renaming it is up to date, and may find nothing to do. */
    if (l->job->keeps) take_out(o.folder, "", l->job->keeps);
    CHECK(o.status == 0 && strcmp(o.folder, l->want.folder) == 0,
          "%s, %s %ld: the next run: status %d\n%s%s", l->job->name, l->kind->name, n, o.status,
          o.errors, o.folder);
    outcome_free(&o);
}

static bool is_met(const struct loop *l, uint64_t stack)
{
    for (long i = 0; i < l->count; i++)
        if (faults_origin(l->places[i]).stack == stack) return true;
    return false;
}

/* True the first time that a job of this program asks for memory there. */
static bool is_new(uint64_t site)
{
    enum { ROOM = 10000 };
    static uint64_t met[ROOM];
    static int n;
    for (int i = 0; i < n; i++)
        if (met[i] == site) return false;
    if (n < ROOM) met[n++] = site;
    return true;
}

/* Behind the counting run: all calls, or the first one from each call stack, and the last one: what
   fails behind the publishing is easily forgotten. */
static void choose_places(struct loop *l, bool all)
{
    l->places = malloc((size_t)(l->total + 1) * sizeof *l->places);
    l->new_site = calloc((size_t)l->total + 1, 1);
    for (long n = 1; n <= l->total; n++) {
        const struct fault_origin o = faults_origin(n);
        if (!all && n < l->total && o.stack && is_met(l, o.stack)) continue;
        l->new_site[l->count] = l->kind->kinds == FAULT_MEMORY && is_new(o.site);
        l->places[l->count++] = n;
    }
}

static void loop(struct loop *l)
{
    const char *knob = getenv("FAULTS");
    bool all = knob && strcmp(knob, "all") == 0;
    long places = knob && !all ? atol(knob) : DEFAULT_PLACES, step = 1;
    if (l->job->slower && places > 0) places = (places + l->job->slower - 1) / l->job->slower;
    if (!l->places) choose_places(l, all);
    if (!all && places > 0) step = (l->count + places - 1) / places;
    int before = failures;
    for (long i = 0; i < l->count && failures < before + 20; i++) {
        const long n = l->places[i], from = l->forever ? step / 2 : 0;
        /* Other ones for ever than once, where not all are tried. */
        if (i % step != from && i < l->count - 1 && (l->forever || !l->new_site[i])) continue;
        struct outcome o = run(l->job, l->kind, n, l->forever);
        bool kept = o.status != 0 && l->job->keeps && take_out(o.folder, "", l->job->keeps);
        judge(l, n, &o);
        if (kept) go_on(l, n);
        l->tried++;
        l->refused += o.status != 0;
        if (kept || l->job->may_lack || strcmp(o.folder, l->old) != 0) restore();
        outcome_free(&o);
    }
    printf("%s: %s, %s: %ld of %ld places of %ld calls, %ld refused, %ld did without\n", l->job->name,
           l->kind->name, l->forever ? "for ever" : "once", l->tried, l->count, l->total, l->refused,
           l->tried - l->refused);
    fflush(stdout);
}

static void check_job(const struct fault_job *job)
{
    if (job->gpu && access(getenv("KETLINE_CUDA"), R_OK) != 0) {
        printf("%s: left out, there is no %s\n", job->name, getenv("KETLINE_CUDA"));
        return;
    }
    if (job->need && access(job->need, R_OK) != 0) {
        printf("%s: left out, there is no %s\n", job->name, job->need);
        return;
    }
    shell("cd ../old && find . -mindepth 1 -delete");
    if (job->old) {
        char command[1024];
        snprintf(command, sizeof command, "cd ../old && %s", job->old);
        shell(command);
    }
    restore();
    const char *only = getenv("KIND");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (only && !strstr(kinds[k].name, only)) continue;
        if (job->gpu ? kinds[k].status == 74 : kinds[k].gpu != NULL) continue;
        if (kinds[k].kinds == FAULT_REMOVE && !job->removes) continue;
        struct loop l = { .job = job, .kind = &kinds[k], .old = snapshot(".", job->varies) };
        l.want = run(job, &kinds[k], 0, false);
        l.total = shared->seen;
        CHECK(l.want.status == 0, "%s: undisturbed: status %d\n%s", job->name, l.want.status,
              l.want.errors);
        CHECK(l.total >= FEWEST || k > 0, "%s: only %ld allocations seen", job->name, l.total);
        restore();
        for (int forever = 0; forever < 2 && l.want.status == 0; forever++) {
            l.forever = forever;
            l.tried = l.refused = 0;
            loop(&l);
        }
        outcome_free(&l.want);
        free(l.places);
        free(l.new_site);
        free(l.old);
    }
}

/* The folders: in, old, job (the current one), cache. */
static void make_folders(void)
{
    const char *reference = getenv("KETLINE_SHARED"), *set = getenv("DATA");
    char path[1024], data[PATH_MAX], bin[2048], command[8192], program[1024] = "";
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0 ||
        !realpath(set ? set : "data", data))
        exit(1);
    for (int i = 0; i < 3; i++) *strrchr(program, '/') = 0; /* BUILD/tests/faults/TOOL */
    snprintf(bin, sizeof bin, "%s/bin:%s", program, getenv("PATH"));
    setenv("PATH", bin, 1);
    snprintf(bin, sizeof bin, "%s/tests/cuda/libketline-cuda.so", program);
    setenv("KETLINE_CUDA", bin, 1);
    snprintf(bin, sizeof bin, "%s/tests/cuda/cudnn", program);
    setenv("CUDNN_HOME", bin, 1);
    make_test_folder();
    setenv("XDG_CACHE_HOME", in_folder(path, "cache"), 1);
    setenv("KETLINE_DATA", data, 1);
    unsetenv("KETLINE_STORE");
    snprintf(command, sizeof command,
             "S=$(realpath -m '%s'); cd %s && mkdir in old job && ln -s '%s' in/data && ln -s \"$S\" "
             "in/shared",
             reference ? reference : "../shared", test_folder, data);
    shell(command);
    if (chdir(in_folder(path, "in")) != 0) exit(1);
    for (size_t i = 0; fault_inputs[i]; i++) shell(fault_inputs[i]);
    if (chdir(in_folder(path, "job")) != 0) exit(1);
}

int __wrap_main(int argc, char **argv);
int __wrap_main(int argc, char **argv)
{
    (void)argc, (void)argv;
    const char *only = getenv("ONLY");
    setvbuf(stdout, NULL, _IOLBF, 0);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    make_folders();
    for (size_t i = 0; fault_jobs[i].name; i++)
        if (!only || strstr(fault_jobs[i].name, only)) check_job(&fault_jobs[i]);
    return failures != 0;
}
