/* SPDX-License-Identifier: MIT
   Options as the words of a command line that a shell reads back. */
#include "base/base_int.h"

#include <string.h>

static void write_word(FILE *to, const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:=+-@%";
    if (*text && !text[strspn(text, plain)]) {
        fprintf(to, " %s", text);
        return;
    }
    fputs(" '", to);
    for (; *text; text++)
        if (*text == '\'') fputs("'\\''", to);
        else fputc(*text, to);
    fputc('\'', to);
}

static void write_option(FILE *to, const struct kl_option *option, const void *values,
                         const void *defaults)
{
    char text[64], usual[64];
    const char *word = text, *other = usual;
    if (kl_option_is_word(option)) {
        word = *(const char *const *)((const char *)values + option->offset);
        other = *(const char *const *)((const char *)defaults + option->offset);
    } else {
        kl_option_text(option, values, text, sizeof text);
        kl_option_text(option, defaults, usual, sizeof usual);
    }
    if (!word || (other && strcmp(word, other) == 0)) return;
    fprintf(to, " --%s", option->name);
    if (option->type != KL_OPT_FLAG) write_word(to, word);
}

void kl_options_command(FILE *to, const struct kl_tool *tool, const void *values, const void *defaults,
                        const char *const *inputs, size_t n_inputs, const char *output)
{
    const struct kl_option *option;
    fputs(tool->name, to);
    if (tool->chosen_by) fprintf(to, " %s", tool->chosen_by);
    for (size_t i = 0; i < n_inputs; i++) write_word(to, inputs[i]);
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++)
        if (option->in_key || kl_choice("seed|circuit-file", option->name) >= 0) /* in keys otherwise */
            write_option(to, option, values, defaults);
    fputs(" -o", to);
    write_word(to, output);
}
