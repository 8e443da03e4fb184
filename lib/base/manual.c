/* SPDX-License-Identifier: MIT
   The manual page, in mdoc(7), from the table of options. */
#include "base/base_int.h"

#include <ctype.h>
#include <string.h>

enum { MOST_COLUMNS = 76 };

/* Characters that roff would take for its own. */
static void write_escaped(const char *text, size_t n, FILE *to)
{
    if (n && (*text == '.' || *text == '\'')) fputs("\\&", to);
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\\') fputs("\\e", to);
        else if (text[i] == '-') fputs("\\-", to);
        else fputc(text[i], to);
}

/* Lines of text, broken at spaces; `end` closes the last one. */
static void write_text(const char *text, size_t length, const char *end, FILE *to)
{
    const char *stop = text + length;
    size_t column = 0;
    while (text < stop) {
        size_t n = 0;
        while (text + n < stop && !isspace((unsigned char)text[n])) n++;
        const bool dots = column > 3 && text[-3] == '.'; /* "A,... or B" */
        const bool sentence = column && text[-1] == ' ' && text[-2] == '.' && !dots;
        if (sentence || (column && column + n + 1 > MOST_COLUMNS)) {
            fputc('\n', to);
            column = 0;
        }
        if (column) fputc(' ', to);
        write_escaped(text, n, to);
        column += n + 1;
        for (text += n; text < stop && isspace((unsigned char)*text);) text++;
    }
    fprintf(to, "%s\n", end);
}

/* Words of a command line as macros: options, arguments, and what is in brackets. */
static void write_arguments(const char *line, size_t length, FILE *to)
{
    const char *stop = line + length;
    while (line < stop) {
        size_t n = 0;
        while (line + n < stop && !isspace((unsigned char)line[n])) n++;
        const char *word = line, *end = line + n;
        const bool opens = n > 1 && *word == '[', closes = n > 1 && end[-1] == ']';
        if (opens) fputs(".Oo\n", to), word++;
        if (closes) end--;
        fputs(*word == '-' ? ".Fl " : ".Ar \\&", to);
        if (*word == '-') word++;
        write_escaped(word, (size_t)(end - word), to);
        fputs(closes ? "\n.Oc\n" : "\n", to);
        for (line += n; line < stop && isspace((unsigned char)*line);) line++;
    }
}

/* One ".Nm ..." for each line of tool->arguments; those after the first begin with the tool's name. */
static void write_synopsis(const struct kl_tool *tool, FILE *to)
{
    fputs(".Sh SYNOPSIS\n", to);
    if (!*tool->arguments) fprintf(to, ".Nm %s\n.Op Ar options\n", tool->name);
    for (const char *line = tool->arguments; *line;) {
        size_t n = strcspn(line, "\n");
        const char *end = line + n, *word = line;
        while (word < end && *word == ' ') word++;
        if (line != tool->arguments && strncmp(word, tool->name, strlen(tool->name)) == 0)
            word += strlen(tool->name);
        fprintf(to, ".Nm %s\n.Op Ar options\n", tool->name);
        write_arguments(word, (size_t)(end - word), to);
        line = end + (*end == '\n');
    }
}

/* The summary up to its list of commands: "\n  NAME ARGUMENTS   what it does". */
static size_t summary_length(const char *summary)
{
    const char *list = strstr(summary, "\n  ");
    size_t n = list ? (size_t)(list - summary) : strlen(summary);
    return n && summary[n - 1] == '.' ? n - 1 : n;
}

/* "push, pull DIR": commands as long as commas follow, then arguments. */
static void write_command(const char *at, const char *end, FILE *to)
{
    const char *macro = " Cm ";
    fputs(".It", to);
    while (at < end) {
        size_t length = strcspn(at, " \n"), more = length && at[length - 1] == ',';
        fputs(macro, to);
        write_escaped(at, length - more, to);
        if (more) fputs(" ,", to);
        else macro = " Ar \\&";
        at += length;
        at += strspn(at, " ");
    }
    fputc('\n', to);
}

