/* SPDX-License-Identifier: MIT
   circuit: a circuit by name, seen: drawn, exported, counted; and a grid of them scanned for barren
   plateaus, which is a stage with a table of options of its own. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/options.h"
#include "circuit/statistics.h"
#include "plateau/plateau.h"
#include "plot/plot.h"
#include "store/store.h"

enum { NUMERICAL_VERSION = 1, PLATEAU_SCHEMA = 1 };

struct values {
    struct kl_common common;
    struct kl_circuit_options circuit;
    int64_t samples, width;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    KL_CIRCUIT_OPTIONS(AT(circuit)),
    { "samples", 0, KL_OPT_INT, AT(samples), "N", 100, 1e7, false,
      "stats: random weights to average over", "Looking", NULL },
    { "width", 0, KL_OPT_INT, AT(width), "N", 20, 10000, false, "show: characters a row", NULL, NULL },
    { "output", 'o', KL_OPT_STRING, AT(common.output), "FILE", 0, 0, false,
      "draw: FILE.svg or FILE.png; the others print", NULL, NULL },
    { "force", 'f', KL_OPT_FLAG, AT(common.force), NULL, 0, 0, false,
      "draw: replace what is no picture, too", NULL, NULL },
};
struct plateau_values {
    struct kl_common common;
    struct kl_plateau_options scan;
};

#define SCAN(field) (offsetof(struct plateau_values, scan) + offsetof(struct kl_plateau_options, field))
static const struct kl_option plateau_options[] = {
    { "qubits", 0, KL_OPT_STRING, SCAN(qubits), "LIST", 0, 0, true,
      "rising numbers and ranges: 2-6,8,10", "Grid", NULL },
    { "layers", 0, KL_OPT_STRING, SCAN(layers), "LIST", 0, 0, true, "of the ansatz", NULL, NULL },
    { "ansatz", 0, KL_OPT_CHOICE, SCAN(ansatz), KL_ANSATZ_CHOICES, 0, 0, true, "gates of a layer", NULL,
      NULL },
    { "entanglement", 0, KL_OPT_CHOICE, SCAN(entanglement), KL_ENTANGLEMENT_CHOICES, 0, 0, true,
      "pairs that a layer couples", NULL, NULL },
    { "mirror", 0, KL_OPT_INT, SCAN(mirror), "N", 0, 500, true,
      "blocks of N layers and their mirror image; 0: none", NULL, NULL },
    { "initial-ry", 0, KL_OPT_FLOAT, SCAN(initial), "ANGLE", -7, 7, true,
      "RY on every qubit first; 0: none", NULL, NULL },
    { "observables", 0, KL_OPT_STRING, SCAN(observables), "LIST", 0, 0, true,
      "local (Z0), global (Z on all), strings: ZZ", NULL, NULL },
    { "parameter", 0, KL_OPT_STRING, SCAN(parameter), "K|all", 0, 0, true,
      "differentiate by this one; all: mean variance", "Sampling", NULL },
    { "draws", 0, KL_OPT_INT, SCAN(draws), "N", 2, 1e5, true, "of all parameters, for each cell", NULL,
      NULL },
    { "spread", 0, KL_OPT_FLOAT, SCAN(spread), "ANGLE", 1e-9, 7, true,
      "uniform in +-ANGLE; default pi: everywhere", NULL, NULL },
    { "init", 0, KL_OPT_CHOICE, SCAN(init), "uniform|identity", 0, 0, true,
      "identity: mirrored layers undo their images", NULL, NULL },
    { "resamples", 0, KL_OPT_INT, SCAN(resamples), "N", 10, 1e4, true, "of the bootstrap", NULL, NULL },
};
static const struct kl_tool plateau_tool = {
    .name = "circuit",
    .summary = "Variance of gradients over qubits and layers: how fast a barren plateau sets in",
    .arguments = "plateau [-o PLATEAU.h5]",
    .example =
        "circuit plateau --qubits 2-12 --layers 1,4,16,64 -o p.h5\n  circuit plateau --observables "
        "ZZ,global "
        "--spread 0.1",
    .options = plateau_options,
    .n_options = sizeof plateau_options / sizeof *plateau_options,
    .values_size = sizeof(struct plateau_values),
    .without = "device",
    .chosen_by = "plateau",
};
static const struct kl_tool *const parts[] = { &plateau_tool, NULL };
static const struct kl_tool tool = {
    .name = "circuit",
    .summary = "Shows, draws, exports and counts a circuit: by name, or of a trained head",
    .arguments = "show|draw|qasm|stats [HEAD.h5]",
    .example = "circuit show --ansatz efficient-su2 --qubits 6\n  circuit draw head.h5 -o circuit.svg\n"
               "  circuit qasm --layers 2 > c.qasm; circuit show --circuit-file c.qasm",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key device note no-provenance progress",
    .commands = "show|draw|qasm|stats|plateau",
    .parts = parts,
};

struct run {
    struct values v;
    struct kl_log log;
    int argc;
    char **argv;
    struct kl_circuit *circuit;
    char *config; /* of the head file, or the circuit file: the options point into it */
    json_t *parsed;
};

