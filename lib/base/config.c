/* SPDX-License-Identifier: MIT
   YAML configuration: one flat mapping with the names of the long options. */
#include "base/base_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { LARGEST = 1 << 20 };

struct reader {
    const struct kl_tool *tool;
    void *values;
    const char *path;
    yaml_parser_t yaml;
    struct kl_error *err;
};

static int next_event(struct reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->yaml, event)) return KL_OK;
    return kl_fail(r->err, KL_EDATA, "%s:%zu: not YAML: %s", r->path, r->yaml.problem_mark.line + 1,
                   r->yaml.problem ? r->yaml.problem : "unreadable");
}

/* A name was read; read its value and set the option. */
static int read_value(struct reader *r, const char *name, size_t line)
{
    yaml_event_t event;
    char where[512];
    const struct kl_option *option = kl_option_find(r->tool, name, strlen(name));
    snprintf(where, sizeof where, "%.300s:%zu: %.100s", r->path, line, name);
    if (!option) {
        const char *nearest = kl_option_nearest(r->tool, name, strlen(name));
        return kl_fail(r->err, KL_EUSAGE, "%s: no such option%s%s%s", where, nearest ? "; did you mean " : "",
                       nearest ? nearest : "", nearest ? "?" : "");
    }
    int code = next_event(r, &event);
    if (code) return code;
    if (event.type != YAML_SCALAR_EVENT || event.data.scalar.anchor) {
        code = kl_fail(r->err, KL_EUSAGE, "%s: expected one plain value, found a list, a mapping or an anchor", where);
    } else {
        char *text = strdup((const char *)event.data.scalar.value); /* lives as long as the process */
        code = text ? kl_option_set(option, r->values, text, where, r->err) : kl_fail_memory(r->err, 1);
        if (code || (option->type != KL_OPT_STRING && option->type != KL_OPT_CHOICE)) free(text);
    }
    yaml_event_delete(&event);
    return code;
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
        if (event.type == YAML_SCALAR_EVENT && depth == 1) {
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
            code = kl_fail(r->err, KL_EUSAGE, "%s:%zu: expected lines of the form 'name: value'", r->path, line);
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
    int code = KL_OK;
    FILE *file = fopen(path, "re");
    if (!file) return kl_fail_errno(err, KL_ENOINPUT, "%s", path);
    if (!(text = malloc(LARGEST + 1))) {
        code = kl_fail_memory(err, LARGEST + 1);
        goto out;
    }
    size_t n = fread(text, 1, LARGEST + 1, file);
    if (ferror(file)) {
        code = kl_fail_errno(err, KL_EIO, "%s: cannot be read", path);
        goto out;
    }
    if (n > LARGEST) {
        code = kl_fail(err, KL_EDATA, "%s: found more than %d bytes, expected a configuration", path, LARGEST);
        goto out;
    }
    if (!yaml_parser_initialize(&r.yaml)) {
        code = kl_fail_memory(err, sizeof r.yaml);
        goto out;
    }
    yaml_parser_set_input_string(&r.yaml, (const unsigned char *)text, n);
    code = read_mapping(&r);
    yaml_parser_delete(&r.yaml);
out:
    free(text);
    fclose(file);
    return code;
}
