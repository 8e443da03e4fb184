/* SPDX-License-Identifier: MIT
   Meta-learning: what a user may say of it, in the project's words or in those of the reference's
   configurations (metaqctrl 1.0.0), whose keys are second names here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/meta/meta_train.h"
#include "kernels/device.h"

#define AT(field) offsetof(struct kl_control_meta_values, field)
#define RANGE(name, field, help, group)                                              \
    {                                                                                \
        name, 0, KL_OPT_STRING, AT(field), "LOW,HIGH", 0, 0, true, help, group, NULL \
    }
/* Keys of the reference that change nothing here: hidden. */
#define UNUSED(i, name)                                                                \
    {                                                                                  \
        name, 0, KL_OPT_STRING, AT(unused_text[i]), "X", 0, 0, false, NULL, NULL, NULL \
    }
#define UNUSED_TRUTH(i, name)                                                                   \
    {                                                                                           \
        name, 0, KL_OPT_CHOICE, AT(unused_text[i]), "true|false", 0, 0, false, NULL, NULL, NULL \
    }

static const char *const unused_names[] = { "n-support",
                                            "n-query",
                                            "log-interval",
                                            "dt-training",
                                            "use-rk4-training",
                                            "integration-method",
                                            "save-dir",
                                            "noise-type",
                                            "robust-type",
                                            "robust-iterations",
                                            "robust-tasks-per-batch",
                                            "gap-n-samples",
                                            "gap-K-values",
                                            "gap-variance-range",
                                            "grape-train-tasks",
                                            "grape-iterations",
                                            "grape-lr",
                                            "grape-method" };
enum { N_UNUSED = sizeof unused_names / sizeof *unused_names };

/* clang-format off */
/* The options that define a policy, however it came to its parameters; group: NULL where others stand
   before them. */
