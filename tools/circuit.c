/* SPDX-License-Identifier: MIT
   circuit: a circuit by name, seen: drawn, exported, counted; and a grid of them scanned for barren
   plateaus (lib/plateau). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/options.h"
#include "circuit/statistics.h"
#include "head/head.h"
#include "plateau/plateau.h"
#include "plot/plot.h"
#include "store/mode.h"

enum { SAMPLES = 5000, WIDTH = 100 };

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
      "draw: FILE.svg, FILE.pdf or FILE.png; the others print", NULL, NULL },
    { "force", 'f', KL_OPT_FLAG, AT(common.force), NULL, 0, 0, false,
      "draw: replace what is no picture, too", NULL, NULL },
    { "json", 0, KL_OPT_FLAG, AT(common.json), NULL, 0, 0, false, "stats: the counts as one JSON object",
      NULL, NULL },
};
static const struct kl_tool *const parts[] = { &kl_plateau_tool, NULL };
static const struct kl_tool tool = {
    .name = "circuit",
    .summary = "Shows, draws, exports and counts a circuit: by name, or of a trained head",
    .arguments = "show|draw|qasm|stats [HEAD.h5]",
    .example = "circuit show --ansatz efficient-su2 --qubits 6\n  circuit draw head.h5 -o circuit.svg\n"
               "  circuit qasm --layers 2 > c.qasm; circuit show --circuit-file c.qasm",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key json note no-provenance progress",
    .commands = "show|draw|qasm|stats|plateau",
    .parts = parts,
};

struct run {
    struct values *v;
    FILE *out;
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
                       "reupload, learn-scale and observables; leave these and --circuit-file out");
    return code;
}

/* The head's circuit instead of the command line's. */
static int from_head(struct run *run, const char *path, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int code = kl_store_file_open_kind(&file, path, &kl_head_kind, err);
    if (!code) code = kl_store_file_text(&run->config, file, "", "config", err);
    if (!code) code = kl_json_parse(&run->parsed, run->config, path, err);
    if (!code) code = kl_circuit_config(&run->v->circuit, run->parsed, path, err);
    const char *core = code ? NULL : kl_circuit_absent(run->parsed);
    if (core) code = kl_fail(err, KL_EDATA, "%s: holds no circuit, its core is %s", path, core);
    kl_store_file_close(&file);
    return code;
}

static int draw(struct run *run, const char *head, struct kl_error *err)
{
    const char *path = run->v->common.output;
    const struct kl_figure *figure = kl_figures;
    struct kl_circuit_options circuit = run->v->circuit;
    size_t drawn = 0;
    const struct kl_figure_inputs inputs = { .circuit = &circuit, .drawn = &drawn };
    circuit.noise = json_string_value(json_object_get(run->parsed, "noise")); /* for the caption */
    const enum kl_figure_format format = path ? kl_plot_format_of(path) : KL_N_FORMATS;
    bool written;
    if (format == KL_N_FORMATS)
        return kl_fail(err, KL_EUSAGE,
                       "draw: found output '%s', expected -o FILE.svg, FILE.pdf or FILE.png",
                       path ? path : "");
    while (strcmp(figure->name, "circuit") != 0) figure++;
    const char *inputs_of[] = { head, run->v->circuit.file, run->v->common.config }, *given[3];
    size_t n_given = 0;
    for (int i = 0; i < 3; i++)
        if (inputs_of[i]) given[n_given++] = inputs_of[i];
    int code = kl_plot_figure_target_check(path, format, run->v->common.force, given, n_given, err);
    if (code) return code;
    code = kl_plot_figure_write(&written, figure, &inputs, format, path, err);
    if (code || run->v->common.quiet) return code;
    fprintf(run->out, "%s: %s", path, written ? "written" : "up to date");
    const size_t all = kl_circuit_gates(run->circuit);
    if (drawn < all) fprintf(run->out, ", the first columns: %zu of %zu gates", drawn, all);
    fputc('\n', run->out);
    return KL_OK;
}

/* The circuit and its measurements are named above the gates, as above a drawing. */
static int show(struct run *run, struct kl_error *err)
{
    char title[KL_TITLE];
    kl_plot_circuit_title(title, &run->v->circuit, run->circuit,
                          json_string_value(json_object_get(run->parsed, "noise")) != NULL);
    if (!run->v->common.quiet) fprintf(run->out, "%s\n\n", title);
    return kl_circuit_text(run->out, run->circuit, (size_t)run->v->width, err);
}

