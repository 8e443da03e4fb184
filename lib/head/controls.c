/* SPDX-License-Identifier: MIT
   Training of the controls beside a head. */
#include "head/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

const char *kl_head_control_name(int i)
{
    return kl_core_names[i + 1];
}

int kl_head_controls_open(struct kl_controls *c, const struct kl_head_options *head,
                          const struct kl_features *features, const struct kl_train_options *options,
                          int n_threads, struct kl_error *err)
{
    struct kl_head_options o = *head;
    int code = 0;
    *c = (struct kl_controls){ .n = KL_CONTROLS };
    for (int i = 0; i < c->n && !code; i++) {
        o.core = (enum kl_core)(i + 1);
        code = kl_head_model_make(&c->models[i], &o, features->d, features->n_classes, err);
        if (!code)
            code = kl_head_train_open(&c->trains[i], &c->models[i], features, options, n_threads, err);
        c->trains[i].loop.bears_divergence = true; /* the head is worth its file without it */
    }
    return code;
}

void kl_head_controls_close(struct kl_controls *c)
{
    for (int i = 0; i < c->n; i++) {
        kl_head_train_close(&c->trains[i]);
        kl_head_model_free(&c->models[i]);
    }
    *c = (struct kl_controls){ 0 };
}

/* The watch of one control among all. */
struct lap {
    const struct kl_watch *watch;
    const char *name;
    uint64_t before, total;
};

static int step(void *context, uint64_t done, uint64_t total, const char *note)
{
    const struct lap *lap = context;
    char text[128];
    (void)total;
    snprintf(text, sizeof text, "%s: %s", lap->name, note ? note : "");
    return kl_watch_step(lap->watch, lap->before + done, lap->total, text);
}

int kl_head_controls_run(struct kl_controls *c, struct kl_pool *pool, const struct kl_watch *watch,
                         struct kl_error *err)
{
    for (int i = 0; i < c->n; i++) {
        const uint64_t epochs = (uint64_t)c->trains[i].loop.options.epochs;
        struct lap lap = { watch, kl_head_control_name(i), epochs * (uint64_t)i,
                           epochs * (uint64_t)c->n };
        const struct kl_watch own = { step, &lap };
        struct kl_error why;
        int code = kl_train_run(&c->trains[i].loop, pool, &own, &why);
        if (code) return kl_fail(err, code, "control %s: %.900s", kl_head_control_name(i), why.text);
    }
    return 0;
}

static bool begun(const struct kl_head_train *train)
{
    return train->loop.epoch > 0 || train->loop.step > 0;
}

int kl_head_controls_save(struct kl_writer *writer, const struct kl_controls *c, bool whole,
                          struct kl_error *err)
{
    int code = 0;
    for (int i = 0; i < c->n && !code; i++)
        if (begun(&c->trains[i])) code = kl_head_train_save_control(writer, &c->trains[i], whole, err);
    return code;
}

int kl_head_controls_restore(struct kl_controls *c, struct kl_file *file, struct kl_error *err)
{
    char name[64];
    int code = 0;
    for (int i = 0; i < c->n && !code; i++) {
        snprintf(name, sizeof name, "controls/%s/position", kl_head_control_name(i));
        if (kl_store_file_find(file, name))
            code = kl_head_train_restore_control(&c->trains[i], file, err);
    }
    return code;
}

void kl_head_controls_note_diverged(const struct kl_controls *c, const struct kl_log *log)
{
    for (int i = 0; i < c->n; i++)
        for (int64_t r = 0; r < c->trains[i].loop.options.replicas; r++) {
            const struct kl_replica *replica = &c->trains[i].loop.replicas[r];
            const int64_t epoch = kl_train_diverged(&c->trains[i].loop, replica);
            if (epoch < 0) continue;
            kl_caution(log, "control %s, replica %lld diverged in epoch %lld; it is judged %s",
                       kl_head_control_name(i), (long long)r, (long long)epoch + 1,
                       replica->best_epoch < epoch ? "at its best epoch before" : "untrained");
        }
}

void kl_head_controls_say_collapsed(const struct kl_log *log, const char *of,
                                    const size_t collapsed[KL_CONTROLS], size_t replicas)
{
    char text[160] = "";
    for (int i = 0; i < KL_CONTROLS; i++)
        if (collapsed[i])
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%zu of %zu %s",
                     *text ? ", " : "", collapsed[i], replicas, kl_head_control_name(i));
    if (*text)
        kl_caution(
            log,
            "%scontrols that do not tell all classes apart (docs/head.md, 'Lost classes'): %s; part of "
            "the differences to them is that",
            of, text);
}

double kl_head_controls_seconds(const struct kl_controls *c)
{
    double seconds = 0;
    for (int i = 0; i < c->n; i++) seconds += c->trains[i].loop.seconds;
    return seconds;
}

int kl_head_controls_difference(struct kl_paired *difference, const struct kl_controls *c, int i,
                                const struct kl_head_train *head, struct kl_error *err)
{
    const size_t n = (size_t)head->loop.options.replicas;
    double *values = malloc(2 * n * sizeof *values);
    if (!values) return kl_fail_memory(err, 2 * n * sizeof *values);
    for (size_t r = 0; r < n; r++) {
        values[r] = kl_head_val_accuracy(head, (int64_t)r);
        values[n + r] = kl_head_val_accuracy(&c->trains[i], (int64_t)r);
    }
    *difference = kl_stats_paired(values, values + n, n);
    free(values);
    return 0;
}

void kl_head_control_numbers(struct kl_control_numbers *to, const struct kl_paired *differences, int n,
                             bool told)
{
    static const char *const forms[] = { "minus_%s", "minus_%s_low", "minus_%s_high" };
    to->n = 0;
    for (int i = 0; i < n; i++) {
        const struct kl_paired *d = &differences[i];
        const bool bounded = !told || kl_has_width(d->low, d->high);
        const double values[] = { d->difference, bounded ? d->low : NAN, bounded ? d->high : NAN };
        for (int k = 0; k < (d->n > 1 ? 3 : 1); k++) {
            char *name = to->names[to->n];
            snprintf(name, sizeof to->names[0], forms[k], kl_head_control_name(i));
            to->pairs[to->n++] = (struct kl_json_pair){ name, KL_JSON_NUMBER, NULL, values[k] };
        }
    }
}

void kl_head_controls_write(FILE *to, const struct kl_paired *differences, int n,
                            const size_t collapsed[KL_CONTROLS])
{
    char text[KL_PAIRED_TEXT];
    for (int i = 0; i < n; i++) {
        kl_stats_paired_text(text, &differences[i]);
        fprintf(to, "  circuit - %-6s %s", kl_head_control_name(i), text);
        if (collapsed[i]) fprintf(to, "; %zu control%s lost a class", collapsed[i], kl_s(collapsed[i]));
        fputc('\n', to);
    }
}
