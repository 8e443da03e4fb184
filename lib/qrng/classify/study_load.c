/* SPDX-License-Identifier: MIT
   Files of kind `device-classifier`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/classify/study.h"
#include "store/kind.h"

static int read_texts(struct kl_study_file *f, struct kl_error *err)
{
    static const char *const names[] = { "model", "features", "protocol", "hidden", "keep" };
    const char **fields[] = { &f->v.model, &f->v.features, &f->v.protocol, &f->v.hidden, &f->v.keep };
    static const char *const choices[] = { KL_STUDY_MODELS, KL_STUDY_FEATURES, KL_STUDY_PROTOCOLS };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int rc = kl_store_file_text(&f->texts[i], f->file, "", names[i], err);
        if (rc) return rc;
        *fields[i] = f->texts[i];
        if (i < 3 && kl_choice(choices[i], f->texts[i]) < 0)
            return kl_fail(err, KL_EDATA, "%s: attribute %s: found '%s', expected %s",
                           kl_store_file_path(f->file), names[i], f->texts[i], choices[i]);
    }
    return KL_OK;
}

/* Those of the option of this name; a seed has only those of whole numbers in double. */
static void bounds(double *min, double *max, const char *name)
{
    *min = 0, *max = 0x1p53;
    for (size_t i = 0; i < kl_study_tool.n_options; i++)
        if (strcmp(kl_study_tool.options[i].name, name) == 0)
            *min = kl_study_tool.options[i].min, *max = kl_study_tool.options[i].max;
}

static int read_numbers(struct kl_study_file *f, struct kl_error *err)
{
    static const char *const names[] = { "seed", "seeds", "folds", "null" };
    int64_t *const fields[] = { &f->v.common.seed, &f->v.seeds, &f->v.folds, &f->v.null };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double value, min, max;
        const int rc = kl_store_file_number(&value, f->file, "", names[i], err);
        if (rc) return rc;
        bounds(&min, &max, names[i]);
        if (!(value >= min && value <= max) || value != floor(value))
            return kl_fail(err, KL_EDATA,
                           "%s: attribute %s: found %g, expected a whole number from %g to %g",
                           kl_store_file_path(f->file), names[i], value, min, max);
        *fields[i] = (int64_t)value;
    }
    return KL_OK;
}

int kl_study_file_open(struct kl_study_file *f, const char *path, struct kl_error *err)
{
    *f = (struct kl_study_file){ 0 };
    kl_study_settings_default(&f->v);
    int rc = kl_store_file_open_kind(&f->file, path, &kl_study_kind, err);
    if (!rc) rc = read_texts(f, err);
    if (!rc) rc = read_numbers(f, err);
    if (!rc) rc = kl_study_settings_complete(&f->v, err);
    return rc;
}

/* Names are part of what the bits are: the same bits under the names of the file, and the first one that
   differs. */
static bool is_renamed(size_t *first, char made[KL_BITS_NAME], const struct kl_study_file *f,
                       const struct kl_bits *bits)
{
    const struct kl_dataset *d = kl_store_file_find(f->file, "device_names");
    struct kl_bits as_then = *bits;
    char hex[65];
    if (!d || d->type != KL_TYPE_STRING || d->rank != 1 || d->item_size != KL_BITS_NAME ||
        d->dims[0] != (size_t)bits->n_devices ||
        kl_store_file_load((void **)&as_then.names, f->file, d, NULL) != KL_OK)
        return false;
    for (*first = 0; *first + 1 < d->dims[0];) {
        if (strncmp(as_then.names[*first], bits->names[*first], KL_BITS_NAME) != 0) break;
        ++*first;
    }
    snprintf(made, KL_BITS_NAME, "%.*s", KL_BITS_NAME - 1, as_then.names[*first]);
    const bool same =
        kl_bits_content(hex, &as_then, NULL) == KL_OK && strstr(kl_store_file_key_parts(f->file), hex);
    free(as_then.names);
    return same;
}

int kl_study_file_check(const struct kl_study_file *f, const struct kl_bits *bits, struct kl_error *err)
{
    char hex[65], made[KL_BITS_NAME];
    size_t first;
    const int rc = kl_bits_content(hex, bits, err);
    if (rc || strstr(kl_store_file_key_parts(f->file), hex)) return rc;
    if (is_renamed(&first, made, f, bits))
        return kl_fail(err, KL_EDATA,
                       "%s: was trained on these bits with other names of devices, which count: device "
                       "%zu was '%s', here it is '%s'; give files and labels as they were",
                       kl_store_file_path(f->file), first + 1, made, bits->names[first]);
    return kl_fail(err, KL_EDATA,
                   "%s: was trained on other bits, or other --symbol-bits; give those again, since it "
                   "says which of their rows are unseen",
                   kl_store_file_path(f->file));
}

void kl_study_file_close(struct kl_study_file *f)
{
    for (size_t i = 0; i < sizeof f->texts / sizeof *f->texts; i++) free(f->texts[i]);
    kl_store_file_close(&f->file);
    *f = (struct kl_study_file){ 0 };
}
