/* SPDX-License-Identifier: MIT
   A grid of options: every combination of the values that each of some options takes. */
#include "base/base_int.h"

#include <stdlib.h>
#include <string.h>

/* The value at *rest, which moves behind it; NULL: there is none. A comma within parentheses separates
   nothing, nor does any where there are bars. */
static char *next_value(char **rest, char separator)
{
    char *value = *rest, *at = value;
    for (int depth = 0; *at && (*at != separator || depth > 0); at++)
        if (separator == ',') depth += (*at == '(') - (*at == ')');
    *rest = *at ? at + 1 : at;
    *at = '\0';
    return *value || **rest ? value : NULL;
}

/* Do both say the same: 1e-3 and 0.001? scratch: of the tool's values. */
static bool same_value(const struct kl_option *option, void *scratch, const char *a, const char *b)
{
    char text[2][64]; /* of numbers */
    const char *const both[] = { a, b };
    if (option->type != KL_OPT_INT && option->type != KL_OPT_FLOAT) return strcmp(a, b) == 0;
    for (int i = 0; i < 2; i++) {
        if (kl_option_set(option, scratch, both[i], "", NULL)) return false;
        kl_option_text(option, scratch, text[i], sizeof text[i]);
    }
    return strcmp(text[0], text[1]) == 0;
}

/* "128,32|64" are two texts, where "64,128" would be two as well: a bar, where there is one, separates.
 */
static int add_values(struct kl_grid_axis *axis, char *text, const struct kl_tool *tool,
                      struct kl_error *err)
{
    const char separator = strchr(text, '|') ? '|' : ',';
    char *rest = text, where[96];
    void *scratch = malloc(tool->values_size);
    int code = scratch ? KL_OK : kl_fail_memory(err, tool->values_size);
    snprintf(where, sizeof where, "--grid: %.60s", axis->option->name);
    for (char *value; !code && (value = next_value(&rest, separator));) {
        if (!*value) continue;
        if (axis->n == KL_GRID_VALUES)
            code = kl_fail(err, KL_EUSAGE, "%s: more than %d values", where, KL_GRID_VALUES);
        if (!code) code = kl_option_set(axis->option, scratch, value, where, err);
        for (size_t i = 0; i < axis->n && !code; i++)
            if (same_value(axis->option, scratch, axis->values[i], value))
                code = kl_fail(err, KL_EUSAGE, "%s: '%s' is there twice%s%s", where, value,
                               strcmp(axis->values[i], value) ? ", also as " : "",
                               strcmp(axis->values[i], value) ? axis->values[i] : "");
        if (!code) axis->values[axis->n++] = value;
    }
    if (!code && axis->n == 0)
        code = kl_fail(err, KL_EUSAGE, "%s: no values; expected %s=VALUE,VALUE...", where,
                       axis->option->name);
    free(scratch);
    return code;
}

static int add_axis(struct kl_grid *grid, char *word, const struct kl_tool *tool,
                    const struct kl_grid_refusal *refusals, struct kl_error *err)
{
    char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const struct kl_option *option = kl_option_find(tool, word, length);
    const char *nearest = option ? NULL : kl_option_nearest(tool, word, length);
    if (!equals)
        return kl_fail(err, KL_EUSAGE, "--grid: found '%.60s', expected NAME=VALUE,VALUE...", word);
    if (!option)
        return kl_fail(err, KL_EUSAGE, "--grid: %.*s: no such option%s%s%s", (int)length, word,
                       nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    bool allowed = option->in_key;
    for (const struct kl_grid_refusal *r = refusals; r && r->name; r++)
        if (strcmp(r->name, option->name) == 0) {
            if (r->why) return kl_fail(err, KL_EUSAGE, "--grid: %s: %s", r->name, r->why);
            allowed = true;
        }
    if (!allowed)
        return kl_fail(err, KL_EUSAGE, "--grid: %s does not change a result; give it outside the grid",
                       option->name);
    for (int i = 0; i < grid->n_axes; i++)
        if (grid->axes[i].option == option)
            return kl_fail(err, KL_EUSAGE, "--grid: %s is there twice", option->name);
    if (grid->n_axes == KL_GRID_AXES)
        return kl_fail(err, KL_EUSAGE, "--grid: more than %d options", KL_GRID_AXES);
    struct kl_grid_axis *axis = &grid->axes[grid->n_axes++];
    axis->option = option;
    return add_values(axis, equals + 1, tool, err);
}

int kl_grid_parse(struct kl_grid *grid, const struct kl_tool *tool,
                  const struct kl_grid_refusal *refusals, const char *text, struct kl_error *err)
{
    char *rest = NULL;
    *grid = (struct kl_grid){ .n = 1, .text = strdup(text) };
    int code = grid->text ? KL_OK : kl_fail_memory(err, strlen(text));
    for (char *word = code ? NULL : strtok_r(grid->text, " \t\n", &rest); word && !code;
         word = strtok_r(NULL, " \t\n", &rest))
        code = add_axis(grid, word, tool, refusals, err);
    if (!code && grid->n_axes == 0)
        code = kl_fail(err, KL_EUSAGE, "--grid: empty; expected NAME=VALUE,VALUE...");
    for (int i = 0; i < grid->n_axes && !code; i++)
        if ((grid->n *= grid->axes[i].n) > KL_GRID_POINTS)
            code = kl_fail(err, KL_EUSAGE, "--grid: more than %d combinations", KL_GRID_POINTS);
    if (code) kl_grid_free(grid);
    return code;
}

const char *kl_grid_value(const struct kl_grid *grid, size_t point, int axis)
{
    for (int i = grid->n_axes - 1; i > axis; i--) point /= grid->axes[i].n;
    return grid->axes[axis].values[point % grid->axes[axis].n];
}

int kl_grid_set(const struct kl_grid *grid, size_t point, void *values, struct kl_error *err)
{
    int code = KL_OK;
    for (int i = 0; i < grid->n_axes && !code; i++)
        code = kl_option_set(grid->axes[i].option, values, kl_grid_value(grid, point, i), "--grid", err);
    return code;
}

void kl_grid_free(struct kl_grid *grid)
{
    free(grid->text);
    *grid = (struct kl_grid){ 0 };
}
