/* SPDX-License-Identifier: MIT
   Modes: stages that make one file, and the main of all tools. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/kind.h"
#include "store/mode.h"
#include "store/store_int.h"

/* ---- stages that make one file ---- */
static int make_key(struct kl_mode_run *run, const struct kl_file_stage *s, struct kl_key **key,
                    struct kl_error *err)
{
    const struct kl_stage *stage = &run->stage;
    json_decref(run->raw_inputs);
    if (!(run->raw_inputs = json_object())) return kl_fail_memory(err, 64);
    int code = kl_store_key_begin(key, run->kind, run->schema, s->name ? s->name : stage->tool->name,
                                  run->version, err);
    if (!code) code = kl_store_key_options(*key, stage->tool, stage->values, err);
    if (!code && s->seeded) code = kl_store_key_integer(*key, "seed", stage->common->seed, err);
    return code || !s->key ? code : s->key(run, *key, err);
}

static int compute(struct kl_mode_run *run, const struct kl_file_stage *s, struct kl_error *err)
{
    if (s->stops_at_once) kl_signals_plain();
    int code = s->check ? s->check(run, err) : KL_OK;
    if (!code && s->compute) code = s->compute(run, err);
    if (!s->stops_at_once) return code;
    kl_signals_install();
    return code || !kl_signals_pending() ? code : kl_fail(err, KL_ESIGNAL, "stopped");
}

static int check_unchanged(struct kl_mode_run *run, const struct kl_file_stage *s, struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = s->reads_late ? make_key(run, s, &key, err) : KL_OK;
    if (!code && key) code = kl_store_stage_unchanged(&run->stage, &key, *run->stage.inputs, err);
    kl_store_key_abort(&key);
    return code;
}

struct part {
    struct kl_mode_run *run;
    const struct kl_file_stage *s;
};
/* Of a stage that forecasts nothing. */
static int try_check(void *context, struct kl_estimate *estimate, struct kl_error *err)
{
    const struct part *p = context;
    estimate->seconds = -1;
    const int code = kl_pool_create(&p->run->pool, (int)p->run->stage.common->threads, err);
    return code ? code : p->s->check(p->run, err);
}

static int try_compute(void *context, struct kl_estimate *estimate, struct kl_error *err)
{
    const struct part *p = context;
    struct kl_mode_run *run = p->run;
    struct kl_trial trial;
    int code = kl_pool_create(&run->pool, (int)run->stage.common->threads, err);
    if (!code && p->s->check) code = p->s->check(run, err);
    if (code) return code;
    kl_trial_begin(&trial);
    run->watch = &trial.watch;
    const int ended = p->s->compute(run, err);
    code = kl_trial_end(ended);
    estimate->seconds = kl_clock() - trial.start;
    return ended && !code ? kl_trial_whole(&estimate->seconds, &trial, p->s->tried, err) : code;
}

static int tell(void *context, FILE *to, bool json, struct kl_error *err)
{
    const struct part *t = context;
    if (json) return t->s->json(t->run, to, err);
    t->s->words(t->run, to);
    return KL_OK;
}

static int publish(struct kl_mode_run *run, struct kl_writer **writer, struct kl_error *err)
{
    char *raw = NULL;
    int code = kl_json_dump(&raw, run->raw_inputs, err);
    if (!code)
        code = kl_store_stage_publish(&run->stage, writer, run->parents, run->n_parents, raw, NULL, err);
    free(raw);
    return code;
}

/* The file, from its work to its name; with no output the work alone. */
static int make_file(struct kl_mode_run *run, const struct kl_file_stage *s, struct kl_error *err)
{
    const char *output = run->stage.common->output;
    struct kl_writer *writer = NULL;
    struct kl_progress progress;
    const bool follows = kl_store_ranks_follow(run->ranks);
    int code = run->pool ? KL_OK : kl_pool_create(&run->pool, (int)run->stage.common->threads, err);
    kl_progress_begin(&progress, run->stage.log,
                      s->progress && !follows ? run->stage.common->progress : "none", s->progress);
    run->watch = &progress.watch;
    if (!code) code = compute(run, s, err);
    if (!code) kl_store_ranks_dismiss(run->ranks);
    if (code || follows) {
        kl_progress_end(&progress);
        return code;
    }
    if (output)
        code = (s->partial ? kl_store_writer_open_partial
                           : kl_store_writer_open)(&writer, output, &run->stage.header, err);
    if (!code && s->partial) kl_store_writer_note_older(writer, run->stage.log, s->partial);
    if (!code && output) code = s->save(run, writer, err);
    kl_progress_end(&progress);
    if (code == KL_ESIGNAL && s->partial && writer)
        kl_store_writer_stopped(writer, run->stage.log, err->text);
    if (!code) code = check_unchanged(run, s, err);
    if (!code && s->remark) code = s->remark(run, err);
    if (!code) code = kl_store_stage_found(&run->stage, tell, &(struct part){ run, s }, err);
    if (!code && output) code = publish(run, &writer, err);
    kl_store_writer_abort(&writer);
    return code;
}

