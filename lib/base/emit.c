/* SPDX-License-Identifier: MIT
   --emit: what packages are made of, from the table of options: completion for three shells, the schema
   of --config's file. */
#include "base/base_int.h"

#include <string.h>

const char *kl_next_choice(const char **choices, size_t *n)
{
    const char *word = *choices;
    if (!word || !*word) return NULL;
    *n = strcspn(word, "|");
    *choices = word + *n + (word[*n] == '|');
    return word;
}

const struct kl_option *kl_option_offered(const struct kl_tool *tool, size_t i)
{
    const struct kl_option *option;
    size_t n = 0;
    while ((option = kl_option_at(tool, n)))
        if (n++ == i) return option;
    for (const struct kl_tool *const *part = tool->parts; part && *part; part++) {
        const char *name = (*part)->chosen_by;
        if (strncmp(name, "--", 2) == 0 && n++ == i)
            return kl_option_find(*part, name + 2, strlen(name + 2));
    }
    return NULL;
}

const char *kl_part_name(const struct kl_tool *tool, char text[64])
{
    const char *part = tool->chosen_by;
    while (part && *part == '-') part++;
    snprintf(text, 64, "%s%s%s", tool->name, part ? "-" : "", part ? part : "");
    return text;
}

static bool has_word(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words)) return true;
    return false;
}

enum kl_word kl_option_word(const struct kl_option *option)
{
    static const char *const folders[] = { "DIR", "FOLDER", NULL };
    static const char *const files[] = { "FILE", "PATH", "FEATURES", "HEAD", "IMAGES", "PAGE", NULL };
    if (option->type == KL_OPT_FLAG) return KL_WORD_NONE;
    if (option->type == KL_OPT_CHOICE) return KL_WORD_CHOICE;
    if (option->type != KL_OPT_STRING) return KL_WORD_ANY;
    return has_word(option->arg, folders) ? KL_WORD_FOLDER
           : has_word(option->arg, files) ? KL_WORD_FILE
                                          : KL_WORD_ANY;
}

/* ---- schema ----
   The schema of --config's YAML file (JSON Schema 2020-12), from the table of options: what config.c
   takes and refuses, for editors. Nothing is allocated, so that it is whole or the disk is full. */

static void write_member(const char *name, const char *text, FILE *to)
{
    fprintf(to, ", \"%s\": ", name);
    kl_write_quoted(text, to);
}

static void write_enum(const char *choices, FILE *to)
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
                                         [KL_OPT_QUANTITY] = "[\"string\", \"number\"]",
                                         [KL_OPT_STRING] = "[\"string\", \"number\"]",
                                         [KL_OPT_LIST] = "[\"string\", \"number\"]",
                                         [KL_OPT_CHOICE] = "\"string\"",
                                         [KL_OPT_DEVICE] = "\"string\"" };
    fprintf(to, "\"type\": %s",
            kl_option_number_word(option) ? "[\"integer\", \"string\"]" : types[option->type]);
    if (option->help) write_member("description", option->help, to);
    if (option->type == KL_OPT_CHOICE) write_enum(option->arg, to);
    if (option->type == KL_OPT_DEVICE) write_member("pattern", "^(auto|cpu|cuda(:[0-9]+)?)$", to);
    if (kl_option_is_number(option) && (option->min != 0 || option->max != 0))
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

static void emit_schema(const struct kl_tool *tool, const void *values, FILE *to)
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

/* ---- bash ----
   What follows an option, else options or files. */

/* A name that a shell's function may have. */
static void write_function(const struct kl_tool *tool, FILE *to)
{
    char name[64];
    fputs("_ketline_", to);
    for (const char *c = kl_part_name(tool, name); *c; c++) fputc(*c == '-' ? '_' : *c, to);
}

static void bash_choices(const char *choices, FILE *to)
{
    const char *word;
    size_t n;
    for (const char *gap = ""; (word = kl_next_choice(&choices, &n)); gap = " ")
        fprintf(to, "%s%.*s", gap, (int)n, word);
}

/* "-o|--output|" of every option that is followed by this; nothing if there is none. */
static bool write_pattern(const struct kl_tool *tool, enum kl_word word, FILE *to)
{
    const struct kl_option *option;
    bool any = false;
    for (size_t i = 0; (option = kl_option_offered(tool, i)); i++) {
        if (!option->help || kl_option_word(option) != word) continue;
        fputs(any ? "|" : "        ", to);
        if (option->letter) fprintf(to, "-%c|", option->letter);
        fprintf(to, "--%s", option->name);
        any = true;
    }
    return any;
}

