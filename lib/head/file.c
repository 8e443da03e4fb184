/* SPDX-License-Identifier: MIT
   Head files: what they hold beside the state of the loop (train/save.c), what their page shows, and one
   replica of a file, or of one of its controls, ready to use. */
#include "head/head.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/evaluate.h"
#include "head/head_int.h"
#include "store/kind.h"
#include "store/store.h"

/* -1: no core has this name. */
static int core_named(const char *name)
{
    for (int i = 0; i < KL_CORES; i++)
        if (strcmp(kl_core_names[i], name) == 0) return i;
    return -1;
}

int kl_head_config(struct kl_head_options *o, const char **reduction, const char **classifier,
                   const json_t *config, const char *path, struct kl_error *err)
{
    const char *core = kl_core_names[KL_CORE_CIRCUIT];
    kl_head_options_default(o);
    int code = kl_circuit_config(&o->circuit, config, path, err);
    if (code) return code;
    errno = 0; /* unpacking allocates */
    /* heads from before there was a choice have no name of a core */
    if (json_unpack((json_t *)config, "{s:s,s:s,s:F,s?:s,s?:s}", "reduction", reduction, "classifier",
                    classifier, "dropout", &o->dropout, "core", &core, "noise", &o->circuit.noise))
        return errno == ENOMEM
                   ? kl_fail_memory(err, 256)
                   : kl_fail(err, KL_EDATA,
                             "%s: attribute config lacks reduction, classifier or dropout", path);
    if (core_named(core) < 0)
        return kl_fail(err, KL_EDATA, "%s: attribute config: '%s' is no core", path, core);
    o->core = (enum kl_core)core_named(core);
    code = kl_head_widths(o->reduction, &o->n_reduction, *reduction, "reduction", err);
    return code ? code : kl_head_widths(o->classifier, &o->n_classifier, *classifier, "classifier", err);
}

/* "params/NAME", of the head or of a control. */
static void name_dataset(char name[128], const char *control, const char *tensor)
{
    snprintf(name, 128, "%s%s%sparams/%s", control ? "controls/" : "", control ? control : "",
             control ? "/" : "", tensor);
}

static int load_tensor(struct kl_head *head, struct kl_file *file, const char *control,
                       const struct kl_tensor *t, int64_t replica, struct kl_error *err)
{
    char name[128];
    const struct kl_dataset *d;
    name_dataset(name, control, t->name);
    int code = kl_store_file_expect(&d, file, name, KL_TYPE_F32, 1 + t->rank, err);
    if (code) return code;
    if ((int64_t)d->dims[0] != head->n_replicas || d->dims[1] != t->dims[0] ||
        (t->rank == 2 && d->dims[2] != t->dims[1]))
        return kl_fail(err, KL_EDATA,
                       "%s: dataset %s does not have the shape that its configuration implies",
                       kl_store_file_path(file), name);
    float *values = malloc(t->size * sizeof *values);
    if (!values) return kl_fail_memory(err, t->size * sizeof *values);
    code = kl_store_file_rows(file, d, (size_t)replica, 1, values, err);
    if (!code) kl_nn_tensor_from_file_f32(head->params, t, values);
    free(values);
    return code;
}

/* Inputs, outputs and replicas as the parameters' shapes have them. */
static int read_sizes(size_t *n_features, size_t *n_classes, int64_t *n_replicas,
                      const struct kl_head_options *o, struct kl_file *file, const char *control,
                      struct kl_error *err)
{
    const bool probe = o->core == KL_CORE_NONE;
    char name[128], tensor[32];
    const struct kl_dataset *first, *last;
    name_dataset(name, control, probe ? "head.0.weight" : "reduce.0.weight");
    int code = kl_store_file_expect(&first, file, name, KL_TYPE_F32, 3, err);
    snprintf(tensor, sizeof tensor, "head.%d.weight", probe ? 0 : o->n_classifier);
    name_dataset(name, control, tensor);
    if (!code) code = kl_store_file_expect(&last, file, name, KL_TYPE_F32, 3, err);
    if (code) return code;
    *n_features = first->dims[2], *n_classes = last->dims[1], *n_replicas = (int64_t)first->dims[0];
    return 0;
}