static int run_file_stage(struct kl_mode_run *run, const struct kl_file_stage *s, struct kl_error *err)
{
    const struct kl_common *common = run->stage.common;
    FILE *to = kl_words_to(common);
    struct kl_key *key = NULL;
    bool answered = false;
    struct part part = { run, s };
    const char *ranks = s->ranks_at ? *(const char **)((char *)run->values + s->ranks_at) : NULL;
    int code =
        s->ranks_at ? kl_store_ranks_start(&run->ranks, &answered, ranks, &run->stage, err) : KL_OK;
    if (code || answered) return code;
    code = s->open ? s->open(run, err) : KL_OK;
    if (code || run->done) return code;
    if (s->has_checkpoint) code = kl_store_checkpoint_path(&run->checkpoint, common->output, err);
    if (!code) code = make_key(run, s, &key, err);
    if ((s->check || s->tried) && !run->stage.estimate)
        run->stage.estimate = s->tried ? try_compute : try_check, run->stage.estimate_context = &part;
    if (!code) code = kl_store_stage_begin(&run->stage, &run->answer, &key, run->out, err);
    kl_store_key_abort(&key);
    int all = (int)run->answer;
    if (!code) code = kl_store_ranks_meet(run->ranks, run->stage.key, &all, err);
    run->answer = (enum kl_stage_answer)all;
    if (code || run->answer == KL_STAGE_ANSWERED) return code;
    if (run->answer == KL_STAGE_COMPUTE) code = make_file(run, s, err);
    if (code || kl_store_ranks_follow(run->ranks)) return code;
    if (run->checkpoint)
        kl_store_checkpoint_remove(run->checkpoint,
                                   run->answer == KL_STAGE_COMPUTE ? NULL : run->stage.key);
    if (!code && s->after) code = s->after(run, err);
    if (code) return code;
    if (run->answer != KL_STAGE_COMPUTE) return kl_store_stage_report(&run->stage, run->answer, to, err);
    kl_store_stage_tell(&run->stage, to);
    return KL_OK;
}

static int begin_file_stage(struct kl_mode_run *run, const struct kl_file_stage *s, struct kl_error *err)
{
    run->kind = s->kind->name, run->schema = s->schema, run->version = s->version;
    run->parents = run->few;
    if (!(run->state = calloc(1, s->state_size + 1))) return kl_fail_memory(err, s->state_size);
    const int code = run_file_stage(run, s, err);
    if (s->close) s->close(run);
    kl_store_ranks_end(&run->ranks, code);
    kl_pool_destroy(&run->pool);
    json_decref(run->raw_inputs);
    free(run->state);
    free(run->checkpoint);
    return code;
}