static void write_cases(const struct kl_tool *tool, FILE *to)
{
    const struct kl_option *option;
    for (size_t i = 0; (option = kl_option_offered(tool, i)); i++) {
        if (!option->help || option->type != KL_OPT_CHOICE) continue;
        fputs("        ", to);
        if (option->letter) fprintf(to, "-%c|", option->letter);
        fprintf(to, "--%s) words='", option->name);
        bash_choices(option->arg, to);
        fputs("' ;;\n", to);
    }
    if (write_pattern(tool, KL_WORD_FILE, to)) fputs(") compopt -o default; return ;;\n", to);
    if (write_pattern(tool, KL_WORD_FOLDER, to)) fputs(") compopt -o dirnames; return ;;\n", to);
    if (write_pattern(tool, KL_WORD_ANY, to)) fputs(") return ;;\n", to);
}

static void write_options(const struct kl_tool *tool, FILE *to)
{
    const struct kl_option *option;
    for (size_t i = 0; (option = kl_option_offered(tool, i)); i++)
        if (option->help) fprintf(to, "%s--%s", i ? " " : "", option->name);
}

/* Behind the word that selects a mode, that mode's function. */
static void write_modes(const struct kl_tool *tool, FILE *to)
{
    fputs("    case \" ${COMP_WORDS[*]:1:COMP_CWORD - 1} \" in\n", to);
    for (const struct kl_tool *const *part = tool->parts; *part; part++) {
        fprintf(to, "        *\" %s\"[\\ =]*) ", (*part)->chosen_by);
        write_function(*part, to);
        fputs("; return ;;\n", to);
    }
    fputs("    esac\n", to);
}

static void emit_bash(const struct kl_tool *tool, FILE *to)
{
    for (const struct kl_tool *const *part = tool->parts; part && *part; part++) emit_bash(*part, to);
    write_function(tool, to);
    fputs("()\n{\n    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
          "    COMPREPLY=()\n"
          "    if [ \"$cur\" = = ]; then cur=\n"
          "    elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi\n",
          to);
    if (tool->parts) write_modes(tool, to);
    fputs("    case $prev in\n", to);
    write_cases(tool, to);
    fputs("    esac\n    case $words$cur in\n        -*) words='", to);
    write_options(tool, to);
    fputs("' ;;\n    esac\n", to);
    if (tool->commands) {
        fputs("    [ -n \"$words\" ] || [ \"$COMP_CWORD\" -gt 1 ] || words='", to);
        bash_choices(tool->commands, to);
        fputs("'\n", to);
    }
    fputs("    if [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "    else compopt -o default; fi\n}\n",
          to);
    if (tool->chosen_by) return;
    fputs("complete -F ", to);
    write_function(tool, to);
    fprintf(to, " %s\n", tool->name);
}

/* ---- zsh: one specification of _arguments an option ---- */

/* Within single quotes and _arguments' brackets. */
static void zsh_escaped(const char *text, FILE *to)
{
    for (; *text; text++) {
        if (*text == '\'') fputs("'\\'", to);
        else if (strchr("[]:\\", *text)) fputc('\\', to);
        fputc(*text, to);
    }
}

static void zsh_choices(const char *choices, FILE *to)
{
    const char *word;
    size_t n;
    fputc('(', to);
    for (const char *gap = ""; (word = kl_next_choice(&choices, &n)); gap = " ")
        fprintf(to, "%s%.*s", gap, (int)n, word);
    fputc(')', to);
}

static void zsh_option(const struct kl_option *option, FILE *to)
{
    const char *equals = option->type == KL_OPT_FLAG ? "" : "=", *plus = *equals ? "+" : "";
    const char *name = option->name;
    fputs(" \\\n        ", to);
    if (option->letter)
        fprintf(to, "'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, name, option->letter, plus, name,
                equals);
    else fprintf(to, "'--%s%s[", name, equals);
    zsh_escaped(option->help, to);
    fputc(']', to);
    if (*equals) fputc(':', to);
    if (*equals) zsh_escaped(option->type == KL_OPT_CHOICE ? name : option->arg, to);
    switch (kl_option_word(option)) {
    case KL_WORD_CHOICE: fputc(':', to), zsh_choices(option->arg, to); break;
    case KL_WORD_FILE: fputs(":_files", to); break;
    case KL_WORD_FOLDER: fputs(":_files -/", to); break;
    case KL_WORD_ANY: fputs(": ", to); break;
    default: break;
    }
    fputc('\'', to);
}

