/* SPDX-License-Identifier: MIT
   --emit: what packages are made of, from the table of options. */
#include "base/base_int.h"

#include <string.h>

const char *kl_next_choice(const char **choices, size_t *n)
{
    const char *word = *choices;
    if (!word || !*word) return NULL;
    *n = strcspn(word, "|");
    *choices = word + *n + (word[*n] == '|');
    return word;
}

const struct kl_option *kl_option_offered(const struct kl_tool *tool, size_t i)
{
    const struct kl_option *option;
    size_t n = 0;
    while ((option = kl_option_at(tool, n)))
        if (n++ == i) return option;
    for (const struct kl_tool *const *part = tool->parts; part && *part; part++) {
        const char *name = (*part)->chosen_by;
        if (strncmp(name, "--", 2) == 0 && n++ == i)
            return kl_option_find(*part, name + 2, strlen(name + 2));
    }
    return NULL;
}

const char *kl_part_name(const struct kl_tool *tool, char text[64])
{
    const char *part = tool->chosen_by;
    while (part && *part == '-') part++;
    snprintf(text, 64, "%s%s%s", tool->name, part ? "-" : "", part ? part : "");
    return text;
}

static bool has_word(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words)) return true;
    return false;
}

enum kl_word kl_option_word(const struct kl_option *option)
{
    static const char *const folders[] = { "DIR", "FOLDER", NULL };
    static const char *const files[] = { "FILE", "PATH", "FEATURES", "HEAD", "IMAGES", "PAGE", NULL };
    if (option->type == KL_OPT_FLAG) return KL_WORD_NONE;
    if (option->type == KL_OPT_CHOICE) return KL_WORD_CHOICE;
    if (option->type != KL_OPT_STRING) return KL_WORD_ANY;
    return has_word(option->arg, folders) ? KL_WORD_FOLDER
           : has_word(option->arg, files) ? KL_WORD_FILE
                                          : KL_WORD_ANY;
}

void kl_emit(const struct kl_tool *tool, const void *values, FILE *to)
{
    const struct kl_common *common = values;
    switch (kl_choice(KL_EMIT_CHOICES, common->emit)) {
    case 0: kl_emit_manual(tool, values, to); break;
    case 1: kl_emit_bash(tool, to); break;
    case 2: kl_emit_zsh(tool, to); break;
    case 3: kl_emit_fish(tool, to); break;
    default: kl_emit_schema(tool, values, to);
    }
}
