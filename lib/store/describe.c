/* SPDX-License-Identifier: MIT
   The page of `cache show`, in words and as one JSON object. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/describe_int.h"
#include "store/store_int.h"

/* ---- what a file says of itself in attributes ---- */
enum { COLUMNS = 96, LONGEST = 70, TEXT = 640 }; /* of a line, of a text, of both with a name */

/* `config` and what a shard says of its whole are long JSON that readers take apart themselves. */
static bool is_told(const struct kl_attribute *a)
{
    return !kl_store_attribute_is_standard(a) && strcmp(a->name, "config") != 0 &&
           strncmp(a->name, "whole_", 6) != 0;
}

/* NAME with another end, of the same object; NULL: there is none. */
static const struct kl_attribute *with_end(const struct kl_file *file, const struct kl_attribute *a,
                                           const char *end)
{
    char name[256];
    const int n = snprintf(name, sizeof name, "%s%s", a->name, end);
    if (n < 0 || (size_t)n >= sizeof name) return NULL;
    const struct kl_attribute *found = kl_store_attributes_find(&file->attributes, a->object, name);
    return found && found->type == KL_ATTR_NUMBER ? found : NULL;
}

/* Is it told behind another one, as the end of its interval or its standard error? */
static bool is_beside(const struct kl_file *file, const struct kl_attribute *a)
{
    static const char *const ends[] = { "_low", "_high", "_error" };
    char name[256];
    const size_t length = strlen(a->name);
    for (int i = 0; i < 3 && a->type == KL_ATTR_NUMBER && length < sizeof name; i++) {
        const size_t n = strlen(ends[i]);
        if (length <= n || strcmp(a->name + length - n, ends[i]) != 0) continue;
        memcpy(name, a->name, length - n);
        name[length - n] = '\0';
        const struct kl_attribute *of = kl_store_attributes_find(&file->attributes, a->object, name);
        return of && of->type == KL_ATTR_NUMBER &&
               (i == 2 || (with_end(file, of, "_low") && with_end(file, of, "_high")));
    }
    return false;
}

/* "pairs_accuracy 0.6556 (95 % 0.567 to 0.744)"; what would steer a terminal becomes '?'. */
static void value_text(char text[TEXT], const struct kl_file *file, const struct kl_attribute *a)
{
    const struct kl_attribute *low = with_end(file, a, "_low"), *high = with_end(file, a, "_high"),
                              *error = with_end(file, a, "_error");
    const bool number = a->type == KL_ATTR_NUMBER;
    size_t n = (size_t)snprintf(text, TEXT, "%.255s ", a->name);
    if (a->type == KL_ATTR_TEXT) snprintf(text + n, TEXT - n, "%.*s", LONGEST, a->text);
    else if (!number) snprintf(text + n, TEXT - n, "%lld", (long long)a->integer);
    else n += (size_t)snprintf(text + n, TEXT - n, isnan(a->number) ? "-" : "%.6g", a->number);
    if (number && low && high && !isnan(low->number))
        n += (size_t)snprintf(text + n, TEXT - n, " (95 %% %.6g to %.6g)", low->number, high->number);
    if (number && error && !isnan(error->number))
        snprintf(text + n, TEXT - n, " (standard error %.3g)", error->number);
    kl_make_printable(text);
}

/* Does it repeat an option, which a page has already? */
static bool is_option(const json_t *options, const char *name)
{
    char word[256];
    snprintf(word, sizeof word, "%s", name);
    for (char *c = word; *c; c++) *c = *c == '_' ? '-' : *c;
    return json_object_get(options, word) != NULL;
}

/* Does its kind keep it off the page? */
static bool is_kept_off(const struct kl_kind *kind, const struct kl_attribute *a)
{
    for (const char *const *off = kind->not_on_page; off && *off; off++) {
        const size_t n = strlen(*off);
        if ((*off)[n - 1] == '/' ? strlen(a->object) == n - 1 && strncmp(a->object, *off, n - 1) == 0
                                 : strncmp(a->name, *off, n) == 0)
            return true;
    }
    return false;
}