/* The lines of the list are aligned: what a command does begins where it does in the first line. */
static void write_commands(const char *summary, FILE *to)
{
    const char *line = strstr(summary, "\n  "), *gap = line ? strstr(line + 3, "  ") : NULL;
    if (!gap) return;
    const size_t column = (size_t)(gap - line - 1) + strspn(gap, " ");
    fputs(".Bl -tag -width Ds\n", to);
    while (*line) {
        size_t n = strcspn(++line, "\n");
        const size_t begin = column < n ? column : n;
        write_command(line + 2, line + begin, to);
        write_text(line + begin, n - begin, ".", to);
        line += n;
    }
    fputs(".El\n", to);
}

static void write_choices(const char *choices, FILE *to)
{
    const char *word;
    size_t n;
    fputs("One of\n", to);
    while ((word = kl_next_choice(&choices, &n))) {
        fputs(".Cm ", to);
        write_escaped(word, n, to);
        fputs(*choices ? " ,\n" : " .\n", to);
    }
}

static void write_default(const struct kl_option *option, const void *values, FILE *to)
{
    char value[80];
    kl_option_text(option, values, value, sizeof value);
    if (option->type == KL_OPT_FLAG || !*value) return;
    fputs("The default is\n.Cm \\&", to);
    write_escaped(value, strlen(value), to);
    fputs(" .\n", to);
}

static void write_option(const struct kl_option *option, const void *values, FILE *to)
{
    fputs(".It ", to);
    if (option->letter) fprintf(to, "Fl %c , ", option->letter);
    fputs("Fl \\-", to);
    write_escaped(option->name, strlen(option->name), to);
    if (option->arg) fputs(" Ar \\&", to);
    if (option->arg && option->type == KL_OPT_CHOICE) fputs("CHOICE", to);
    else if (option->arg) write_escaped(option->arg, strlen(option->arg), to);
    fputc('\n', to);
    const size_t length = strlen(option->help);
    write_text(option->help, length, length && option->help[length - 1] == '.' ? "" : ".", to);
    if (option->type == KL_OPT_CHOICE) write_choices(option->arg, to);
    if (kl_option_is_number(option) && (option->min != 0 || option->max != 0))
        fprintf(to, "From %.16g to %.16g.\n", option->min, option->max);
    write_default(option, values, to);
    if (option->alias) {
        fputs("Another name is\n.Fl \\-", to);
        write_escaped(option->alias, strlen(option->alias), to);
        fputs(" .\n", to);
    }
    if (option->in_key) fputs("Can change the result: part of its key.\n", to);
}

static void write_options(const struct kl_tool *tool, const void *values, FILE *to)
{
    const struct kl_option *option;
    bool open = false;
    fputs(".Sh OPTIONS\n"
          "A long option takes its value as the next word or behind an equals sign.\n"
          "A flag\n.Fl \\-NAME\nis undone by\n.Fl \\-no\\-NAME .\n"
          "The same names stand in a file that\n.Fl \\-config\nreads, one\n.Ql name: value\na line.\n",
          to);
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++) {
        const char *group = i == tool->n_options ? "Common options" : option->group;
        if (group) {
            fprintf(to, "%s.Ss ", open ? ".El\n" : "");
            write_text(group, strlen(group), "", to);
            fputs(".Bl -tag -width Ds\n", to);
            open = true;
        }
        if (option->help) write_option(option, values, to);
    }
    fputs(open ? ".El\n" : "", to);
}

