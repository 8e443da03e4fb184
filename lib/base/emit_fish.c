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
    for (size_t i = 0; (option = kl_option_offered(tool, i)); i++)
        if (option->help) write_option(tool->name, condition, option, to);
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

void kl_emit_fish(const struct kl_tool *tool, FILE *to)
{
    char condition[256] = "";
    if (tool->commands) {
        fprintf(to, "complete -c %s -n __fish_use_subcommand", tool->name);
        write_choices(tool->commands, to);
        fputc('\n', to);
    }
    for (size_t i = 0; tool->parts && tool->parts[i]; i++) {
        write_condition(tool, tool->parts[i], condition);
        write_table(tool->parts[i], condition, to);
    }
    if (tool->parts) write_condition(tool, NULL, condition);
    write_table(tool, condition, to);
}