/* Into the options of the circuit that is built; draw_by into the circuit. */
static void run_by(struct kl_circuit_options *o, const struct kl_conditions *how)
{
    if (how->noise) o->noise = how->noise;
    o->fold = how->fold;
    o->perfect_readout = how->perfect_readout;
    o->trajectories = (int64_t)how->trajectories;
}

static void draw_by(struct kl_circuit *c, const struct kl_conditions *how)
{
    if (!c || !c->trajectories) return;
    if (!how->trajectories) c->trajectories = KL_TRAJECTORIES_JUDGED;
    c->draws = how->draws;
}

int kl_head_load(struct kl_head **head, struct kl_file *file, const char *control, int64_t replica,
                 const struct kl_conditions *how, struct kl_error *err)
{
    const char *path = kl_store_file_path(file);
    struct kl_head *h = *head = calloc(1, sizeof *h);
    struct kl_head_options options;
    size_t n_features, n_classes;
    const char *reduction, *classifier;
    json_t *config = NULL;
    void *memory = NULL;
    if (!h) return kl_fail_memory(err, sizeof *h);
    int code = kl_store_file_text(&h->config, file, "", "config", err);
    if (code) goto out;
    code = kl_json_parse(&config, h->config, path, err);
    if (!code) code = kl_head_config(&options, &reduction, &classifier, config, path, err);
    if (!code && control) options.core = (enum kl_core)core_named(control);
    if (!code) code = read_sizes(&n_features, &n_classes, &h->n_replicas, &options, file, control, err);
    if (code) goto out;
    if (replica < 0 || replica >= h->n_replicas) {
        code = kl_fail(err, KL_EUSAGE, "%s: no replica %lld; it holds %lld, counted from 0", path,
                       (long long)replica, (long long)h->n_replicas);
        goto out;
    }
    if (how) run_by(&options.circuit, how);
    const char *shots = json_string_value(json_object_get(config, "shots"));
    if (shots) code = kl_circuit_shots_number(&h->shots, shots, err);
    if (code) goto out;
    h->noise = strdup(options.circuit.noise ? options.circuit.noise : "");
    code = h->noise ? KL_OK : kl_fail_memory(err, 64);
    if (!code) code = kl_head_model_make(&h->model, &options, n_features, n_classes, err);
    if (code) goto out;
    if (how) {
        draw_by(h->model.circuit, how);
        h->meter = how->meter;
    }
    if (posix_memalign(&memory, 64, h->model.block.size * sizeof *h->params)) {
        code = kl_fail_memory(err, h->model.block.size * sizeof *h->params);
        goto out;
    }
    h->params = memset(memory, 0, h->model.block.size * sizeof *h->params);
    for (int t = 0; t < h->model.block.n && !code; t++)
        code = load_tensor(h, file, control, &h->model.block.tensors[t], replica, err);
out:
    json_decref(config);
    if (code) kl_head_free(head);
    return code;
}

void kl_head_free(struct kl_head **head)
{
    if (!head || !*head) return;
    kl_head_model_free(&(*head)->model);
    free((*head)->params);
    free((*head)->config);
    free((*head)->noise);
    free(*head);
    *head = NULL;
}

/* ---- save ----
   What a head or checkpoint file holds beside the state of the loop (train/save.c), and what the page of
   such a file shows. */

enum { LONGEST_NAME = 128, LONGEST_PREFIX = 24 };

/* "controls/twin/" */
static void name_group(char prefix[LONGEST_PREFIX], const struct kl_head_train *train)
{
    snprintf(prefix, LONGEST_PREFIX, "controls/%s/", kl_core_names[train->model->options.core]);
}

/* In the middle of an epoch its row of norms is the sum so far. */
static void put_sums(const struct kl_head_train *train, double *norms, size_t r)
{
    const size_t groups = kl_head_n_groups(train->whole);
    if (train->loop.step > 0)
        memcpy(norms + (size_t)train->loop.epoch * groups, train->loop.replicas[r].sums + KL_HEAD_NORMS,
               groups * sizeof *norms);
}

