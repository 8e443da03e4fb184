/* SPDX-License-Identifier: MIT
   Parsing by the tool's table of options: --name value, --name=value, --no-name for flags, -x value,
   -xvalue, clustered flags, "--". An option given twice adds up or is refused: none is lost. */
#include "base/base_int.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

struct parser {
    const struct kl_tool *tool;
    void *values;
    int argc, at;
    char **argv;
    struct kl_error *err;
    const struct kl_option *bare; /* the mode's, without its value: "--synthetic --help" */
    const char **given;           /* of each row of the table, so far on this command line; NULL: not */
};

static size_t n_rows(const struct kl_tool *tool)
{
    size_t n = 0;
    while (kl_option_at(tool, n)) n++;
    return n;
}

/* Combine an option's earlier value with *text, the one given now: lists are joined. */
static int add_up(const char **text, const char *before, const struct kl_option *option,
                  const char *where, struct kl_error *err)
{
    char *both = NULL;
    if (option->type != KL_OPT_LIST && strcmp(before, *text) != 0)
        return kl_fail(err, KL_EUSAGE, "%s: given twice, '%.80s' and '%.80s'; give it once", where,
                       before, *text);
    if (option->type != KL_OPT_LIST) return KL_OK;
    if (asprintf(&both, "%s %s", before, *text) < 0) return kl_fail_memory(err, strlen(before));
    *text = kl_keep_text(both);
    free(both);
    return *text ? KL_OK : kl_fail_memory(err, strlen(before));
}

static int give(const struct parser *p, const struct kl_option *option, const char *text,
                const char *where)
{
    const char **given = p->given;
    for (size_t i = 0; kl_option_at(p->tool, i) != option; i++) given++;
    const int code = *given ? add_up(&text, *given, option, where, p->err) : KL_OK;
    if (code) return code;
    *given = text;
    return kl_option_set(option, p->values, text, where, p->err);
}

/* The mode whose option this is, or NULL. */
static const struct kl_tool *mode_with(const struct kl_tool *tool, const char *name, size_t length)
{
    const struct kl_tool *const *part = tool->parts;
    for (; part && *part; part++)
        for (size_t i = 0; i < (*part)->n_options; i++) {
            const char *known = (*part)->options[i].name;
            if (strlen(known) == length && strncmp(known, name, length) == 0) return *part;
        }
    return NULL;
}

static int unknown(const struct parser *p, const char *dashes, const char *name, size_t length)
{
    const struct kl_tool *mode = mode_with(p->tool, name, length);
    /* needs: an option that the tool must have; NULL: any tool. */
    static const struct {
        const char *name, *instead, *needs;
    } others[] = { { "no-cuda", "--device cpu", NULL },
                   { "no_cuda", "--device cpu", NULL },
                   { "cpu", "--device cpu", NULL },
                   { "cuda", "--device cuda", NULL },
                   { "gpu", "--device cuda", NULL },
                   { "use-gpu", "--device cuda", NULL },
                   { "use-cuda", "--device cuda", NULL },
                   { "n-gpus", "mpirun -n N ... --ranks auto", NULL },
                   { "num-gpus", "mpirun -n N ... --ranks auto", NULL },
                   { "resume", "not needed: the same command goes on where it was stopped", NULL },
                   { "T1", "--set T1=80us", "set" },
                   { "T2", "--set T2=80us", "set" },
                   { "Tphi", "--set Tphi=80us", "set" },
                   { "robust", "--spread", "spread" },
                   { "seeds", "--replicas", "replicas" } };
    const char *instead = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *needs = others[i].needs;
        if (strlen(others[i].name) == length && strncmp(others[i].name, name, length) == 0 &&
            (!needs || kl_option_find(p->tool, needs, strlen(needs))))
            instead = others[i].instead;
    }
    if (mode)
        return kl_fail(p->err, KL_EUSAGE, "%s%.*s: belongs to %s %s (%s %s --help)%s%s", dashes,
                       (int)length, name, mode->name, mode->chosen_by, mode->name, mode->chosen_by,
                       instead ? "; here it is " : "", instead ? instead : "");
    if (instead)
        return kl_fail(p->err, KL_EUSAGE, "%s%.*s: no such option; here it is %s", dashes, (int)length,
                       name, instead);
    const char *nearest = kl_option_nearest(p->tool, name, length);
    if (nearest)
        return kl_fail(p->err, KL_EUSAGE,
                       "%s%.*s: no such option; did you mean --%s? (--help lists them)", dashes,
                       (int)length, name, nearest);
    return kl_fail(p->err, KL_EUSAGE, "%s%.*s: no such option; --help lists them", dashes, (int)length,
                   name);
}