#define POLICY_ROWS(group) \
    { "tasks", 0, KL_OPT_CHOICE, AT(tasks), "auto|rates|psd", 0, 0, true,                            \
      "tasks are decay rates or spectra of noise; auto: by the ranges that are given", group, NULL }, \
    RANGE("gamma-deph-range", dephasing, "rate of dephasing (0.02,0.15)", NULL),                     \
    RANGE("gamma-relax-range", relaxation, "rate of relaxation (0.01,0.08)", NULL),                  \
    RANGE("alpha-range", alpha, "exponent of the spectrum (0.1,2)", NULL),                           \
    { "strength-range", 0, KL_OPT_STRING, AT(amplitude), "LOW,HIGH", 0, 0, true,                     \
      "its strength (0.01,10)", NULL, "A_range" },                                                   \
    RANGE("omega-c-range", omega_c, "its corner (1,300)", NULL),                                     \
    { "task-dist-type", 0, KL_OPT_CHOICE, AT(distribution), KL_CONTROL_DISTRIBUTIONS, 0, 0, true,    \
      "law of these numbers", NULL, NULL },                                                          \
    { "diversity-scale", 0, KL_OPT_FLOAT, AT(diversity), "X", 0, 1, true,                            \
      "their ranges, shrunk about the middle", NULL, NULL },                                         \
    { "psd-model", 0, KL_OPT_STRING, AT(psd_model), "MODEL", 0, 0, true,                             \
      "of the spectra: one_over_f, lorentzian, double_exp", NULL, NULL },                            \
    { "model-types", 0, KL_OPT_STRING, AT(model_types), "MODELS", 0, 0, true,                        \
      "several, between commas", NULL, NULL },                                                       \
    { "model-probs", 0, KL_OPT_STRING, AT(model_probs), "P,...", 0, 0, true,                         \
      "their probabilities (equal)", NULL, NULL },                                                   \
    { "mapping", 0, KL_OPT_CHOICE, AT(mapping), KL_CONTROL_MAPPING_CHOICES, 0, 0, true,              \
      "of spectra to rates: standard, or those of the reference", NULL, NULL },                      \
    { "sequence", 0, KL_OPT_STRING, AT(sequence), "NAME", 0, 0, true,                                \
      "whose filter gives dephasing: ramsey, echo, cpmg_N", NULL, NULL },                            \
    { "omega0", 0, KL_OPT_FLOAT, AT(omega0), "X", 0, 0, true, "level splitting, for relaxation",     \
      NULL, NULL },                                                                                  \
    { "gamma-h", 0, KL_OPT_FLOAT, AT(gamma_h), "X", 0, 1e9, true, "width of the line, of mapping filter", \
      NULL, "Gamma_h" },                                                                                  \
    { "line-width", 0, KL_OPT_FLOAT, AT(line_width), "X", 0, 1e9, true, "the same, of mapping standard", \
      NULL, NULL },                                                                                  \
    { "temperature", 0, KL_OPT_STRING, AT(temperature_text), "X|infinite", 0, 0, true,               \
      "kT/hbar, of mapping standard; infinite: as much up as down", NULL, NULL },                    \
    { "jump-up", 0, KL_OPT_FLAG, AT(jump_up), NULL, 0, 0, true,                                      \
      "relaxation runs from |0> to |1>", NULL, NULL },                                               \
    { "unit", 0, KL_OPT_STRING, AT(unit), "T", 0, 0, false,                                          \
      "20 ns: a unit of time; then rates, frequencies and times may have units", NULL, NULL },       \
    { "drift-strength", 0, KL_OPT_QUANTITY, AT(drift), "X", -1e6, 1e6, true, "h0 of H = h0 Z + u.sigma", NULL, \
      NULL },                                                                                        \
    RANGE("detuning-range", detuning, "drawn beside h0 (0,0); -1,1 MHz with --unit", NULL),                                \
    RANGE("amplitude-range", controls_range, "drawn factor of the controls (1,1)", NULL),            \
    RANGE("angle-range", angle, "of the target rotation about x, in radians", NULL),                 \
    RANGE("coupling-range", coupling, "drawn factor of two qubits' J (1,1)", NULL),                 \
    { "task-features", 0, KL_OPT_CHOICE, AT(tells), KL_CONTROL_TELLS, 0, 0, true,                    \
      "what the network is told of a task; shots: what a few experiments measure", NULL, NULL },     \
    { "task-shots", 0, KL_OPT_INT, AT(shots), "N", 1, 1e9, true, "shots of each such experiment",    \
      NULL, NULL },                                                                                  \
    { "target-gate", 0, KL_OPT_CHOICE, AT(gate), KL_CONTROL_META_GATES, 0, 0, true, "what is asked for", \
      "Objective", NULL },                                                                           \
    { "fidelity", 0, KL_OPT_CHOICE, AT(fidelity), KL_CONTROL_FIDELITIES, 0, 0, true,                 \
      "average of the whole gate, state of the image of |0>; others of a system", NULL, NULL },      \
    { "gate-time", 0, KL_OPT_QUANTITY, AT(duration), "T", 1e-9, 1e9, true,                           \
      "duration of a pulse (1; of a system its own)",                                                \
      NULL, "horizon" },                                                                             \
    { "limit", 0, KL_OPT_QUANTITY, AT(limit), "U", 1e-6, 1e6, true,                                  \
      "of amplitudes (10; of a system its own)",                                                     \
      NULL, NULL },                                                                                  \
    { "num-qubits", 0, KL_OPT_INT, AT(qubits), "N", 1, 2, true,                                      \
      "2: the gate cz, rates of each qubit, a network with layer norms", NULL, NULL },                  \
    { "hidden-dim", 0, KL_OPT_INT, AT(hidden), "N", 1, KL_CONTROL_MAX_UNITS, true, "units of a layer", \
      "Network and adaptation", NULL },                                                                             \
    { "n-hidden-layers", 0, KL_OPT_INT, AT(hidden_layers), "N", 0, KL_CONTROL_MAX_LAYERS - 2, true,  \
      "linear layers less two, as the reference counts", NULL, NULL },                               \
    { "n-segments", 0, KL_OPT_INT, AT(segments), "N", 1, KL_CONTROL_MAX_UNITS, true,                 \
      "of a pulse", NULL, NULL },                                                                    \
    { "n-controls", 0, KL_OPT_INT, AT(controls), "N", 2, 6, true,                                    \
      "2; of two qubits 4 or 6; of a system its own", NULL, NULL },                                  \
    { "output-scale", 0, KL_OPT_FLOAT, AT(scale), "X", 1e-6, 1e6, true, "factor of the output",      \
      NULL, NULL },                                                                                  \
    { "activation", 0, KL_OPT_CHOICE, AT(activation), "tanh|relu|elu", 0, 0, true, "of hidden layers", NULL, \
      NULL },                                                                                        \
    { "task-feature-dim", 0, KL_OPT_INT, AT(features), "N", 0, KL_CONTROL_MAX_FEATURES, true,        \
      "has to be what a task has; 4 of spectra: with the model; 0: any", NULL, NULL },               \
    { "start", 0, KL_OPT_CHOICE, AT(start), "constant|zero|pulse", 0, 0, true,                       \
      "first pulse; of a system one that is sought for the middle of its ranges", NULL, NULL },      \
    { "precision", 0, KL_OPT_CHOICE, AT(precision), "single|double", 0, 0, true,                     \
      "of training; it is judged in double", NULL, NULL },                                           \
    { "method", 0, KL_OPT_CHOICE, AT(method), KL_CONTROL_META_METHODS, 0, 0, true,                   \
      "first order, second order, Reptile, the mean loss without adaptation", NULL, NULL },  \
    { "first-order", 0, KL_OPT_CHOICE, AT(first_order), "true|false", 0, 0, true, NULL, NULL, NULL }, \
    { "last-layer", 0, KL_OPT_FLAG, AT(last_layer), NULL, 0, 0, true, "only it adapts (ANIL)", NULL, NULL }, \
    { "inner-steps", 'k', KL_OPT_INT, AT(inner_steps), "K", 0, 1000, true, "steps to adapt to a task", NULL, \
      NULL },                                                                                        \
    { "inner-lr", 0, KL_OPT_FLOAT, AT(inner_lr), "X", 0, 1e6, true, "their learning rate", NULL, NULL }, \
    { "inner-clip", 0, KL_OPT_FLOAT, AT(inner_clip), "X", 0, 1e9, true,                              \
      "largest norm of a task's gradient; 0: any", NULL, NULL }