/* [replicas, epochs, groups], and the names of the groups. */
int kl_head_save_rest(struct kl_writer *w, const struct kl_train *loop, const char *prefix,
                      struct kl_error *err)
{
    const struct kl_head_train *train = loop->learner->context;
    const size_t groups = kl_head_n_groups(train->whole), replicas = (size_t)loop->options.replicas,
                 epochs = (size_t)loop->options.epochs, each = epochs * groups;
    char name[LONGEST_NAME];
    double *values = malloc(replicas * each * sizeof *values);
    char(*names)[KL_GROUP_NAME] = malloc(groups * sizeof *names);
    int code = values && names ? 0 : kl_fail_memory(err, replicas * each * sizeof *values);
    if (!code) memcpy(values, train->norms, replicas * each * sizeof *values);
    for (size_t r = 0; r < replicas && !code; r++)
        if (loop->replicas[r].stopped_epoch < 0) put_sums(train, values + r * each, r);
    for (size_t g = 0; g < groups && !code; g++) kl_head_group_name(names[g], train->whole, g);
    snprintf(name, sizeof name, "%shistory/gradient_norm", prefix);
    if (!code)
        code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 3, (size_t[]){ replicas, epochs, groups },
                                   values, err);
    snprintf(name, sizeof name, "%shistory/gradient_group", prefix);
    if (code >= 0)
        code = kl_store_writer_put(w, name, KL_TYPE_STRING, KL_GROUP_NAME, 1, &groups, names, err);
    free(values);
    free(names);
    return code < 0 ? code : 0;
}

int kl_head_restore_rest(struct kl_train *loop, struct kl_file *file, const char *prefix,
                         struct kl_error *err)
{
    struct kl_head_train *train = loop->learner->context;
    const size_t groups = kl_head_n_groups(train->whole),
                 dims[3] = { (size_t)loop->options.replicas, (size_t)loop->options.epochs, groups };
    char name[LONGEST_NAME];
    double *data = NULL;
    snprintf(name, sizeof name, "%shistory/gradient_norm", prefix);
    int code = kl_store_file_load_shape((void **)&data, file, name, KL_TYPE_F64, 3, dims, err);
    if (code) return code;
    memcpy(train->norms, data, dims[0] * dims[1] * groups * sizeof *data);
    free(data);
    for (size_t r = 0; r < dims[0] && loop->step > 0; r++) {
        double *row = train->norms + (r * dims[1] + (size_t)loop->epoch) * groups;
        memcpy(loop->replicas[r].sums + KL_HEAD_NORMS, row, groups * sizeof *row);
    }
    return 0;
}

int kl_head_train_save(struct kl_writer *w, const struct kl_head_train *train, const char *config,
                       struct kl_error *err)
{
    const struct kl_features *f = train->features;
    int code = kl_store_writer_text(w, "", "config", config, err);
    if (code >= 0) code = kl_train_save(w, &train->loop, "", true, err);
    if (code >= 0 && train->n_validation > 0)
        code = kl_store_writer_put(w, "split/validation", KL_TYPE_I64, 0, 1, &train->n_validation,
                                   train->validation, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "class_names", KL_TYPE_STRING, f->name_size, 1, &f->n_classes,
                                   f->class_names, err);
    return code < 0 ? code : 0;
}

int kl_head_train_save_control(struct kl_writer *w, const struct kl_head_train *train, bool whole,
                               struct kl_error *err)
{
    char prefix[LONGEST_PREFIX];
    name_group(prefix, train);
    return kl_train_save(w, &train->loop, prefix, whole, err);
}

int kl_head_train_restore(struct kl_head_train *train, struct kl_file *file, struct kl_error *err)
{
    return kl_train_restore(&train->loop, file, "", err);
}

int kl_head_train_restore_control(struct kl_head_train *train, struct kl_file *file,
                                  struct kl_error *err)
{
    char prefix[LONGEST_PREFIX];
    name_group(prefix, train);
    return kl_train_restore(&train->loop, file, prefix, err);
}

