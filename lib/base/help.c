/* SPDX-License-Identifier: MIT
   What the table of options answers before a tool works: --help on one screen, --version,
   --print-config, --emit. */
#include "base/base_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* For people: 80, where files and keys say 8e+01, the shortest text. */
static void default_text(const struct kl_option *option, const void *values, char *text, size_t size)
{
    kl_option_text(option, values, text, size);
    if (option->type != KL_OPT_FLOAT || !strchr(text, 'e')) return;
    const double value = strtod(text, NULL);
    if (value == floor(value) && fabs(value) < 1e6) snprintf(text, size, "%.0f", value);
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
    default_text(option, values, value, sizeof value);
    bool shown = option->type != KL_OPT_FLAG && *value;
    snprintf(text, sizeof text, "%s%s%s%s%s%s", option->help, choice ? ": " : "",
             choice ? option->arg : "", shown ? " [" : "", shown ? value : "", shown ? "]" : "");
    write_wrapped(text, column, INDENT, to);
}

/* Option, argument and default alone, several a line. */
static void write_packed(const struct kl_tool *tool, size_t first, size_t end, const void *values,
                         FILE *to)
{
    size_t column = 0;
    for (size_t i = first; i < end; i++) {
        const struct kl_option *option = kl_option_at(tool, i);
        char value[80], text[400], letter[] = { '-', option->letter, '/', '\0' };
        if (!option->help) continue;
        default_text(option, values, value, sizeof value);
        bool shown = option->type != KL_OPT_FLAG && *value;
        int n = snprintf(text, sizeof text, "%s--%s%s%s%s%s%s", option->letter ? letter : "",
                         option->name, option->arg ? " " : "", option->arg ? option->arg : "",
                         shown ? " [" : "", shown ? value : "", shown ? "]" : "");
        if (column && column + (size_t)n + 2 > WIDTH) {
            fputc('\n', to);
            column = 0;
        }
        fputs("  ", to);
        if (n + 2 > WIDTH) { /* a long list of choices: lines of its own */
            write_wrapped(text, 2, 6, to);
            continue;
        }
        fputs(text, to);
        column += (size_t)n + 2;
    }
    if (column) fputc('\n', to);
}

/* A heading and the options below it. */
struct group {
    size_t first, end;
    bool packed, tight; /* tight: without an empty line before it */
};

static void write_group(const struct kl_tool *tool, const struct group *g, const void *values, FILE *to)
{
    const bool common = g->first >= tool->n_options;
    fprintf(to, "%s%s\n", g->tight ? "" : "\n",
            common ? "Common options" : kl_option_at(tool, g->first)->group);
    if (g->packed) write_packed(tool, g->first, g->end, values, to);
    for (size_t i = g->first; i < g->end && !g->packed; i++)
        if (kl_option_at(tool, i)->help) write_option(kl_option_at(tool, i), values, to);
}

static void write_summary(const struct kl_tool *tool, FILE *to)
{
    if (strchr(tool->summary, '\n')) fprintf(to, "%s\n", tool->summary);
    else write_wrapped(tool->summary, 0, 0, to);
    if (!tool->parts) return;
    fputs("Modes, each with --help of its own: ", to);
    for (size_t i = 0; tool->parts[i]; i++)
        fprintf(to, "%s%s", i ? ", " : "", tool->parts[i]->chosen_by);
    fputc('\n', to);
}

/* Of a group; NULL: of the summary. */
static size_t count_lines(const struct kl_tool *tool, const struct group *g, const void *values)
{
    char *text = NULL;
    size_t size = 0, lines = 0;
    FILE *to = open_memstream(&text, &size);
    if (to && g) write_group(tool, g, values, to);
    else if (to) write_summary(tool, to);
    if (!to || fclose(to) != 0) return 0;
    for (const char *c = text; (c = strchr(c, '\n')); c++) lines++;
    free(text);
    return lines;
}

/* Until all fits a screen: the common options are packed, then whichever group is longest; at last the
   empty lines between groups are left out. */
static bool pack_groups(const struct kl_tool *tool, struct group *groups, size_t n, const void *values)
{
    size_t lines = 2 + count_lines(tool, NULL, values), longest = n - 1; /* usage, example's heading */
    for (const char *c = tool->example; c && (c = strchr(c, '\n')); c++) lines++;
    if (tool->example) lines += 2;
    size_t all = lines;
    for (size_t g = 0; g < n; g++) all += count_lines(tool, &groups[g], values);
    if (all <= HEIGHT) return false;
    for (size_t round = 0; round < n; round++) {
        groups[longest].packed = true;
        size_t most = 0, least = lines + 1; /* and a line that says how to see more */
        for (size_t g = 0; g < n; g++) {
            size_t own = count_lines(tool, &groups[g], values);
            least += own;
            if (!groups[g].packed && own > most) most = own, longest = g;
        }
        if (least <= HEIGHT) return true;
    }
    for (size_t g = 0; g < n; g++) groups[g].tight = true;
    return true;
}