static bool is_option(const char *argument)
{
    if (argument[0] != '-' || !argument[1]) return false;
    return !(argument[1] >= '0' && argument[1] <= '9') &&
           argument[1] != '.'; /* a negative number is an argument */
}

/* Is it the option that selects the mode, and no value behind it? */
static bool is_bare(const struct parser *p, const struct kl_option *option)
{
    if (!p->tool->chosen_by || strncmp(p->tool->chosen_by, "--", 2) != 0) return false;
    if (strcmp(p->tool->chosen_by + 2, option->name) != 0) return false;
    return p->at + 1 >= p->argc || is_option(p->argv[p->at + 1]);
}

/* "FILE|-", "PAGE.html", "FOLDER", "DIR". */
static bool is_place(const char *arg)
{
    return strncmp(arg, "FILE", 4) == 0 || strstr(arg, ".h") || strcmp(arg, "FOLDER") == 0 ||
           strcmp(arg, "DIR") == 0;
}

/* What stands behind it. A file is not called as an option is: who forgot its name would get that. */
static int give_next(struct parser *p, const struct kl_option *option, const char *where)
{
    const char *text = p->at + 1 < p->argc ? p->argv[p->at + 1] : NULL;
    const bool missing = text && is_place(option->arg) && is_option(text);
    if (!text || missing)
        return kl_fail(p->err, KL_EUSAGE, "%s: expected %s after it%s%s%s%s", where, option->arg,
                       strstr(option->arg, "|-") ? " (-: on the screen)" : "",
                       missing ? ", found '" : "", missing ? text : "", missing ? "'" : "");
    p->at++;
    return give(p, option, text, where);
}

static int parse_long(struct parser *p)
{
    const char *name = p->argv[p->at] + 2, *equals = strchr(name, '='),
               *text = equals ? equals + 1 : NULL;
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    char where[160];
    snprintf(where, sizeof where, "--%.*s", (int)length, name);
    const struct kl_option *option = kl_option_find(p->tool, name, length);
    if (!option && length > 3 && strncmp(name, "no-", 3) == 0 && !text) {
        option = kl_option_find(p->tool, name + 3, length - 3);
        if (option && option->type == KL_OPT_FLAG) return give(p, option, "false", where);
        option = NULL;
    }
    if (!option) return unknown(p, "--", name, length);
    if (option->type == KL_OPT_FLAG && !text) text = "true";
    if (!text && is_bare(p, option)) {
        p->bare = option;
        return KL_OK;
    }
    return text ? give(p, option, text, where) : give_next(p, option, where);
}

static int parse_letters(struct parser *p)
{
    /* "-output x" would be "-o utput" and a further argument. */
    const char *word = p->argv[p->at] + 1;
    const int length = (int)strcspn(word, "=");
    if (length > 1 && kl_option_find(p->tool, word, (size_t)length))
        return kl_fail(p->err, KL_EUSAGE, "-%.*s: one dash is for letters; did you mean --%.*s?", length,
                       word, length, word);
    for (const char *letter = p->argv[p->at] + 1; *letter; letter++) {
        char where[3] = { '-', *letter, '\0' };
        const struct kl_option *option = kl_option_letter(p->tool, *letter);
        if (!option) return unknown(p, "-", letter, 1);
        const bool flag = option->type == KL_OPT_FLAG;
        if (letter[1] == '=')
            return kl_fail(p->err, KL_EUSAGE,
                           "%s: found '%.80s' after the letter; write %s%s%.80s or --%s%.80s", where,
                           letter + 1, where, flag ? "" : " ", flag ? "" : letter + 2, option->name,
                           flag ? "" : letter + 1);
        if (flag) {
            int code = give(p, option, "true", where);
            if (code) return code;
            continue;
        }
        if (letter[1]) return give(p, option, letter + 1, where);
        return give_next(p, option, where);
    }
    return KL_OK;
}