static void write_arguments(const struct kl_tool *tool, FILE *to)
{
    const struct kl_option *option;
    fputs("    _arguments -s", to);
    for (size_t i = 0; (option = kl_option_offered(tool, i)); i++)
        if (option->help) zsh_option(option, to);
    if (tool->commands) {
        fputs(" \\\n        '1:command:", to);
        zsh_choices(tool->commands, to);
        fputc('\'', to);
    }
    fputs(" \\\n        '*:file:_files'\n", to);
}

/* Behind the word that selects a mode, that mode's options. */
static void emit_zsh(const struct kl_tool *tool, FILE *to)
{
    const char *word = "if";
    fprintf(to, "#compdef %s\n", tool->name);
    for (const struct kl_tool *const *part = tool->parts; part && *part; part++, word = "elif") {
        fprintf(to, "%s [[ \" ${words[2,CURRENT - 1]} \" = *\" %s\"[\\ =]* ]]; then\n", word,
                (*part)->chosen_by);
        write_arguments(*part, to);
    }
    if (tool->parts) fputs("else\n", to);
    write_arguments(tool, to);
    if (tool->parts) fputs("fi\n", to);
}

/* ---- fish: one `complete` an option ---- */

/* Within single quotes. */
static void fish_escaped(const char *text, FILE *to)
{
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', to);
        fputc(*text, to);
    }
}

static void fish_choices(const char *choices, FILE *to)
{
    const char *word;
    size_t n;
    fputs(" -x -a '", to);
    for (const char *gap = ""; (word = kl_next_choice(&choices, &n)); gap = " ")
        fprintf(to, "%s%.*s", gap, (int)n, word);
    fputc('\'', to);
}

static void fish_option(const char *name, const char *condition, const struct kl_option *option,
                        FILE *to)
{
    fprintf(to, "complete -c %s%s", name, condition);
    if (option->letter) fprintf(to, " -s %c", option->letter);
    fprintf(to, " -l %s", option->name);
    switch (kl_option_word(option)) {
    case KL_WORD_CHOICE: fish_choices(option->arg, to); break;
    case KL_WORD_FILE: fputs(" -r -F", to); break;
    case KL_WORD_FOLDER: fputs(" -x -a '(__fish_complete_directories)'", to); break;
    case KL_WORD_ANY: fputs(" -x", to); break;
    default: break;
    }
    fputs(" -d '", to);
    fish_escaped(option->help, to);
    fputs("'\n", to);
}

static void write_table(const struct kl_tool *tool, const char *condition, FILE *to)
{
    const struct kl_option *option;
    for (size_t i = 0; (option = kl_option_offered(tool, i)); i++)
        if (option->help) fish_option(tool->name, condition, option, to);
}

/* Was the word that selects the part written before; without a part: that of none? */
static void write_condition(const struct kl_tool *tool, const struct kl_tool *part, char text[256])
{
    char words[128];
    size_t n = 0;
    for (size_t i = 0; tool->parts[i] && n < sizeof words; i++)
        if (!part || part == tool->parts[i])
            n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", n ? "|" : "",
                                  tool->parts[i]->chosen_by);
    snprintf(text, 256, " -n '%scommandline -poc | string match -qr -- \"^(%s)(=|\\$)\"'",
             part ? "" : "not ", words);
}

static void emit_fish(const struct kl_tool *tool, FILE *to)
{
    char condition[256] = "";
    if (tool->commands) {
        fprintf(to, "complete -c %s -n __fish_use_subcommand", tool->name);
        fish_choices(tool->commands, to);
        fputc('\n', to);
    }
    for (size_t i = 0; tool->parts && tool->parts[i]; i++) {
        write_condition(tool, tool->parts[i], condition);
        write_table(tool->parts[i], condition, to);
    }
    if (tool->parts) write_condition(tool, NULL, condition);
    write_table(tool, condition, to);
}

void kl_emit(const struct kl_tool *tool, const void *values, FILE *to)
{
    const struct kl_common *common = values;
    switch (kl_choice(KL_EMIT_CHOICES, common->emit)) {
    case 0: kl_emit_manual(tool, values, to); break;
    case 1: emit_bash(tool, to); break;
    case 2: emit_zsh(tool, to); break;
    case 3: emit_fish(tool, to); break;
    default: emit_schema(tool, values, to);
    }
}