/* On a page: numbers of any object, and texts of the root. Which part it is stands above. */
static bool is_on_page(const struct kl_file *file, const struct kl_kind *kind,
                       const struct kl_attribute *a, const json_t *options)
{
    if (!is_told(a) || is_kept_off(kind, a) || is_beside(file, a)) return false;
    if (strncmp(a->name, "shard_", 6) == 0) return false;
    if (a->type == KL_ATTR_TEXT && (*a->object || strlen(a->text) > LONGEST)) return false;
    return *a->object || (!kl_store_is_number_of_kind(kind, a->name) && !is_option(options, a->name));
}

/* Attributes that say what a stage found or how it went about it, several a line; options and what
   kl_store_write_numbers writes are left out. KL_EDATA, KL_ENOMEM. */
static int write_attributes(FILE *to, const struct kl_file *file, const struct kl_kind *kind,
                            struct kl_error *err)
{
    size_t column = 0; /* 0: nothing is written yet */
    const char *object = "";
    json_t *parts;
    int code = kl_json_parse(&parts, kl_store_file_key_parts(file), kl_store_file_path(file), err);
    if (code) return code;
    for (size_t i = 0; i < file->attributes.n; i++) {
        const struct kl_attribute *a = &file->attributes.items[i];
        char text[TEXT];
        if (!is_on_page(file, kind, a, json_object_get(parts, "options"))) continue;
        value_text(text, file, a);
        const size_t width = strlen(text) + 2; /* with the gap */
        const bool begins = strcmp(object, a->object) != 0;
        if (!column || column + width > COLUMNS || begins) {
            fputs(column ? "\n           " : "facts      ", to);
            column = 0;
        }
        if (begins) {
            kl_store_write_safely(to, a->object);
            fputs(": ", to);
            column = strlen(object = a->object) + 2;
        }
        fprintf(to, "%s%s", column && !begins ? "  " : "", text);
        column += width;
    }
    if (column) fputc('\n', to);
    json_decref(parts);
    return KL_OK;
}

static json_t *value_json(const struct kl_file *file, const struct kl_kind *kind,
                          const struct kl_attribute *a)
{
    json_t *value = NULL;
    if (a->type == KL_ATTR_INTEGER) return json_integer(a->integer);
    if (a->type == KL_ATTR_NUMBER)
        return isfinite(a->number) && !kl_store_is_end_of_none(file, kind, a) ? json_real(a->number)
                                                                              : json_null();
    kl_json_string(&value, a->text, NULL);
    return value;
}

/* All of them; of a dataset as NAME/ATTRIBUTE. */
static int attributes_json(json_t **attributes, const struct kl_file *file, const struct kl_kind *kind,
                           struct kl_error *err)
{
    *attributes = json_object();
    bool failed = !*attributes;
    for (size_t i = 0; i < file->attributes.n && !failed; i++) {
        const struct kl_attribute *a = &file->attributes.items[i];
        char name[400];
        if (!is_told(a)) continue;
        snprintf(name, sizeof name, "%s%s%s", a->object, *a->object ? "/" : "", a->name);
        failed = json_object_set_new(*attributes, name, value_json(file, kind, a)) != 0;
    }
    return failed ? kl_fail_memory(err, 4096) : KL_OK;
}

/* ---- as JSON ---- */
/* Name, type and shape of each dataset; NULL: no memory. */
static json_t *dataset_list(const struct kl_file *file)
{
    json_t *sets = json_array();
    for (size_t i = 0; sets && i < kl_store_file_n_datasets(file); i++) {
        const struct kl_dataset *d = kl_store_file_dataset(file, i);
        json_t *shape = json_array();
        int failed = shape ? 0 : -1;
        for (int k = 0; k < d->rank && !failed; k++)
            failed = json_array_append_new(shape, json_integer((json_int_t)d->dims[k]));
        json_t *set = failed ? NULL
                             : json_pack("{s:s, s:s, s:O}", "name", d->name, "type",
                                         kl_type_names[d->type], "shape", shape);
        json_decref(shape);
        if (json_array_append_new(sets, set) == 0) continue;
        json_decref(sets);
        sets = NULL;
    }
    return sets;
}