static int parse_arguments(struct parser *p, const char **args, size_t *n_args)
{
    bool only_arguments = false;
    *n_args = 0;
    memset(p->given, 0, n_rows(p->tool) * sizeof *p->given);
    for (p->at = 1; p->at < p->argc; p->at++) {
        char *argument = p->argv[p->at];
        int code = KL_OK;
        if (!*argument)
            return kl_fail(p->err, KL_EUSAGE, "argument %d is empty; is a variable unset?", p->at);
        if (only_arguments || !is_option(argument)) args[(*n_args)++] = argument;
        else if (strcmp(argument, "--") == 0) only_arguments = true;
        else code = argument[1] == '-' ? parse_long(p) : parse_letters(p);
        if (code) return code;
    }
    return KL_OK;
}

/* Does the table itself answer? Then the mode's option needs no value. */
static bool is_asked(const struct kl_common *common)
{
    return common->help || common->version || common->print_config || common->emit;
}

/* kernels/isa.c heeds it, where nothing can be refused. */
static int check_isa(const struct kl_common *common, struct kl_error *err)
{
    static const char sets[] = "base|avx2|avx512|neon";
    const char *isa = getenv("KETLINE_ISA");
    if (!isa || !*isa || kl_choice(sets, isa) >= 0 || is_asked(common)) return KL_OK;
    return kl_choice_wrong(sets, isa, "KETLINE_ISA", err);
}

int kl_options_parse(const struct kl_tool *tool, void *values, int argc, char **argv, const char ***args,
                     size_t *n_args, struct kl_error *err)
{
    struct kl_common *common = values;
    struct parser parser = { .tool = tool, .values = values, .argc = argc, .argv = argv, .err = err };
    *n_args = 0;
    *args = calloc((size_t)argc + 1, sizeof **args);
    void *defaults = malloc(tool->values_size);
    parser.given = calloc(n_rows(tool) + 1, sizeof *parser.given);
    int code =
        *args && defaults && parser.given ? KL_OK : kl_fail_memory(err, (size_t)argc * sizeof **args);
    if (code) goto out;
    memcpy(defaults, values, tool->values_size);
    if ((code = parse_arguments(&parser, *args, n_args))) goto out;
    if (common->config) { /* the file first, then the command line once more over it */
        const char *path = common->config;
        memcpy(values, defaults, tool->values_size);
        if ((code = kl_config_read(tool, values, path, err))) goto out;
        if ((code = parse_arguments(&parser, *args, n_args))) goto out;
    }
    if (parser.bare && !is_asked(common)) {
        code = kl_fail(err, KL_EUSAGE, "%s: expected %s after it", tool->chosen_by, parser.bare->arg);
        goto out;
    }
    if ((code = check_isa(common, err))) goto out;
    if (!common->store) common->store = getenv("KETLINE_STORE");
    if (common->store && !*common->store) common->store = NULL;
    if (!common->progress) common->progress = "auto";
    if (!common->device) common->device = "auto";
out:
    free(defaults);
    free(parser.given);
    if (code) {
        free(*args);
        *args = NULL;
        *n_args = 0;
    }
    return code;
}

/* ---- common ----
   The options that every tool has. --device only those have that run on a GPU too (kernels/device.h). */

#define FIELD(name) offsetof(struct kl_common, name)

