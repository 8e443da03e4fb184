/* SPDX-License-Identifier: MIT
   What the table of options says about itself: --help, --version, --print-config, JSON for keys and records. */
#include "base/base_int.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The shortest decimal text that reads back as the same double. */
static void number_text(double value, char *text, size_t size)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) return;
    }
}

void kl_option_text(const struct kl_option *option, const void *values, char *text, size_t size)
{
    const void *field = (const char *)values + option->offset;
    const char *string;
    switch (option->type) {
    case KL_OPT_FLAG: snprintf(text, size, "%s", *(const bool *)field ? "true" : "false"); break;
    case KL_OPT_INT: snprintf(text, size, "%lld", (long long)*(const int64_t *)field); break;
    case KL_OPT_FLOAT: number_text(*(const double *)field, text, size); break;
    default:
        string = *(const char *const *)field;
        snprintf(text, size, "%s", string ? string : "");
    }
}

static void write_option(const struct kl_option *option, const void *values, FILE *to)
{
    char left[64], value[80];
    int used = option->letter ? snprintf(left, sizeof left, "  -%c, --%s", option->letter, option->name)
                              : snprintf(left, sizeof left, "      --%s", option->name);
    bool choice = option->type == KL_OPT_CHOICE;
    if (option->arg && !choice && used > 0 && (size_t)used < sizeof left)
        snprintf(left + used, sizeof left - (size_t)used, " %s", option->arg);
    fputs(left, to);
    for (size_t i = strlen(left); i < 26; i++) fputc(' ', to);
    if (strlen(left) >= 26) fputs("  ", to);
    fputs(option->help, to);
    kl_option_text(option, values, value, sizeof value);
    if (choice) {
        fputs(": ", to);
        fputs(option->arg, to);
    }
    if (option->type != KL_OPT_FLAG && *value && strcmp(value, "0") != 0) {
        fputs(" [", to);
        fputs(value, to);
        fputs("]", to);
    }
    fputc('\n', to);
}

static void write_help(const struct kl_tool *tool, const void *values, FILE *to)
{
    const struct kl_option *option;
    const char *parts[] = { "Usage: ", tool->name, " [options] ", tool->arguments, "\n", tool->summary, "\n" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) fputs(parts[i], to);
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++) {
        if (option->group) {
            fputs("\n", to);
            fputs(option->group, to);
            fputs("\n", to);
        }
        if (option->help) write_option(option, values, to);
    }
    if (!tool->example) return;
    fputs("\nExample\n  ", to);
    fputs(tool->example, to);
    fputc('\n', to);
}

static bool is_answer(const struct kl_option *option)
{
    return option->offset == offsetof(struct kl_common, help) || option->offset == offsetof(struct kl_common, version) ||
           option->offset == offsetof(struct kl_common, print_config) ||
           option->offset == offsetof(struct kl_common, config);
}

/* A double-quoted YAML scalar. */
static void write_quoted(const char *text, FILE *to)
{
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', to);
        if (*text == '\n') fputs("\\n", to);
        else fputc(*text, to);
    }
    fputc('"', to);
}

static void write_config(const struct kl_tool *tool, const void *values, FILE *to)
{
    const struct kl_option *option;
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++) {
        char value[80];
        bool text = option->type == KL_OPT_STRING || option->type == KL_OPT_CHOICE;
        const char *string = text ? *(const char *const *)((const char *)values + option->offset) : NULL;
        if (is_answer(option) || (text && !string)) continue;
        fputs(option->name, to);
        fputs(": ", to);
        kl_option_text(option, values, value, sizeof value);
        if (text) write_quoted(string, to);
        else fputs(value, to);
        fputc('\n', to);
    }
}

bool kl_options_answer(const struct kl_tool *tool, const void *values, FILE *to)
{
    const struct kl_common *common = values;
    if (common->help) {
        write_help(tool, values, to);
    } else if (common->version) {
        fputs(tool->name, to);
        fputs(" (ketline) " KL_VERSION "\n", to);
    } else if (common->print_config) {
        write_config(tool, values, to);
    } else {
        return false;
    }
    return true;
}

char *kl_options_json(const struct kl_tool *tool, const void *values, bool key_only)
{
    json_t *object = json_object();
    const struct kl_option *option;
    bool failed = !object;
    for (size_t i = 0; !failed && (option = kl_option_at(tool, i)); i++) {
        const void *field = (const char *)values + option->offset;
        if ((key_only && !option->in_key) || is_answer(option)) continue;
        json_t *value = NULL;
        const char *string;
        switch (option->type) {
        case KL_OPT_FLAG: value = json_boolean(*(const bool *)field); break;
        case KL_OPT_INT: value = json_integer(*(const int64_t *)field); break;
        case KL_OPT_FLOAT: value = json_real(*(const double *)field); break;
        default:
            string = *(const char *const *)field;
            value = string ? json_string(string) : json_null();
        }
        failed = !value || json_object_set_new(object, option->name, value) != 0;
    }
    /* Not json_dumps: jansson 2.14 does not look whether its buffer could grow at a name. */
    size_t n = failed ? 0 : json_dumpb(object, NULL, 0, JSON_SORT_KEYS | JSON_COMPACT);
    char *text = n ? malloc(n + 1) : NULL;
    if (text) text[n] = 0;
    if (text && json_dumpb(object, text, n, JSON_SORT_KEYS | JSON_COMPACT) != n) {
        free(text);
        text = NULL;
    }
    json_decref(object);
    return text;
}