int kl_store_describe_json(FILE *to, struct kl_file *file, const struct kl_kind *kind,
                           struct kl_error *err)
{
    json_t *sets = NULL, *parts = NULL, *records = NULL, *path = NULL, *page = NULL, *attributes = NULL,
           *tables = NULL;
    char *text = NULL;
    int code = kl_json_parse(&parts, kl_store_file_key_parts(file), kl_store_file_path(file), err);
    if (!code)
        code = kl_json_parse(&records, kl_store_file_provenance(file), kl_store_file_path(file), err);
    if (!code) code = kl_json_string(&path, kl_store_file_path(file), err);
    if (!code && !(sets = dataset_list(file))) code = kl_fail_memory(err, 4096);
    if (!code) code = attributes_json(&attributes, file, kind, err);
    if (!code) code = kl_store_tables_json(&tables, file, kind, err);
    if (!code)
        page = json_pack("{s:O, s:s, s:i, s:s, s:s, s:s, s:O, s:O, s:O, s:O, s:O}", "path", path, "kind",
                         kl_store_file_kind(file), "schema", kl_store_file_schema(file), "key",
                         kl_store_file_key(file), "content", kl_store_file_content(file), "created_by",
                         kl_store_file_created_by(file), "datasets", sets, "key_parts", parts,
                         "provenance", records, "attributes", attributes, "tables", tables);
    if (!code && !page) code = kl_fail_memory(err, 4096);
    if (!code) code = kl_json_dump_as(&text, page, JSON_COMPACT, err);
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    json_decref(page);
    json_decref(attributes);
    json_decref(tables);
    json_decref(sets);
    json_decref(parts);
    json_decref(records);
    json_decref(path);
    return code;
}

/* ---- the page ---- */
const char *const kl_type_names[] = {
    [KL_TYPE_U8] = "uint8",     [KL_TYPE_I32] = "int32",   [KL_TYPE_I64] = "int64",
    [KL_TYPE_F16] = "float16",  [KL_TYPE_F32] = "float32", [KL_TYPE_F64] = "float64",
    [KL_TYPE_STRING] = "string"
};

void kl_store_size_text(char text[32], double bytes)
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

const char *kl_store_json_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static int write_classes(FILE *to, struct kl_file *file, const char *dataset, struct kl_error *err)
{
    enum { COLUMNS = 84 };
    const struct kl_dataset *d = dataset ? kl_store_file_find(file, dataset) : NULL;
    char *names = NULL;
    if (!d || d->type != KL_TYPE_STRING || d->rank != 1) return KL_OK;
    int code = kl_store_file_load((void **)&names, file, d, err);
    if (code) return code;
    fputs("classes    ", to);
    int column = 0;
    size_t i = 0;
    for (; i < d->rows && column < COLUMNS; i++) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)d->item_size, names + i * d->item_size);
        kl_make_printable(name);
        column += fprintf(to, "%s%s", i ? ", " : "", name);
    }
    if (i < d->rows) fprintf(to, " ... (%zu)", d->rows);
    fputc('\n', to);
    free(names);
    return KL_OK;
}

/* "images     one.h5:x_test: dataset x_test, labels y_test", of inputs in HDF5. */
static void write_datasets_read(FILE *to, const json_t *own)
{
    const char *role;
    json_t *input;
    json_object_foreach(json_object_get(own, "inputs"), role, input)
    {
        if (!*kl_store_json_text(input, "dataset")) continue;
        fputs("images     ", to);
        kl_store_write_safely(to, kl_store_json_text(input, "path"));
        fputs(": dataset ", to);
        kl_store_write_safely(to, kl_store_json_text(input, "dataset"));
        fputs(", labels ", to);
        kl_store_write_safely(to, kl_store_json_text(input, "labels"));
        fputc('\n', to);
    }
}

static int write_origin(FILE *to, const struct kl_file *file, struct kl_error *err)
{
    json_t *records, *line;
    size_t i;
    int code = kl_json_parse(&records, kl_store_file_provenance(file), kl_store_file_path(file), err);
    if (code) return code;
    const json_t *own = kl_store_own_record(records);
    if (own) {
        fprintf(to, "made       %s, %.3g s on %s; run %.8s\n", kl_store_json_text(own, "time"),
                json_number_value(json_object_get(own, "seconds")), kl_store_json_text(own, "device"),
                kl_store_json_text(own, "id"));
        fputs("by         ", to);
        kl_store_write_command(to, own);
        fputc('\n', to);
        write_datasets_read(to, own);
        if (*kl_store_json_text(own, "note")) {
            fputs("note       ", to);
            kl_store_write_safely(to, kl_store_json_text(own, "note"));
            fputc('\n', to);
        }
        json_array_foreach(json_object_get(own, "cautions"), i, line)
        {
            fputs("caution    ", to);
            kl_store_write_safely(to, json_string_value(line) ? json_string_value(line) : "");
            fputc('\n', to);
        }
        if (json_array_size(records) > 1)
            fprintf(to, "after      %zu earlier %s; cache log %s draws them\n",
                    json_array_size(records) - 1, json_array_size(records) == 2 ? "stage" : "stages",
                    strcmp(kl_store_file_path(file), "standard input") ? kl_store_file_path(file) : "-");
    }
    json_decref(records);
    return KL_OK;
}

