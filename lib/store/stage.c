/* SPDX-License-Identifier: MIT
   What every stage does around its computation: key, answers without work, what was found, provenance,
   publishing. */
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/describe_int.h"
#include "store/store_int.h"

/* ---- a stage ---- */
int kl_store_file_check_once(struct kl_file *file, struct kl_error *err)
{
    char slot[64], identity[128], value[160];
    kl_store_stat_slot(slot, &file->stat);
    kl_store_stat_identity(identity, &file->stat);
    if (kl_store_memo_get("verified", slot, identity, value, sizeof value)) return KL_OK;
    const int code = kl_store_file_verify(file, NULL, err);
    if (!code && kl_store_stat_settled(&file->stat))
        kl_store_memo_put("verified", slot, identity, kl_store_file_key(file));
    return code;
}

bool kl_store_is_up_to_date(const char *path, const char *key)
{
    struct stat s;
    struct kl_file *file = NULL;
    char slot[64], identity[128], value[160];
    if (stat(path, &s) || !S_ISREG(s.st_mode)) return false;
    kl_store_stat_slot(slot, &s);
    kl_store_stat_identity(identity, &s);
    if (kl_store_memo_get("verified", slot, identity, value, sizeof value))
        return strcmp(value, key) == 0;
    if (kl_store_file_open(&file, path, NULL)) return false;
    const bool same =
        strcmp(kl_store_file_key(file), key) == 0 && kl_store_file_check_once(file, NULL) == 0;
    kl_store_file_close(&file);
    return same;
}

static const char *store_of(const struct kl_stage *stage)
{
    const char *store = stage->common->store ? stage->common->store : getenv("KETLINE_STORE");
    return store && *store ? store : NULL;
}

double kl_store_file_seconds(const struct kl_file *file)
{
    json_t *records = NULL;
    kl_json_parse(&records, kl_store_file_provenance(file), kl_store_file_path(file), NULL);
    json_t *seconds = json_object_get(json_array_get(records, json_array_size(records) - 1), "seconds");
    double value = json_is_number(seconds) ? json_number_value(seconds) : -1;
    json_decref(records);
    return value;
}

struct outlook {
    bool hit;
    const char *why;
    char *differs;               /* lines */
    double seconds;              /* of the run that wrote the target; negative: not known */
    struct kl_estimate estimate; /* of this one */
    struct kl_error unknown;     /* and why, if that can be told */
    char *checkpoint;            /* of a stopped run; NULL: there is none */
    bool goes_on;                /* it is of this key */
};

static void outlook_free(struct outlook *o)
{
    free(o->differs);
    free(o->checkpoint);
}

static int look_for_checkpoint(struct outlook *o, const struct kl_stage *stage, struct kl_error *err)
{
    int code = kl_store_checkpoint_path(&o->checkpoint, stage->common->output, err);
    if (code || !o->checkpoint) return code;
    o->goes_on = !stage->common->force && kl_store_checkpoint_fits(o->checkpoint, stage->key);
    if (o->goes_on || kl_store_checkpoint_is_ours(o->checkpoint, NULL)) return KL_OK;
    free(o->checkpoint);
    o->checkpoint = NULL;
    return KL_OK;
}

/* May a new file stand where the output goes? */
static int check_place(const struct kl_stage *stage, struct kl_error *err)
{
    const char *output = stage->common->output;
    const int code = kl_store_target_check(output, stage->kind, stage->common->force, stage->inputs,
                                           stage->n_inputs, err);
    return code || strcmp(output, "-") == 0 ? code : kl_store_place_check(output, err);
}

