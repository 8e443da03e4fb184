/* SPDX-License-Identifier: MIT
   Completion for fish, from the table of options: one `complete` an option. */
#include "base/base_int.h"

#include <string.h>

/* Within single quotes. */
static void write_escaped(const char *text, FILE *to)
{
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', to);
        fputc(*text, to);
    }
}

static void write_choices(const char *choices, FILE *to)
{
    const char *word;
    size_t n;
    fputs(" -x -a '", to);
    for (const char *gap = ""; (word = kl_next_choice(&choices, &n)); gap = " ")
        fprintf(to, "%s%.*s", gap, (int)n, word);
    fputc('\'', to);
}

static void write_option(const char *name, const char *condition, const struct kl_option *option,
                         FILE *to)
{
    fprintf(to, "complete -c %s%s", name, condition);
    if (option->letter) fprintf(to, " -s %c", option->letter);
    fprintf(to, " -l %s", option->name);
    switch (kl_option_word(option)) {
    case KL_WORD_CHOICE: write_choices(option->arg, to); break;
    case KL_WORD_FILE: fputs(" -r -F", to); break;
    case KL_WORD_FOLDER: fputs(" -x -a '(__fish_complete_directories)'", to); break;
    case KL_WORD_ANY: fputs(" -x", to); break;
    default: break;
    }
    fputs(" -d '", to);
    write_escaped(option->help, to);
    fputs("'\n", to);
}

static void write_table(const struct kl_tool *tool, const char *condition, FILE *to)
{
    const struct kl_option *option;
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++)
        if (option->help) write_option(tool->name, condition, option, to);
}

void kl_emit_fish(const struct kl_tool *tool, FILE *to)
{
    char condition[128] = "";
    const char *part = tool->part ? tool->part->commands : "";
    if (tool->commands && strchr(tool->commands, '|')) {
        fprintf(to, "complete -c %s -n __fish_use_subcommand", tool->name);
        write_choices(tool->commands, to);
        fputc('\n', to);
    }
    if (tool->part) {
        snprintf(condition, sizeof condition, " -n '__fish_seen_subcommand_from %s'", part);
        write_table(tool->part, condition, to);
        snprintf(condition, sizeof condition, " -n 'not __fish_seen_subcommand_from %s'", part);
    }
    write_table(tool, condition, to);
}