static const struct kl_option options[] = {
    { "system", 0, KL_OPT_CHOICE, AT(problem.system), KL_CONTROL_SYSTEMS, 0, 0, true,
      "tasks are of a system of optimize, drawn from --range", "Tasks of a system, or of a family", NULL },
    { "model", 0, KL_OPT_STRING, AT(problem.model), "FILE", 0, 0, true,
      "of a system that a file describes (docs/control.md)", NULL, NULL },
    { "range", 0, KL_OPT_LIST, AT(problem.range), "NAME=LOW:HIGH", 0, 0, true,
      "a parameter that is drawn, detuning=-5:5 MHz; amplitude: the factor of all controls", NULL, NULL },
    { "set", 0, KL_OPT_LIST, AT(problem.set), "NAME=X", 0, 0, true, "other parameters: T1=80us", NULL, NULL },
    { "gate", 'g', KL_OPT_STRING, AT(problem.gate), "GATE", 0, 0, true,
      "x, hadamard, rx(pi/2), ...; default x, of two qubits cz, of a model its target", NULL, NULL },
    { "levels", 0, KL_OPT_STRING, AT(problem.levels), "N", 0, 0, true, "of a transmon, 2 to 16; default 3",
      NULL, NULL },
    POLICY_ROWS(NULL),
    /* As optimize calls them. */
    { "duration", 'T', KL_OPT_QUANTITY, AT(duration), "T", 1e-9, 1e9, false, NULL, NULL, NULL },
    { "segments", 'S', KL_OPT_INT, AT(segments), "N", 1, KL_CONTROL_MAX_UNITS, false, NULL, NULL, NULL },
    { "ensemble", 0, KL_OPT_CHOICE, AT(ensemble), "mean|worst|cvar", 0, 0, true,
      "of a batch's losses: their mean, the worst, the mean of the worst tenth", "Training", NULL },
    { "iterations", 'i', KL_OPT_INT, AT(iterations), "N", 1, 1e7, true,
      "meta-iterations, in whole intervals", NULL, "n_iterations" },
    { "tasks-per-batch", 'b', KL_OPT_INT, AT(train.options.batch_size), "N", 1, 65536, true,
      "fresh tasks of one", NULL, NULL },
    { "val-interval", 0, KL_OPT_INT, AT(val_interval), "N", 1, 1e7, true, "meta-iterations of an epoch", NULL,
      NULL },
    { "val-tasks", 0, KL_OPT_INT, AT(val_tasks), "N", 1, 65536, true, "a fixed set that judges epochs", NULL,
      NULL },
    { "meta-lr", 0, KL_OPT_FLOAT, KL_TRAIN_AT(AT(train), options.schedule.lr), "X", 0, 1e3, true,
      "learning rate", NULL, "lr" },
    { "optimizer", 0, KL_OPT_CHOICE, KL_TRAIN_AT(AT(train), optimizer), KL_TRAIN_OPTIMIZERS, 0, 0, true,
      "update rule", NULL, NULL },
    { "momentum", 0, KL_OPT_FLOAT, KL_TRAIN_AT(AT(train), options.optimizer.momentum), "X", 0, 1,
      true, "of sgd",
      NULL, NULL },
    { "beta1", 0, KL_OPT_FLOAT, KL_TRAIN_AT(AT(train), options.optimizer.beta1), "X", 0, 0.999999, true,
      "of Adam", NULL, NULL },
    { "beta2", 0, KL_OPT_FLOAT, KL_TRAIN_AT(AT(train), options.optimizer.beta2), "X", 0, 0.999999, true,
      "of Adam", NULL, NULL },
    { "epsilon", 0, KL_OPT_FLOAT, KL_TRAIN_AT(AT(train), options.optimizer.epsilon), "X", 0, 1,
      true, "of Adam",
      NULL, NULL },
    KL_TRAIN_SCHEDULE_OPTIONS(AT(train)),
    KL_TRAIN_REPLICA_OPTIONS(AT(train), "networks that differ in their random numbers"),
    KL_TRAIN_CHECKPOINT_OPTION(AT(train)),
    KL_TRAIN_HISTORY_OPTIONS(AT(train)),
    KL_DEVICE_OPTION(AT(common.device)),
    UNUSED(0, "n-support"), UNUSED(1, "n-query"), UNUSED(2, "log-interval"), UNUSED(3, "dt-training"),
    UNUSED_TRUTH(4, "use-rk4-training"), UNUSED(5, "integration-method"), UNUSED(6, "save-dir"),
    UNUSED(7, "noise-type"), UNUSED(8, "robust-type"), UNUSED(9, "robust-iterations"),
    UNUSED(10, "robust-tasks-per-batch"), UNUSED(11, "gap-n-samples"), UNUSED(12, "gap-K-values"),
    UNUSED(13, "gap-variance-range"), UNUSED(14, "grape-train-tasks"), UNUSED(15,
      "grape-iterations"), UNUSED(16, "grape-lr"), UNUSED(17, "grape-method"),
};
static const struct kl_option import_options[] = { POLICY_ROWS("Tasks") };
/* clang-format on */
const struct kl_tool kl_control_train_tool = {
    .name = "qcontrol",
    .summary = "Meta-learns a network that gives a pulse for a task and adapts it",
    .arguments = "train -o POLICY.h5",
    .example = "qcontrol train --detuning-range -0.5,0.5 --method maml -o policy.h5\n"
               "  qcontrol train --system transmon --range 'detuning=-5:5 MHz' -o transmon.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct kl_control_meta_values),
    .chosen_by = "train",
};
const struct kl_tool kl_control_import_tool = {
    .name = "qcontrol",
    .summary = "A policy from a checkpoint of metaqctrl; nothing in it is executed",
    .arguments = "import CHECKPOINT.pt -o POLICY.h5",
    .example = "qcontrol import maml_gamma_pauli_x_best.pt --fidelity state -o policy.h5",
    .options = import_options,
    .n_options = sizeof import_options / sizeof *import_options,
    .values_size = sizeof(struct kl_control_meta_values),
    .without = "seed progress threads device",
    .chosen_by = "import",
};

