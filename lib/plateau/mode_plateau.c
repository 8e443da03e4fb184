/* SPDX-License-Identifier: MIT
   `circuit plateau`: a grid of circuits scanned for barren plateaus, a stage that has no input. */
#include "circuit/options.h"
#include "plateau/plateau.h"
#include "store/mode.h"

enum { NUMERICAL_VERSION = 1, SCHEMA = 1 };

struct values {
    struct kl_common common;
    struct kl_plateau_options scan;
};

#define SCAN(field) (offsetof(struct values, scan) + offsetof(struct kl_plateau_options, field))
static const struct kl_option options[] = {
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
const struct kl_tool kl_plateau_tool = {
    .name = "circuit",
    .summary = "Variance of gradients over qubits and layers: how fast a barren plateau sets in",
    .arguments = "plateau [-o PLATEAU.h5]",
    .example =
        "circuit plateau --qubits 2-12 --layers 1,4,16,64 -o p.h5\n  circuit plateau --observables "
        "ZZ,global "
        "--spread 0.1",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .chosen_by = "plateau",
};
struct work {
    struct kl_mode_run *run;
    struct values *v;
    struct kl_plateau plateau;
};

static void defaults(void *values)
{
    struct values *v = values;
    kl_plateau_options_default(&v->scan);
}

static int begin(struct work *w, enum kl_stage_answer *answer, struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = kl_store_key_begin(&key, "plateau", SCHEMA, "plateau", NUMERICAL_VERSION, err);
    if (!code) code = kl_store_key_options(key, &kl_plateau_tool, w->v, err);
    if (!code) code = kl_store_key_integer(key, "seed", w->v->common.seed, err);
    if (!code) code = kl_store_stage_begin(&w->run->stage, answer, &key, w->run->out, err);
    kl_store_key_abort(&key);
    return code;
}

static int scan(struct work *w, struct kl_error *err)
{
    struct kl_pool *pool = NULL;
    struct kl_progress progress;
    int code = kl_pool_create(&pool, (int)w->v->common.threads, err);
    kl_progress_begin(&progress, w->run->stage.log, w->v->common.progress, "batches");
    w->v->scan.seed = w->v->common.seed;
    kl_signals_plain(); /* nothing is kept of it: who stops it need not wait for a batch */
    if (!code) code = kl_plateau_scan(&w->plateau, &w->v->scan, pool, &progress.watch, err);
    kl_signals_install();
    kl_progress_end(&progress);
    kl_pool_destroy(&pool);
    return code;
}

static int save(struct work *w, struct kl_error *err)
{
    struct kl_writer *writer = NULL;
    int code = kl_store_writer_open(&writer, w->v->common.output, &w->run->stage.header, err);
    if (!code) code = kl_plateau_save(writer, &w->plateau, err);
    if (!code) return kl_store_stage_publish(&w->run->stage, &writer, NULL, 0, NULL, NULL, err);
    kl_store_writer_abort(&writer);
    return code;
}

static int report(const struct work *w, FILE *out, struct kl_error *err)
{
    const struct kl_plateau *p = &w->plateau;
    const struct kl_common *common = &w->v->common;
    if (common->json) return kl_plateau_json(out, p, common->output, w->run->stage.key, err);
    if (common->quiet) return KL_OK;
    kl_plateau_table(out, p, common->verbose);
    if (common->output)
        fprintf(out, "%s: %zu observables, %zu circuits of %zu draws, %.1f s\n", common->output,
                p->n_observables, p->n_qubits * p->n_layers, p->n_draws,
                kl_clock() - w->run->stage.start);
    return KL_OK;
}

static int work(struct work *w, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    const struct kl_common *common = &w->v->common;
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    if (stage->n_inputs != 1)
        return kl_fail(err, KL_EUSAGE, "plateau: takes no input; found %zu", stage->n_inputs - 1);
    stage->n_inputs = 0; /* the word itself */
    if (!common->output && (common->force || common->dry_run))
        return kl_fail(err, KL_EUSAGE, "plateau: no output; give -o PLATEAU.h5");
    int code = begin(w, &answer, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer != KL_STAGE_COMPUTE) return kl_store_stage_report(stage, answer, w->run->out, err);
    code = scan(w, err);
    if (!code) kl_plateau_remark(stage->log, &w->plateau, &w->v->scan);
    if (!code && common->output) code = save(w, err);
    return code ? code : report(w, kl_words_to(common), err);
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct work w = { .run = run, .v = run->values };
    int code = work(&w, err);
    kl_plateau_free(&w.plateau);
    return code;
}

const struct kl_mode kl_mode_plateau = { .tool = &kl_plateau_tool, .defaults = defaults, .run = run };
