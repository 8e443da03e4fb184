/* SPDX-License-Identifier: MIT
   What the table of options says about itself: --help, --version, --print-config, JSON for keys and
   records. */
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
    default: string = *(const char *const *)field; snprintf(text, size, "%s", string ? string : "");
    }
}

enum { WIDTH = 80, HEIGHT = 40, INDENT = 26 };

/* Words from `column` on, broken before WIDTH at spaces and after '|'; new lines begin at indent. */
static void write_wrapped(const char *text, size_t column, size_t indent, FILE *to)
{
    size_t gap = 0;
    while (*text) {
        size_t n = strcspn(text, " |");
        if (text[n] == '|') n++;
        if (column > indent && column + gap + n > WIDTH) {
            fprintf(to, "\n%*s", (int)indent, "");
            column = indent;
            gap = 0;
        }
        fprintf(to, "%*s%.*s", (int)gap, "", (int)n, text);
        column += gap + n;
        text += n;
        gap = strspn(text, " ") ? 1 : 0;
        text += strspn(text, " ");
    }
    fputc('\n', to);
}

static void write_option(const struct kl_option *option, const void *values, FILE *to)
{
    char left[64], value[80], text[400];
    bool choice = option->type == KL_OPT_CHOICE;
    const char *arg = option->arg && !choice ? option->arg : "";
    char letter[] = { '-', option->letter, ',', '\0' };
    int used = snprintf(left, sizeof left, "  %3s --%s%s%s", option->letter ? letter : "", option->name,
                        *arg ? " " : "", arg);
    size_t column = used < INDENT ? INDENT : (size_t)used + 2;
    fprintf(to, "%-*s", (int)column, left);
    kl_option_text(option, values, value, sizeof value);
    bool shown = option->type != KL_OPT_FLAG && *value && strcmp(value, "0") != 0;
    snprintf(text, sizeof text, "%s%s%s%s%s%s", option->help, choice ? ": " : "",
             choice ? option->arg : "", shown ? " [" : "", shown ? value : "", shown ? "]" : "");
    write_wrapped(text, column, INDENT, to);
}

/* The common options by name alone, where explaining them would not fit the screen. */
static void write_names(const struct kl_tool *tool, FILE *to)
{
    char text[1024];
    size_t used = 0;
    fputs("\nCommon options (--help -v explains them)\n  ", to);
    const struct kl_option *option;
    for (size_t i = tool->n_options; (option = kl_option_at(tool, i)) && used < sizeof text; i++) {
        char letter[] = { '-', option->letter, '/', '\0' };
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s--%s", used ? " " : "",
                                 option->letter ? letter : "", option->name);
    }
    write_wrapped(text, 2, 2, to);
}

static void write_help(const struct kl_tool *tool, const void *values, FILE *to)
{
    const struct kl_common *common = values;
    const struct kl_option *option;
    size_t lines = 6; /* usage, summary, example */
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++)
        lines += (option->help != NULL) + 2 * (option->group != NULL);
    for (const char *c = tool->summary; (c = strchr(c, '\n')); c++) lines++;
    bool names_only = lines > HEIGHT && !common->verbose;
    fprintf(to, "Usage: %s [options] %s\n", tool->name, tool->arguments);
    if (strchr(tool->summary, '\n')) fprintf(to, "%s\n", tool->summary);
    else write_wrapped(tool->summary, 0, 0, to);
    for (size_t i = 0; (option = kl_option_at(tool, i)) && !(names_only && i == tool->n_options); i++) {
        if (option->group) fprintf(to, "\n%s\n", option->group);
        if (option->help) write_option(option, values, to);
    }
    if (names_only) write_names(tool, to);
    if (tool->example) fprintf(to, "\nExample\n  %s\n", tool->example);
}

bool kl_option_is_answer(const struct kl_option *option)
{
    return option->offset == offsetof(struct kl_common, help) ||
           option->offset == offsetof(struct kl_common, version) ||
           option->offset == offsetof(struct kl_common, print_config) ||
           option->offset == offsetof(struct kl_common, config);
}

/* A double-quoted YAML scalar. */
static void write_quoted(const char *text, FILE *to)
{
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', to);
        if ((unsigned char)*text < ' ' || *text == 127) fprintf(to, "\\x%02x", (unsigned)*text);
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
        if (kl_option_is_answer(option) || (text && !string)) continue;
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
        if ((key_only && !option->in_key) || kl_option_is_answer(option)) continue;
        json_t *value = NULL;
        const char *string;
        switch (option->type) {
        case KL_OPT_FLAG: value = json_boolean(*(const bool *)field); break;
        case KL_OPT_INT: value = json_integer(*(const int64_t *)field); break;
        case KL_OPT_FLOAT: value = json_real(*(const double *)field); break;
        default:
            string = *(const char *const *)field;
            if (string) kl_json_string(&value, string, NULL);
            else value = json_null();
        }
        failed = !value || json_object_set_new(object, option->name, value) != 0;
    }
    char *text = NULL;
    if (!failed) kl_json_dump(&text, object, NULL);
    json_decref(object);
    return text;
}
