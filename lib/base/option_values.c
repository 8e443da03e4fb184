/* SPDX-License-Identifier: MIT
   Rows of a table of options found; their values from text, and as text, JSON and words of a command
   line. */
#include "base/base_int.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A row of a tool's table of options, by number, name, letter, or the nearest name ---- */

/* Is the name among the words of tool->without? */
static bool is_without(const struct kl_tool *tool, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = tool->without; at && (at = strstr(at, name)); at += n)
        if ((at == tool->without || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

const struct kl_option *kl_option_at(const struct kl_tool *tool, size_t i)
{
    if (i < tool->n_options) return &tool->options[i];
    i -= tool->n_options;
    for (size_t k = 0; k < kl_n_common_options; k++)
        if (!is_without(tool, kl_common_options[k].name) && i-- == 0) return &kl_common_options[k];
    return NULL;
}

static bool same_name(const char *known, const char *name, size_t length)
{
    if (!known || strlen(known) != length) return false;
    for (size_t i = 0; i < length; i++) {
        char a = known[i] == '_' ? '-' : known[i], b = name[i] == '_' ? '-' : name[i];
        if (a != b) return false;
    }
    return true;
}

const struct kl_option *kl_option_find(const struct kl_tool *tool, const char *name, size_t length)
{
    const struct kl_option *option;
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++)
        if (same_name(option->name, name, length) || same_name(option->alias, name, length))
            return option;
    return NULL;
}

const struct kl_option *kl_option_letter(const struct kl_tool *tool, char letter)
{
    const struct kl_option *option;
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++)
        if (option->letter == letter) return option;
    return NULL;
}

/* Levenshtein's, one row at a time. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    enum { LONGEST = 64 };
    size_t row[LONGEST + 1];
    if (n > LONGEST || m > LONGEST) return SIZE_MAX;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[m];
}

void kl_near_try(struct kl_near *near, const char *word, size_t length)
{
    const size_t d = distance(near->name, near->n, word, length);
    if (d < near->below) near->below = d, near->word = word, near->length = length;
}

/* The only option that begins so, if three letters at least say how. */
static const char *begins_with(const struct kl_tool *tool, const char *name, size_t length)
{
    const struct kl_option *option;
    const char *found = NULL;
    for (size_t i = 0; length >= 3 && (option = kl_option_at(tool, i)); i++) {
        if (strncmp(option->name, name, length) != 0 || !option->help) continue;
        if (found) return NULL;
        found = option->name;
    }
    return found;
}

const char *kl_option_nearest(const struct kl_tool *tool, const char *name, size_t length)
{
    const struct kl_option *option;
    struct kl_near near = kl_near_to(name, length);
    for (size_t i = 0; (option = kl_option_at(tool, i)); i++) {
        if (option->offset == offsetof(struct kl_common, emit)) continue; /* for packagers */
        kl_near_try(&near, option->name, strlen(option->name));
        if (!option->alias) continue;
        kl_near_try(&near, option->alias, strlen(option->alias));
        if (near.word == option->alias) near.word = option->name;
    }
    return near.word ? near.word : begins_with(tool, name, length);
}

/* ---- The value of an option as text ---- */

/* The shortest decimal text that reads back as the same double. */
static void number_text(double value, char *text, size_t size)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) return;
    }
}

const char *kl_option_number_word(const struct kl_option *option)
{
    const char *bar = option->type == KL_OPT_INT ? strchr(option->arg, '|') : NULL;
    return bar ? bar + 1 : NULL;
}

/* A number that lies outside its bounds stands for none: it was not given, and cannot be. */
static bool is_none(const struct kl_option *option, const void *field)
{
    if (option->min == 0 && option->max == 0) return false;
    if (option->type == KL_OPT_QUANTITY && ((const struct kl_quantity *)field)->unit) return false;
    const double value = option->type == KL_OPT_INT    ? (double)*(const int64_t *)field
                         : kl_option_is_number(option) ? *(const double *)field
                                                       : option->min;
    return value < option->min || value > option->max;
}

