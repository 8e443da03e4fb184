/* SPDX-License-Identifier: MIT
   YAML configuration: one flat mapping with the names of the long options; lists of plain values where
   an option takes a text. */
#include "base/base_int.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { LARGEST = 1 << 20 };

struct reader {
    const struct kl_tool *tool;
    void *values;
    const char *path, *text;
    yaml_parser_t yaml;
    struct kl_error *err;
    struct {
        const struct kl_option *option;
        const char *name; /* as it was written: some options have two */
        size_t line;
    } seen[256];
    size_t n_seen;
};

/* Values are text that the options point to as long as the process lives: a list that only grows. */
struct kept {
    struct kept *next;
    char text[];
};
static _Atomic(struct kept *) all_kept;

const char *kl_keep_text(const char *text)
{
    size_t n = strlen(text) + 1;
    struct kept *kept = malloc(sizeof *kept + n);
    if (!kept) return NULL;
    memcpy(kept->text, text, n);
    kept->next = atomic_load(&all_kept);
    while (!atomic_compare_exchange_weak(&all_kept, &kept->next, kept)) {
    }
    return kept->text;
}

/* line: from 0. */
static bool is_indented_by_tab(const char *text, size_t line)
{
    for (; line; line--) {
        if (!(text = strchr(text, '\n'))) return false;
        text++;
    }
    return text[strspn(text, " ")] == '\t';
}

static int next_event(struct reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->yaml, event)) return KL_OK;
    if (r->yaml.error == YAML_MEMORY_ERROR) return kl_fail_memory(r->err, LARGEST);
    const bool tab = is_indented_by_tab(r->text, r->yaml.problem_mark.line);
    return kl_fail(r->err, KL_EDATA, "%s:%zu: not YAML: %s%s", r->path, r->yaml.problem_mark.line + 1,
                   r->yaml.problem ? r->yaml.problem : "unreadable",
                   tab ? " (a tab? YAML indents by blanks)" : "");
}

/* The option of a name that may stand in a file, once. */
static int find_option(struct reader *r, const struct kl_option **option, const char *name, size_t line,
                       const char *where)
{
    *option = kl_option_find(r->tool, name, strlen(name));
    if (!*option) {
        const char *nearest = kl_option_nearest(r->tool, name, strlen(name));
        char meant[KL_MEANT];
        return kl_fail(r->err, KL_EUSAGE, "%s: no such option%s", where,
                       kl_meant_words(meant, nearest, nearest ? strlen(nearest) : 0));
    }
    if (kl_option_is_answer(*option))
        return kl_fail(r->err, KL_EUSAGE, "%s: belongs on the command line, not in a file", where);
    for (size_t i = 0; i < r->n_seen; i++)
        if (r->seen[i].option == *option)
            return kl_fail(r->err, KL_EUSAGE,
                           "%s: given twice in this file: '%.100s' in line %zu is the same option",
                           where, r->seen[i].name, r->seen[i].line);
    if (r->n_seen == sizeof r->seen / sizeof *r->seen)
        return kl_fail(r->err, KL_EUSAGE, "%s: more than %zu options", where, r->n_seen);
    r->seen[r->n_seen].option = *option;
    r->seen[r->n_seen].line = line;
    r->seen[r->n_seen].name = kl_keep_text(name);
    return r->seen[r->n_seen++].name ? KL_OK : kl_fail_memory(r->err, strlen(name) + 1);
}

/* A text that would end before its end. */
static bool has_zero(const yaml_event_t *event)
{
    return event->data.scalar.length != strlen((const char *)event->data.scalar.value);
}

/* A word without quotes: one of these, whatever its case? */
static bool is_one_of(const char *const *words, const yaml_event_t *event)
{
    bool found = false;
    if (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return false;
    for (; *words && !found; words++)
        found = strcasecmp((const char *)event->data.scalar.value, *words) == 0;
    return found;
}
static const char *const nothing[] = { "", "~", "null", NULL },
                         *const truth[] = { "true", "yes", "on", NULL },
                         *const falsehood[] = { "false", "no", "off", NULL };

/* Nothing to an option that has no value unless it is given one is as if the line were not there. To any
   other it could mean none, or the default. */
static int set_nothing(struct reader *r, const struct kl_option *option, const char *where)
{
    char usual[256];
    kl_option_text(option, r->values, usual, sizeof usual);
    if (!*usual || strcmp(usual, "false") == 0) return KL_OK;
    return kl_fail(r->err, KL_EUSAGE,
                   "%s: found no value, expected %s%s%s%s; without the line it is '%s'", where,
                   option->type == KL_OPT_FLAG ? "true or false" : option->arg, option->help ? " (" : "",
                   option->help ? option->help : "", option->help ? ")" : "", usual);
}

/* YAML reads these words, where they stand without quotes, as true or false. Written to an option that
   takes a text they would be a file's name, or no widths. */
static int check_plain(const struct kl_option *option, const yaml_event_t *event, const char *where,
                       struct kl_error *err)
{
    const bool choice = option->type == KL_OPT_CHOICE || option->type == KL_OPT_DEVICE;
    const char *text = (const char *)event->data.scalar.value;
    if (!kl_option_is_word(option) || choice ||
        (!is_one_of(truth, event) && !is_one_of(falsehood, event)))
        return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "%s: found %s, expected %s; put a text in quotes, '%s', or take the line out", where,
                   text, option->arg, text);
}

