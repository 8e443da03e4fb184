/* SPDX-License-Identifier: MIT
   What the table of options answers before a tool works: --help, --version, --print-config, --emit. */
#include <string.h>

#include "base/base_int.h"

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
        kl_help(tool, values, to);
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
