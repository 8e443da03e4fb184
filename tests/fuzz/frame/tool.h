/* SPDX-License-Identifier: MIT
   A table with every type of option, for the targets that set options from texts. */
#ifndef KL_FUZZ_TOOL_H
#define KL_FUZZ_TOOL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_int.h"
#include "tests/fuzz/frame/fuzz.h"

struct values {
    struct kl_common common;
    int64_t qubits, any;
    double lr;
    const char *optimizer, *reduction;
    bool grey;
};
static const struct values tool_defaults = {
    .qubits = 4, .lr = 0.001, .optimizer = "adam", .reduction = ""
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option tool_options[] = {
    { "qubits", 'Q', KL_OPT_INT, AT(qubits), "N", 1, 20, true, "qubits", "Head", "n_qubits" },
    { "lr", 0, KL_OPT_FLOAT, AT(lr), "X", 0, 10, true, "learning rate", NULL, "learning_rate" },
    { "optimizer", 0, KL_OPT_CHOICE, AT(optimizer), "adam|adamw|sgd", 0, 0, true, "rule", NULL, NULL },
    { "reduction", 0, KL_OPT_STRING, AT(reduction), "N,N", 0, 0, true, "widths", NULL, NULL },
    { "grey", 'g', KL_OPT_FLAG, AT(grey), NULL, 0, 0, true, "grey", NULL, NULL },
    { "any-number", 0, KL_OPT_INT, AT(any), "N", 0, 0, false, "a number", NULL, NULL },
};
static const struct kl_tool tool = { .name = "tool",
                                     .summary = "Does it",
                                     .arguments = "INPUT",
                                     .example = "tool a",
                                     .options = tool_options,
                                     .n_options = sizeof tool_options / sizeof *tool_options,
                                     .values_size = sizeof(struct values) };

/* Within the table's bounds. */
static inline void need_bounds(const struct values *v)
{
    need(v->qubits >= 1 && v->qubits <= 20, "outside its bounds", "qubits");
    need(v->lr >= 0 && v->lr <= 10, "outside its bounds", "lr");
    need(kl_choice("adam|adamw|sgd", v->optimizer) >= 0, "none of the choices", v->optimizer);
}

#endif