int kl_store_mode_json(const struct kl_mode_run *run, FILE *to, const struct kl_json_pair *pairs,
                       size_t n, struct kl_error *err)
{
    struct kl_json_pair *all = calloc(n + 4, sizeof *all);
    if (!all) return kl_fail_memory(err, (n + 4) * sizeof *all);
    all[0] = (struct kl_json_pair){ "output", KL_JSON_TEXT, run->stage.common->output, 0 };
    all[1] = (struct kl_json_pair){ "key", KL_JSON_TEXT, run->stage.key, 0 };
    all[2] = (struct kl_json_pair){ "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 };
    memcpy(all + 3, pairs, n * sizeof *all);
    all[n + 3] = kl_json_cautions(run->stage.log);
    const int code = kl_json_line(to, all, n + 4, err);
    free(all);
    return code;
}

int kl_store_mode_json_object(const struct kl_mode_run *run, FILE *to, json_t *object,
                              struct kl_error *err)
{
    const char *output = run->stage.common->output;
    json_t *path = NULL, *cautions = NULL;
    char *text = NULL;
    int code = kl_json_lines(&cautions, kl_caution_lines(run->stage.log), err);
    if (!code && output) code = kl_json_string(&path, output, err);
    json_t *head = code
                       ? NULL
                       : json_pack("{s:O?,s:s,s:s,s:O}", "output", path, "key", run->stage.key, "status",
                                   kl_store_stage_status(KL_STAGE_COMPUTE), "cautions", cautions);
    if (!code && (!head || json_object_update(object, head))) code = kl_fail_memory(err, 256);
    if (!code) code = kl_json_dump(&text, object, err);
    if (!code) fprintf(to, "%s\n", text);
    json_decref(head), json_decref(path), json_decref(cautions), json_decref(object);
    free(text);
    return code;
}

/* ---- --csv and the like: with or without -o ---- */
bool kl_store_mode_on_screen(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* As by who names no file, and gets the next word taken for one: "--csv head.h5". */
static int refuse_ours(const char *option, const char *path, struct kl_error *err)
{
    struct kl_file *file = NULL;
    if (access(path, F_OK) || kl_store_file_open(&file, path, NULL)) return KL_OK;
    kl_fail(err, KL_EUSAGE,
            "--%s: found %s, a file of kind '%s', expected FILE for a text, or - for the screen", option,
            path, kl_store_file_kind(file));
    kl_store_file_close(&file);
    return err->code;
}

/* One of two texts would be lost. */
static int refuse_twice(const struct kl_mode_run *run, const char *option, const char *path,
                        struct kl_error *err)
{
    const bool both = kl_store_mode_on_screen(path) && kl_store_mode_on_screen(run->text);
    if (!run->text || (!both && !kl_store_same_place(path, run->text))) return KL_OK;
    return kl_fail(err, KL_EUSAGE, "--%s and --%s: both are for %s; give one of them another FILE",
                   run->text_option, option, both ? "the screen" : path);
}

int kl_store_mode_text_of_file(const struct kl_mode_run *run, const char *option, const char *path,
                               struct kl_error *err)
{
    const struct kl_common *common = run->values;
    if (!path || !common->output || strcmp(common->output, "-") != 0) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "--%s: cannot be made while the file goes to standard output; name a file with -o",
                   option);
}

int kl_store_mode_text_check(struct kl_mode_run *run, const char *option, const char *path,
                             const char *begins, struct kl_error *err)
{
    struct kl_common *common = run->values;
    const bool screen = kl_store_mode_on_screen(path);
    if (!path) return KL_OK;
    if (!*path) return kl_fail(err, KL_EUSAGE, "--%s: found no name, expected FILE or -", option);
    if (refuse_twice(run, option, path, err)) return err->code;
    run->text = path, run->text_option = option;
    if (screen && common->json)
        return kl_fail(err, KL_EUSAGE, "--%s - and --json: both are for the screen; give --%s FILE",
                       option, option);
    common->quiet |= screen;
    if (screen) return kl_store_mode_text_of_file(run, option, path, err);
    if (common->output && kl_store_same_place(path, common->output))
        return kl_fail(err, KL_EUSAGE, "--%s: found the file %s, which -o writes; give another name",
                       option, path);
    if (access(path, F_OK) && kl_store_place_check(path, err)) return err->code;
    const int code =
        kl_store_target_check_bytes(path, 0, begins, true, run->stage.inputs, run->stage.n_inputs, err);
    if (code || common->force) return code;
    return refuse_ours(option, path, err)
               ? err->code
               : kl_store_target_check_bytes(path, 0, begins, false, NULL, 0, err);
}

int kl_store_mode_text_write(struct kl_mode_run *run, const char *path,
                             int (*put)(FILE *to, const void *context, struct kl_error *err),
                             const void *context, struct kl_error *err)
{
    char *text = NULL;
    size_t size = 0;
    bool written;
    if (!path) return KL_OK;
    if (kl_store_mode_on_screen(path)) return put(run->out, context, err);
    FILE *to = open_memstream(&text, &size);
    if (!to) return kl_fail_memory(err, 4096);
    int code = put(to, context, err);
    const bool whole = !ferror(to);
    if ((fclose(to) || !whole) && !code) code = kl_fail_memory(err, 4096);
    if (!code) code = kl_store_publish_bytes(&written, path, text, size, err);
    free(text);
    return code;
}

/* ---- tools and their modes ---- */
/* Is its option on the command line, "--synthetic" or "--synthetic=30", or its word the first one? */
static bool is_chosen(const struct kl_mode *mode, int argc, char **argv)
{
    const char *option = mode->tool->chosen_by;
    const size_t n = option ? strlen(option) : 0;
    if (!option) return false;
    if (*option != '-') return argc > 1 && strcmp(argv[1], option) == 0;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], option, n) == 0 && (!argv[i][n] || argv[i][n] == '=')) return true;
    return false;
}