/* Look ahead at what a run would find: the target, the store, or work. */
static int look(struct outlook *o, const struct kl_stage *stage, struct kl_error *err)
{
    struct kl_file *file = NULL;
    struct kl_error problem = { 0 };
    bool there = false;
    const char *path = stage->common->output;
    *o = (struct outlook){ .why = "the target does not exist", .seconds = -1, .estimate.seconds = -1 };
    if (path && strcmp(path, "-") && (there = kl_store_is_up_to_date(path, stage->key)))
        o->why = "the target has this key";
    else if (store_of(stage)) {
        const int code = kl_store_shared_check(store_of(stage), err);
        if (code) return code;
        size_t n = strlen(store_of(stage)) + 80;
        char *shared = malloc(n);
        if (!shared) return kl_fail_memory(err, n);
        snprintf(shared, n, "%s/%.2s/%s.h5", store_of(stage), stage->key, stage->key + 2);
        if ((there = kl_store_is_up_to_date(shared, stage->key)))
            o->why = "the shared store has this key";
        free(shared);
    }
    o->hit = there && !stage->common->force;
    if (stage->common->force) o->why = "--force computes in any case";
    if (o->hit || !path) return 0;
    int rc = check_place(stage, err);
    if (rc || strcmp(path, "-") == 0) return rc;
    rc = look_for_checkpoint(o, stage, err);
    if (rc) return rc;
    rc = kl_store_file_open(&file, path, &problem);
    if (rc == 0) {
        o->seconds = kl_store_file_seconds(file);
        rc = kl_store_key_diff(&o->differs, kl_store_file_key_parts(file), stage->key_parts, err);
        if (!stage->common->force)
            o->why = o->differs && *o->differs ? "the target has another key" : "the target is damaged";
    } else {
        if ((rc != KL_ENOINPUT || access(path, F_OK) == 0) && !stage->common->force)
            o->why = "the target is damaged or of another origin";
        rc = 0;
    }
    kl_store_file_close(&file);
    return rc;
}

static int answer_json(const struct kl_stage *stage, const struct outlook *o, FILE *out,
                       struct kl_error *err)
{
    json_t *object = json_pack("{s:s,s:b,s:s,s:s}", "key", stage->key, "hit", (int)o->hit, "why", o->why,
                               "differs", o->differs ? o->differs : "");
    if (object && o->seconds >= 0) json_object_set_new(object, "last_seconds", json_real(o->seconds));
    if (object && o->estimate.seconds >= 0) {
        json_object_set_new(object, "estimated_seconds", json_real(o->estimate.seconds));
        json_object_set_new(object, "estimate_at_most", json_boolean(o->estimate.at_most));
    }
    if (object && o->unknown.code)
        json_object_set_new(object, "no_estimate", json_string(o->unknown.text));
    json_t *checkpoint = NULL;
    char *text = NULL;
    int rc = object ? KL_OK : kl_fail_memory(err, 256);
    if (!rc && o->goes_on) rc = kl_json_string(&checkpoint, o->checkpoint, err);
    if (checkpoint) json_object_set_new(object, "checkpoint", checkpoint);
    if (!rc) rc = kl_json_dump(&text, object, err);
    json_decref(object);
    if (!rc) fprintf(out, "%s\n", text);
    free(text);
    return rc;
}

static void answer_lines(const struct kl_stage *stage, const struct outlook *o, FILE *out)
{
    fprintf(out, "%s: %s\nkey %s\n", o->hit ? "hit" : "miss", o->why, stage->key);
    for (char *at = o->differs, *end; at && *at; at = end + 1) {
        end = strchr(at, '\n');
        fprintf(out, "  %.*s\n", (int)(end - at), at);
    }
    if (!o->hit && o->seconds >= 0)
        fprintf(out, "the run that wrote the target took %.1f s\n", o->seconds);
    if (o->checkpoint)
        fprintf(out, "%s is of a stopped run%s\n", o->checkpoint,
                o->goes_on ? "; this one goes on from it"
                           : " that this one does not go on from, and deletes");
}

/* What the first moments refuse, a run would refuse. If no work can be tried (there is no such GPU here,
   say), the rest of the answer stands. */
