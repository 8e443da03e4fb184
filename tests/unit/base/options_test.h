/* SPDX-License-Identifier: MIT
   A tool's table with every type of option. */
#ifndef KL_OPTIONS_TEST_H
#define KL_OPTIONS_TEST_H

#include "base_test.h"

struct values {
    struct kl_common common;
    int64_t qubits, any;
    double lr;
    const char *optimizer, *weights, *grid;
    bool resume, grey;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option test_options[] = {
    { "qubits", 'Q', KL_OPT_INT, AT(qubits), "N", 1, 20, true, "qubits of the circuit", "Head",
      "n_qubits" },
    { "lr", 0, KL_OPT_FLOAT, AT(lr), "X", 0, 10, true, "learning rate", NULL, "learning_rate" },
    { "optimizer", 0, KL_OPT_CHOICE, AT(optimizer), "adam|adamw|sgd", 0, 0, true, "update rule", NULL,
      NULL },
    { "weights", 'w', KL_OPT_STRING, AT(weights), "FILE", 0, 0, false, "weights", "Files", NULL },
    { "grid", 0, KL_OPT_LIST, AT(grid), "GRID", 0, 0, false, "lists", NULL, NULL },
    { "resume", 'r', KL_OPT_FLAG, AT(resume), NULL, 0, 0, false, "go on", NULL, NULL },
    { "grey", 'g', KL_OPT_FLAG, AT(grey), NULL, 0, 0, true, "grey", NULL, NULL },
    { "device", 0, KL_OPT_DEVICE, AT(common.device), "DEVICE", 0, 0, false, "auto, cpu or cuda", NULL,
      NULL },
    { "any-number", 0, KL_OPT_INT, AT(any), "N", 0, 0, false, NULL, NULL, NULL },
};
static const struct kl_tool test_tool = {
    .name = "tool",
    .summary = "Does it",
    .arguments = "INPUT -o OUTPUT",
    .example = "tool a -o b",
    .options = test_options,
    .n_options = sizeof test_options / sizeof *test_options,
    .values_size = sizeof(struct values),
    .without = "dry-run key",
};

static const struct values test_defaults = {
    .qubits = 4, .lr = 0.001, .optimizer = "adam", .grey = true
};

struct parsed {
    struct values v;
    struct kl_error err;
    const char **args;
    size_t n;
    int code;
};

/* Words after the tool's name, up to NULL. */
static inline struct parsed parse_words(const char *const *words)
{
    static char *argv[32]; /* strings of the values point into it */
    struct parsed p = { .v = test_defaults };
    int argc = 1;
    argv[0] = (char *)"tool";
    while (words[argc - 1]) argv[argc] = (char *)words[argc - 1], argc++;
    p.code = kl_options_parse(&test_tool, &p.v, argc, argv, &p.args, &p.n, &p.err);
    return p;
}
#define PARSE(...) parse_words((const char *const[]){ __VA_ARGS__, NULL })

#endif