/* A head has its own circuit: options of another beside it would be ignored. Even one that is given its
   default counts, so the command line is read again, over values that no option can have. */
static int check_alone(int argc, char **argv, struct kl_error *err)
{
    struct values v = { .circuit = { .n_qubits = -1, .n_layers = -1, .mirror = -1 } };
    const struct kl_circuit_options *o = &v.circuit;
    const char **args = NULL;
    size_t n;
    int code = kl_options_parse(&tool, &v, argc, argv, &args, &n, err);
    free(args);
    if (!code &&
        (o->n_qubits >= 0 || o->n_layers >= 0 || o->mirror >= 0 || o->ansatz || o->embedding ||
         o->entanglement || o->reupload || o->learn_scale || o->observables || o->file || o->qasm))
        code = kl_fail(err, KL_EUSAGE,
                       "a head has its own qubits, layers, ansatz, entanglement, mirror, embedding, "
                       "reupload, learn-scale and observables; leave these and --circuit-file away");
    return code;
}

/* The head's circuit instead of the command line's. */
static int from_head(struct run *run, const char *path, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int code = kl_file_open_kind(&file, path, "head", err);
    if (!code) code = kl_file_text(&run->config, file, "", "config", err);
    if (!code) code = kl_json_parse(&run->parsed, run->config, path, err);
    if (!code) code = kl_circuit_config(&run->v.circuit, run->parsed, path, err);
    const char *core = code ? NULL : kl_circuit_absent(run->parsed);
    if (core) code = kl_fail(err, KL_EDATA, "%s: holds no circuit, its core is %s", path, core);
    kl_file_close(&file);
    return code;
}

static int draw(struct run *run, const char *head, FILE *out, struct kl_error *err)
{
    const char *path = run->v.common.output;
    const size_t n = path ? strlen(path) : 0;
    const struct kl_figure *figure = kl_figures;
    struct kl_circuit_options circuit = run->v.circuit;
    const struct kl_figure_inputs inputs = { .circuit = &circuit };
    circuit.noise = json_string_value(json_object_get(run->parsed, "noise")); /* for the caption */
    bool svg = n > 4 && strcmp(path + n - 4, ".svg") == 0,
         png = n > 4 && strcmp(path + n - 4, ".png") == 0;
    bool written;
    if (!svg && !png)
        return kl_fail(err, KL_EUSAGE, "draw: found output \"%s\", expected -o FILE.svg or FILE.png",
                       path ? path : "");
    while (strcmp(figure->name, "circuit") != 0) figure++;
    const char *inputs_of[] = { head, run->v.circuit.file, run->v.common.config }, *given[3];
    size_t n_given = 0;
    for (int i = 0; i < 3; i++)
        if (inputs_of[i]) given[n_given++] = inputs_of[i];
    int code =
        kl_figure_target_check(path, svg ? KL_SVG : KL_PNG, run->v.common.force, given, n_given, err);
    if (code) return code;
    code = kl_figure_write(&written, figure, &inputs, svg ? KL_SVG : KL_PNG, path, err);
    if (!code && !run->v.common.quiet)
        fprintf(out, "%s: %s\n", path, written ? "written" : "up to date");
    return code;
}

