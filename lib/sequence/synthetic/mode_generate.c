/* SPDX-License-Identifier: MIT
   `qseq generate people`: a folder of recordings of people whose truth is known. Each file is published
   whole; one that holds these bytes already is left alone. truth.json comes last. */
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sequence/synthetic/synthetic.h"
#include "store/mode.h"

#define WHAT "people"
struct values {
    struct kl_common common;
    int64_t people, channels, trials, rate, mains;
    double effect;
    bool odd_rate, short_last;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "people", 0, KL_OPT_INT, AT(people), "N", 1, KL_SEQUENCE_PEOPLE, true, "how many", "People",
      NULL },
    { "channels", 0, KL_OPT_INT, AT(channels), "N", 8, 64, true, "electrodes", NULL, NULL },
    { "trials", 0, KL_OPT_INT, AT(trials), "N", 1, 1000, true, "hands imagined in each of three runs",
      NULL, NULL },
    { "effect", 0, KL_OPT_FLOAT, AT(effect), "X", 0, 1, true,
      "share of the mu rhythm's power that the other side loses", NULL, NULL },
    { "rate", 0, KL_OPT_INT, AT(rate), "HZ", 40, 2000, true, "samples a second", NULL, NULL },
    { "mains", 0, KL_OPT_INT, AT(mains), "HZ", 0, 1000, true, "hum of 50 or 60 Hz; 0: none", NULL,
      NULL },
    { "odd-rate", 0, KL_OPT_FLAG, AT(odd_rate), NULL, 0, 0, true,
      "the last person's recordings have 128 Hz", NULL, NULL },
    { "short", 0, KL_OPT_FLAG, AT(short_last), NULL, 0, 0, true,
      "the first person's last recording ends early", NULL, NULL },
    { "output", 'o', KL_OPT_STRING, AT(common.output), "FOLDER", 0, 0, false, "where the recordings go",
      "Result", NULL },
};
const struct kl_tool kl_sequence_generate_tool = {
    .name = "qseq",
    .summary = "Recordings (EDF+C) of synthetic people whose truth is known: three runs each, timed and "
               "named like those "
               "of eegmmidb; the side opposite to the imagined hand loses mu rhythm. truth.json says "
               "what is in them",
    .arguments = "generate " WHAT " -o FOLDER",
    .example =
        "qseq generate people --people 10 -o people\n  qseq generate people --effect 0 --seed 7 -o null",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store dry-run key note no-provenance device",
    .chosen_by = "generate",
};

static void defaults(void *values)
{
    struct values *v = values;
    struct kl_sequence_people o;
    kl_sequence_people_default(&o);
    v->people = (int64_t)o.people, v->channels = (int64_t)o.channels, v->trials = (int64_t)o.trials;
    v->effect = o.effect, v->rate = (int64_t)o.rate, v->mains = (int64_t)o.mains;
}

struct work {
    const struct values *v;
    struct kl_sequence_people o;
    const struct kl_watch *watch;
    size_t written, kept;
};
/* A file of this run: made by one of several threads, published in their order. */
struct file {
    const struct kl_sequence_people *o;
    size_t number; /* 3 * person + run */
    char *bytes;
    size_t n;
    int code;
    struct kl_error err;
};

static int path_of(char **path, const struct work *w, const char *name, struct kl_error *err)
{
    return asprintf(path, "%s/%s", w->v->common.output, name) < 0 ? kl_fail_memory(err, 256) : KL_OK;
}

static int publish(struct work *w, const char *name, const void *bytes, size_t n, struct kl_error *err)
{
    char *path = NULL;
    bool written = false;
    int code = path_of(&path, w, name, err);
    if (code) return code;
    code = kl_store_publish_bytes(&written, path, bytes, n, err);
    w->written += !code && written, w->kept += !code && !written;
    free(path);
    return code;
}

static void make_file(void *context, size_t i, int thread)
{
    struct file *f = (struct file *)context + i;
    (void)thread;
    f->code = kl_sequence_people_file(&f->bytes, &f->n, f->o, f->number / KL_SEQUENCE_RUNS,
                                      (int)(f->number % KL_SEQUENCE_RUNS), &f->err);
}

/* As many files at once as there are threads. */
static int make_files(struct work *w, struct kl_pool *pool, struct file *files, struct kl_error *err)
{
    const size_t all = w->o.people * KL_SEQUENCE_RUNS, many = (size_t)kl_pool_size(pool);
    int code = KL_OK;
    for (size_t from = 0; from < all && !code; from += many) {
        const size_t n = all - from < many ? all - from : many;
        for (size_t i = 0; i < n; i++) files[i] = (struct file){ .o = &w->o, .number = from + i };
        kl_pool_for(pool, n, make_file, files);
        for (size_t i = 0; i < n; i++) {
            char name[32];
            struct file *f = &files[i];
            kl_sequence_people_name(name, f->number / KL_SEQUENCE_RUNS,
                                    (int)(f->number % KL_SEQUENCE_RUNS));
            if (!code && f->code) *err = f->err, code = f->code;
            if (!code) code = publish(w, name, f->bytes, f->n, err);
            free(f->bytes);
        }
        if (!code && kl_watch_step(w->watch, from + n, all, NULL))
            code = kl_fail(err, KL_ESIGNAL, "stopped; what is there is whole, the same command goes on");
    }
    return code;
}

static int publish_truth(struct work *w, struct kl_error *err)
{
    json_t *truth = NULL;
    char *text = NULL;
    int code = kl_sequence_people_truth(&truth, &w->o, err);
    if (!code)
        code = kl_json_dump_as(&text, truth, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_REAL_PRECISION(12),
                               err);
    if (!code) code = publish(w, "truth.json", text, strlen(text), err);
    json_decref(truth), free(text);
    return code;
}

