/* SPDX-License-Identifier: MIT */
#include "store/describe.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const type_names[] = { [KL_U8] = "uint8", [KL_I32] = "int32", [KL_I64] = "int64", [KL_F16] = "float16",
                                          [KL_F32] = "float32", [KL_F64] = "float64", [KL_STRING] = "string" };

static void size_text(char text[32], double bytes)
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

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

/* The file's own record is the last one. */
static json_t *own_record(json_t *records)
{
    size_t n = json_array_size(records);
    return n ? json_array_get(records, n - 1) : NULL;
}

static void write_command(FILE *to, const json_t *record)
{
    size_t i;
    json_t *word;
    json_array_foreach(json_object_get(record, "argv"), i, word) fprintf(to, i ? " %s" : "%s", json_string_value(word));
}

static void write_origin(FILE *to, const struct kl_file *file)
{
    json_t *records = json_loads(kl_file_provenance(file), 0, NULL), *own = own_record(records);
    if (own) {
        fprintf(to, "made       %s, %.3g s on %s\n", text_of(own, "time"), json_number_value(json_object_get(own, "seconds")),
                text_of(own, "device"));
        fputs("by         ", to);
        write_command(to, own);
        fputc('\n', to);
        if (*text_of(own, "note")) fprintf(to, "note       %s\n", text_of(own, "note"));
        if (json_array_size(records) > 1)
            fprintf(to, "after      %zu earlier stages; cache log %s draws them\n", json_array_size(records) - 1,
                    kl_file_path(file));
    }
    json_decref(records);
}

/* The options that made it, several a line. */
static void write_options(FILE *to, const struct kl_file *file)
{
    enum { COLUMNS = 96 };
    json_t *parts = json_loads(kl_file_key_parts(file), 0, NULL), *value;
    const char *name;
    size_t column = COLUMNS;
    json_object_foreach(json_object_get(parts, "options"), name, value)
    {
        char *text = json_is_null(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        size_t width = text ? strlen(name) + strlen(text) + 3 : 0; /* with the gap */
        if (text && column + width > COLUMNS) {
            fputs(column == COLUMNS ? "options    " : "\n           ", to);
            column = 0;
        }
        if (text) fprintf(to, "%s%s %s", column ? "  " : "", name, text);
        column += width;
        free(text);
    }
    fputc('\n', to);
    json_decref(parts);
}

static const char *const numbers[][2] = {
    { "accuracy", "accuracy" }, { "accuracy_low", "  95 % from" }, { "accuracy_high", "  to" }, { "log_loss", "log loss" },
    { "expected_calibration_error", "calibration error" }, { "mcnemar_p", "McNemar p" },
};

static void write_numbers(FILE *to, const struct kl_file *file)
{
    double value;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (kl_file_has_attribute(file, "", numbers[i][0]) && kl_file_number(&value, file, "", numbers[i][0], NULL) == KL_OK)
            fprintf(to, "%-20s %.4f\n", numbers[i][1], value);
}

/* Of a head: some epochs of the first replica's history, and each replica's best. */
static int write_history(FILE *to, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *loss = kl_file_find(file, "history/train_loss"), *accuracy = kl_file_find(file, "history/val_accuracy");
    double *l = NULL, *a = NULL;
    if (!loss || !accuracy || loss->type != KL_F64 || accuracy->type != KL_F64 || loss->rank != 2) return KL_OK;
    int code = kl_file_load((void **)&l, file, loss, err);
    if (!code) code = kl_file_load((void **)&a, file, accuracy, err);
    size_t epochs = loss->dims[1], replicas = loss->dims[0], step = epochs > 10 ? (epochs + 9) / 10 : 1;
    if (!code) fputs("\n  epoch   training loss   validation accuracy   (first head)\n", to);
    for (size_t e = 0; !code && e < epochs; e++)
        if ((e % step == 0 || e + 1 == epochs) && isfinite(l[e])) fprintf(to, "  %5zu   %13.4f   %19.4f\n", e + 1, l[e], a[e]);
    for (size_t r = 0; !code && r < replicas && replicas > 1; r++) {
        double best = 0;
        for (size_t e = 0; e < epochs; e++)
            if (a[r * epochs + e] > best) best = a[r * epochs + e];
        if (r == 0) fputs("\nbest validation accuracy of each head:", to);
        if (r < 16) fprintf(to, " %.4f", best);
    }
    if (!code && replicas > 1) fputc('\n', to);
    free(l);
    free(a);
    return code;
}

static void write_datasets(FILE *to, const struct kl_file *file)
{
    size_t n = kl_file_n_datasets(file), hidden = 0;
    fputs("\ndatasets\n", to);
    for (size_t i = 0; i < n; i++) {
        const struct kl_dataset *d = kl_file_dataset(file, i);
        char shape[96];
        if (strncmp(d->name, "optimizer/", 10) == 0 || strncmp(d->name, "last/", 5) == 0) {
            hidden++;
            continue;
        }
        shape_text(shape, d);
        fprintf(to, "  %-36s %-8s %s\n", d->name, type_names[d->type], shape);
    }
    if (hidden) fprintf(to, "  and %zu of optimizer/ and last/, from which training can go on\n", hidden);
}

static const char *const descriptions[][2] = { { "backbone", "backbone" }, { "tap", "tap" }, { "preprocess", "preprocess" } };

int kl_describe_page(FILE *to, struct kl_file *file, struct kl_error *err)
{
    struct stat status;
    char size[32] = "";
    if (stat(kl_file_path(file), &status) == 0) size_text(size, (double)status.st_size);
    fprintf(to, "%s\n%s, %s, written by %s\n\n", kl_file_path(file), kl_file_kind(file), size, kl_file_created_by(file));
    write_origin(to, file);
    fprintf(to, "key        %s\ncontent    %s\n", kl_file_key(file), kl_file_content(file));
    for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++) {
        char *text = NULL;
        if (kl_file_has_attribute(file, "features", descriptions[i][0]) &&
            kl_file_text(&text, file, "features", descriptions[i][0], NULL) == KL_OK)
            fprintf(to, "%-10s %s\n", descriptions[i][1], text);
        free(text);
    }
    write_options(to, file);
    write_numbers(to, file);
    int code = write_history(to, file, err);
    if (!code) write_datasets(to, file);
    return code;
}