static int stats(struct run *run, FILE *out, struct kl_error *err)
{
    const struct kl_circuit *c = run->circuit;
    const size_t samples = (size_t)run->v.samples;
    const uint64_t seed = (uint64_t)run->v.common.seed;
    struct kl_circuit_counts counts;
    struct kl_pool *pool = NULL;
    double entanglement = 0, expressibility = 0;
    const bool sampled = !c->amplitude_inputs && c->n_qubits <= 12;
    kl_circuit_count(&counts, c);
    int code = kl_pool_create(&pool, (int)run->v.common.threads, err);
    if (!code && sampled) code = kl_circuit_expressibility(&expressibility, c, samples, seed, pool, err);
    if (!code && sampled) code = kl_circuit_entanglement(&entanglement, c, samples, seed, pool, err);
    kl_pool_destroy(&pool);
    if (code) return code;
    const struct kl_json_pair pairs[] = {
        { "qubits", KL_JSON_COUNT, NULL, c->n_qubits },
        { "inputs", KL_JSON_COUNT, NULL, (double)c->n_inputs },
        { "weights", KL_JSON_COUNT, NULL, (double)c->n_weights },
        { "outputs", KL_JSON_COUNT, NULL, (double)c->n_obs },
        { "gates", KL_JSON_COUNT, NULL, (double)counts.gates },
        { "gates_on_two_or_more", KL_JSON_COUNT, NULL, (double)counts.wide_gates },
        { "depth", KL_JSON_COUNT, NULL, counts.depth },
        { "real_amplitudes", KL_JSON_BOOL, NULL, c->real },
        { "expressibility", KL_JSON_NUMBER, NULL, expressibility },
        { "entanglement", KL_JSON_NUMBER, NULL, entanglement },
    };
    const size_t n = sizeof pairs / sizeof *pairs - (sampled ? 0 : 2);
    if (run->v.common.json) return kl_json_line(out, pairs, n, err);
    for (size_t i = 0; i < n; i++)
        if (pairs[i].type == KL_JSON_BOOL)
            fprintf(out, "%-20s  %s\n", pairs[i].name, pairs[i].number != 0 ? "yes" : "no");
        else
            fprintf(out, pairs[i].type == KL_JSON_COUNT ? "%-20s  %.0f\n" : "%-20s  %.4f\n",
                    pairs[i].name, pairs[i].number);
    return KL_OK;
}

static int work(struct run *run, const char **args, size_t n_args, FILE *out, struct kl_error *err)
{
    static const char *const commands[] = { "show", "draw", "qasm", "stats" };
    size_t command = 0;
    while (command < 4 && (n_args == 0 || strcmp(args[0], commands[command]) != 0)) command++;
    if (command == 4 || n_args > 2)
        return kl_fail(
            err, KL_EUSAGE,
            "found \"%s\", expected show, draw, qasm or stats, and at most one head; or plateau "
            "as the first word",
            n_args ? args[0] : "");
    int code = n_args == 2 ? check_alone(run->argc, run->argv, err) : KL_OK;
    if (!code)
        code = n_args == 2 ? from_head(run, args[1], err)
                           : kl_circuit_options_file(&run->v.circuit, &run->config, err);
    if (!code) code = kl_circuit_build(&run->circuit, &run->v.circuit, err);
    if (code) return code;
    if (command == 1) return draw(run, n_args == 2 ? args[1] : NULL, out, err);
    if (run->v.common.output && strcmp(run->v.common.output, "-") != 0)
        return kl_fail(err, KL_EUSAGE, "%s: writes to standard output; -o belongs to draw", args[0]);
    if (run->v.common.force)
        return kl_fail(err, KL_EUSAGE, "%s: replaces nothing; --force belongs to draw", args[0]);
    if (command == 0) return kl_circuit_text(out, run->circuit, (size_t)run->v.width, err);
    return command == 2 ? kl_circuit_qasm(out, run->circuit, err) : stats(run, out, err);
}

struct plateau_run {
    struct plateau_values v;
    struct kl_log log;
    struct kl_stage stage;
    struct kl_plateau plateau;
};

static int begin_plateau(struct plateau_run *run, enum kl_stage_answer *answer, FILE *out,
                         struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = kl_key_begin(&key, "plateau", PLATEAU_SCHEMA, "plateau", NUMERICAL_VERSION, err);
    if (!code) code = kl_key_options(key, &plateau_tool, &run->v, err);
    if (!code) code = kl_key_integer(key, "seed", run->v.common.seed, err);
    if (!code) code = kl_stage_begin(&run->stage, answer, &key, out, err);
    kl_key_abort(&key);
    return code;
}

static int scan(struct plateau_run *run, struct kl_error *err)
{
    struct kl_pool *pool = NULL;
    struct kl_progress progress;
    int code = kl_pool_create(&pool, (int)run->v.common.threads, err);
    kl_progress_begin(&progress, &run->log, run->v.common.progress, "batches");
    run->v.scan.seed = run->v.common.seed;
    if (!code) code = kl_plateau_scan(&run->plateau, &run->v.scan, pool, &progress.watch, err);
    kl_progress_end(&progress);
    kl_pool_destroy(&pool);
    return code;
}

