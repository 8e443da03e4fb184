/* SPDX-License-Identifier: MIT
   Training that a signal meets anywhere, within a step too: the step is given up, and what is saved goes
   on to the bits of an uninterrupted run. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store.h"
#include "tests/unit/check.h"
#include "tests/unit/head/head_test.h"
#include "tests/unit/test_folder.h"

enum { N = 240 };
enum { FINISHED, GIVEN_UP, GONE_FURTHER, FAILED };

struct scene {
    struct kl_head_model model;
    struct kl_features features;
    struct kl_train_options options;
    char path[1024];
};

static int stop_at_signal(void *context, uint64_t done, uint64_t total, const char *note)
{
    (void)context, (void)done, (void)total, (void)note;
    return kl_signals_pending();
}

static void terminate(int number)
{
    (void)number;
    raise(SIGTERM);
}

static int save(const char *path, const struct kl_head_train *train)
{
    struct kl_header header = { .kind = "checkpoint", .schema = 1, .tool = "test", .key_parts = "{}" };
    struct kl_writer *writer = NULL;
    struct kl_error err;
    char key[65];
    int code = kl_sha256_hex(key, "{}", 2, &err);
    header.key = key;
    if (!code) code = kl_store_writer_open(&writer, path, &header, &err);
    if (!code) code = kl_head_train_save(writer, train, "{}", &err);
    return code ? code : kl_store_writer_publish(&writer, NULL, &err);
}

/* In a process of its own: trained until SIGTERM after `delay` seconds, and saved. */
static int stopped_after(struct scene *s, double delay, int threads)
{
    struct kl_head_train train;
    struct kl_error err;
    struct kl_pool *pool = NULL;
    const struct kl_watch watch = { stop_at_signal, NULL };
    const struct itimerval timer = { .it_value = { .tv_usec = (suseconds_t)(delay * 1e6) + 1 } };
    kl_signals_install();
    signal(SIGALRM, terminate);
    if (kl_pool_create(&pool, threads, &err) ||
        kl_head_train_open(&train, &s->model, &s->features, &s->options, threads, &err))
        return FAILED;
    setitimer(ITIMER_REAL, &timer, NULL);
    int code = kl_train_run(&train.loop, pool, &watch, &err);
    if (!code) return FINISHED;
    for (int64_t i = 0; i < s->options.replicas; i++)
        if (!isnan(train.loop.replicas[i].history[KL_VAL_LOSS][train.loop.epoch]))
            return FAILED; /* the epoch has not ended */
    const int how = train.loop.epoch == 0 && train.loop.step == 0 ? GIVEN_UP : GONE_FURTHER;
    return code == KL_ESIGNAL && !save(s->path, &train) ? how : FAILED;
}

static int child(struct scene *s, double delay, int threads)
{
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) _exit(stopped_after(s, delay, threads));
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return FAILED;
    return WEXITSTATUS(status);
}

static bool same(const struct kl_head_train *a, const struct kl_head_train *b)
{
    const size_t size = a->model->block.size * sizeof(float),
                 epochs = (size_t)a->loop.options.epochs * sizeof(double);
    for (int64_t i = 0; i < a->loop.options.replicas; i++) {
        const struct kl_replica *r = &a->loop.replicas[i], *s = &b->loop.replicas[i];
        if (memcmp(r->params, s->params, 4 * size) ||
            memcmp(r->history[0], s->history[0], KL_HISTORY_ROWS * epochs) ||
            memcmp(kl_head_norms(a, i, 0), kl_head_norms(b, i, 0), kl_head_n_groups(a->model) * epochs))
            return false;
    }
    return true;
}

static void goes_on(struct scene *s, const struct kl_head_train *whole, int stop)
{
    struct kl_head_train train;
    struct kl_error err = { 0 };
    struct kl_file *file = NULL;
    CHECK(kl_head_train_open(&train, &s->model, &s->features, &s->options, 1, &err) == 0, "%s",
          err.text);
    CHECK(kl_store_file_open(&file, s->path, &err) == 0 &&
              kl_head_train_restore(&train, file, &err) == 0,
          "%s", err.text);
    CHECK(kl_train_run(&train.loop, NULL, NULL, &err) == 0, "%s", err.text);
    CHECK(same(whole, &train), "stop %d", stop);
    kl_store_file_close(&file);
    kl_head_train_close(&train);
}

/* At so many moments, the first before anything is done, the others evenly until after an undisturbed
 * run's end. */
static void stopped_anywhere(struct scene *s, enum kl_optimizer_kind kind, int64_t shots, int stops)
{
    struct kl_head_train whole;
    struct kl_error err;
    int met[FAILED + 1] = { 0 };
    s->options.optimizer.kind = kind;
    s->model.options.shots = (size_t)shots;
    s->model.options.diff = shots ? KL_DIFF_SHIFT : KL_DIFF_ADJOINT;
    const double start = kl_clock();
    CHECK(kl_head_train_open(&whole, &s->model, &s->features, &s->options, 1, &err) == 0, "%s",
          err.text);
    CHECK(kl_train_run(&whole.loop, NULL, NULL, &err) == 0, "%s", err.text);
    const double seconds = kl_clock() - start;
    for (int i = 0; i < stops; i++) {
        const int how = child(s, 1.1 * seconds * i / stops, 1 + i % 2);
        met[how]++;
        if (how == GIVEN_UP || how == GONE_FURTHER) goes_on(s, &whole, i);
    }
    CHECK(met[GIVEN_UP] > 0 && met[FAILED] == 0, "given up %d, gone further %d, finished %d, failed %d",
          met[GIVEN_UP], met[GONE_FURTHER], met[FINISHED], met[FAILED]);
    kl_head_train_close(&whole);
}

int main(void)
{
    struct scene s;
    struct kl_head_options options;
    struct kl_error err;
    make_test_folder();
    in_folder(s.path, "c.h5");
    make_features(&s.features, N);
    kl_head_options_default(&options);
    options.n_reduction = 0;
    options.circuit.n_qubits = 8;
    options.circuit.n_layers = 6;
    kl_train_options_default(&s.options);
    s.options.epochs = 1;
    s.options.batch_size = 60; /* two steps */
    s.options.val_fraction = 0.5;
    s.options.replicas = 5; /* by one thread or two: some are done when others are not */
    CHECK(kl_head_model_make(&s.model, &options, D, CLASSES, &err) == 0, "%s", err.text);
    stopped_anywhere(&s, KL_ADAM, 0, 12);
    stopped_anywhere(&s, KL_ROTOSOLVE, 0, 12);
    stopped_anywhere(&s, KL_QNG, 0, 12);
    stopped_anywhere(&s, KL_ADAM, 20, 12);
    kl_head_model_free(&s.model);
    options.circuit.n_qubits = 14; /* every step is slow, also those of the second epoch */
    options.circuit.n_layers = 16;
    s.options.epochs = 2;
    s.options.replicas = 3;
    CHECK(kl_head_model_make(&s.model, &options, D, CLASSES, &err) == 0, "%s", err.text);
    stopped_anywhere(&s, KL_ADAM, 0, 10);
    kl_head_model_free(&s.model);
    free(s.features.x), free(s.features.labels);
    return failures ? 1 : 0;
}