static void write_environment(const struct kl_tool *tool, FILE *to)
{
    fputs(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n"
          ".It Ev KETLINE_ISA\nThe instruction set to use:\n.Cm base ,\n.Cm avx2\nor\n.Cm avx512 ;\n"
          "of arm64\n.Cm neon\nalone.\n"
          "One that the processor lacks gives way to the best that it has.\n",
          to);
    if (kl_option_find(tool, "store", 5))
        fputs(".It Ev KETLINE_STORE\nA shared store, as\n.Fl \\-store\nnames one.\n"
              ".It Ev XDG_CACHE_HOME\nWhere digests of inputs are remembered, in\n.Pa ketline .\n",
              to);
    fputs(".El\n", to);
}

static void write_status(FILE *to)
{
    static const struct {
        const char *status, *meaning;
    } table[] = {
        { "0", "Done, or up to date." },
        { "1", "A check said no." },
        { "2", "A wrong option or argument." },
        { "65", "An input is damaged or of the wrong form." },
        { "66", "An input is absent, cannot be opened, or is no file (a folder, a pipe)." },
        { "70", "A promise inside the program was broken." },
        { "74", "Reading or writing failed, a full disk included." },
        { "75", "No memory, or no such device." },
        { "130 , 143", "Stopped by SIGINT or SIGTERM." },
    };
    fputs(".Sh EXIT STATUS\n.Bl -tag -width Ds\n", to);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        fprintf(to, ".It %s\n%s\n", table[i].status, table[i].meaning);
    fputs(".El\n", to);
}

/* Each mode with what it does and where its page is. */
static void write_modes(const struct kl_tool *tool, FILE *to)
{
    char name[64];
    fputs(".Sh MODES\nEach has options of its own.\n.Bl -tag -width Ds\n", to);
    for (const struct kl_tool *const *part = tool->parts; *part; part++) {
        const char *word = (*part)->chosen_by, *summary = (*part)->summary;
        fputs(*word == '-' ? ".It Fl " : ".It Cm ", to);
        if (*word == '-') word++;
        write_escaped(word, strlen(word), to);
        fputc('\n', to);
        write_text(summary, strlen(summary), ".", to);
        fprintf(to, "See\n.Xr %s 1 .\n", kl_part_name(*part, name));
    }
    fputs(".El\n", to);
}

static void write_examples(const struct kl_tool *tool, FILE *to)
{
    fputs(".Sh EXAMPLES\n.Bd -literal\n", to);
    for (const char *line = tool->example; *line;) {
        line += strspn(line, " ");
        size_t n = strcspn(line, "\n");
        write_escaped(line, n, to);
        fputc('\n', to);
        line += n + (line[n] == '\n');
    }
    fputs(".Ed\n", to);
}

void kl_emit_manual(const struct kl_tool *tool, const void *values, FILE *to)
{
    size_t n = summary_length(tool->summary), brief = n;
    for (size_t i = n; i-- > 0;)
        if (strchr(";.:", tool->summary[i])) brief = i;
    char name[64];
    fputs(".\\\" Made from the table of options: ", to);
    fprintf(to, "%s%s%s --emit man\n.Dd " KL_RELEASED "\n.Dt ", tool->name, tool->chosen_by ? " " : "",
            tool->chosen_by ? tool->chosen_by : "");
    for (const char *c = kl_part_name(tool, name); *c; c++) fputc(toupper((unsigned char)*c), to);
    fprintf(to, " 1\n.Os ketline " KL_VERSION "\n.Sh NAME\n.Nm %s\n.Nd ", name);
    fputc(tolower((unsigned char)*tool->summary), to);
    write_text(tool->summary + 1, brief - 1, "", to);
    write_synopsis(tool, to);
    fputs(".Sh DESCRIPTION\n", to);
    write_text(tool->summary, n, ".", to);
    write_commands(tool->summary, to);
    if (tool->parts) write_modes(tool, to);
    write_options(tool, values, to);
    write_environment(tool, to);
    write_status(to);
    if (tool->example) write_examples(tool, to);
    if (tool->chosen_by) fprintf(to, ".Sh SEE ALSO\n.Xr %s 1\n", tool->name);
}
