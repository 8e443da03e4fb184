/* SPDX-License-Identifier: MIT
   Completion for bash, from the table of options: what follows an option, else options or files. */
#include "base/base_int.h"

#include <string.h>

/* A name that a shell's function may have. */
static void write_function(const struct kl_tool *tool, FILE *to)
{
    char name[64];
    fputs("_ketline_", to);
    for (const char *c = kl_part_name(tool, name); *c; c++) fputc(*c == '-' ? '_' : *c, to);
}

static void write_choices(const char *choices, FILE *to)
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
        write_choices(option->arg, to);
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

void kl_emit_bash(const struct kl_tool *tool, FILE *to)
{
    for (const struct kl_tool *const *part = tool->parts; part && *part; part++) kl_emit_bash(*part, to);
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
        write_choices(tool->commands, to);
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