/* Unless it is given, a system has another one. */
static const char usual_start[] = "constant";

void kl_control_meta_defaults(void *values)
{
    struct kl_control_meta_values *v = values;
    kl_control_options_default(&v->problem);
    v->problem.system = NULL;
    v->common.progress = v->common.device = "auto";
    kl_train_settings_default(&v->train);
    v->train.options.batch_size = 32, v->train.options.optimizer.clip = 1;
    v->tasks = "auto", v->distribution = "uniform", v->gate = "pauli_x", v->fidelity = "average";
    v->tells = "given", v->activation = "tanh", v->method = "fomaml", v->first_order = "true";
    v->start = usual_start, v->precision = "single", v->mapping = "standard", v->sequence = "ramsey";
    v->diversity = 1, v->omega0 = 1, v->gamma_h = 100, v->temperature_text = "infinite";
    v->scale = 1, v->inner_lr = 0.01, v->shots = 100;
    v->hidden = 128, v->hidden_layers = 2, v->segments = 60, v->qubits = 1;
    v->inner_steps = 5, v->iterations = 1000, v->val_interval = 10, v->val_tasks = 20;
}

/* ---- texts to values ---- */

static int range_of(struct kl_control_range *r, const char *name, const char *text, struct kl_error *err)
{
    char *end = NULL, *last = NULL;
    if (!text) return KL_OK;
    r->low = strtod(text, &end);
    if (end != text && *end == ',') r->high = strtod(end + 1, &last);
    if (last && last != end + 1 && !*last) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "--%s: found '%s', expected two numbers between a comma, as in 0.02,0.15", name,
                   text);
}