void kl_option_text(const struct kl_option *option, const void *values, char *text, size_t size)
{
    const void *field = (const char *)values + option->offset;
    const struct kl_quantity *quantity = field;
    const char *string;
    *text = '\0';
    if (kl_option_number_word(option) && *(const int64_t *)field == -1)
        snprintf(text, size, "%s", kl_option_number_word(option));
    if (is_none(option, field)) return;
    switch (option->type) {
    case KL_OPT_FLAG: snprintf(text, size, "%s", *(const bool *)field ? "true" : "false"); break;
    case KL_OPT_INT: snprintf(text, size, "%lld", (long long)*(const int64_t *)field); break;
    case KL_OPT_FLOAT: number_text(*(const double *)field, text, size); break;
    case KL_OPT_QUANTITY:
        number_text(quantity->value, text, size);
        if (quantity->unit) snprintf(text + strlen(text), size - strlen(text), " %s", quantity->unit);
        break;
    default: string = *(const char *const *)field; snprintf(text, size, "%s", string ? string : "");
    }
}

/* ---- A struct of values as JSON, by the table of options ---- */

char *kl_options_json(const struct kl_tool *tool, const void *values, bool key_only)
{
    json_t *object = json_object();
    const struct kl_option *option;
    bool failed = !object;
    for (size_t i = 0; !failed && (option = kl_option_at(tool, i)); i++) {
        const void *field = (const char *)values + option->offset;
        if ((key_only && !option->in_key) || kl_option_is_answer(option)) continue;
        json_t *value = NULL;
        const char *string;
        char words[64];
        switch (option->type) {
        case KL_OPT_FLAG: value = json_boolean(*(const bool *)field); break;
        case KL_OPT_INT: value = json_integer(*(const int64_t *)field); break;
        case KL_OPT_FLOAT: value = json_real(*(const double *)field); break;
        case KL_OPT_QUANTITY:
            kl_option_text(option, values, words, sizeof words);
            value = ((const struct kl_quantity *)field)->unit ? json_string(words)
                                                              : json_real(*(const double *)field);
            break;
        default:
            string = *(const char *const *)field;
            if (!string && key_only) continue;
            if (string) kl_json_string(&value, string, NULL);
            else value = json_null();
        }
        failed = !value || json_object_set_new(object, option->name, value) != 0;
    }
    char *text = NULL;
    if (!failed) kl_json_dump(&text, object, NULL);
    json_decref(object);
    return text;
}

/* ---- Options as the words of a command line that a shell reads back ---- */

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

/* ---- a value from its text ---- */

/* A bound as one types it: 1000000, not 1e+06; exact, as far as doubles count. */
static const char *bound_text(char text[32], double bound)
{
    const bool plain = bound == nearbyint(bound) && fabs(bound) < 1e16;
    snprintf(text, 32, plain ? "%.0f" : "%g", bound);
    return text;
}

static int set_number(const struct kl_option *option, void *field, const char *text, const char *where,
                      struct kl_error *err)
{
    char *end, least[32], most[32];
    double value;
    /* Not 0x10, nor a blank in front, which C takes as well. */
    const bool decimal = !text[strspn(text, "+-.0123456789eE")];
    bool whole = option->type == KL_OPT_INT;
    errno = 0;
    const char *const word = kl_option_number_word(option);
    if (word && strcmp(text, word) == 0) {
        *(int64_t *)field = -1;
        return KL_OK;
    }
    long long integer = whole ? strtoll(text, &end, 10) : 0;
    value = whole ? (double)integer : strtod(text, &end);
    if (!decimal || end == text || *end || errno == ERANGE || !isfinite(value))
        return kl_fail(err, KL_EUSAGE, "%s: found '%s', expected a %snumber%s%s", where, text,
                       whole ? "whole " : "", word ? " or " : "", word ? word : "");
    const bool outside = whole ? integer < (long long)option->min || integer > (long long)option->max
                               : value < option->min || value > option->max;
    if ((option->min != 0 || option->max != 0) && outside)
        return kl_fail(err, KL_EUSAGE, "%s: found %s, expected a %snumber from %s to %s", where, text,
                       whole ? "whole " : "", bound_text(least, option->min),
                       bound_text(most, option->max));
    if (whole) *(int64_t *)field = integer;
    else *(double *)field = value;
    return KL_OK;
}

