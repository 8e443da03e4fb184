/* SPDX-License-Identifier: MIT
   Completion for zsh, from the table of options: one specification of _arguments an option. */
#include "base/base_int.h"

#include <string.h>

/* Within single quotes and _arguments' brackets. */
static void write_escaped(const char *text, FILE *to)
{
    for (; *text; text++) {
        if (*text == '\'') fputs("'\\'", to);
        else if (strchr("[]:\\", *text)) fputc('\\', to);
        fputc(*text, to);
    }
}

static void write_choices(const char *choices, FILE *to)
{
    const char *word;
    size_t n;
    fputc('(', to);
    for (const char *gap = ""; (word = kl_next_choice(&choices, &n)); gap = " ")
        fprintf(to, "%s%.*s", gap, (int)n, word);
    fputc(')', to);
}

static void write_option(const struct kl_option *option, FILE *to)
{
    const char *equals = option->type == KL_OPT_FLAG ? "" : "=", *plus = *equals ? "+" : "";
    const char *name = option->name;
    fputs(" \\\n        ", to);
    if (option->letter)
        fprintf(to, "'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, name, option->letter, plus, name,
                equals);
    else fprintf(to, "'--%s%s[", name, equals);
    write_escaped(option->help, to);
    fputc(']', to);
    if (*equals) fputc(':', to);
    if (*equals) write_escaped(option->type == KL_OPT_CHOICE ? name : option->arg, to);
    switch (kl_option_word(option)) {
    case KL_WORD_CHOICE: fputc(':', to), write_choices(option->arg, to); break;
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
        if (option->help) write_option(option, to);
    if (tool->commands) {
        fputs(" \\\n        '1:command:", to);
        write_choices(tool->commands, to);
        fputc('\'', to);
    }
    fputs(" \\\n        '*:file:_files'\n", to);
}

/* Behind the word that selects a mode, that mode's options. */
void kl_emit_zsh(const struct kl_tool *tool, FILE *to)
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