/* List the errors of a file made by an earlier version. */
static int write_revisions(FILE *to, const struct kl_file *file, const struct kl_kind *kind,
                           struct kl_error *err)
{
    json_t *parts;
    if (!kind->revisions) return KL_OK;
    const int code = kl_json_parse(&parts, kl_store_file_key_parts(file), kl_store_file_path(file), err);
    if (code) return code;
    const char *stage = kl_store_json_text(parts, "stage");
    const json_int_t version = json_integer_value(json_object_get(parts, "numerical_version"));
    const json_t *options = json_object_get(parts, "options");
    for (const struct kl_kind_revision *r = kind->revisions; r->stage; r++)
        if (strcmp(r->stage, stage) == 0 && version < r->version &&
            (!r->applies || r->applies(options, file)))
            fprintf(to, "outdated   made by version %lld of %s: %s; made again it has another key\n",
                    (long long)version, stage, r->why);
    json_decref(parts);
    return KL_OK;
}

static int write_part(FILE *to, const struct kl_file *file, struct kl_error *err)
{
    double index, count;
    if (!kl_store_file_has_attribute(file, "", "shard_index")) return KL_OK;
    int code = kl_store_file_number(&index, file, "", "shard_index", err);
    if (!code) code = kl_store_file_number(&count, file, "", "shard_count", err);
    if (!code)
        fprintf(to,
                "part       %.0f of %.0f of a run, numbered from 0; cache merge makes one file of all\n",
                index, count);
    return code;
}

/* What the key has beside its options, as text, and the kind tells as options: a number where it is one.
 */
static int add_parts(json_t *options, const json_t *parts, const struct kl_kind *kind,
                     struct kl_error *err)
{
    for (const char *const *name = kind->parts; name && *name; name++) {
        json_t *text = json_object_get(parts, *name), *number;
        if (!text) continue;
        number = json_loads(json_string_value(text), JSON_DECODE_ANY, NULL);
        if (json_object_set_new(options, *name, number ? number : json_incref(text)))
            return kl_fail_memory(err, 64);
    }
    return KL_OK;
}

const char *kl_store_assigned(const char *words, const char *name, size_t *n)
{
    for (const char *word = words; word && *word; word += *n, word += strspn(word, " \t\n")) {
        size_t i = 0;
        *n = strcspn(word, " \t\n");
        while (name[i] && (word[i] == name[i] || (word[i] == '-' && name[i] == '_'))) i++;
        if (name[i] || word[i] != '=') continue;
        *n -= i + 1;
        return word + i + 1;
    }
    return NULL;
}

/* In the value's place: of a sweep these are not one value. NULL: it is one. */
static const char *several(const json_t *options, const json_t *records, const char *name)
{
    const char *grid = json_string_value(json_object_get(options, "grid"));
    const json_t *found = json_object_get(kl_store_own_record((json_t *)records), KL_STORE_FOUND),
                 *best = json_object_get(json_object_get(found, "json"), "best");
    size_t n; /* a grid may have second names, a point has none */
    if (grid &&
        (kl_store_assigned(grid, name, &n) || kl_store_assigned(json_string_value(best), name, &n)))
        return "(of the grid)";
    return grid && strcmp(name, "fold") == 0 && json_is_string(json_object_get(options, "folds"))
               ? "(of folds)"
               : NULL;
}