const struct kl_option kl_common_options[] = {
    { "output", 'o', KL_OPT_STRING, FIELD(output), "FILE", 0, 0, false,
      "write the result here; - is standard output", NULL, NULL },
    { "store", 0, KL_OPT_STRING, FIELD(store), "DIR", 0, 0, false,
      "look in and add to a shared store (KETLINE_STORE)", NULL, NULL },
    { "force", 'f', KL_OPT_FLAG, FIELD(force), NULL, 0, 0, false,
      "compute even if up to date; replace any file", NULL, NULL },
    { "dry-run", 'n', KL_OPT_FLAG, FIELD(dry_run), NULL, 0, 0, false,
      "say hit or miss, and why; write nothing", NULL, NULL },
    { "key", 0, KL_OPT_FLAG, FIELD(print_key), NULL, 0, 0, false,
      "print the key of the result; compute nothing", NULL, NULL },
    { "seed", 0, KL_OPT_INT, FIELD(seed), "N", 0, 9007199254740992.0, false, "fixes everything random",
      NULL, NULL },
    { "threads", 'j', KL_OPT_INT, FIELD(threads), "N", 0, 4096, false, "0: what the machine allows",
      NULL, NULL },
    { "config", 'c', KL_OPT_STRING, FIELD(config), "FILE", 0, 0, false,
      "read options from YAML; the command line wins", NULL, NULL },
    { "print-config", 0, KL_OPT_FLAG, FIELD(print_config), NULL, 0, 0, false,
      "print the effective options as YAML", NULL, NULL },
    { "note", 0, KL_OPT_STRING, FIELD(note), "TEXT", 0, 0, false, "a remark for the provenance record",
      NULL, NULL },
    { "no-provenance", 0, KL_OPT_FLAG, FIELD(no_provenance), NULL, 0, 0, false,
      "no record: two runs give equal bytes", NULL, NULL },
    { "json", 0, KL_OPT_FLAG, FIELD(json), NULL, 0, 0, false, "the summary as one JSON object", NULL,
      NULL },
    { "progress", 0, KL_OPT_CHOICE, FIELD(progress), "auto|bar|plain|json|none", 0, 0, false,
      "how progress is shown", NULL, NULL },
    { "quiet", 'q', KL_OPT_FLAG, FIELD(quiet), NULL, 0, 0, false, "errors only", NULL, NULL },
    { "verbose", 'v', KL_OPT_FLAG, FIELD(verbose), NULL, 0, 0, false, "say more", NULL, NULL },
    { "help", 'h', KL_OPT_FLAG, FIELD(help), NULL, 0, 0, false, "this text", NULL, NULL },
    { "version", 'V', KL_OPT_FLAG, FIELD(version), NULL, 0, 0, false, "name and version", NULL, NULL },
    { "emit", 0, KL_OPT_CHOICE, FIELD(emit), KL_EMIT_CHOICES, 0, 0, false, NULL, NULL, NULL },
};
const size_t kl_n_common_options = sizeof kl_common_options / sizeof *kl_common_options;

/* ---- Choices: one word of "a|b|c" ---- */

int kl_choice(const char *choices, const char *text)
{
    const size_t n = strlen(text);
    int i = 0;
    for (const char *c = choices; c; c = strchr(c, '|'), i++) {
        c += *c == '|';
        if (strcspn(c, "|") == n && strncmp(c, text, n) == 0) return i;
    }
    return -1;
}

/* How many letters and digits two names have alike from their beginning, large or small; others are
   passed over. whole: all of a's. */
static size_t alike(const char *a, size_t length, const char *b, bool *whole)
{
    const char *end = a + length;
    for (size_t n = 0;; n++, a++, b++) {
        while (a < end && !isalnum((unsigned char)*a)) a++;
        while (*b && !isalnum((unsigned char)*b)) b++;
        *whole = a == end;
        if (*whole || tolower((unsigned char)*a) != tolower((unsigned char)*b)) return n;
    }
}

static size_t letters(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += isalnum((unsigned char)*text) != 0;
    return n;
}

/* The choice that is alike for longest, of equals the one that is so as a whole; NULL: none, or it is
   not clear which. Two letters do where they are all that one of both has. */
static const char *head(const char *choices, const char *text)
{
    const char *best = NULL;
    const size_t all = letters(text);
    size_t most = 0;
    bool best_whole = false, clear = false;
    for (const char *c = choices; c; c = strchr(c, '|')) {
        bool whole;
        c += *c == '|';
        const size_t n = alike(c, strcspn(c, "|"), text, &whole);
        if (n < (whole || n == all ? 2 : 4) || n < most || (n == most && best_whole)) continue;
        clear = n > most || whole;
        most = n, best = c, best_whole = whole;
    }
    return clear ? best : NULL;
}

/* The choice that a word of several ends with, the longest: quantum_hydra is hydra. */
static const char *tail(const char *choices, const char *text)
{
    const char *best = NULL;
    size_t most = 3;
    for (; *text; text++)
        for (const char *c = choices; c && (*text == '_' || *text == '-'); c = strchr(c, '|')) {
            bool whole;
            c += *c == '|';
            const size_t n = alike(c, strcspn(c, "|"), text, &whole);
            if (whole && n == letters(text) && n > most) most = n, best = c;
        }
    return best;
}

