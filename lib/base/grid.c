/* SPDX-License-Identifier: MIT
   A grid of options: every combination of the values that each of some options takes. */
#include "base/base_int.h"

#include <math.h>
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
    if (!kl_option_is_number(option)) return strcmp(a, b) == 0;
    for (int i = 0; i < 2; i++) {
        if (kl_option_set(option, scratch, both[i], "", NULL)) return false;
        kl_option_text(option, scratch, text[i], sizeof text[i]);
    }
    return strcmp(text[0], text[1]) == 0;
}

static int add_value(struct kl_grid_axis *axis, const char *value, void *scratch, const char *where,
                     struct kl_error *err)
{
    if (axis->n == KL_GRID_VALUES)
        return kl_fail(err, KL_EUSAGE, "%s: more than %d values", where, KL_GRID_VALUES);
    const int code = kl_option_set(axis->option, scratch, value, where, err);
    if (code) return code;
    for (size_t i = 0; i < axis->n; i++)
        if (same_value(axis->option, scratch, axis->values[i], value))
            return kl_fail(err, KL_EUSAGE, "%s: '%s' is there twice%s%s", where, value,
                           strcmp(axis->values[i], value) ? ", also as " : "",
                           strcmp(axis->values[i], value) ? axis->values[i] : "");
    axis->values[axis->n++] = value;
    return KL_OK;
}

/* ---- ranges: LO:HI:log7, LO:HI:lin7; LO:HI:log, LO:HI:lin ---- */

/* The share u of the way from lo to hi, as a text that lives on; NULL: no memory. */
static const char *between(const struct kl_option *option, double lo, double hi, bool log_scale,
                           double u)
{
    char text[32];
    const double x = log_scale ? exp(log(lo) + u * (log(hi) - log(lo))) : lo + u * (hi - lo);
    if (option->type == KL_OPT_INT) snprintf(text, sizeof text, "%.0f", x);
    else snprintf(text, sizeof text, "%.4g", x);
    return kl_keep_text(text);
}

/* The ends are in the text; `how`: "log7". bare: without a number it is a range that is drawn from. */
static int add_range(struct kl_grid_axis *axis, char *text, bool bare, void *scratch, const char *where,
                     struct kl_error *err)
{
    char *middle = strchr(text, ':'), *how = strchr(middle + 1, ':'), *end = NULL;
    const bool known = how && (strncmp(how + 1, "log", 3) == 0 || strncmp(how + 1, "lin", 3) == 0);
    const bool counted = known && how[4];
    const long n = counted ? strtol(how + 4, &end, 10) : 0;
    if (!known || (counted && (*end || n < 2 || n > KL_GRID_VALUES)))
        return kl_fail(err, KL_EUSAGE,
                       "%s: found '%s', expected LO:HI:log7 or LO:HI:lin7, 2 to %d values", where, text,
                       KL_GRID_VALUES);
    if (!counted && (!bare || axis->n))
        return kl_fail(err, KL_EUSAGE,
                       bare ? "%s: '%s' is a range; give it alone"
                            : "%s: '%s' has no number of values; write one behind it (7), "
                              "or draw points with --random N",
                       where, text);
    axis->log = how[2] == 'o';
    *middle = *how = 0;
    const double lo = strtod(text, NULL), hi = strtod(middle + 1, NULL);
    int code = add_value(axis, text, scratch, where, err);
    if (!code && (!(lo < hi) || (axis->log && lo <= 0)))
        code = kl_fail(err, KL_EUSAGE, "%s: found %s to %s, expected a rising range%s", where, text,
                       middle + 1, axis->log ? " above 0" : "");
    axis->range = !counted;
    for (long i = 1; i + 1 < n && !code; i++) {
        const char *value = between(axis->option, lo, hi, axis->log, (double)i / (double)(n - 1));
        code = value ? add_value(axis, value, scratch, where, err) : kl_fail_memory(err, 32);
    }
    return code ? code : add_value(axis, middle + 1, scratch, where, err);
}

/* "128,32|64" are two texts, where "64,128" would be two as well: a bar, where there is one, separates.
 */
static int add_values(struct kl_grid_axis *axis, char *text, const struct kl_tool *tool, bool ranges,
                      struct kl_error *err)
{
    const char separator = strchr(text, '|') ? '|' : ',';
    char *rest = text, where[96];
    void *scratch = malloc(tool->values_size);
    int code = scratch ? KL_OK : kl_fail_memory(err, tool->values_size);
    snprintf(where, sizeof where, "--grid: %.60s", axis->option->name);
    for (char *value; !code && (value = next_value(&rest, separator));) {
        if (!*value) continue;
        if (axis->range) code = kl_fail(err, KL_EUSAGE, "%s: a range; give it alone", where);
        else if (kl_option_is_number(axis->option) && strchr(value, ':'))
            code = add_range(axis, value, ranges, scratch, where, err);
        else code = add_value(axis, value, scratch, where, err);
    }
    if (!code && axis->n == 0)
        code = kl_fail(err, KL_EUSAGE, "%s: no values; expected %s=VALUE,VALUE...", where,
                       axis->option->name);
    free(scratch);
    return code;
}

