/* SPDX-License-Identifier: MIT
   What figures take: files that lend themselves to one, files that are not of one run, options out of a
   file's key; and what may stand where a figure goes. */
#include "plot/plot.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"

const char *kl_plot_json_text(const struct json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

double kl_plot_file_number(const struct kl_file *file, const char *name)
{
    double value;
    return kl_store_file_has_attribute(file, "", name) &&
                   !kl_store_file_number(&value, file, "", name, NULL)
               ? value
               : NAN;
}

/* ---- does a file lend itself to a figure? ---- */
static int look_for_circuit(char why[KL_OBSTACLE], const struct kl_file *head, struct kl_error *err)
{
    char *text = NULL;
    json_t *config = NULL;
    int code = kl_store_file_text(&text, head, "", "config", err);
    if (!code) code = kl_json_parse(&config, text, kl_store_file_path(head), err);
    const char *core = code ? NULL : kl_circuit_absent(config);
    if (core)
        snprintf(why, KL_OBSTACLE, "%.120s holds no circuit, its core is %.20s",
                 kl_store_file_path(head), core);
    json_decref(config);
    free(text);
    return code;
}

/* Is there a number in a dataset of float64 of two dimensions? */
static int has_numbers(bool *has, struct kl_file *file, const char *name, struct kl_error *err)
{
    const struct kl_dataset *set;
    double *values = NULL;
    const int code = kl_store_file_load_named((void **)&values, &set, file, name, KL_TYPE_F64, 2, err);
    *has = false;
    for (size_t i = 0; !code && i < set->dims[0] * set->dims[1]; i++) *has |= isfinite(values[i]) != 0;
    free(values);
    return code;
}

int kl_plot_figure_obstacle(char why[KL_OBSTACLE], const struct kl_figure *f,
                            const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    bool has = !f->dataset || kl_store_file_find(inputs->file, f->dataset);
    *why = '\0';
    if (has && f->needs_numbers) {
        const int code = has_numbers(&has, inputs->file, f->dataset, err);
        if (code) return code;
    }
    if (f->needs_images && !inputs->images) snprintf(why, KL_OBSTACLE, "needs --images");
    else if (!has) /* a head trained elsewhere */
        snprintf(why, KL_OBSTACLE, "%.120s holds %s%.60s", kl_store_file_path(inputs->file),
                 f->lack ? "" : "no ", f->lack ? f->lack : f->dataset);
    else if (f->needs_circuit) return look_for_circuit(why, inputs->file, err);
    return KL_OK;
}

bool kl_plot_figure_takes(const struct kl_figure *f, const struct kl_figure_inputs *inputs)
{
    if (strcmp(f->kind, kl_store_file_kind(inputs->file)) != 0) return false;
    for (size_t i = 0; f->beside && strcmp(f->beside, f->kind) == 0 && i < inputs->n_files; i++) {
        if (inputs->files[i] == inputs->file) return true;
        if (strcmp(f->kind, kl_store_file_kind(inputs->files[i])) == 0) return false;
    }
    return true;
}

/* ---- files of two runs ----
   Files that are drawn together and are not of one run: the report of one head beside another head. */

/* A file that a run read, as its record names it; borrowed. */
struct named {
    const char *path, *content;
};

/* Looks through the records of the runs that led to a file, for what they read of `kind`: is one of
   this content there? Else *first is the newest of them; path NULL: none. */
static bool names(struct named *first, const json_t *records, const char *kind, const char *content)
{
    *first = (struct named){ 0 };
    for (size_t i = json_array_size(records); i--;) {
        const json_t *inputs = json_object_get(json_array_get(records, i), "inputs"), *input;
        size_t k;
        json_array_foreach(json_object_get(inputs, "files"), k, input)
        {
            if (strcmp(kl_plot_json_text(input, "kind"), kind) != 0) continue;
            if (strcmp(kl_plot_json_text(input, "content"), content) == 0) return true;
            if (!first->path)
                *first = (struct named){ kl_plot_json_text(input, "path"),
                                         kl_plot_json_text(input, "content") };
        }
    }
    return false;
}

/* Does a run that led to a file read raw input of this digest? */
static bool reads(const json_t *records, const char *digest)
{
    size_t i;
    const json_t *record, *input;
    const char *name;
    json_array_foreach(records, i, record) json_object_foreach(
        json_object_get(record, "inputs"), name,
        input) if (strcmp(kl_plot_json_text(input, "sha256"), digest) == 0) return true;
    return false;
}

/* Was the file made of raw inputs, of all of which the other one was made, too? */
static bool same_inputs(const json_t *records, const json_t *others)
{
    const json_t *input, *last = json_array_get(records, json_array_size(records) - 1);
    const char *name;
    bool any = false;
    json_object_foreach(json_object_get(last, "inputs"), name, input)
    {
        const char *digest = kl_plot_json_text(input, "sha256");
        if (*digest && !reads(others, digest)) return false;
        any = any || *digest;
    }
    return any;
}

/* It has another name, or the same name and other content: it was made again since. */
static void write(FILE *to, const char *of, const char *kind, struct named found,
                  const struct kl_file *file, bool same)
{
    const char *path = kl_store_file_path(file);
    if (same && strcmp(found.path, path) != 0)
        fprintf(to, "%s is none of the %s that %s is of, but was made of the same inputs\n", path, kind,
                of);
    else if (strcmp(found.path, path) != 0)
        fprintf(to, "%s is of the %s %s, %s is another: these are of two runs\n", of, kind, found.path,
                path);
    else
        fprintf(to, "%s is of a %s %s of content %.8s, here it is %.8s: these are of two runs\n", of,
                kind, path, found.content, kl_store_file_content(file));
}

/* One line on file i, unless it is what another was made from, or was made from that itself, or none
   says what it was made from. */
static void tell(FILE *to, struct kl_file *const *files, json_t *const *records, size_t n, size_t i)
{
    struct named first, found = { 0 };
    const char *kind = kl_store_file_kind(files[i]), *content = kl_store_file_content(files[i]);
    size_t of = n;
    for (size_t k = 0; k < n; k++) {
        if (k == i) continue;
        if (names(&first, records[k], kind, content)) return;
        if (first.path && of == n) of = k, found = first;
    }
    if (of < n && !names(&first, records[i], kind, found.content))
        write(to, kl_store_file_path(files[of]), kind, found, files[i],
              same_inputs(records[i], records[of]));
}

int kl_plot_files_apart(char **lines, struct kl_file *const *files, size_t n, struct kl_error *err)
{
    size_t size = 0;
    *lines = NULL;
    json_t **records = calloc(n + 1, sizeof *records);
    if (!records) return kl_fail_memory(err, n * sizeof *records);
    int code = KL_OK;
    for (size_t i = 0; i < n && !code; i++)
        code = kl_json_parse(&records[i], kl_store_file_provenance(files[i]),
                             kl_store_file_path(files[i]), err);
    FILE *to = code ? NULL : open_memstream(lines, &size);
    for (size_t i = 0; to && i < n; i++) tell(to, files, records, n, i);
    const bool failed = to && ferror(to);
    if (!code && (!to || fclose(to) || failed)) code = kl_fail_memory(err, 1024);
    for (size_t i = 0; i < n; i++) json_decref(records[i]);
    free(records);
    if (code) free(*lines), *lines = NULL;
    return code;
}

/* ---- an option out of the key of a file, as a number ---- */
int kl_plot_key_option(double *value, const struct kl_file *file, const char *name, struct kl_error *err)
{
    json_t *parts = NULL;
    const int code = kl_json_parse(&parts, kl_store_file_key_parts(file), kl_store_file_path(file), err);
    const json_t *option = json_object_get(json_object_get(parts, "options"), name);
    *value = json_is_number(option) ? json_number_value(option) : NAN;
    json_decref(parts);
    return code;
}

/* ---- what may stand at the target: nothing, or a picture of its format ---- */
int kl_plot_figure_target_check(const char *path, enum kl_figure_format format, bool force,
                                const char *const *inputs, size_t n, struct kl_error *err)
{
    int code = kl_store_target_no_input(path, inputs, n, err);
    if (code) return code;
    if (format == KL_PDF) return kl_store_target_check_bytes(path, 0, "%PDF-", force, inputs, n, err);
    if (format == KL_PNG)
        return kl_store_target_check_bytes(path, 0, "\x89PNG\r\n\x1a\n", force, inputs, n, err);
    /* an SVG may do without the line that says it is XML */
    code = kl_store_target_check_bytes(path, 0, "<svg", force, inputs, n, err);
    if (code != KL_EUSAGE) return code; /* that it cannot be read is not hidden by what is read next */
    return kl_store_target_check_bytes(path, 0, "<?xml", force, inputs, n, err);
}