static int estimate(struct outlook *o, const struct kl_stage *stage, struct kl_error *err)
{
    if (o->hit || !stage->estimate) return KL_OK;
    const int code = stage->estimate(stage->estimate_context, &o->estimate, &o->unknown);
    if (stage->runs > 1)
        o->estimate.seconds *= (double)((stage->runs + stage->at_once - 1) / stage->at_once);
    if (code) o->estimate.seconds = -1;
    else o->unknown.code = KL_OK; /* the trial was ended, which is no error */
    const bool refused = code == KL_EUSAGE || code == KL_EDATA || code == KL_ENOINPUT;
    return refused || code == KL_ESIGNAL ? kl_fail(err, code, "%s", o->unknown.text) : KL_OK;
}

static void answer_estimate(const struct kl_stage *stage, const struct outlook *o, FILE *out)
{
    char text[32], all[48] = "it";
    if (o->unknown.code) fprintf(out, "how long it would take: %s\n", o->unknown.text);
    const double seconds = o->estimate.seconds;
    if (seconds < 0) return;
    if (seconds < 10) snprintf(text, sizeof text, "%.1f s", seconds < 0.1 ? 0.1 : seconds);
    else kl_time_text(text, seconds);
    if (stage->runs > 1) snprintf(all, sizeof all, "all %zu runs like this one", stage->runs);
    fprintf(out, "here %s would take %s %s, by its first moments%s", all,
            o->estimate.at_most || seconds < 0.1 ? "at most" : "about", text,
            stage->ranks ? " without other ranks" : "");
    if (seconds >= (getenv("SLURM_JOB_ID") ? 360 : 3600)) /* nodes are a scheduler's */
        fprintf(out, "; that is %.2g node-hours of this machine", seconds / 3600);
    fputc('\n', out);
}

static int answer_dry_run(const struct kl_stage *stage, FILE *out, struct kl_error *err)
{
    struct outlook o = { 0 };
    int rc = look(&o, stage, err);
    if (!rc && !stage->common->json) answer_lines(stage, &o, out);
    fflush(out);
    if (!rc) rc = estimate(&o, stage, err);
    if (!rc && stage->common->json) rc = answer_json(stage, &o, out, err);
    else if (!rc) answer_estimate(stage, &o, out);
    outlook_free(&o);
    return rc;
}

/* Is the remark of --note that of the run which wrote the file? */
static bool has_note(const char *path, const char *note)
{
    struct kl_file *file = NULL;
    json_t *records = NULL;
    if (kl_store_file_open(&file, path, NULL)) return true; /* which whoever reads it will say */
    kl_json_parse(&records, kl_store_file_provenance(file), path, NULL);
    const char *found = json_string_value(json_object_get(kl_store_own_record(records), "note"));
    const bool same = found && strcmp(found, note) == 0;
    json_decref(records);
    kl_store_file_close(&file);
    return same;
}

/* A file that is there already keeps the record of the run that wrote it. */
static void say_note_lost(const struct kl_stage *stage, enum kl_stage_answer answer)
{
    const char *note = stage->common->note, *output = stage->common->output;
    if (answer == KL_STAGE_COMPUTE || !note || !*note || strcmp(output, "-") == 0) return;
    if (!stage->log || has_note(output, note)) return;
    kl_note(stage->log, 1, "--note is not kept: %s is %s, with the record of the run that wrote it",
            output, kl_store_stage_status(answer));
}

/* Copy the output into the store, by its descriptor, which is closed. A failure is only said. */
static void share(const struct kl_stage *stage, int fd, struct kl_error *problem)
{
    const char *store = store_of(stage);
    const bool first = access(store, F_OK) != 0; /* or its name was mistyped */
    if (fd >= 0) kl_store_shared_publish(store, stage->key, stage->common->output, fd, problem);
    if (problem->code) kl_note(stage->log, 1, "shared store: not published there: %s", problem->text);
    else if (first) kl_note(stage->log, 1, "new store at %s", store);
    if (fd >= 0) close(fd);
}

