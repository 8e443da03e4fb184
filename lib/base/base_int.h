/* SPDX-License-Identifier: MIT
   What the option files of base share. */
#ifndef KL_BASE_INT_H
#define KL_BASE_INT_H

#include "base/base.h"

extern const struct kl_option kl_common_options[];
extern const size_t kl_n_common_options;

/* ---- a row of the table (option_values.c) ---- */
/* The i-th option of a tool, its own first, then the common ones; NULL past the end. */
const struct kl_option *kl_option_at(const struct kl_tool *tool, size_t i);
/* By long name or alias ('_' equals '-'), or by letter; NULL: unknown. */
const struct kl_option *kl_option_find(const struct kl_tool *tool, const char *name, size_t length);
const struct kl_option *kl_option_letter(const struct kl_tool *tool, char letter);
/* The known name nearest to an unknown one, or NULL if none is near. */
const char *kl_option_nearest(const struct kl_tool *tool, const char *name, size_t length);

/* ---- values as text, and back ---- */
/* The error of a word that is none of the choices; names the one that is meant. `where` begins the
   message. */
int kl_choice_wrong(const char *choices, const char *text, const char *where, struct kl_error *err);
/* Set a field from text; `where` begins the error message ("--lr", "run.yaml:3: lr"). text must live on.
 */
int kl_option_set(const struct kl_option *option, void *values, const char *text, const char *where,
                  struct kl_error *err);
/* A copy that lives as long as the process, as what options point to must. NULL: no memory (config.c).
 */
const char *kl_keep_text(const char *text);
/* Of a whole number whose arg is "N|all": "all", which stands for -1; else NULL. */
const char *kl_option_number_word(const struct kl_option *option);
/* Value as text for --print-config and --help; "": none, as a number outside its bounds is; size >= 64.
 */
void kl_option_text(const struct kl_option *option, const void *values, char *text, size_t size);
/* A double-quoted YAML scalar; JSON too, if the text is printable. */
void kl_write_quoted(const char *text, FILE *to);
/* Is its value a number, with a unit or without? */
static inline bool kl_option_is_number(const struct kl_option *option)
{
    return option->type != KL_OPT_FLAG && option->type < KL_OPT_STRING;
}
/* Is its value a text? */
static inline bool kl_option_is_word(const struct kl_option *option)
{
    return option->type >= KL_OPT_STRING;
}
/* --help, --version, --print-config, --config, --emit: they have no place in a file or a key. */
bool kl_option_is_answer(const struct kl_option *option);
/* Read a YAML file of options over the values (config.c). */
int kl_config_read(const struct kl_tool *tool, void *values, const char *path, struct kl_error *err);

/* ---- what --emit writes from the table (emit.c): values hold the defaults ---- */
#define KL_EMIT_CHOICES "man|bash|zsh|fish|schema"
void kl_emit(const struct kl_tool *tool, const void *values, FILE *to);
void kl_emit_manual(const struct kl_tool *tool, const void *values, FILE *to); /* mdoc(7) */
/* The i-th option that a shell offers: the tool's, then those that select its modes. */
const struct kl_option *kl_option_offered(const struct kl_tool *tool, size_t i);
/* The name of its page and functions: "qtrain", "circuit-plateau", "qtrain-qrng"; returns text. */
const char *kl_part_name(const struct kl_tool *tool, char text[64]);
/* The kind of an option's value, as far as a shell can complete it. */
enum kl_word { KL_WORD_NONE, KL_WORD_ANY, KL_WORD_CHOICE, KL_WORD_FILE, KL_WORD_FOLDER };
enum kl_word kl_option_word(const struct kl_option *option);
/* The next of "a|b|c": sets *n to its length and moves *choices behind it; NULL at the end. */
const char *kl_next_choice(const char **choices, size_t *n);

#endif
