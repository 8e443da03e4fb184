/* SPDX-License-Identifier: MIT
   The schema of --config's YAML file (JSON Schema 2020-12), from the table of options: what config.c
   takes and refuses, for editors. Nothing is allocated, so that it is whole or the disk is full. */
#include "base/base_int.h"

#include <string.h>

static void write_member(const char *name, const char *text, FILE *to)
{
    fprintf(to, ", \"%s\": ", name);
    kl_write_quoted(text, to);
}

static void write_choices(const char *choices, FILE *to)
{
    const char *word;
    size_t n;
    fputs(", \"enum\": [", to);
    for (const char *gap = ""; (word = kl_next_choice(&choices, &n)); gap = ", ")
        fprintf(to, "%s\"%.*s\"", gap, (int)n, word);
    fputc(']', to);
}

static void write_default(const struct kl_option *option, const void *values, FILE *to)
{
    char text[80];
    kl_option_text(option, values, text, sizeof text);
    const bool word = kl_option_is_word(option);
    if (!word && *text) fprintf(to, ", \"default\": %s", text);
    else if (*text)
        write_member("default", *(const char *const *)((const char *)values + option->offset), to);
}

static void write_property(const struct kl_option *option, const void *values, FILE *to)
{
    static const char *const types[] = { [KL_OPT_FLAG] = "\"boolean\"",
                                         [KL_OPT_INT] = "\"integer\"",
                                         [KL_OPT_FLOAT] = "\"number\"",
                                         [KL_OPT_STRING] = "[\"string\", \"number\"]",
                                         [KL_OPT_LIST] = "[\"string\", \"number\"]",
                                         [KL_OPT_CHOICE] = "\"string\"",
                                         [KL_OPT_DEVICE] = "\"string\"" };
    const bool number = option->type == KL_OPT_INT || option->type == KL_OPT_FLOAT;
    fprintf(to, "\"type\": %s", types[option->type]);
    if (option->help) write_member("description", option->help, to);
    if (option->type == KL_OPT_CHOICE) write_choices(option->arg, to);
    if (option->type == KL_OPT_DEVICE) write_member("pattern", "^(auto|cpu|cuda(:[0-9]+)?)$", to);
    if (number && (option->min != 0 || option->max != 0))
        fprintf(to, ", \"minimum\": %.17g, \"maximum\": %.17g", option->min, option->max);
    write_default(option, values, to);
}

/* The option's other spellings, since '_' and '-' are read alike, refer to the first one. */
static void write_spellings(const struct kl_option *option, const char *name, FILE *to)
{
    char text[64];
    for (const char *with = "-_"; *with; with++) {
        snprintf(text, sizeof text, "%s", name);
        for (char *c = text; *c; c++)
            if (*c == '-' || *c == '_') *c = *with;
        if (strcmp(text, option->name) == 0 || (*with == '_' && !strchr(text, '_'))) continue;
        fprintf(to, ",\n    \"%s\": { \"$ref\": \"#/properties/%s\" }", text, option->name);
    }
}

void kl_emit_schema(const struct kl_tool *tool, const void *values, FILE *to)
{
    const struct kl_option *option;
    fprintf(to,
            "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
            "  \"title\": \"%s%s%s --config, ketline " KL_VERSION "\",\n"
            "  \"type\": \"object\",\n  \"additionalProperties\": false,\n  \"properties\": {\n",
            tool->name, tool->chosen_by ? " " : "", tool->chosen_by ? tool->chosen_by : "");
    const char *gap = "";
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++) {
        if (kl_option_is_answer(option)) continue;
        fprintf(to, "%s    \"%s\": { ", gap, option->name);
        write_property(option, values, to);
        fputs(" }", to);
        write_spellings(option, option->name, to);
        if (option->alias) write_spellings(option, option->alias, to);
        gap = ",\n";
    }
    fputs("\n  }\n}\n", to);
}