/* What was made before there was a store, or beside it. */
static void share_older(const struct kl_stage *stage)
{
    struct kl_error problem = { 0 };
    const char *output = stage->common->output;
    int fd = -1;
    if (!kl_store_shared_check(store_of(stage), &problem) &&
        (fd = open(output, O_RDONLY | O_CLOEXEC)) < 0)
        kl_fail_errno(&problem, KL_EIO, "%s: cannot be opened", output);
    share(stage, fd, &problem);
}

/* Target, then shared store. */
static int look_for_result(struct kl_stage *stage, enum kl_stage_answer *answer, struct kl_error *err)
{
    const char *store = store_of(stage), *output = stage->common->output;
    struct kl_error problem = { 0 };
    bool found = false;
    *answer = KL_STAGE_COMPUTE;
    if (!output) return 0;
    if (!stage->common->force && strcmp(output, "-") && kl_store_is_up_to_date(output, stage->key)) {
        *answer = KL_STAGE_UP_TO_DATE;
        if (store) share_older(stage);
        return 0;
    }
    int rc = store ? kl_store_shared_check(store, err) : KL_OK;
    if (!rc) rc = check_place(stage, err);
    if (rc || !store || stage->common->force) return rc;
    if (kl_store_shared_fetch(&found, store, stage->key, output, &problem) && stage->log)
        kl_note(stage->log, 1, "shared store: %s; computing instead", problem.text);
    if (found) *answer = KL_STAGE_FETCHED;
    return 0;
}

int kl_store_stage_begin(struct kl_stage *stage, enum kl_stage_answer *answer, struct kl_key **key,
                         FILE *out, struct kl_error *err)
{
    *answer = KL_STAGE_ANSWERED;
    if (stage->start == 0) stage->start = kl_clock();
    memcpy(stage->kind, kl_store_key_head(*key)->kind, sizeof stage->kind);
    int schema = kl_store_key_head(*key)->schema;
    int rc = kl_store_key_finish(key, stage->key, &stage->key_parts, err);
    if (rc) return rc;
    stage->header = (struct kl_header){ .kind = stage->kind,
                                        .schema = schema,
                                        .key = stage->key,
                                        .key_parts = stage->key_parts,
                                        .tool = stage->tool->name };
    if (stage->common->print_key) {
        fprintf(out, stage->common->json ? "{\"key\":\"%s\"}\n" : "%s\n", stage->key);
        return 0;
    }
    if (stage->common->dry_run) return answer_dry_run(stage, out, err);
    rc = look_for_result(stage, answer, err);
    if (!rc) say_note_lost(stage, *answer);
    return rc;
}

const char *kl_store_stage_status(enum kl_stage_answer answer)
{
    return answer == KL_STAGE_COMPUTE      ? "computed"
           : answer == KL_STAGE_UP_TO_DATE ? "up to date"
                                           : "fetched from the shared store";
}

/* Those of the run that made the file, but for what this one has said already. */
static void say_cautions(const struct kl_log *log, const char *lines)
{
    const char *said = kl_caution_lines(log);
    for (const char *line = lines ? lines : ""; *line; line += strcspn(line, "\n") + 1) {
        const size_t n = strcspn(line, "\n");
        bool known = false;
        for (const char *own = said ? said : ""; *own && !known; own += strcspn(own, "\n") + 1)
            known = strcspn(own, "\n") == n && memcmp(own, line, n) == 0;
        if (!known) kl_note(log, 1, "%.*s", (int)n, line);
    }
}

enum { MOST_FOUND = 1 << 14 }; /* a longer text is not kept */

static int write_text(char **text, bool as_json,
                      int (*tell)(void *context, FILE *to, bool json, struct kl_error *err),
                      void *context, struct kl_error *err)
{
    size_t n = 0;
    FILE *to = open_memstream(text, &n);
    if (!to) return kl_fail_memory(err, 4096);
    const int code = tell(context, to, as_json, err);
    const bool whole = !ferror(to);
    return (fclose(to) != 0 || !whole) && !code ? kl_fail_memory(err, 4096) : code;
}

