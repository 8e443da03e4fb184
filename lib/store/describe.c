/* SPDX-License-Identifier: MIT */
#include "store/describe_int.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

static const char *const type_names[] = {
    [KL_TYPE_U8] = "uint8",     [KL_TYPE_I32] = "int32",   [KL_TYPE_I64] = "int64",
    [KL_TYPE_F16] = "float16",  [KL_TYPE_F32] = "float32", [KL_TYPE_F64] = "float64",
    [KL_TYPE_STRING] = "string"
};

void kl_size_text(char text[32], double bytes)
{
    static const char *const units[] = { "bytes", "KB", "MB", "GB", "TB" };
    int unit = 0;
    for (; bytes >= 1000 && unit < 4; unit++) bytes /= 1000;
    snprintf(text, 32, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

static void shape_text(char text[96], const struct kl_dataset *d)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < d->rank && used < 80; i++)
        used += (size_t)snprintf(text + used, 96 - used, i ? " x %zu" : "%zu", d->dims[i]);
    if (!d->rank) snprintf(text, 96, "one value");
}

const char *kl_json_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static int write_classes(FILE *to, struct kl_file *file, struct kl_error *err)
{
    enum { COLUMNS = 84 };
    const struct kl_dataset *d = kl_file_find(file, "class_names");
    char *names = NULL;
    if (!d || d->type != KL_TYPE_STRING || d->rank != 1) return KL_OK;
    int code = kl_file_load((void **)&names, file, d, err);
    if (code) return code;
    fputs("classes    ", to);
    int column = 0;
    size_t i = 0;
    for (; i < d->rows && column < COLUMNS; i++) {
        const char *name = names + i * d->item_size;
        column += fprintf(to, i ? ", " : "");
        for (size_t k = 0; k < d->item_size && name[k]; k++, column++)
            fputc((unsigned char)name[k] < ' ' || name[k] == 127 ? '?' : name[k], to);
    }
    if (i < d->rows) fprintf(to, " ... (%zu)", d->rows);
    fputc('\n', to);
    free(names);
    return KL_OK;
}

static int write_origin(FILE *to, const struct kl_file *file, struct kl_error *err)
{
    json_t *records;
    int code = kl_json_parse(&records, kl_file_provenance(file), kl_file_path(file), err);
    if (code) return code;
    const json_t *own = kl_own_record(records);
    if (own) {
        fprintf(to, "made       %s, %.3g s on %s\n", kl_json_text(own, "time"),
                json_number_value(json_object_get(own, "seconds")), kl_json_text(own, "device"));
        fputs("by         ", to);
        kl_write_command(to, own);
        fputc('\n', to);
        if (*kl_json_text(own, "note")) {
            fputs("note       ", to);
            kl_write_safely(to, kl_json_text(own, "note"));
            fputc('\n', to);
        }
        if (json_array_size(records) > 1)
            fprintf(to, "after      %zu earlier %s; cache log %s draws them\n",
                    json_array_size(records) - 1, json_array_size(records) == 2 ? "stage" : "stages",
                    strcmp(kl_file_path(file), "standard input") ? kl_file_path(file) : "-");
    }
    json_decref(records);
    return KL_OK;
}

/* The options that made it, several a line. */
static int write_options(FILE *to, const struct kl_file *file, struct kl_error *err)
{
    enum {
        COLUMNS = 96,
        LONGEST = 70
    }; /* of a line; of a text (a circuit in OpenQASM, a calibration) */
    json_t *parts, *value;
    const char *name;
    size_t column = 0; /* 0: nothing is written yet */
    int code = kl_json_parse(&parts, kl_file_key_parts(file), kl_file_path(file), err);
    if (code) return code;
    json_object_foreach(json_object_get(parts, "options"), name, value)
    {
        char *text = NULL;
        if (code || json_is_null(value)) continue;
        code = kl_json_dump_as(&text, value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6), err);
        if (code) continue;
        if (strlen(text) > LONGEST) strcpy(text + LONGEST - 3, "...");
        size_t width = strlen(name) + strlen(text) + 3; /* with the gap */
        if (!column || column + width > COLUMNS) {
            fputs(column ? "\n           " : "options    ", to);
            column = 0;
        }
        fprintf(to, "%s%s %s", column ? "  " : "", name, text);
        column += width;
        free(text);
    }
    if (column) fputc('\n', to);
    json_decref(parts);
    return code;
}

