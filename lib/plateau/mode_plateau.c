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

static void defaults(void *values)
{
    struct values *v = values;
    kl_plateau_options_default(&v->scan);
}

static int scan(struct kl_mode_run *run, struct kl_error *err)
{
    struct values *v = run->values;
    v->scan.seed = v->common.seed;
    return kl_plateau_scan(run->state, &v->scan, run->pool, run->watch, err);
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    return kl_plateau_save(writer, run->state, err);
}

static int remark(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    (void)err;
    kl_plateau_remark(run->stage.log, run->state, &v->scan);
    return KL_OK;
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    return kl_plateau_json(to, run->state, run->stage.common->output, run->stage.key, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct kl_plateau *p = run->state;
    const struct kl_common *common = run->stage.common;
    kl_plateau_table(to, p, common->verbose);
    if (common->output)
        fprintf(to, "%s: %zu observables, %zu circuits of %zu draws, %.1f s\n", common->output,
                p->n_observables, p->n_qubits * p->n_layers, p->n_draws, kl_clock() - run->stage.start);
}

static void close_scan(struct kl_mode_run *run)
{
    kl_plateau_free(run->state);
}

static const struct kl_file_stage stage = { .kind = &kl_plateau_kind,
                                            .schema = SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .name = "plateau",
                                            .seeded = true,
                                            .state_size = sizeof(struct kl_plateau),
                                            .progress = "batches",
                                            .stops_at_once = true,
                                            .compute = scan,
                                            .save = save,
                                            .remark = remark,
                                            .json = json,
                                            .words = words,
                                            .close = close_scan };
const struct kl_mode kl_mode_plateau = { .tool = &kl_plateau_tool,
                                         .defaults = defaults,
                                         .stage = &stage };