/* A tool whose first word is to choose. */
static bool is_chooser(const struct kl_mode *mode)
{
    return !mode->run && !mode->stage;
}

/* Before its options are read, which are a command's: a first word that is none, or a command that is
   not the first one. */
static int check_command(const struct kl_tool *tool, int argc, char **argv, struct kl_error *err)
{
    for (int i = 1; i < argc; i++)
        if (argv[i][0] && argv[i][0] != '-' && (i == 1 || kl_choice(tool->commands, argv[i]) >= 0))
            return kl_options_fail_command(tool, argv[i], err);
    return KL_OK;
}

int kl_store_mode_run(const struct kl_mode *mode, struct kl_mode_run *run, struct kl_error *err)
{
    return mode->run ? mode->run(run, err) : begin_file_stage(run, mode->stage, err);
}

int kl_store_mode_end(struct kl_mode_run *run, int code, const struct kl_error *err)
{
    kl_store_stage_end(&run->stage);
    return kl_end(run->stage.log, code, err);
}

static int run_mode(struct kl_mode_run *run, const struct kl_mode *mode, struct kl_error *err)
{
    const char *chosen_by = mode->tool->chosen_by;
    if (is_chooser(mode)) return kl_options_fail_command(mode->tool, *run->stage.inputs, err);
    if (chosen_by && *chosen_by != '-') run->stage.inputs++, run->stage.n_inputs--;
    const bool has_output = !mode->has_output || mode->has_output(run->values);
    int code = mode->tool->commands
                   ? KL_OK /* it has words among its inputs */
                   : kl_options_check_inputs(mode->tool, run->values, has_output, run->stage.inputs,
                                             run->stage.n_inputs, err);
    if (!code) code = kl_store_mode_run(mode, run, err);
    kl_store_stage_end(&run->stage);
    return code;
}

/* whole: the tool without this mode; may be the mode's own. */
static int run_main(const struct kl_mode *mode, const struct kl_tool *whole, int argc, char **argv,
                    FILE *out, FILE *messages)
{
    struct kl_error err = { 0 };
    struct kl_cautions cautions = { 0 };
    struct kl_log log = { mode->tool->name, messages, 1, &cautions };
    struct kl_mode_run run = { .values = calloc(1, mode->tool->values_size), .out = out };
    const struct kl_common *common = run.values; /* the first member of every values struct */
    const char **inputs = NULL;
    size_t n_inputs = 0;
    if (mode->keeps_nothing) kl_signals_plain();
    else kl_signals_install();
    int code = run.values ? KL_OK : kl_fail_memory(&err, mode->tool->values_size);
    if (!code && mode->defaults) mode->defaults(run.values);
    if (!code && is_chooser(mode)) code = check_command(mode->tool, argc, argv, &err);
    if (!code) code = kl_options_parse(mode->tool, run.values, argc, argv, &inputs, &n_inputs, &err);
    if (code == KL_EUSAGE && whole != mode->tool)
        code = kl_options_name_owner(mode->tool, whole, argc, argv, &err);
    if (!code && mode->complete) code = mode->complete(run.values, &err);
    const bool answered = !code && kl_options_answer(mode->tool, run.values, out);
    if (!code && !answered) {
        log.level = common->quiet ? 0 : common->verbose ? 2 : 1;
        kl_note_variables(&log);
        run.stage = (struct kl_stage){ .tool = mode->tool,
                                       .values = run.values,
                                       .common = common,
                                       .log = &log,
                                       .argc = argc,
                                       .argv = argv,
                                       .inputs = inputs,
                                       .n_inputs = n_inputs,
                                       .start = kl_clock() };
        code = run_mode(&run, mode, &err);
    }
    kl_cautions_free(&cautions);
    free(inputs);
    free(run.values);
    return kl_end(&log, code, &err);
}

int kl_store_mode_main(const struct kl_mode *mode, int argc, char **argv, FILE *out, FILE *messages)
{
    return run_main(mode, mode->tool, argc, argv, out, messages);
}

int kl_store_modes_main(const struct kl_mode *const *modes, size_t n, int argc, char **argv, FILE *out,
                        FILE *messages)
{
    const struct kl_mode *mode = modes[0];
    for (size_t i = 1; i < n; i++)
        if (is_chosen(modes[i], argc, argv)) mode = modes[i];
    return run_main(mode, modes[0]->tool, argc, argv, out, messages);
}