static const struct kl_kind_history histories[] = {
    { .loss = { "history/train_loss", "training loss" },
      .judged = { "history/val_accuracy", "validation accuracy" },
      .of = "head",
      .needs = "split/validation" },
    { .loss = { "history/train_loss", "training loss" },
      .judged = { "history/train_accuracy", "training accuracy" },
      .of = "head" },
    { .of = NULL }
};
static const struct kl_kind_group counted[] = {
    { { "controls/" }, "controls/, what was trained in the circuit's place" },
    { { "optimizer/", "last/" }, "optimizer/ and last/, from which training can go on" },
    { .words = NULL }
};
/* `cache log` leads to the features, whose own page tells of them. */
static const char *const not_on_page[] = { "features_", NULL };
const struct kl_kind kl_head_kind = { .name = "head",
                                      .maker = "qtrain",
                                      .classes = "class_names",
                                      .not_on_page = not_on_page,
                                      .histories = histories,
                                      .groups = counted };
const struct kl_kind kl_checkpoint_kind = { .name = "checkpoint",
                                            .classes = "class_names",
                                            .not_on_page = not_on_page,
                                            .histories = histories,
                                            .groups = counted };

/* ---- Which replica of a head file is judged alone: by its number, or the best by validation ---- */

/* One column of the history of `group` ("" or "controls/twin/"), at each replica's best epoch. */
static int at_best_epochs(double **values, size_t *n, struct kl_file *file, const char *group,
                          const char *column, struct kl_error *err)
{
    char name[96];
    const struct kl_dataset *history, *best;
    int64_t *epochs = NULL;
    double *all = NULL;
    snprintf(name, sizeof name, "%shistory/%s", group, column);
    int code = kl_store_file_load_named((void **)&all, &history, file, name, KL_TYPE_F64, 2, err);
    snprintf(name, sizeof name, "%sreplicas/best_epoch", group);
    if (!code) code = kl_store_file_load_named((void **)&epochs, &best, file, name, KL_TYPE_I64, 1, err);
    if (!code && best->dims[0] != history->dims[0])
        code = kl_fail(err, KL_EDATA, "%s: %s: found %zu replicas, the history has %zu",
                       kl_store_file_path(file), name, best->dims[0], history->dims[0]);
    for (size_t r = 0; !code && r < history->dims[0]; r++)
        all[r] = epochs[r] >= 0 && (size_t)epochs[r] < history->dims[1]
                     ? all[r * history->dims[1] + (size_t)epochs[r]]
                     : NAN;
    free(epochs);
    if (code) free(all);
    else *values = all, *n = history->dims[0];
    return code;
}

/* The replica with the highest validation accuracy, then the lowest loss, then the first. */
static int find_best(int64_t *replica, struct kl_file *file, const char *group, struct kl_error *err)
{
    double *accuracy = NULL, *loss = NULL;
    size_t n = 0;
    if (!kl_store_file_find(file, "split/validation"))
        return kl_fail(err, KL_EUSAGE,
                       "%s: --replica best: no samples were kept for validation; give a number",
                       kl_store_file_path(file));
    int code = at_best_epochs(&accuracy, &n, file, group, "val_accuracy", err);
    if (!code) code = at_best_epochs(&loss, &n, file, group, "val_loss", err);
    *replica = 0;
    for (size_t r = 1; r < n && !code; r++)
        if (kl_stats_comes_before((struct kl_judgement){ accuracy[r], loss[r] },
                                  (struct kl_judgement){ accuracy[*replica], loss[*replica] }))
            *replica = (int64_t)r;
    free(accuracy);
    free(loss);
    return code;
}

int kl_head_evaluation_replica(int64_t *replica, const char *word, struct kl_file *file,
                               const char *group, struct kl_error *err)
{
    char *end;
    *replica = 0;
    if (!word) return KL_OK;
    if (strcmp(word, "best") == 0) return find_best(replica, file, group, err);
    *replica = strtol(word, &end, 10);
    if (*word >= '0' && *word <= '9' && !*end) return KL_OK;
    return kl_fail(err, KL_EUSAGE, "--replica: found '%.40s', expected a number, from 0, or best", word);
}
