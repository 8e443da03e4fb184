/* SPDX-License-Identifier: MIT
   A study as datasets: of a finished file, and of a checkpoint, which are the same. */
#include "qrng/gan/study.h"
#include "store/kind.h"

#include <math.h>
#include <stdlib.h>

static const char *const columns[KL_GAN_N_COLUMNS] = {
    [KL_GAN_DIVERGENCE] = "history/divergence",
    [KL_GAN_GENERATOR_LOSS] = "history/generator_loss",
    [KL_GAN_DISCRIMINATOR_LOSS] = "history/discriminator_loss",
};

static int put(struct kl_writer *w, const char *name, enum kl_type type, size_t rows, size_t row,
               const void *data, struct kl_error *err)
{
    const size_t dims[] = { rows, row };
    return kl_store_writer_put(w, name, type, 0, row ? 2 : 1, dims, data, err);
}

static int save_pairs(struct kl_writer *w, const struct kl_gan_study *s, struct kl_error *err)
{
    const size_t n = s->n_pairs;
    int32_t *numbers = malloc(2 * n * sizeof *numbers);
    if (!numbers) return kl_fail_memory(err, 2 * n * sizeof *numbers);
    for (size_t i = 0; i < n; i++) numbers[2 * i] = s->pairs[i].a, numbers[2 * i + 1] = s->pairs[i].b;
    int code = put(w, "pairs", KL_TYPE_I32, n, 2, numbers, err);
    free(numbers);
    if (!code) code = put(w, "model", KL_TYPE_I32, n, 2, s->model, err);
    const size_t devices = (size_t)s->bits->n_devices;
    if (!code)
        code = kl_store_writer_put(w, "devices", KL_TYPE_STRING, KL_BITS_NAME, 1, &devices,
                                   s->bits->names, err);
    return code;
}

/* Does it apply to any pair? */
static bool is_known(const double *score, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isnan(score[i])) return true;
    return false;
}

static int save_scores(struct kl_writer *w, const struct kl_gan_study *s, struct kl_error *err)
{
    char name[64];
    int code = KL_OK;
    for (size_t k = 0; k < KL_GAN_N_SCORES && !code; k++) {
        const double *score = s->scores + k * s->n_pairs;
        if (!is_known(score, s->n_pairs)) continue;
        snprintf(name, sizeof name, "scores/%s", kl_gan_score_names[k]);
        code = put(w, name, KL_TYPE_F64, s->n_pairs, 0, score, err);
    }
    return code;
}

static int save_models(struct kl_writer *w, const struct kl_gan_study *s, struct kl_error *err)
{
    const size_t n = s->n_models, epochs = (size_t)s->o.epochs;
    int code = put(w, "law", KL_TYPE_F32, n, s->n_cells, s->law, err);
    if (!code) code = put(w, "target", KL_TYPE_F32, n, s->n_cells, s->target, err);
    if (!code && !s->o.reference) code = put(w, "witness", KL_TYPE_F32, n, s->n_cells, s->witness, err);
    if (!code && s->n_params)
        code = put(w, "discriminator", KL_TYPE_F32, n, s->n_params, s->discriminator, err);
    if (!code && s->n_angles) code = put(w, "angles", KL_TYPE_F64, n, s->n_angles, s->angles, err);
    for (size_t c = 0; c < KL_GAN_N_COLUMNS && !code; c++)
        if (c != KL_GAN_DISCRIMINATOR_LOSS || s->n_params)
            code = put(w, columns[c], KL_TYPE_F64, n, epochs, s->history + c * n * epochs, err);
    return code;
}

int kl_gan_study_save(struct kl_writer *w, const struct kl_gan_study *s, struct kl_error *err)
{
    static const char *const generators[] = { "network", "quantum" }, *const losses[] = { "gan", "kl",
                                                                                          "mmd" };
    bool all = true;
    uint8_t *done = malloc(s->n_models);
    if (!done) return kl_fail_memory(err, s->n_models);
    for (size_t m = 0; m < s->n_models; m++) all &= done[m] = s->done[m];
    int code = save_pairs(w, s, err);
    if (!code) code = save_models(w, s, err);
    if (!code && all) code = save_scores(w, s, err);
    if (!code && all)
        code = kl_store_writer_integer(w, "", "no_better_than_uniform", (int64_t)s->unlearnt, err);
    if (!code && !all) code = put(w, "done", KL_TYPE_U8, s->n_models, 0, done, err);
    if (!code) code = kl_store_writer_text(w, "", "generator", generators[s->o.generator], err);
    if (!code) code = kl_store_writer_text(w, "", "loss", losses[s->o.loss], err);
    if (!code)
        code = kl_store_writer_text(w, "", "protocol", s->o.reference ? "reference" : "sound", err);
    free(done);
    return code;
}