int kl_describe_json(FILE *to, struct kl_file *file, struct kl_error *err)
{
    json_t *sets = json_array(), *parts = json_loads(kl_file_key_parts(file), 0, NULL);
    json_t *records = json_loads(kl_file_provenance(file), 0, NULL);
    for (size_t i = 0; i < kl_file_n_datasets(file); i++) {
        const struct kl_dataset *d = kl_file_dataset(file, i);
        json_t *shape = json_array();
        for (int k = 0; k < d->rank; k++) json_array_append_new(shape, json_integer((json_int_t)d->dims[k]));
        json_array_append_new(sets, json_pack("{s:s, s:s, s:o}", "name", d->name, "type", type_names[d->type], "shape", shape));
    }
    json_t *page = json_pack("{s:s, s:s, s:i, s:s, s:s, s:s, s:o, s:o, s:o}", "path", kl_file_path(file), "kind",
                             kl_file_kind(file), "schema", kl_file_schema(file), "key", kl_file_key(file), "content",
                             kl_file_content(file), "created_by", kl_file_created_by(file), "datasets", sets, "key_parts",
                             parts ? parts : json_null(), "provenance", records ? records : json_array());
    char *text = page ? json_dumps(page, JSON_COMPACT) : NULL;
    json_decref(page);
    if (!text) return kl_fail_memory(err, 4096);
    fputs(text, to);
    fputc('\n', to);
    free(text);
    return KL_OK;
}

static json_t *find_record(json_t *records, const char *id)
{
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record) if (strcmp(text_of(record, "id"), id) == 0) return record;
    return NULL;
}

struct tree {
    FILE *to;
    json_t *records, *drawn; /* drawn: ids already shown, so that a shared ancestor stands once */
};

static void draw_raw_inputs(struct tree *t, const json_t *record, const char *indent)
{
    const char *role;
    json_t *input;
    json_object_foreach(json_object_get(record, "inputs"), role, input)
    {
        if (!json_is_object(input)) continue;
        fprintf(t->to, "%s  %s: %s\n%s    sha256 %s\n", indent, role, text_of(input, "path"), indent, text_of(input, "sha256"));
    }
}

static void draw(struct tree *t, json_t *record, int depth)
{
    char indent[64];
    enum { DEEPEST = 14 };
    int width = 4 * (depth < DEEPEST ? depth : DEEPEST);
    memset(indent, ' ', sizeof indent);
    indent[width] = '\0';
    const char *id = text_of(record, "id");
    fprintf(t->to, "%s* %s %s  %.8s\n", indent, text_of(record, "tool"), text_of(record, "version"), id);
    if (json_object_get(t->drawn, id)) {
        fprintf(t->to, "%s  (shown above)\n", indent);
        return;
    }
    json_object_set_new(t->drawn, id, json_true());
    fprintf(t->to, "%s  ", indent);
    write_command(t->to, record);
    fprintf(t->to, "\n%s  %s, %.3g s\n", indent, text_of(record, "time"), json_number_value(json_object_get(record, "seconds")));
    if (*text_of(record, "note")) fprintf(t->to, "%s  note: %s\n", indent, text_of(record, "note"));
    draw_raw_inputs(t, record, indent);
    size_t i;
    json_t *parent;
    json_array_foreach(json_object_get(record, "parents"), i, parent)
    {
        json_t *found = find_record(t->records, json_string_value(parent) ? json_string_value(parent) : "");
        if (found) draw(t, found, depth + 1);
    }
}

int kl_describe_log(FILE *to, const struct kl_file *file, struct kl_error *err)
{
    struct tree t = { to, json_loads(kl_file_provenance(file), 0, NULL), json_object() };
    json_t *own = own_record(t.records);
    int code = KL_OK;
    if (own && t.drawn) draw(&t, own, 0);
    else code = kl_fail(err, KL_EDATA, "%s: no provenance; it was written with --no-provenance", kl_file_path(file));
    json_decref(t.records);
    json_decref(t.drawn);
    return code;
}
