/* SPDX-License-Identifier: MIT
   Which figures a file lends itself to. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"
#include "plot/plot.h"
#include "store/store.h"

static int look_for_circuit(char why[KL_OBSTACLE], const struct kl_file *head, struct kl_error *err)
{
    char *text = NULL;
    json_t *config = NULL;
    int code = kl_store_file_text(&text, head, "", "config", err);
    if (!code) code = kl_json_parse(&config, text, kl_store_file_path(head), err);
    const char *core = code ? NULL : kl_circuit_absent(config);
    if (core)
        snprintf(why, KL_OBSTACLE, "%.120s holds no circuit, its core is %.20s",
                 kl_store_file_path(head), core);
    json_decref(config);
    free(text);
    return code;
}

int kl_plot_figure_obstacle(char why[KL_OBSTACLE], const struct kl_figure *f,
                            const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    *why = '\0';
    if (f->needs_images && !inputs->images) snprintf(why, KL_OBSTACLE, "needs --images");
    else if (f->dataset && !kl_store_file_find(inputs->file, f->dataset)) /* a head trained elsewhere */
        snprintf(why, KL_OBSTACLE, "%.120s holds %s%.60s", kl_store_file_path(inputs->file),
                 f->lack ? "" : "no ", f->lack ? f->lack : f->dataset);
    else if (f->needs_circuit) return look_for_circuit(why, inputs->file, err);
    return KL_OK;
}

bool kl_plot_figure_takes(const struct kl_figure *f, const struct kl_figure_inputs *inputs)
{
    if (strcmp(f->kind, kl_store_file_kind(inputs->file)) != 0) return false;
    for (size_t i = 0; f->beside && strcmp(f->beside, f->kind) == 0 && i < inputs->n_files; i++) {
        if (inputs->files[i] == inputs->file) return true;
        if (strcmp(f->kind, kl_store_file_kind(inputs->files[i])) == 0) return false;
    }
    return true;
}
