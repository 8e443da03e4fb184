/* SPDX-License-Identifier: MIT
   What was done, in which order: the records of all files together. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "plot/page/page_int.h"

static int write_command(FILE *to, const json_t *record, struct kl_error *err)
{
    char *text = NULL;
    size_t n;
    FILE *words = open_memstream(&text, &n);
    if (words) kl_store_write_command(words, record);
    if (!words || fclose(words)) {
        free(text);
        return kl_fail_memory(err, 1024);
    }
    kl_plot_html_text(to, text);
    free(text);
    return KL_OK;
}

static void write_input(FILE *to, const char *role, const json_t *input)
{
    const char *name = *kl_plot_json_text(input, "content")  ? "content"
                       : *kl_plot_json_text(input, "sha256") ? "sha256"
                                                             : "bits";
    fputs("<br><span class=\"soft\">", to);
    kl_plot_html_text(to, role);
    fputs("</span> ", to);
    kl_plot_html_text(to, kl_plot_json_text(input, "path"));
    fprintf(to, " <span class=\"hex soft\">%s ", name);
    kl_plot_html_text(to, kl_plot_json_text(input, name));
    fputs("</span>", to);
}

static void write_inputs(FILE *to, const json_t *record)
{
    const char *role;
    json_t *input, *one;
    size_t i;
    json_object_foreach(json_object_get(record, "inputs"), role, input)
    {
        if (json_is_object(input)) write_input(to, role, input);
        json_array_foreach(input, i, one) write_input(to, role, one);
    }
}

static int write_record(FILE *to, const json_t *record, struct kl_error *err)
{
    const json_t *seed = json_object_get(record, "seed"), *threads = json_object_get(record, "threads");
    fputs("<li><code>", to);
    const int code = write_command(to, record, err);
    fputs("</code><br><span class=\"soft\">", to);
    kl_plot_html_text(to, kl_plot_json_text(record, "tool"));
    fputc(' ', to);
    kl_plot_html_text(to, kl_plot_json_text(record, "version"));
    fputs(", ", to);
    kl_plot_html_text(to, kl_plot_json_text(record, "time"));
    fprintf(to, ", %.3g s on ", json_number_value(json_object_get(record, "seconds")));
    kl_plot_html_text(to, kl_plot_json_text(record, "device"));
    if (json_is_integer(threads)) fprintf(to, ", threads %lld", (long long)json_integer_value(threads));
    if (json_is_integer(seed)) fprintf(to, ", seed %lld", (long long)json_integer_value(seed));
    fputs("</span>", to);
    if (*kl_plot_json_text(record, "note")) {
        fputs("<br>note: ", to);
        kl_plot_html_text(to, kl_plot_json_text(record, "note"));
    }
    write_inputs(to, record);
    fputs("</li>\n", to);
    return code;
}

/* Each file's records stand in the order in which they were made, its own last. */
static int write_new(FILE *to, json_t *seen, const struct kl_file *file, struct kl_error *err)
{
    json_t *records, *record;
    size_t i;
    int code = kl_json_parse(&records, kl_store_file_provenance(file), kl_store_file_path(file), err);
    if (code) return code;
    json_array_foreach(records, i, record)
    {
        const char *id = kl_plot_json_text(record, "id");
        if (json_object_get(seen, id)) continue;
        if (json_object_set_new(seen, id, json_true())) code = kl_fail_memory(err, 64);
        if (!code) code = write_record(to, record, err);
    }
    json_decref(records);
    return code;
}

int kl_plot_page_provenance(FILE *to, struct kl_file *const *files, size_t n, struct kl_error *err)
{
    json_t *seen = json_object();
    int code = seen ? KL_OK : kl_fail_memory(err, 64);
    fputs("<h2 id=\"runs\">How it was made</h2>\n<ol class=\"runs\">\n", to);
    for (size_t i = 0; i < n && !code; i++) code = write_new(to, seen, files[i], err);
    fputs("</ol>\n", to);
    json_decref(seen);
    return code;
}

int kl_plot_page_options(FILE *to, const struct kl_file *file, struct kl_error *err)
{
    json_t *parts, *value;
    const char *name;
    int code = kl_json_parse(&parts, kl_store_file_key_parts(file), kl_store_file_path(file), err);
    if (code) return code;
    const json_t *options = json_object_get(parts, "options");
    if (json_object_size(options)) {
        fputs("<details><summary>Options</summary><div class=\"wide\"><table>\n", to);
        json_object_foreach((json_t *)options, name, value)
        {
            char *text = NULL;
            if (code || json_is_null(value)) continue;
            if (json_is_string(value)) {
                kl_plot_html_fact(to, name, json_string_value(value));
                continue;
            }
            code = kl_json_dump_as(&text, value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6), err);
            if (!code) kl_plot_html_fact(to, name, text);
            free(text);
        }
        fputs("</table></div></details>\n", to);
    }
    json_decref(parts);
    return code;
}