/* Rows of models that are done in the file. */
static int load(void *to, size_t size, struct kl_file *file, const char *name, enum kl_type type,
                struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_store_file_expect(&set, file, name, type, -1, err);
    if (!code && set->rows * set->row_size != size)
        code = kl_fail(err, KL_EDATA, "%s: %s: %zu bytes, expected %zu", kl_store_file_path(file), name,
                       set->rows * set->row_size, size);
    return code ? code : kl_store_file_rows(file, set, 0, set->rows, to, err);
}

int kl_gan_study_restore(struct kl_gan_study *s, struct kl_file *file, struct kl_error *err)
{
    const size_t n = s->n_models, cells = n * s->n_cells, epochs = n * (size_t)s->o.epochs;
    uint8_t *done = malloc(n);
    if (!done) return kl_fail_memory(err, n);
    int code = load(done, n, file, "done", KL_TYPE_U8, err);
    if (!code) code = load(s->law, cells * sizeof *s->law, file, "law", KL_TYPE_F32, err);
    if (!code) code = load(s->target, cells * sizeof *s->target, file, "target", KL_TYPE_F32, err);
    if (!code && !s->o.reference)
        code = load(s->witness, cells * sizeof *s->witness, file, "witness", KL_TYPE_F32, err);
    if (!code && s->n_params)
        code = load(s->discriminator, n * s->n_params * sizeof *s->discriminator, file, "discriminator",
                    KL_TYPE_F32, err);
    if (!code && s->n_angles)
        code = load(s->angles, n * s->n_angles * sizeof *s->angles, file, "angles", KL_TYPE_F64, err);
    for (size_t c = 0; c < KL_GAN_N_COLUMNS && !code; c++)
        if (c != KL_GAN_DISCRIMINATOR_LOSS || s->n_params)
            code = load(s->history + c * epochs, epochs * sizeof *s->history, file, columns[c],
                        KL_TYPE_F64, err);
    for (size_t m = 0; m < n && !code; m++) s->done[m] = done[m];
    free(done);
    return code;
}

static const struct kl_kind_table tables[] = {
    { .name = "pairs",
      .axes = { { "pair", "devices" } },
      .pairs = "pairs",
      .needs = "scores/difference",
      .columns = { KL_KIND_COLUMN("on_a", "scores/cross_entropy_a", "a on a", "%.4f"),
                   KL_KIND_COLUMN("on_b", "scores/cross_entropy_b", "b on a", "%.4f"),
                   KL_KIND_COLUMN("difference", "scores/difference", "difference", "%.4f"),
                   KL_KIND_COLUMN("excess", "scores/excess", "KL(b||a)", "%.4f"),
                   KL_KIND_COLUMN("plugin_excess", "scores/plugin_excess", "KL(b||a), plug-in", "%.4f"),
                   KL_KIND_COLUMN("test_a", "scores/test_a", "z a", "%.1f"),
                   KL_KIND_COLUMN("test_b", "scores/test_b", "z b", "%.1f") } },
    { .name = "pairs",
      .axes = { { "pair", "devices" } },
      .pairs = "pairs",
      .lacks = "scores/difference",
      .columns = { KL_KIND_COLUMN("divergence", "scores/divergence", "KL", "%.6f"),
                   KL_KIND_COLUMN("uniform", "scores/divergence_uniform", "uniform", "%.6f"),
                   KL_KIND_COLUMN("start", "scores/divergence_start", "at start", "%.6f"),
                   KL_KIND_COLUMN("halves_least", "scores/halves_least", "halves, least", "%.3f"),
                   KL_KIND_COLUMN("halves_largest", "scores/halves_largest", "largest", "%.3f") } },
    { .name = NULL }
};
const struct kl_kind kl_gan_kind = { .name = "gan", .tables = tables };