/* ---- units: everything in the family's unit of time, `seconds` long (0: it has none) ---- */

/* "-1 MHz,1 MHz" or "-1,1 MHz" becomes two numbers, in `to`. */
static int take_range(const char **text, char to[64], const char *name,
                      enum kl_control_quantity quantity, double seconds, struct kl_error *err)
{
    char parts[2][64];
    double ends[2];
    const char *comma = *text ? strchr(*text, ',') : NULL;
    if (!comma || !(*text)[strspn(*text, "+-.0123456789eE,")] || strlen(*text) >= sizeof parts[0])
        return KL_OK;
    snprintf(parts[0], sizeof parts[0], "%.*s", (int)(comma - *text), *text);
    snprintf(parts[1], sizeof parts[1], "%s", comma + 1);
    char *unit[2];
    for (int i = 0; i < 2; i++) {
        ends[i] = strtod(parts[i], &unit[i]);
        if (unit[i] == parts[i] || !isfinite(ends[i])) return KL_OK; /* no numbers: range_of says so */
    }
    if (!*unit[0]) snprintf(unit[0], (size_t)(parts[0] + sizeof parts[0] - unit[0]), "%s", unit[1]);
    for (int i = 0; i < 2; i++) {
        struct kl_control_pair end = { .seconds = seconds };
        strcpy(end.quantity, parts[i]);
        const int code = kl_control_pair_value(&ends[i], &end, (int)quantity, NULL, name, err);
        if (code) return code;
    }
    snprintf(to, 64, "%.17g,%.17g", ends[0], ends[1]);
    *text = to;
    return KL_OK;
}