const char *kl_choice_meant(const char *choices, const char *text, size_t *n)
{
    struct kl_near near = kl_near_to(text, strlen(text));
    near.word = head(choices, text);
    if (!near.word) near.word = tail(choices, text);
    if (!near.word)
        for (const char *next = choices, *c; (c = kl_next_choice(&next, n));) kl_near_try(&near, c, *n);
    *n = near.word ? strcspn(near.word, "|") : 0;
    return near.word;
}

const char *kl_meant_words(char text[KL_MEANT], const char *word, size_t n)
{
    *text = '\0';
    if (word) snprintf(text, KL_MEANT, "; did you mean %.*s?", (int)n, word);
    return text;
}

int kl_choice_wrong(const char *choices, const char *text, const char *where, struct kl_error *err)
{
    char meant[KL_MEANT];
    size_t n;
    const char *word = kl_choice_meant(choices, text, &n);
    if (strcmp(text, "logistic") == 0 && strncmp(choices, "linear|fcn1", 11) == 0)
        word = "linear with --loss bce", n = strlen(word); /* what sgld calls it */
    return kl_fail(err, KL_EUSAGE, "%s: found '%s', expected one of %s%s", where, text, choices,
                   kl_meant_words(meant, word, n));
}

int kl_options_fail_command(const struct kl_tool *tool, const char *word, struct kl_error *err)
{
    char meant[KL_MEANT];
    size_t n;
    if (!word) return kl_fail(err, KL_EUSAGE, "no command, expected %s; see --help", tool->commands);
    if (kl_choice(tool->commands, word) >= 0)
        return kl_fail(err, KL_EUSAGE, "found '%s' behind options, expected it as the first word", word);
    const char *command = kl_choice_meant(tool->commands, word, &n);
    return kl_fail(err, KL_EUSAGE, "found '%s', expected %s%s (see --help)", word, tool->commands,
                   kl_meant_words(meant, command, n));
}

int kl_options_name_owner(const struct kl_tool *tool, const struct kl_tool *whole, int argc, char **argv,
                          struct kl_error *err)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *name = argv[i] + 2;
        const size_t n = strncmp(argv[i], "--", 2) == 0 ? strcspn(name, "=") : 0;
        if (n && !kl_option_find(tool, name, n) && kl_option_find(whole, name, n))
            return kl_fail(err, KL_EUSAGE, "--%.*s: belongs to %s without %s (%s --help)", (int)n, name,
                           whole->name, tool->chosen_by, whole->name);
    }
    return KL_EUSAGE;
}

/* ---- Options that would do nothing beside others ---- */

static bool differ(const struct kl_option *option, const void *values, const void *defaults)
{
    const void *a = (const char *)values + option->offset, *b = (const char *)defaults + option->offset;
    switch (option->type) {
    case KL_OPT_FLAG: return *(const bool *)a != *(const bool *)b;
    case KL_OPT_INT: return *(const int64_t *)a != *(const int64_t *)b;
    case KL_OPT_QUANTITY: {
        const char *x = ((const struct kl_quantity *)a)->unit,
                   *y = ((const struct kl_quantity *)b)->unit;
        if (x || y) return !x || !y || strcmp(x, y) != 0 || *(const double *)a != *(const double *)b;
    }
    /* fall through */
    case KL_OPT_FLOAT: {
        const double x = *(const double *)a, y = *(const double *)b;
        return x != y && !(isnan(x) && isnan(y));
    }
    default: {
        const char *x = *(const char *const *)a, *y = *(const char *const *)b;
        return x && y ? strcmp(x, y) != 0 : x != y;
    }
    }
}

int kl_options_refuse(const struct kl_tool *tool, const void *values, const void *defaults,
                      const char *names, const char *why, struct kl_error *err)
{
    for (const char *at = names; *at;) {
        const size_t n = strcspn(at, " ");
        const struct kl_option *option = kl_option_find(tool, at, n);
        if (option && differ(option, values, defaults))
            return kl_fail(err, KL_EUSAGE, "--%s: %s", option->name, why);
        at += n + (at[n] == ' ');
    }
    return KL_OK;
}