/* A recording of that name that is not of this command stays. Ours says so from byte 114 on. */
static int check_targets(const struct work *w, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < w->o.people * KL_SEQUENCE_RUNS && !code; i++) {
        char name[32], *path = NULL;
        kl_sequence_people_name(name, i / KL_SEQUENCE_RUNS, (int)(i % KL_SEQUENCE_RUNS));
        code = path_of(&path, w, name, err);
        if (!code)
            code = kl_store_target_check_bytes(path, 114, "ketline ", w->v->common.force, NULL, 0, err);
        free(path);
    }
    return code;
}

/* "S003R04.edf", or of other form, that none of this run's recordings has. */
static bool is_other(const struct work *w, const char *name)
{
    char ours[32];
    const char *end = strrchr(name, '.');
    if (!end || (strcasecmp(end, ".edf") && strcasecmp(end, ".bdf"))) return false;
    const unsigned long person = *name == 'S' ? strtoul(name + 1, NULL, 10) : 0;
    for (int run = 0; run < KL_SEQUENCE_RUNS && person >= 1 && person <= w->o.people; run++) {
        kl_sequence_people_name(ours, person - 1, run);
        if (strcmp(ours, name) == 0) return false;
    }
    return true;
}

/* Recordings that stay there and would pass for people of this run, whose truth truth.json tells. */
static void caution_others(const struct work *w, const struct kl_log *log)
{
    struct dirent **names = NULL;
    const char *first = NULL;
    const int n = scandir(w->v->common.output, &names, NULL, alphasort);
    size_t others = 0;
    for (int i = 0; i < n; i++)
        if (is_other(w, names[i]->d_name) && !others++) first = names[i]->d_name;
    if (others)
        kl_caution(log, "%s: holds %zu recording%s that %s not of this run and stay%s there, %s%s",
                   w->v->common.output, others, kl_s(others), others > 1 ? "are" : "is",
                   others > 1 ? "" : "s", first, others > 1 ? " the first" : "");
    for (int i = 0; i < n; i++) free(names[i]);
    free(names);
}

static int make_folder(const char *folder, struct kl_error *err)
{
    struct stat s;
    if (mkdir(folder, 0777) == 0) return KL_OK;
    if (errno != EEXIST) return kl_fail_errno(err, KL_EIO, "%s", folder);
    if (stat(folder, &s) == 0 && S_ISDIR(s.st_mode)) return KL_OK;
    return kl_fail(err, KL_EUSAGE, "%s: is a file, expected a folder or a new name", folder);
}

static int report(const struct work *w, const struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = w->v;
    const double seconds = kl_clock() - run->stage.start;
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, v->common.output, 0 },
        { "people", KL_JSON_COUNT, NULL, (double)w->o.people },
        { "recordings", KL_JSON_COUNT, NULL, (double)(w->o.people * KL_SEQUENCE_RUNS) },
        { "written", KL_JSON_COUNT, NULL, (double)w->written },
        { "seconds", KL_JSON_NUMBER, NULL, seconds },
    };
    if (v->common.json) return kl_json_line(run->out, pairs, sizeof pairs / sizeof *pairs, err);
    if (v->common.quiet) return KL_OK;
    fprintf(run->out,
            "%s: %zu people, %zu recordings of %lld channels and truth.json; %zu written, %zu there "
            "already; %.1f s\n",
            v->common.output, w->o.people, w->o.people * KL_SEQUENCE_RUNS, (long long)v->channels,
            w->written, w->kept, seconds);
    return KL_OK;
}

static int check(const struct values *v, struct kl_error *err)
{
    const int64_t slowest = v->odd_rate && v->rate > 128 ? 128 : v->rate;
    if (2 * v->mains <= slowest) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "--mains: %lld Hz at %lld samples a second would be another frequency; at most %lld",
                   (long long)v->mains, (long long)slowest, (long long)slowest / 2);
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    const struct kl_stage *stage = &run->stage;
    const struct values *v = run->values;
    struct kl_progress progress;
    struct kl_pool *pool = NULL;
    struct work w = { .v = v,
                      .o = { .seed = (uint64_t)v->common.seed,
                             .people = (size_t)v->people,
                             .channels = (size_t)v->channels,
                             .trials = (size_t)v->trials,
                             .effect = v->effect,
                             .rate = (double)v->rate,
                             .mains = (double)v->mains,
                             .odd_rate = v->odd_rate,
                             .short_last = v->short_last } };
    if (kl_choice(WHAT, *stage->inputs) < 0)
        return kl_fail(err, KL_EUSAGE, "generate: found '%s', expected " WHAT, *stage->inputs);
    int code = check(v, err);
    if (!code) code = make_folder(v->common.output, err);
    if (!code) code = check_targets(&w, err);
    if (!code) code = kl_pool_create(&pool, (int)v->common.threads, err);
    struct file *files = code ? NULL : calloc((size_t)kl_pool_size(pool), sizeof *files);
    if (!code && !files) code = kl_fail_memory(err, sizeof *files);
    kl_progress_begin(&progress, stage->log, v->common.progress, "recordings");
    w.watch = &progress.watch;
    if (!code) code = make_files(&w, pool, files, err);
    kl_progress_end(&progress);
    if (!code) code = publish_truth(&w, err);
    if (!code) caution_others(&w, stage->log);
    free(files);
    kl_pool_destroy(&pool);
    return code ? code : report(&w, run, err);
}

const struct kl_mode kl_sequence_mode_generate = { .tool = &kl_sequence_generate_tool,
                                                   .defaults = defaults,
                                                   .run = run };