static int add_axis(struct kl_grid *grid, char *word, const struct kl_tool *tool,
                    const struct kl_grid_refusal *refusals, bool ranges, struct kl_error *err)
{
    char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const struct kl_option *option = kl_option_find(tool, word, length);
    const char *nearest = option ? NULL : kl_option_nearest(tool, word, length);
    char meant[KL_MEANT];
    if (!equals)
        return kl_fail(err, KL_EUSAGE, "--grid: found '%.60s', expected NAME=VALUE,VALUE...", word);
    if (!option)
        return kl_fail(err, KL_EUSAGE, "--grid: %.*s: no such option%s", (int)length, word,
                       kl_meant_words(meant, nearest, nearest ? strlen(nearest) : 0));
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
    return add_values(axis, equals + 1, tool, ranges, err);
}

static int parse(struct kl_grid *grid, const struct kl_tool *tool,
                 const struct kl_grid_refusal *refusals, const char *text, bool ranges,
                 struct kl_error *err)
{
    char *rest = NULL;
    *grid = (struct kl_grid){ .n = 1, .text = strdup(text) };
    int code = grid->text ? KL_OK : kl_fail_memory(err, strlen(text));
    for (char *word = code ? NULL : strtok_r(grid->text, " \t\n", &rest); word && !code;
         word = strtok_r(NULL, " \t\n", &rest))
        code = add_axis(grid, word, tool, refusals, ranges, err);
    if (!code && grid->n_axes == 0)
        code = kl_fail(err, KL_EUSAGE, "--grid: empty; expected NAME=VALUE,VALUE...");
    for (int i = 0; i < grid->n_axes && !code; i++)
        if ((grid->n *= grid->axes[i].n) > KL_GRID_POINTS && !ranges)
            code = kl_fail(err, KL_EUSAGE, "--grid: more than %d combinations", KL_GRID_POINTS);
    if (code) kl_grid_free(grid);
    return code;
}

int kl_grid_parse(struct kl_grid *grid, const struct kl_tool *tool,
                  const struct kl_grid_refusal *refusals, const char *text, struct kl_error *err)
{
    return parse(grid, tool, refusals, text, false, err);
}

/* ---- points that are drawn ---- */

/* Whole numbers are as likely as each other (of logarithms: as their share of it): each has half of the
   way to its neighbours, the ends too. Rounding leaves the range nowhere. */
static const char *draw_value(const struct kl_grid_axis *axis, double u)
{
    if (!axis->range) return axis->values[(size_t)(u * (double)axis->n)];
    const double lo = strtod(axis->values[0], NULL), hi = strtod(axis->values[1], NULL),
                 half = axis->option->type == KL_OPT_INT ? 0.5 : 0;
    const char *value = between(axis->option, lo - half, hi + half, axis->log, u);
    if (!value) return NULL;
    const double found = strtod(value, NULL);
    return found < lo ? axis->values[0] : found > hi ? axis->values[1] : value;
}

static bool is_new(const struct kl_grid *grid, size_t point)
{
    const size_t a = (size_t)grid->n_axes;
    for (size_t p = 0; p < point; p++) {
        bool same = true;
        for (size_t i = 0; i < a && same; i++)
            same = strcmp(grid->drawn[p * a + i], grid->drawn[point * a + i]) == 0;
        if (same) return false;
    }
    return true;
}

/* Attempts end: a small grid may have no other points. */
static int draw_point(struct kl_grid *grid, size_t point,
                      double (*unit)(const void *context, size_t point, int axis, size_t attempt),
                      const void *context, struct kl_error *err)
{
    enum { ATTEMPTS = 10000 };
    for (size_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        for (int a = 0; a < grid->n_axes; a++) {
            const char *value = draw_value(&grid->axes[a], unit(context, point, a, attempt));
            if (!value) return kl_fail_memory(err, 32);
            grid->drawn[point * (size_t)grid->n_axes + (size_t)a] = value;
        }
        if (is_new(grid, point)) return KL_OK;
    }
    return kl_fail(err, KL_EUSAGE, "--random: found %zu different points in this grid; give no more",
                   point);
}

int kl_grid_draw(struct kl_grid *grid, const struct kl_tool *tool,
                 const struct kl_grid_refusal *refusals, const char *text, size_t n,
                 double (*unit)(const void *context, size_t point, int axis, size_t attempt),
                 const void *context, struct kl_error *err)
{
    int code = parse(grid, tool, refusals, text, true, err);
    if (code) return code;
    const size_t size = n * (size_t)grid->n_axes;
    grid->drawn = calloc(size, sizeof *grid->drawn);
    grid->n = n;
    if (!grid->drawn) code = kl_fail_memory(err, size * sizeof *grid->drawn);
    for (size_t p = 0; p < n && !code; p++) code = draw_point(grid, p, unit, context, err);
    if (code) kl_grid_free(grid);
    return code;
}

const char *kl_grid_value(const struct kl_grid *grid, size_t point, int axis)
{
    if (grid->drawn) return grid->drawn[point * (size_t)grid->n_axes + (size_t)axis];
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
    free(grid->drawn);
    *grid = (struct kl_grid){ 0 };
}