static int save_plateau(struct plateau_run *run, struct kl_error *err)
{
    struct kl_writer *writer = NULL;
    int code = kl_writer_open(&writer, run->v.common.output, &run->stage.header, err);
    if (!code) code = kl_plateau_save(writer, &run->plateau, err);
    if (!code) return kl_stage_publish(&run->stage, &writer, NULL, 0, NULL, NULL, err);
    kl_writer_abort(&writer);
    return code;
}

static int report_plateau(const struct plateau_run *run, FILE *out, struct kl_error *err)
{
    const struct kl_plateau *p = &run->plateau;
    const struct kl_common *common = &run->v.common;
    const size_t cells = p->n_qubits * p->n_layers;
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, common->output ? common->output : "", 0 },
        { "key", KL_JSON_TEXT, run->stage.key, 0 },
        { "status", KL_JSON_TEXT, kl_stage_status(KL_STAGE_COMPUTE), 0 },
        { "observables", KL_JSON_COUNT, NULL, (double)p->n_observables },
        { "cells", KL_JSON_COUNT, NULL, (double)cells },
        { "draws", KL_JSON_COUNT, NULL, (double)p->n_draws },
    };
    if (common->json) return kl_json_line(out, pairs, sizeof pairs / sizeof *pairs, err);
    if (common->quiet) return KL_OK;
    kl_plateau_table(out, p, common->verbose);
    if (common->output)
        fprintf(out, "%s: %zu observables, %zu circuits of %zu draws, %.1f s\n", common->output,
                p->n_observables, cells, p->n_draws, kl_clock() - run->stage.start);
    return KL_OK;
}

static int work_plateau(struct plateau_run *run, size_t n_args, FILE *out, struct kl_error *err)
{
    const struct kl_common *common = &run->v.common;
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    if (n_args != 1) return kl_fail(err, KL_EUSAGE, "plateau: takes no input; found %zu", n_args - 1);
    if (!common->output && (common->force || common->dry_run))
        return kl_fail(err, KL_EUSAGE, "plateau: no output; give -o PLATEAU.h5");
    int code = begin_plateau(run, &answer, out, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer != KL_STAGE_COMPUTE) return kl_stage_report(&run->stage, answer, out, err);
    code = scan(run, err);
    if (!code && common->output) code = save_plateau(run, err);
    return code ? code : report_plateau(run, kl_words_to(common), err);
}

static int main_plateau(int argc, char **argv)
{
    struct kl_error err = { 0 };
    struct plateau_run run = { .log = { plateau_tool.name, stderr, 1 } };
    const char **args = NULL;
    size_t n_args = 0;
    kl_signals_install();
    kl_plateau_options_default(&run.v.scan);
    int code = kl_options_parse(&plateau_tool, &run.v, argc, argv, &args, &n_args, &err);
    bool answered = !code && kl_options_answer(&plateau_tool, &run.v, stdout);
    run.log.level = run.v.common.quiet ? 0 : run.v.common.verbose ? 2 : 1;
    run.stage = (struct kl_stage){ .tool = &plateau_tool,
                                   .values = &run.v,
                                   .common = &run.v.common,
                                   .log = &run.log,
                                   .argc = argc,
                                   .argv = argv,
                                   .start = kl_clock() };
    if (!code && !answered) code = work_plateau(&run, n_args, stdout, &err);
    kl_plateau_free(&run.plateau);
    kl_stage_end(&run.stage);
    free(args);
    return kl_end(&run.log, code, &err);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "plateau") == 0) return main_plateau(argc, argv);
    struct kl_error err = { 0 };
    struct run run = { .v = { .samples = 5000, .width = 100 },
                       .log = { tool.name, stderr, 1 },
                       .argc = argc,
                       .argv = argv };
    const char **args = NULL;
    size_t n_args = 0;
    kl_circuit_options_default(&run.v.circuit);
    int code = kl_options_parse(&tool, &run.v, argc, argv, &args, &n_args, &err);
    bool answered = !code && kl_options_answer(&tool, &run.v, stdout);
    if (!code && !answered) code = work(&run, args, n_args, stdout, &err);
    kl_circuit_free(&run.circuit);
    json_decref(run.parsed);
    free(run.config);
    free(args);
    return kl_finish(&run.log, code ? kl_report(&run.log, &err) : 0);
}