int kl_store_stage_found(struct kl_stage *stage,
                         int (*tell)(void *context, FILE *to, bool json, struct kl_error *err),
                         void *context, struct kl_error *err)
{
    const int code = write_text(&stage->words, false, tell, context, err);
    return code ? code : write_text(&stage->json, true, tell, context, err);
}

void kl_store_stage_tell(const struct kl_stage *stage, FILE *to)
{
    if (stage->common->json) fputs(stage->json, to);
    else if (!stage->common->quiet) fputs(stage->words, to);
}

/* Lines that begin with the output's name are kept without it: ": accuracy 0.9"; it may be another one
   when they are told again. */
static int unnamed(char **text, const char *words, const char *output, struct kl_error *err)
{
    const size_t n = output ? strlen(output) : 0;
    size_t size;
    FILE *to = open_memstream(text, &size);
    if (!to) return kl_fail_memory(err, 4096);
    for (const char *line = words; *line;) {
        const size_t all = strcspn(line, "\n") + (strchr(line, '\n') ? 1 : 0);
        const bool named = n && strncmp(line, output, n) == 0 && strncmp(line + n, ": ", 2) == 0;
        fwrite(line + (named ? n : 0), 1, all - (named ? n : 0), to);
        line += all;
    }
    const bool whole = !ferror(to);
    return fclose(to) == 0 && whole ? KL_OK : kl_fail_memory(err, 4096);
}

/* {"words": ": accuracy 0.9", "json": {...}}, each if it is not too long; NULL: nothing. */
static int make_found(json_t **found, const struct kl_stage *stage, struct kl_error *err)
{
    json_t *value = NULL;
    char *words = NULL;
    int code = KL_OK;
    *found = NULL;
    if (!stage->words || !stage->json) return KL_OK;
    if (!(*found = json_object())) return kl_fail_memory(err, 64);
    if (strlen(stage->words) <= MOST_FOUND) {
        code = unnamed(&words, stage->words, stage->common->output, err);
        if (!code) code = kl_json_string(&value, words, err);
        if (!code && json_object_set_new(*found, "words", value)) code = kl_fail_memory(err, 64);
    }
    if (!code && strlen(stage->json) <= MOST_FOUND) {
        code = kl_json_parse(&value, stage->json, "what was found", err);
        if (!code && json_object_set_new(*found, "json", value)) code = kl_fail_memory(err, 64);
    }
    free(words);
    return code;
}

/* As if it had just been found, but for the name, the status and the cautions, which are the file's. */
static int report_json(const struct kl_stage *stage, const char *status, const char *lines,
                       const char *content, bool recorded, json_t *found, FILE *out,
                       struct kl_error *err)
{
    static const char *const names[] = { "output", "key", "status", "cautions" };
    json_t *object = json_object_get(found, "json"), *values[4] = { NULL };
    char *text = NULL;
    object = object ? json_incref(object) : json_object();
    int code = object ? kl_json_string(&values[0], stage->common->output, err) : kl_fail_memory(err, 64);
    if (!code) code = kl_json_string(&values[1], stage->key, err);
    if (!code) code = kl_json_string(&values[2], status, err);
    if (!code && recorded) code = kl_json_lines(&values[3], lines, err);
    else if (!code) values[3] = json_null(); /* --no-provenance: nobody knows */
    for (int i = 0; i < 4 && !code; i++)
        if (json_object_set(object, names[i], values[i])) code = kl_fail_memory(err, 64);
    if (!code && json_object_get(object, "content") && /* which nobody knew before it was published */
        json_object_set_new(object, "content", json_string(content)))
        code = kl_fail_memory(err, 64);
    if (!code) code = kl_json_members(&text, object, err);
    if (!code) fprintf(out, "%s\n", text);
    for (int i = 0; i < 4; i++) json_decref(values[i]);
    json_decref(object);
    free(text);
    return code;
}