static int set_option(struct reader *r, const struct kl_option *option, const yaml_event_t *event,
                      const char *where)
{
    if (event->type != YAML_SCALAR_EVENT || event->data.scalar.anchor)
        return kl_fail(r->err, KL_EUSAGE,
                       "%s: expected one plain value, found a list or an anchor; write a list as on the "
                       "command line: 128,32",
                       where);
    if (has_zero(event))
        return kl_fail(r->err, KL_EUSAGE, "%s: found a zero byte inside the value", where);
    if (is_one_of(nothing, event)) return set_nothing(r, option, where);
    const int code = check_plain(option, event, where, r->err);
    if (code) return code;
    const bool flag = option->type == KL_OPT_FLAG;
    const char *text = flag && is_one_of(truth, event)       ? "true"
                       : flag && is_one_of(falsehood, event) ? "false"
                                                             : (const char *)event->data.scalar.value;
    text = kl_keep_text(text);
    return text ? kl_option_set(option, r->values, text, where, r->err) : kl_fail_memory(r->err, 1);
}

/* [0.1, 2.0] to an option that takes a text is the text that the command line takes, 0.1,2.0. The
   sequence has begun. */
static int set_list(struct reader *r, const struct kl_option *option, const char *where)
{
    char text[1024] = "";
    size_t n = 0;
    for (;;) {
        yaml_event_t event;
        int code = next_event(r, &event);
        if (code) return code;
        const bool end = event.type == YAML_SEQUENCE_END_EVENT;
        const char *value = event.type == YAML_SCALAR_EVENT ? (const char *)event.data.scalar.value : "";
        if (!end && (event.type != YAML_SCALAR_EVENT || event.data.scalar.anchor || has_zero(&event) ||
                     !*value || strchr(value, ',')))
            code = kl_fail(r->err, KL_EUSAGE,
                           "%s: expected a list of plain values, without commas in them", where);
        else if (!end && n + strlen(value) + 2 > sizeof text)
            code =
                kl_fail(r->err, KL_EUSAGE, "%s: found a list longer than %zu bytes", where, sizeof text);
        else if (!end) n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? "," : "", value);
        yaml_event_delete(&event);
        if (code) return code;
        if (end) break;
    }
    const char *kept = kl_keep_text(text);
    return kept ? kl_option_set(option, r->values, kept, where, r->err) : kl_fail_memory(r->err, n + 1);
}

/* A name was read; read its value and set the option. */
static int read_value(struct reader *r, const char *name, size_t line)
{
    yaml_event_t event;
    char where[512];
    const struct kl_option *option = NULL;
    snprintf(where, sizeof where, "%.300s:%zu: %.100s", r->path, line, name);
    int code = next_event(r, &event);
    if (code) return code;
    if (event.type == YAML_MAPPING_START_EVENT) /* a heading, and options indented below it */
        code =
            kl_fail(r->err, KL_EUSAGE,
                    "%s: found a mapping, expected a plain value; options stand at the left margin, in "
                    "one flat mapping",
                    where);
    else code = find_option(r, &option, name, line, where);
    const bool list = event.type == YAML_SEQUENCE_START_EVENT && !event.data.sequence_start.anchor;
    if (!code && list && option->type == KL_OPT_STRING) code = set_list(r, option, where);
    else if (!code) code = set_option(r, option, &event, where);
    yaml_event_delete(&event);
    return code;
}

static bool is_anchored(const yaml_event_t *event)
{
    return (event->type == YAML_SCALAR_EVENT && event->data.scalar.anchor) ||
           (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.anchor) ||
           (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.anchor);
}

static int read_mapping(struct reader *r)
{
    int depth = 0;
    for (;;) {
        yaml_event_t event;
        int code = next_event(r, &event);
        if (code) return code;
        size_t line = event.start_mark.line + 1;
        char *name = NULL;
        bool end = event.type == YAML_STREAM_END_EVENT;
        if (is_anchored(&event)) {
            code = kl_fail(r->err, KL_EUSAGE, "%s:%zu: anchors are not read; write the value", r->path,
                           line);
        } else if (event.type == YAML_SCALAR_EVENT && has_zero(&event)) {
            code = kl_fail(r->err, KL_EUSAGE, "%s:%zu: found a zero byte inside a name", r->path, line);
        } else if (event.type == YAML_SCALAR_EVENT && depth == 1) {
            name = strdup((const char *)event.data.scalar.value);
            code = name ? KL_OK : kl_fail_memory(r->err, 1);
        } else if (event.type == YAML_MAPPING_START_EVENT && depth == 0) {
            depth = 1;
        } else if (event.type == YAML_MAPPING_END_EVENT) {
            depth = 2; /* nothing may follow */
        } else if (event.type == YAML_SCALAR_EVENT && depth == 0 && event.data.scalar.length == 0) {
            depth = 2; /* an empty file */
        } else if (event.type == YAML_SCALAR_EVENT || event.type == YAML_SEQUENCE_START_EVENT ||
                   event.type == YAML_MAPPING_START_EVENT || event.type == YAML_ALIAS_EVENT) {
            code = kl_fail(r->err, KL_EUSAGE, "%s:%zu: expected lines of the form 'name: value'",
                           r->path, line);
        }
        yaml_event_delete(&event);
        if (!code && name) code = read_value(r, name, line);
        free(name);
        if (code || end) return code;
    }
}

int kl_config_read(const struct kl_tool *tool, void *values, const char *path, struct kl_error *err)
{
    struct reader r = { .tool = tool, .values = values, .path = path, .err = err };
    char *text = NULL;
    size_t n;
    int code = kl_read_text(&text, &n, path, LARGEST, "a configuration", err);
    if (code) return code;
    if (!yaml_parser_initialize(&r.yaml)) {
        code = kl_fail_memory(err, sizeof r.yaml);
        goto out;
    }
    r.text = text;
    yaml_parser_set_input_string(&r.yaml, (const unsigned char *)text, n);
    code = read_mapping(&r);
    yaml_parser_delete(&r.yaml);
out:
    free(text);
    return code;
}