/* A word that chooses a mode comes before all options. */
static void write_usage(const struct kl_tool *tool, FILE *to)
{
    const char *arguments = tool->arguments, *word = tool->chosen_by;
    const size_t n = word && *word != '-' ? strlen(word) : 0;
    fprintf(to, "Usage: %s %.*s%s[options]", tool->name, (int)n, n ? word : "", n ? " " : "");
    if (n && strncmp(arguments, word, n) == 0) arguments += n + (arguments[n] == ' ');
    fprintf(to, *arguments ? " %s\n" : "\n", arguments);
}

static void help(const struct kl_tool *tool, const void *values, FILE *to)
{
    enum { MOST = 16 };
    const struct kl_common *common = values;
    const struct kl_option *option;
    struct group groups[MOST];
    size_t n = 0;
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++) {
        const bool begins = option->group || i == tool->n_options; /* or the common ones */
        if (begins && n < MOST) groups[n++] = (struct group){ .first = i };
        if (n) groups[n - 1].end = i + 1;
    }
    write_usage(tool, to);
    write_summary(tool, to);
    if (n && !common->verbose && pack_groups(tool, groups, n, values))
        fputs("--help -v explains every option.\n", to);
    for (size_t g = 0; g < n; g++) write_group(tool, &groups[g], values, to);
    if (tool->example) fprintf(to, "\nExample\n  %s\n", tool->example);
}

/* ---- options answer ----
   What the table of options answers before a tool works: --help, --version, --print-config, --emit. */

bool kl_option_is_answer(const struct kl_option *option)
{
    return option->offset == offsetof(struct kl_common, help) ||
           option->offset == offsetof(struct kl_common, version) ||
           option->offset == offsetof(struct kl_common, print_config) ||
           option->offset == offsetof(struct kl_common, config) ||
           option->offset == offsetof(struct kl_common, emit);
}

/* Characters that YAML does not take as they are, or takes for the end of a line: the length and the
 * code point. */
static int escaped(unsigned *point, const char *text)
{
    static const unsigned others[] = { 0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff };
    const unsigned char *at = (const unsigned char *)text;
    const int n = kl_control_length(text);
    *point = at[n > 1];
    if (n || at[0] >> 4 != 0xe || !at[1] || !at[2]) return n;
    *point = (at[0] & 15u) << 12 | (at[1] & 63u) << 6 | (at[2] & 63u);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (*point == others[i]) return 3;
    return 0;
}

void kl_write_quoted(const char *text, FILE *to)
{
    unsigned point;
    fputc('"', to);
    for (int n; *text; text += n ? n : 1) {
        n = escaped(&point, text);
        if (n) fprintf(to, "\\u%04x", point);
        else if (*text == '"' || *text == '\\') fprintf(to, "\\%c", *text);
        else fputc(*text, to);
    }
    fputc('"', to);
}

static void write_config(const struct kl_tool *tool, const void *values, FILE *to)
{
    const struct kl_option *option;
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++) {
        char value[80];
        bool text = kl_option_is_word(option);
        const char *string = text ? *(const char *const *)((const char *)values + option->offset) : NULL;
        /* No choice made is none that can be read; a row without help is another one's second name. */
        const bool open = text && (!string || (option->type == KL_OPT_CHOICE && !*string));
        kl_option_text(option, values, value, sizeof value);
        if (kl_option_is_answer(option) || open || !option->help || (!text && !*value)) continue;
        fputs(option->name, to);
        fputs(": ", to);
        if (text) kl_write_quoted(string, to);
        else fputs(value, to);
        fputc('\n', to);
    }
}

bool kl_options_answer(const struct kl_tool *tool, const void *values, FILE *to)
{
    const struct kl_common *common = values;
    if (common->help) {
        help(tool, values, to);
    } else if (common->version) {
        fputs(tool->name, to);
        fputs(" (ketline) " KL_VERSION "\n", to);
    } else if (common->print_config) {
        write_config(tool, values, to);
    } else if (common->emit) {
        kl_emit(tool, values, to);
    } else {
        return false;
    }
    return true;
}