static void report_words(const struct kl_stage *stage, const char *status, const json_t *found,
                         FILE *out)
{
    const char *output = stage->common->output,
               *words = json_string_value(json_object_get(found, "words"));
    fprintf(out, "%s: %s%s", output, status, words && *words == ':' ? "" : "\n");
    for (const char *line = words ? words : ""; *line;) {
        const size_t all = strcspn(line, "\n") + (strchr(line, '\n') ? 1 : 0);
        fprintf(out, "%s%.*s", *line == ':' && line != words ? output : "", (int)all, line);
        line += all;
    }
}

int kl_store_stage_report(const struct kl_stage *stage, enum kl_stage_answer answer, FILE *out,
                          struct kl_error *err)
{
    const char *output = stage->common->output, *status = kl_store_stage_status(answer);
    struct kl_file *file = NULL;
    char *lines = NULL, content[65] = "";
    json_t *records = NULL;
    if (strcmp(output, "-") == 0) return 0;
    int code = kl_store_file_open(&file, output, err);
    if (!code) code = kl_store_file_cautions(&lines, file, err);
    if (!code) code = kl_json_parse(&records, kl_store_file_provenance(file), output, err);
    if (!code) memcpy(content, kl_store_file_content(file), sizeof content);
    kl_store_file_close(&file);
    if (!code) say_cautions(stage->log, lines);
    json_t *found = code ? NULL : json_object_get(kl_store_own_record(records), KL_STORE_FOUND);
    if (!code && stage->common->json)
        code = report_json(stage, status, lines, content, json_array_size(records) > 0, found, out, err);
    else if (!code && !stage->common->quiet) report_words(stage, status, found, out);
    json_decref(records);
    free(lines);
    return code;
}

int kl_store_stage_publish(struct kl_stage *stage, struct kl_writer **writer,
                           const struct kl_file *const *parents, size_t n_parents,
                           const char *raw_inputs, char content[65], struct kl_error *err)
{
    char *records = NULL;
    struct kl_error problem = { 0 };
    const char *store = store_of(stage), *output = stage->common->output;
    int rc = 0;
    if (!stage->common->no_provenance) {
        json_t *found = NULL;
        const char *lines = kl_caution_lines(stage->log);
        rc = make_found(&found, stage, err);
        if (!rc)
            rc = kl_store_provenance_make(&records, stage->tool, stage->values, stage->argc, stage->argv,
                                          parents, n_parents, raw_inputs, lines, found,
                                          kl_clock() - stage->start, err);
        json_decref(found);
        if (!rc) rc = kl_store_writer_provenance(*writer, records, err);
        free(records);
    }
    if (rc) {
        kl_store_writer_abort(writer);
        return rc;
    }
    /* The file has no name if it goes to standard output: a second descriptor outlives the writer. */
    const int fd = store ? fcntl((*writer)->temporary.fd, F_DUPFD_CLOEXEC, 3) : -1;
    if (store && fd < 0) kl_fail_errno(&problem, KL_EIO, "%s: reopening failed", output);
    rc = kl_store_writer_publish(writer, content, err);
    if (!rc && store) share(stage, fd, &problem);
    else if (fd >= 0) close(fd);
    return rc;
}

int kl_store_stage_unchanged(const struct kl_stage *stage, struct kl_key **again, const char *input,
                             struct kl_error *err)
{
    char key[65], *parts = NULL;
    const int code = kl_store_key_finish(again, key, &parts, err);
    free(parts);
    if (code || strcmp(key, stage->key) == 0) return code;
    return kl_fail(err, KL_EDATA, "%s: changed while it was read; nothing is kept, run this again",
                   input);
}

void kl_store_stage_end(struct kl_stage *stage)
{
    free(stage->key_parts), free(stage->words), free(stage->json);
    stage->key_parts = stage->words = stage->json = NULL;
}