static int stats(struct run *run, struct kl_error *err)
{
    const struct kl_circuit *c = run->circuit;
    const size_t samples = (size_t)run->v->samples;
    const uint64_t seed = (uint64_t)run->v->common.seed;
    struct kl_circuit_counts counts;
    struct kl_pool *pool = NULL;
    double entanglement = 0, expressibility = 0;
    const bool sampled = !c->amplitude_inputs && c->n_qubits <= 12;
    kl_circuit_count(&counts, c);
    int code = kl_pool_create(&pool, (int)run->v->common.threads, err);
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
    if (run->v->common.json) return kl_json_line(run->out, pairs, n, err);
    for (size_t i = 0; i < n; i++)
        if (pairs[i].type == KL_JSON_BOOL)
            fprintf(run->out, "%-20s  %s\n", pairs[i].name, pairs[i].number != 0 ? "yes" : "no");
        else
            fprintf(run->out, pairs[i].type == KL_JSON_COUNT ? "%-20s  %.0f\n" : "%-20s  %.4f\n",
                    pairs[i].name, pairs[i].number);
    return KL_OK;
}

/* Options of one command beside another. */
static int check_idle(const struct values *v, const char *command, struct kl_error *err)
{
    const struct values usual = { .samples = SAMPLES, .width = WIDTH };
    int code = strcmp(command, "stats") == 0
                   ? KL_OK
                   : kl_options_refuse(&tool, v, &usual, "samples seed", "belongs to stats", err);
    if (!code && strcmp(command, "show") != 0)
        code = kl_options_refuse(&tool, v, &usual, "width", "belongs to show", err);
    return code;
}

static int work(struct run *run, const struct kl_stage *stage, struct kl_error *err)
{
    static const char *const commands[] = { "show", "draw", "qasm", "stats" };
    const char *const *args = stage->inputs;
    const size_t n_args = stage->n_inputs;
    size_t command = 0;
    while (command < 4 && (n_args == 0 || strcmp(args[0], commands[command]) != 0)) command++;
    if (command < 4 && n_args > 2)
        return kl_fail_inputs(err, args + 1, n_args - 1, 1, "one head at most");
    if (command == 4) return kl_options_fail_command(&tool, n_args ? args[0] : NULL, err);
    if (run->v->common.json && strcmp(args[0], "stats") != 0)
        return kl_fail(err, KL_EUSAGE, "%s: has no JSON; --json belongs to stats, and to plateau",
                       args[0]);
    int code = check_idle(run->v, args[0], err);
    if (!code && n_args == 2) code = check_alone(stage->argc, stage->argv, err);
    if (!code)
        code = n_args == 2 ? from_head(run, args[1], err)
                           : kl_circuit_options_file(&run->v->circuit, &run->config, err);
    if (!code) code = kl_circuit_build(&run->circuit, &run->v->circuit, err);
    if (code) return code;
    kl_circuit_say(stage->log, run->circuit);
    if (command == 1) return draw(run, n_args == 2 ? args[1] : NULL, err);
    if (run->v->common.output && strcmp(run->v->common.output, "-") != 0)
        return kl_fail(err, KL_EUSAGE, "%s: writes to standard output; -o belongs to draw", args[0]);
    if (run->v->common.force)
        return kl_fail(err, KL_EUSAGE, "%s: replaces nothing; --force belongs to draw", args[0]);
    if (command == 0) return show(run, err);
    return command == 2 ? kl_circuit_qasm(run->out, run->circuit, err) : stats(run, err);
}

static int look(struct kl_mode_run *mode, struct kl_error *err)
{
    struct run run = { .v = mode->values, .out = mode->out };
    const int code = work(&run, &mode->stage, err);
    kl_circuit_free(&run.circuit);
    json_decref(run.parsed);
    free(run.config);
    return code;
}

static void defaults(void *values)
{
    struct values *v = values;
    *v = (struct values){ .samples = SAMPLES, .width = WIDTH };
    kl_circuit_options_default(&v->circuit);
}

int main(int argc, char **argv)
{
    static const struct kl_mode circuits = {
        .tool = &tool, .defaults = defaults, .run = look, .keeps_nothing = true
    };
    const struct kl_mode *const modes[] = { &circuits, &kl_mode_plateau };
    return kl_store_modes_main(modes, 2, argc, argv, stdout, stderr);
}