/* "30 ns": a number, and whatever unit stands behind it. */
static int set_quantity(const struct kl_option *option, struct kl_quantity *field, const char *text,
                        const char *where, struct kl_error *err)
{
    char number[64];
    const size_t length = strspn(text, "+-.0123456789eE"), all = strlen(text);
    const char *unit = text + length + strspn(text + length, " ");
    struct kl_option bare = *option;
    field->unit = *unit && length ? unit : NULL, field->option = option;
    if (!field->unit || length >= sizeof number)
        return set_number(option, &field->value, text, where, err);
    /* A key has its text, of at most 63 bytes. */
    if (all >= 40) return kl_fail(err, KL_EUSAGE, "%s: found '%.60s', expected a unit", where, text);
    bare.max = 0;
    bare.min = 0;
    memcpy(number, text, length), number[length] = '\0';
    return set_number(&bare, &field->value, number, where, err);
}

int kl_quantity_settle(struct kl_quantity *q, double value, struct kl_error *err)
{
    const struct kl_option *option = q->option;
    char least[32], most[32];
    const bool inside =
        (option->min == 0 && option->max == 0) || (value >= option->min && value <= option->max);
    const int code = inside ? KL_OK
                            : kl_fail(err, KL_EUSAGE,
                                      "--%s: found '%.10g %s', %.6g without the unit, expected %s to %s",
                                      option->name, q->value, q->unit, value,
                                      bound_text(least, option->min), bound_text(most, option->max));
    q->value = value, q->unit = NULL;
    return code;
}

/* Whether there is such a GPU, is found out when it is used. */
static int set_device(const char **field, const char *text, const char *where, struct kl_error *err)
{
    const bool gpu =
        strncmp(text, "cuda", 4) == 0 &&
        (!text[4] || (text[4] == ':' && text[5] && !text[5 + strspn(text + 5, "0123456789")]));
    *field = text;
    if (gpu || strcmp(text, "auto") == 0 || strcmp(text, "cpu") == 0) return KL_OK;
    return kl_fail(err, KL_EUSAGE, "%s: found '%.40s', expected auto, cpu, cuda or cuda:0", where, text);
}

/* An empty name comes of a variable that is not set: "$OUT" as the output, "$PLACE/" as the root,
   "$WIDTHS". An empty store stands for none, whatever KETLINE_STORE says; a list, and a remark, may be
   empty. */
static int set_text(const struct kl_option *option, const char **field, const char *text,
                    const char *where, struct kl_error *err)
{
    static const char *const names[] = { "FILE",     "FOLDER", "DIR",    "PATH",   "PAGE.html",
                                         "FEATURES", "HEAD2",  "IMAGES", "WIDTHS", "LIST|FILE" };
    const bool output = option->offset == offsetof(struct kl_common, output);
    for (const char *c = text; output && *c; c++)
        if (kl_control_length(c))
            return kl_fail(err, KL_EUSAGE,
                           "%s: found a line break or another control character in '%.80s'", where,
                           text);
    const bool wrong = !*text && option->arg && strcmp(option->name, "store") != 0;
    for (size_t i = 0; wrong && i < sizeof names / sizeof *names; i++)
        if (strcmp(option->arg, names[i]) == 0)
            return kl_fail(err, KL_EUSAGE, "%s: found '', expected %s; is a variable unset?", where,
                           option->arg);
    *field = text;
    return KL_OK;
}

int kl_option_set(const struct kl_option *option, void *values, const char *text, const char *where,
                  struct kl_error *err)
{
    void *field = (char *)values + option->offset;
    switch (option->type) {
    case KL_OPT_FLAG:
        if (strcmp(text, "true") && strcmp(text, "false"))
            return kl_fail(err, KL_EUSAGE, "%s: found '%s', expected true or false", where, text);
        *(bool *)field = text[0] == 't';
        return KL_OK;
    case KL_OPT_CHOICE:
        if (kl_choice(option->arg, text) < 0) return kl_choice_wrong(option->arg, text, where, err);
        *(const char **)field = text;
        return KL_OK;
    case KL_OPT_STRING:
    case KL_OPT_LIST: return set_text(option, field, text, where, err);
    case KL_OPT_DEVICE: return set_device(field, text, where, err);
    case KL_OPT_QUANTITY: return set_quantity(option, field, text, where, err);
    default: return set_number(option, field, text, where, err);
    }
}