static int take_units(struct kl_control_meta_values *v, struct kl_error *err)
{
    double seconds;
    int code = kl_control_unit_read(&seconds, v->unit, err);
    if (!code)
        code = kl_control_quantity_take(&v->drift, KL_CONTROL_FREQUENCY, NULL, seconds, "drift-strength",
                                        err);
    if (!code)
        code = kl_control_quantity_take(&v->limit, KL_CONTROL_FREQUENCY, NULL, seconds, "limit", err);
    if (!code)
        code = kl_control_quantity_take(&v->duration, KL_CONTROL_TIME, NULL, seconds, "gate-time", err);
    if (!code)
        code = take_range(&v->detuning, v->numbers[0], "detuning-range", KL_CONTROL_FREQUENCY, seconds,
                          err);
    if (!code)
        code =
            take_range(&v->dephasing, v->numbers[1], "gamma-deph-range", KL_CONTROL_RATE, seconds, err);
    if (!code)
        code = take_range(&v->relaxation, v->numbers[2], "gamma-relax-range", KL_CONTROL_RATE, seconds,
                          err);
    return code;
}

/* The next word of a list; NULL: none is left. */
static const char *next_word(char word[32], const char *list)
{
    const size_t n = strcspn(list, ",");
    snprintf(word, 32, "%.*s", (int)(n < 31 ? n : 31), list + strspn(list, " "));
    return list[n] ? list + n + 1 : NULL;
}

static int models_of(struct kl_control_family *f, const struct kl_control_meta_values *v,
                     struct kl_error *err)
{
    const char *names = v->model_types ? v->model_types : v->psd_model ? v->psd_model : "one_over_f";
    const char *probabilities = v->model_probs;
    double sum = 0;
    for (char word[32]; names;) {
        names = next_word(word, names);
        const int model = kl_choice(KL_CONTROL_PSD_CHOICES, word);
        double p = 1;
        if (model < 0)
            return kl_fail(err, KL_EUSAGE, "--model-types: found '%s', expected %s", word,
                           KL_CONTROL_PSD_CHOICES);
        if (v->model_probs) {
            char *end = word;
            if (probabilities) probabilities = next_word(word, probabilities), p = strtod(word, &end);
            if (end == word || *end || !(p >= 0) || !isfinite(p))
                return kl_fail(
                    err, KL_EUSAGE,
                    "--model-probs: found '%s', expected a number that is not negative for each model",
                    v->model_probs);
        }
        f->models[model] += p, sum += p;
    }
    if (probabilities || !(sum > 0))
        return kl_fail(err, KL_EUSAGE,
                       "--model-probs: found '%s', expected as many numbers as models, not all 0",
                       v->model_probs);
    for (int m = 0; m < 3; m++) f->models[m] /= sum;
    return KL_OK;
}