static const char *const numbers[][2] = {
    { "accuracy", "accuracy" },
    { "accuracy_low", "  95 % from" },
    { "accuracy_high", "  to" },
    { "log_loss", "log loss" },
    { "expected_calibration_error", "calibration error" },
    { "output_error", "outputs off by" },
    { "unmitigated_output_error", "  not mitigated" },
    { "unmitigated_accuracy", "  their accuracy" },
    { "mcnemar_p", "McNemar p" },
    { "minus_twin", "circuit - twin" },
    { "minus_twin_low", "  95 % from" },
    { "minus_twin_high", "  to" },
    { "minus_frozen", "circuit - frozen" },
    { "minus_frozen_low", "  95 % from" },
    { "minus_frozen_high", "  to" },
    { "minus_none", "circuit - none" },
    { "minus_none_low", "  95 % from" },
    { "minus_none_high", "  to" },
};

static void write_numbers(FILE *to, const struct kl_file *file)
{
    double value;
    /* As applied: with qeval's own options or the head's. */
    for (int i = 0; i < 2; i++) {
        const char *const name = i ? "mitigation" : "noise";
        char *text = NULL;
        if (kl_file_has_attribute(file, "", name) && kl_file_text(&text, file, "", name, NULL) == KL_OK)
            fprintf(to, "%-20s %s\n", name, text);
        free(text);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (kl_file_has_attribute(file, "", numbers[i][0]) &&
            kl_file_number(&value, file, "", numbers[i][0], NULL) == KL_OK)
            fprintf(to, strcmp(numbers[i][0], "mcnemar_p") == 0 ? "%-20s %.3g\n" : "%-20s %.4f\n",
                    numbers[i][1], value);
}

/* Of a report on several heads: their accuracies, mean and standard deviation. */
static int write_heads(FILE *to, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_file_find(file, "replicas/accuracy");
    double *accuracy = NULL, mean = 0, square = 0;
    if (!d || d->type != KL_TYPE_F64 || d->rank != 1 || d->rows < 2) return KL_OK;
    int code = kl_file_load((void **)&accuracy, file, d, err);
    if (code) return code;
    double n = (double)d->rows;
    for (size_t r = 0; r < d->rows; r++) mean += accuracy[r] / n;
    for (size_t r = 0; r < d->rows; r++) square += (accuracy[r] - mean) * (accuracy[r] - mean);
    fprintf(to, "%-20s %.4f +- %.4f (standard deviation) of %zu:", "heads' accuracy", mean,
            sqrt(square / (n - 1)), d->rows);
    for (size_t r = 0; r < d->rows && r < 16; r++) fprintf(to, " %.4f", accuracy[r]);
    fputs(d->rows > 16 ? " ...\n" : "\n", to);
    free(accuracy);
    return KL_OK;
}

/* Of a head: some epochs of the first replica's history, and each replica's best. */
static int write_history(FILE *to, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *loss = kl_file_find(file, "history/train_loss"),
                            *accuracy = kl_file_find(file, "history/val_accuracy");
    double *l = NULL, *a = NULL;
    const char *what = "validation";
    if (!kl_file_find(file, "split/validation")) {
        accuracy = kl_file_find(file, "history/train_accuracy");
        what = "training";
    }
    if (!loss || !accuracy || loss->type != KL_TYPE_F64 || accuracy->type != KL_TYPE_F64 ||
        loss->rank != 2 || accuracy->rank != 2 || accuracy->dims[0] != loss->dims[0] ||
        accuracy->dims[1] != loss->dims[1])
        return KL_OK;
    int code = kl_file_load((void **)&l, file, loss, err);
    if (!code) code = kl_file_load((void **)&a, file, accuracy, err);
    size_t epochs = loss->dims[1], replicas = loss->dims[0], step = epochs > 10 ? (epochs + 9) / 10 : 1;
    if (!code)
        fprintf(to, "\n  epoch   training loss   %10s accuracy%s\n", what,
                replicas > 1 ? "   (first head)" : "");
    for (size_t e = 0; !code && e < epochs; e++)
        if ((e % step == 0 || e + 1 == epochs) && isfinite(l[e]))
            fprintf(to, "  %5zu   %13.4f   %19.4f\n", e + 1, l[e], a[e]);
    for (size_t r = 0; !code && r < replicas && replicas > 1; r++) {
        double best = 0;
        for (size_t e = 0; e < epochs; e++)
            if (a[r * epochs + e] > best) best = a[r * epochs + e];
        if (r == 0) fprintf(to, "\nbest %s accuracy of each head:", what);
        if (r < 16) fprintf(to, " %.4f", best);
    }
    if (!code && replicas > 1) fputc('\n', to);
    free(l);
    free(a);
    return code;
}

static void write_datasets(FILE *to, const struct kl_file *file)
{
    size_t n = kl_file_n_datasets(file), hidden = 0, controls = 0;
    fputs("\ndatasets\n", to);
    for (size_t i = 0; i < n; i++) {
        const struct kl_dataset *d = kl_file_dataset(file, i);
        char shape[96];
        if (strncmp(d->name, "optimizer/", 10) == 0 || strncmp(d->name, "last/", 5) == 0) {
            hidden++;
            continue;
        }
        if (strncmp(d->name, "controls/", 9) == 0) {
            controls++;
            continue;
        }
        shape_text(shape, d);
        fprintf(to, "  %-36s %-8s %s\n", d->name, type_names[d->type], shape);
    }
    if (controls)
        fprintf(to, "  and %zu of controls/, what was trained in the circuit's place\n", controls);
    if (hidden)
        fprintf(to, "  and %zu of optimizer/ and last/, from which training can go on\n", hidden);
}

static const char *const descriptions[][2] = { { "backbone", "backbone" },
                                               { "tap", "tap" },
                                               { "preprocess", "preprocess" } };

int kl_describe_page(FILE *to, struct kl_file *file, struct kl_error *err)
{
    char size[32];
    kl_size_text(size, (double)file->stat.st_size); /* what came by standard input has no name to ask */
    fprintf(to, "%s\n%s, %s, written by %s\n\n", kl_file_path(file), kl_file_kind(file), size,
            kl_file_created_by(file));
    int code = write_origin(to, file, err);
    if (code) return code;
    fprintf(to, "key        %s\ncontent    %s\n", kl_file_key(file), kl_file_content(file));
    for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++) {
        char *text = NULL;
        if (!kl_file_has_attribute(file, "features", descriptions[i][0])) continue;
        code = kl_file_text(&text, file, "features", descriptions[i][0], err);
        if (!code) fprintf(to, "%-10s %s\n", descriptions[i][1], text);
        free(text);
        if (code) return code;
    }
    code = write_classes(to, file, err);
    if (code) return code;
    code = write_options(to, file, err);
    if (!code) write_numbers(to, file);
    if (!code) code = write_heads(to, file, err);
    if (!code) code = write_history(to, file, err);
    if (!code) write_datasets(to, file);
    return code;
}

