/* SPDX-License-Identifier: MIT
   What a file says of itself in attributes, for its page and as JSON. */
#include <math.h>
#include <string.h>

#include "store/describe_int.h"
#include "store/store_int.h"

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

int kl_store_write_attributes(FILE *to, const struct kl_file *file, const struct kl_kind *kind,
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

int kl_store_attributes_json(json_t **attributes, const struct kl_file *file, const struct kl_kind *kind,
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