static int family_of(struct kl_control_meta_values *v, struct kl_error *err)
{
    const bool spectra = v->alpha || v->amplitude || v->omega_c || v->psd_model || v->model_types;
    struct kl_control_family *f = &v->family;
    *f = (struct kl_control_family){ .dephasing = { 0.02, 0.15 },
                                     .relaxation = { 0.01, 0.08 },
                                     .alpha = { 0.1, 2 },
                                     .amplitude = { 0.01, 10 },
                                     .omega_c = { 1, 300 },
                                     .controls = { 1, 1 },
                                     .coupling = { 1, 1 },
                                     .two_qubits = v->qubits == 2,
                                     .angle = { M_PI, M_PI } };
    f->psd = strcmp(v->tasks, "psd") == 0 || (strcmp(v->tasks, "auto") == 0 && spectra);
    f->distribution = (enum kl_control_distribution)kl_choice(KL_CONTROL_DISTRIBUTIONS, v->distribution);
    f->gate = (enum kl_control_gate)kl_choice(KL_CONTROL_META_GATES, v->gate);
    f->tells = (enum kl_control_tells)kl_choice(KL_CONTROL_TELLS, v->tells);
    f->whole_gate = strcmp(v->fidelity, "average") == 0;
    f->tells_model = f->psd && v->features == 4;
    f->diversity = v->diversity, f->jump_up = v->jump_up, f->drift = v->drift.value, f->shots = v->shots;
    f->duration = v->duration.value;
    if (!f->psd && spectra)
        return kl_fail(err, KL_EUSAGE,
                       "--tasks rates: spectra are given as well (--alpha-range, --psd-model); "
                       "take these out or give --tasks psd");
    if (f->psd && (v->dephasing || v->relaxation))
        return kl_fail(err, KL_EUSAGE,
                       "--gamma-deph-range, --gamma-relax-range: tasks are spectra here; take "
                       "these out or give --tasks rates");
    int code = range_of(&f->dephasing, "gamma-deph-range", v->dephasing, err);
    if (!code) code = range_of(&f->relaxation, "gamma-relax-range", v->relaxation, err);
    if (!code) code = range_of(&f->alpha, "alpha-range", v->alpha, err);
    if (!code) code = range_of(&f->amplitude, "strength-range", v->amplitude, err);
    if (!code) code = range_of(&f->omega_c, "omega-c-range", v->omega_c, err);
    if (!code) code = range_of(&f->detuning, "detuning-range", v->detuning, err);
    if (!code) code = range_of(&f->controls, "amplitude-range", v->controls_range, err);
    if (!code) code = range_of(&f->coupling, "coupling-range", v->coupling, err);
    if (!code) code = range_of(&f->angle, "angle-range", v->angle, err);
    if (!code && f->psd) code = models_of(f, v, err);
    return code ? code : kl_control_family_check(f, err);
}

/* A mean is not told in the key, which had no other. */
static int ensemble_of(struct kl_control_meta_values *v, struct kl_error *err)
{
    v->aggregate = KL_CONTROL_MEAN;
    if (v->ensemble) v->aggregate = (enum kl_control_aggregate)kl_choice("mean|worst|cvar", v->ensemble);
    if (v->aggregate == KL_CONTROL_MEAN) v->ensemble = NULL;
    else if (v->train.options.batch_size > KL_CONTROL_PART)
        return kl_fail(err, KL_EUSAGE, "--ensemble %s: found %lld tasks a batch, expected at most %d",
                       v->ensemble, (long long)v->train.options.batch_size, (int)KL_CONTROL_PART);
    return KL_OK;
}

static int inner_of(struct kl_control_meta_values *v, struct kl_error *err)
{
    v->inner = (struct kl_control_inner){
        .method = (enum kl_control_meta_method)kl_choice(KL_CONTROL_META_METHODS, v->method),
        .last_layer = v->last_layer,
        .steps = (int)v->inner_steps,
        .lr = v->inner_lr,
        .clip = v->inner_clip,
    };
    if (strcmp(v->first_order, "false") == 0 && v->inner.method == KL_CONTROL_FOMAML)
        v->inner.method = KL_CONTROL_MAML;
    if (v->inner.method == KL_CONTROL_REPTILE && (v->inner.steps == 0 || !(v->inner.lr > 0)))
        return kl_fail(err, KL_EUSAGE,
                       "--method reptile: found %d inner steps of rate %g, expected some of a "
                       "rate above 0",
                       v->inner.steps, v->inner.lr);
    if (v->inner.method == KL_CONTROL_MAML && v->inner.clip > 0)
        return kl_fail(err, KL_EUSAGE,
                       "--inner-clip: goes with first order alone; give --method fomaml, or "
                       "--inner-clip 0");
    return KL_OK;
}

