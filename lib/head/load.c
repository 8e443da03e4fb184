/* SPDX-License-Identifier: MIT
   One replica of a head file, or of one of its controls, ready to use. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "head/head.h"
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
