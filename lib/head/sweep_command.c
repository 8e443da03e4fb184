/* SPDX-License-Identifier: MIT
   The command line by which a point of a sweep is trained again, now with the controls that a sweep
   leaves out. */
#include <stdlib.h>
#include <string.h>

#include "head/sweep_run.h"

/* DIR/NAME.h5: DIR/NAME-best.h5 */
static int name_output(char **output, const char *sweep, struct kl_error *err)
{
    size_t n = strlen(sweep);
    if (n > 3 && strcmp(sweep + n - 3, ".h5") == 0) n -= 3;
    if (asprintf(output, "%.*s-best.h5", (int)n, sweep) >= 0) return KL_OK;
    *output = NULL;
    return kl_fail_memory(err, n);
}

int kl_sweep_command(char **command, bool *controls, const struct kl_sweep_job *job, size_t point,
                     const char *features, struct kl_error *err)
{
    struct kl_head_settings values = *job->base, usual;
    char *output = NULL;
    size_t size;
    *command = NULL;
    kl_head_settings_default(&usual);
    int code = kl_grid_set(job->grid, point, &values, err);
    values.no_controls = false;
    *controls = strcmp(values.shape.core, kl_core_names[KL_CORE_CIRCUIT]) == 0;
    if (!code) code = name_output(&output, job->base->common.output, err);
    FILE *to = code ? NULL : open_memstream(command, &size);
    if (to) {
        kl_options_command(to, &kl_head_tool, &values, &usual, features, output);
        if (strcmp(values.common.device, usual.common.device) != 0)
            fprintf(to, " --device %s", values.common.device); /* the bytes are those of its kind */
        const bool failed = ferror(to);
        if (fclose(to) || failed) code = kl_fail_memory(err, 256);
    } else if (!code) code = kl_fail_memory(err, 256);
    free(output);
    return code;
}