/* Name, type and shape of each dataset; NULL: no memory. */
static json_t *dataset_list(const struct kl_file *file)
{
    json_t *sets = json_array();
    for (size_t i = 0; sets && i < kl_file_n_datasets(file); i++) {
        const struct kl_dataset *d = kl_file_dataset(file, i);
        json_t *shape = json_array();
        int failed = shape ? 0 : -1;
        for (int k = 0; k < d->rank && !failed; k++)
            failed = json_array_append_new(shape, json_integer((json_int_t)d->dims[k]));
        json_t *set = failed ? NULL
                             : json_pack("{s:s, s:s, s:O}", "name", d->name, "type", type_names[d->type],
                                         "shape", shape);
        json_decref(shape);
        if (json_array_append_new(sets, set) == 0) continue;
        json_decref(sets);
        sets = NULL;
    }
    return sets;
}

int kl_describe_json(FILE *to, struct kl_file *file, struct kl_error *err)
{
    json_t *sets = NULL, *parts = NULL, *records = NULL, *path = NULL, *page = NULL;
    char *text = NULL;
    int code = kl_json_parse(&parts, kl_file_key_parts(file), kl_file_path(file), err);
    if (!code) code = kl_json_parse(&records, kl_file_provenance(file), kl_file_path(file), err);
    if (!code) code = kl_json_string(&path, kl_file_path(file), err);
    if (!code && !(sets = dataset_list(file))) code = kl_fail_memory(err, 4096);
    if (!code)
        page = json_pack("{s:O, s:s, s:i, s:s, s:s, s:s, s:O, s:O, s:O}", "path", path, "kind",
                         kl_file_kind(file), "schema", kl_file_schema(file), "key", kl_file_key(file),
                         "content", kl_file_content(file), "created_by", kl_file_created_by(file),
                         "datasets", sets, "key_parts", parts, "provenance", records);
    if (!code && !page) code = kl_fail_memory(err, 4096);
    if (!code) code = kl_json_dump_as(&text, page, JSON_COMPACT, err);
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    json_decref(page);
    json_decref(sets);
    json_decref(parts);
    json_decref(records);
    json_decref(path);
    return code;
}