/* The options that made it, several a line. */
static int write_options(FILE *to, const struct kl_file *file, const struct kl_kind *kind,
                         struct kl_error *err)
{
    enum {
        COLUMNS = 96,
        LONGEST = 70
    }; /* of a line; of a text (a circuit in OpenQASM, a calibration) */
    json_t *parts, *records = NULL, *value;
    const char *name;
    size_t column = 0; /* 0: nothing is written yet */
    int code = kl_json_parse(&parts, kl_store_file_key_parts(file), kl_store_file_path(file), err);
    if (code) return code;
    code = kl_json_parse(&records, kl_store_file_provenance(file), kl_store_file_path(file), err);
    if (!code)
        code = add_parts(json_object_get(parts, "options"), json_object_get(parts, "parts"), kind, err);
    json_object_foreach(json_object_get(parts, "options"), name, value)
    {
        char *text = NULL;
        if (code || json_is_null(value)) continue;
        const char *of = several(json_object_get(parts, "options"), records, name);
        if (of && !(text = strdup(of))) code = kl_fail_memory(err, strlen(of));
        if (!of) code = kl_json_dump_as(&text, value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6), err);
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
    json_decref(parts), json_decref(records);
    return code;
}

/* The group in which it is counted; NULL: it is listed. */
static const struct kl_kind_group *group_of(const struct kl_kind *kind, const struct kl_dataset *d)
{
    for (const struct kl_kind_group *g = kind->groups; g && g->words; g++)
        for (int i = 0; i < 2 && g->prefixes[i]; i++)
            if (strncmp(d->name, g->prefixes[i], strlen(g->prefixes[i])) == 0) return g;
    return NULL;
}

static void write_datasets(FILE *to, const struct kl_file *file, const struct kl_kind *kind)
{
    const size_t n = kl_store_file_n_datasets(file);
    size_t width = 36;
    for (size_t i = 0; i < n; i++) {
        const struct kl_dataset *d = kl_store_file_dataset(file, i);
        if (!group_of(kind, d) && strlen(d->name) > width) width = strlen(d->name);
    }
    fputs("\ndatasets\n", to);
    for (size_t i = 0; i < n; i++) {
        const struct kl_dataset *d = kl_store_file_dataset(file, i);
        char shape[96];
        if (group_of(kind, d)) continue;
        shape_text(shape, d);
        fprintf(to, "  %-*s %-8s %s\n", (int)width, d->name, kl_type_names[d->type], shape);
    }
    for (const struct kl_kind_group *g = kind->groups; g && g->words; g++) {
        size_t counted = 0;
        for (size_t i = 0; i < n; i++) counted += group_of(kind, kl_store_file_dataset(file, i)) == g;
        if (counted) fprintf(to, "  and %zu of %s\n", counted, g->words);
    }
}

int kl_store_describe_page(FILE *to, struct kl_file *file, const struct kl_kind *kind,
                           struct kl_error *err)
{
    char size[32];
    kl_store_size_text(size,
                       (double)file->stat.st_size); /* what came by standard input has no name to ask */
    fprintf(to, "%s\n%s, %s, written by %s\n\n", kl_store_file_path(file), kl_store_file_kind(file),
            size, kl_store_file_created_by(file));
    int code = write_origin(to, file, err);
    if (!code) code = write_revisions(to, file, kind, err);
    if (!code) code = write_part(to, file, err);
    if (code) return code;
    fprintf(to, "key        %s\ncontent    %s\n", kl_store_file_key(file), kl_store_file_content(file));
    for (const struct kl_kind_heading *h = kind->headings; h && h->attribute; h++) {
        char *text = NULL;
        if (!kl_store_file_has_attribute(file, h->object, h->attribute)) continue;
        code = kl_store_file_text(&text, file, h->object, h->attribute, err);
        if (!code) fprintf(to, "%-10s %s\n", h->attribute, text);
        free(text);
        if (code) return code;
    }
    code = write_classes(to, file, kind->classes, err);
    if (code) return code;
    code = write_options(to, file, kind, err);
    if (!code) code = write_attributes(to, file, kind, err);
    if (!code) kl_store_write_numbers(to, file, kind);
    if (!code) code = kl_store_write_replicas(to, file, kind, err);
    if (!code) code = kl_store_write_history(to, file, kind, err);
    if (!code) code = kl_store_write_tables(to, file, kind, err);
    if (!code) write_datasets(to, file, kind);
    return code || !kind->write ? code : kind->write(to, file, err);
}