static int temperature_of(struct kl_control_meta_values *v, struct kl_error *err)
{
    char *end = NULL;
    const bool infinite = strcmp(v->temperature_text, "infinite") == 0;
    v->temperature = infinite ? INFINITY : strtod(v->temperature_text, &end);
    if (infinite || (end != v->temperature_text && !*end && v->temperature >= 0)) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "--temperature: found '%s', expected a number that is not negative, or "
                   "infinite",
                   v->temperature_text);
}

int kl_control_meta_settle(void *values, struct kl_error *err)
{
    struct kl_control_meta_values *v = values;
    struct kl_train_options *o = &v->train.options;
    const bool system = v->problem.system || v->problem.model;
    if (system && v->start == usual_start) v->start = "pulse";
    if (system && strcmp(v->start, "constant") == 0)
        return kl_fail(err, KL_EUSAGE,
                       "--start constant: not of --system and --model; expected pulse or zero");
    int code = kl_control_meta_system(v, err);
    if (!code && !system) {
        if (!v->duration.value && !v->duration.unit) v->duration.value = 1;
        if (!v->limit.value && !v->limit.unit) v->limit.value = 10;
        if (!v->controls) v->controls = 2;
        code = take_units(v, err);
        if (!code) code = family_of(v, err);
    }
    if (!code) code = ensemble_of(v, err);
    if (!code) code = inner_of(v, err);
    if (code) return code;
    if (temperature_of(v, err)) return err->code;
    const int features = kl_control_family_n_features(&v->family);
    const bool pair = v->qubits == 2;
    if (!system && (pair ? v->controls != 4 && v->controls != 6 : v->controls != 2))
        return kl_fail(err, KL_EUSAGE, "--n-controls: found %lld, expected %s", (long long)v->controls,
                       pair ? "4 or 6" : "2");
    if (system && v->inner.method == KL_CONTROL_MAML)
        return kl_fail(err, KL_EUSAGE,
                       "--method maml: its second derivatives are not there of --system and --model; "
                       "give --method fomaml");
    if (pair && v->inner.method == KL_CONTROL_MAML)
        return kl_fail(err, KL_EUSAGE, "--method maml: goes with one qubit alone; give --method fomaml");
    if (v->features && v->features != features)
        return kl_fail(err, KL_EUSAGE,
                       "--task-feature-dim: found %lld, expected %d: that many numbers tell a "
                       "task of these options; 0: any",
                       (long long)v->features, features);
    const int act = kl_choice("tanh|relu|elu", v->activation);
    v->shape = (struct kl_control_net_shape){ .features = features,
                                              .hidden = (int)v->hidden,
                                              .hidden_layers = (int)v->hidden_layers,
                                              .segments = (int)v->segments,
                                              .controls = (int)v->controls,
                                              .scale = pair ? M_PI * v->scale : v->scale,
                                              .norm = pair,
                                              .act = (enum kl_policy_act)(KL_POLICY_TANH + act) };
    if (v->val_interval > v->iterations) v->val_interval = v->iterations;
    o->epochs = (v->iterations + v->val_interval - 1) / v->val_interval;
    if ((double)o->epochs * (double)v->val_interval * (double)o->batch_size > 4e9)
        return kl_fail(err, KL_EUSAGE,
                       "--iterations: found %lld of %lld tasks, expected at most 4e9 tasks in all",
                       (long long)v->iterations, (long long)o->batch_size);
    return kl_control_meta_shorten(v, err);
}

void kl_control_meta_unused(const struct kl_control_meta_values *v, const struct kl_log *log)
{
    char names[512] = "";
    size_t n = 0;
    for (int i = 0; i < N_UNUSED; i++)
        if (v->unused_text[i] && n < sizeof names)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", unused_names[i]);
    if (n) kl_note(log, 1, "no effect here: %s", names);
    const int64_t all = v->train.options.epochs * v->val_interval;
    if (all != v->iterations)
        kl_note(log, 1, "%lld iterations: whole intervals of %lld", (long long)all,
                (long long)v->val_interval);
}