/* ---- inputs ----
   Too few or too many inputs; of these the first one too many is shown: a name with a blank in it, say.
 */

static int fail_inputs(struct kl_error *err, const char *const *inputs, size_t n, size_t most,
                       const char *expected, const char *tool, const char *mode, const char *elsewhere)
{
    char first[240] = "";
    const bool list = n > most && strchr(inputs[most], '=');
    if (n > most)
        snprintf(first, sizeof first, "; '%.80s' is too many%s%.80s%s", inputs[most],
                 list        ? " (a list is one word: quote it)"
                 : elsewhere ? " (it is for: "
                             : "",
                 elsewhere && !list ? elsewhere : "", elsewhere && !list ? ")" : "");
    return kl_fail(err, KL_EUSAGE, "%zu input%s, expected %s%s; see %s%s%s%s--help", n, kl_s(n),
                   expected, first, tool, *tool ? " " : "", mode, *mode ? " " : "");
}

int kl_fail_inputs(struct kl_error *err, const char *const *inputs, size_t n, size_t most,
                   const char *expected)
{
    return fail_inputs(err, inputs, n, most, expected, "", "", NULL);
}

/* Count the inputs of a word of a tool's arguments: "BITS..." one or more, "[HEAD.h5]" one at most. */
static void count_word(size_t *least, size_t *most, const char *word, size_t n)
{
    const bool many = n > 3 && memmem(word, n, "...", 3);
    size_t words = 1;
    if (*word != '[') *least += 1;
    for (size_t i = 0; i < n; i++)
        if (word[i] == '|') words = word[i + 1] != ' ';
        else words += word[i] == ' ' && word[i + 1] != '|';
    *most = many || *most == SIZE_MAX ? SIZE_MAX : *most + (*word == '[' ? words : 1);
}

/* "train WINDOWS.h5... -o MODEL.h5": "WINDOWS.h5...", 1 to any number, and "MODEL.h5". */
struct arguments {
    char inputs[160];
    size_t least, most;
    const char *output; /* NULL: nothing goes to -o */
    bool needed;        /* -o is */
};
static void read_arguments(struct arguments *a, const struct kl_tool *tool)
{
    const char *at = tool->arguments, *chosen_by = tool->chosen_by;
    size_t used = 0;
    *a = (struct arguments){ .most = 0 };
    for (size_t n; *at; at += n + (at[n] == ' ')) {
        const bool bracket = *at == '[', first = at == tool->arguments;
        n = bracket ? strcspn(at, "]") + 1 : strcspn(at, " ");
        if (strncmp(at + bracket, "-o ", 3) == 0) {
            a->output = at + bracket + 3, a->needed = !bracket;
            if (!bracket) n = strlen(at);
            continue;
        }
        if (at[bracket] == '-') {
            const struct kl_option *o = bracket ? NULL : kl_option_find(tool, at + 2, n - 2);
            if (o && o->type != KL_OPT_FLAG && at[n]) n += 1 + strcspn(at + n + 1, " ");
            continue;
        }
        if (first && chosen_by && strncmp(at, chosen_by, n) == 0 && !chosen_by[n]) continue;
        count_word(&a->least, &a->most, at, n);
        used += (size_t)snprintf(a->inputs + used, sizeof a->inputs - used, "%s%.*s", used ? " " : "",
                                 (int)n, at);
        if (used >= sizeof a->inputs) used = sizeof a->inputs - 1;
    }
}

int kl_options_check_inputs(const struct kl_tool *tool, const struct kl_common *common, bool has_output,
                            const char *const *inputs, size_t n, struct kl_error *err)
{
    struct arguments a;
    read_arguments(&a, tool);
    if (n < a.least || n > a.most)
        return fail_inputs(err, inputs, n, a.most, *a.inputs ? a.inputs : "none",
                           tool->chosen_by ? tool->name : "", tool->chosen_by ? tool->chosen_by : "",
                           tool->elsewhere);
    if (!has_output || !a.output || common->output || (a.needed && common->print_key)) return KL_OK;
    if (!a.needed && !common->force && !common->dry_run) return KL_OK;
    return kl_fail(err, KL_EUSAGE, "no output; give -o %.*s", (int)strcspn(a.output, "]\n"), a.output);
}
