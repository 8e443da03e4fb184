/* SPDX-License-Identifier: MIT
   What a watch is told of whole evaluations, which run their circuits several times a head: it never
   goes back, and the last step is the end, not one before it. */
#include <stdlib.h>
#include <string.h>

#include "head/evaluate.h"
#include "head/run.h"
#include "store/store.h"
#include "tests/unit/check.h"
#include "tests/unit/head/head_test.h"
#include "tests/unit/test_folder.h"

enum { N = 40, REPLICAS = 2 };

struct rise {
    uint64_t last, total, ends;
};

static int rise(void *context, uint64_t done, uint64_t total, const char *note)
{
    struct rise *r = context;
    CHECK(!note && done >= r->last && done <= total && (!r->total || total == r->total),
          "%llu of %llu behind %llu of %llu", (unsigned long long)done, (unsigned long long)total,
          (unsigned long long)r->last, (unsigned long long)r->total);
    r->last = done, r->total = total, r->ends += done == total;
    return 0;
}

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void save(const char *path, const struct kl_head_train *train, const struct kl_controls *controls,
                 const char *config)
{
    char key[65];
    struct kl_header header = {
        .kind = "head", .schema = 1, .tool = "test", .key_parts = "{}", .key = key
    };
    struct kl_writer *writer;
    struct kl_error err;
    must(kl_sha256_hex(key, "{}", 2, &err), &err);
    must(kl_store_writer_open(&writer, path, &header, &err), &err);
    must(kl_head_train_save(writer, train, config, &err), &err);
    must(kl_head_controls_save(writer, controls, false, &err), &err);
    must(kl_store_writer_publish(&writer, NULL, &err), &err);
}

/* A head that was trained under noise, with its controls. */
static void make_head(const char *path, const struct kl_features *f)
{
    struct kl_head_settings v;
    struct kl_head_model model;
    struct kl_head_train train;
    struct kl_controls controls;
    struct kl_error err;
    kl_head_settings_default(&v);
    v.head.circuit.n_qubits = 2, v.head.circuit.n_layers = 1;
    v.head.circuit.noise = "depolarizing=0.02";
    v.shape.reduction = v.shape.classifier = "none";
    v.train.options.epochs = 1, v.train.options.replicas = REPLICAS;
    must(kl_head_settings_settle(&v, &err), &err);
    char *config = kl_options_json(&kl_head_tool, &v, true);
    CHECK(config);
    must(kl_head_model_make(&model, &v.head, D, CLASSES, &err), &err);
    must(kl_head_train_open(&train, &model, f, &v.train.options, 1, &err), &err);
    must(kl_train_run(&train.loop, NULL, NULL, &err), &err);
    must(kl_head_controls_open(&controls, &v.head, f, &v.train.options, 1, &err), &err);
    must(kl_head_controls_run(&controls, NULL, NULL, &err), &err);
    save(path, &train, &controls, config);
    kl_head_controls_close(&controls);
    kl_head_train_close(&train);
    kl_head_model_free(&model);
    kl_head_settings_free(&v);
    free(config);
}

/* heads: of all replicas, or of all controls. */
static void check_ended(const char *what, struct rise *r, uint64_t heads)
{
    CHECK(r->total == heads * N && r->last == r->total && r->ends == 1,
          "%s: %llu of %llu, %llu times at the end", what, (unsigned long long)r->last,
          (unsigned long long)r->total, (unsigned long long)r->ends);
    *r = (struct rise){ 0 };
}

static void check(const char *what, struct kl_file *head, const struct kl_features *f,
                  struct kl_evaluation_options o)
{
    struct rise r = { 0 };
    const struct kl_watch watch = { rise, &r };
    struct kl_judge_progress meter = { .watch = &watch };
    struct kl_evaluation e;
    struct kl_control_scores scores;
    struct kl_error err;
    o.split = "all", o.meter = &meter;
    must(kl_head_evaluate(&e, head, f, &o, NULL, &err), &err);
    check_ended(what, &r, REPLICAS);
    must(kl_head_control_scores(&scores, &e, head, &o, NULL, &err), &err);
    check_ended(what, &r, KL_CONTROLS * REPLICAS);
    kl_head_control_scores_free(&scores);
    kl_head_evaluation_free(&e);
}

int main(void)
{
    char path[1024];
    struct kl_features f;
    struct kl_file *head;
    struct kl_error err;
    struct kl_mitigation extrapolated, readout;
    make_test_folder();
    snprintf(path, sizeof path, "%s/head.h5", test_folder);
    make_features(&f, N);
    make_head(path, &f);
    must(kl_store_file_open(&head, path, &err), &err);
    must(kl_head_mitigation_make(&extrapolated, "1,3,5", "linear", false, &err), &err);
    must(kl_head_mitigation_make(&readout, NULL, "linear", true, &err), &err);
    check("as it was trained", head, &f, (struct kl_evaluation_options){ 0 });
    check("shots", head, &f, (struct kl_evaluation_options){ .shots = 50 });
    check("trajectories", head, &f, (struct kl_evaluation_options){ .trajectories = 4 });
    check("trajectories and shots", head, &f,
          (struct kl_evaluation_options){ .trajectories = 4, .shots = 50 });
    check("extrapolated", head, &f, (struct kl_evaluation_options){ .mitigation = extrapolated });
    check("readout mitigated", head, &f,
          (struct kl_evaluation_options){ .noise = "readout=0.05", .mitigation = readout });
    kl_store_file_close(&head);
    free(f.x);
    free(f.labels);
    return failures ? 1 : 0;
}
