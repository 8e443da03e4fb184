/* SPDX-License-Identifier: MIT
   figures: PNG and SVG of heads, reports and features; all of them on one page of HTML. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plot/plot.h"
#include "store/store.h"

struct values {
    struct kl_common common;
    const char *figure, *format, *images, *report;
    int64_t replica;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "figure", 0, KL_OPT_CHOICE, AT(figure),
      "all|curves|circuit|confusion|calibration|samples|pca|sweep|plateau|frequency|bit-tests|"
      "transitions|learning|classifiers|gan|tournament|synthetic",
      0, 0, true, "which", "Figures", NULL },
    { "format", 0, KL_OPT_CHOICE, AT(format), "both|png|svg", 0, 0, true, "of the files in a folder",
      NULL, NULL },
    { "images", 0, KL_OPT_STRING, AT(images), "IMAGES", 0, 0, false,
      "samples: what the report's features were made from (several: A,B)", NULL, NULL },
    { "replica", 0, KL_OPT_INT, AT(replica), "K", 0, 1e6, true, "of a report: which of several heads",
      NULL, NULL },
    { "report", 0, KL_OPT_STRING, AT(report), "PAGE.html", 0, 0, false,
      "one page of everything: figures, tables, provenance; needs nothing beside it", NULL, NULL },
    { "output", 'o', KL_OPT_STRING, AT(common.output), "PATH", 0, 0, false,
      "a folder, or FIGURE.png or FIGURE.svg for one figure", NULL, NULL },
    { "force", 'f', KL_OPT_FLAG, AT(common.force), NULL, 0, 0, false, "replace what is no picture, too",
      NULL, NULL },
};
static const struct kl_tool tool = {
    .name = "figures",
    .summary =
        "Draws heads (curves, circuit), reports (confusion, calibration, samples), features (pca), "
        "sweeps, plateau scans, device bits (frequency, bit-tests, transitions), their classifiers "
        "(learning, classifiers), generators (gan) and pairs (tournament, synthetic)",
    .arguments = "FILE.h5... -o FOLDER|FIGURE.png|FIGURE.svg",
    .example = "figures head.h5 report.h5 -o figures\n  figures head.h5 --figure curves -o curves.svg\n"
               "  figures head.h5 report.h5 --report run.html",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key seed threads device note no-provenance progress",
};

/* A figure of a file into a file. */
struct drawing {
    const struct kl_figure *figure;
    struct kl_file *file;
    enum kl_figure_format format;
    char path[4200];
};

struct run {
    struct values v;
    struct kl_log log;
    bool single;            /* one figure into the file that -o names */
    struct kl_file **files; /* [n_files], open */
    size_t n_files;
    struct drawing *drawings; /* [n]: what is to be drawn */
    size_t n, written;
    bool page_written;
};

static const char *const format_names[] = { [KL_PNG] = "png", [KL_SVG] = "svg" };

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcasecmp(text + n - m, end) == 0;
}

/* A name like that of a picture in a format that is not written here: surely no folder is meant. */
static int refuse_format(const char *output, struct kl_error *err)
{
    static const char *const ends[] = { ".pdf", ".ps",  ".eps",  ".jpg", ".jpeg", ".gif",
                                        ".tif", ".bmp", ".tiff", ".emf", ".svgz", ".webp" };
    struct stat st;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(output, ends[i]) && (stat(output, &st) != 0 || !S_ISDIR(st.st_mode)))
            return kl_fail(err, KL_EUSAGE,
                           "%s: figures are PNG or SVG, not %s; give FIGURE.png or FIGURE.svg, or a "
                           "folder (--format both, png or svg)",
                           output, ends[i] + 1);
    return KL_OK;
}

static bool takes_all(const struct run *run)
{
    return strcmp(run->v.figure, "all") == 0;
}

static struct kl_figure_inputs inputs_of(const struct run *run, struct kl_file *file)
{
    return (struct kl_figure_inputs){ .file = file, .images = run->v.images, .replica = run->v.replica };
}

static void name_in_folder(char path[4200], const struct run *run, const char *name,
                           enum kl_figure_format format)
{
    snprintf(path, 4200, "%.4000s/%s.%s", run->v.common.output, name, format_names[format]);
}

/* ---- what is to be drawn ---- */

/* Two files of a kind would leave one figure of the two. */
static int check_alone(const struct run *run, const struct drawing *d, struct kl_error *err)
{
    for (const struct drawing *other = run->drawings; other < d; other++)
        if (strcmp(other->path, d->path) == 0)
            return kl_fail(err, KL_EUSAGE,
                           "%s: both %s and %s give this figure; draw them into two folders", d->path,
                           kl_file_path(other->file), kl_file_path(d->file));
    return KL_OK;
}

static int add(struct run *run, const struct kl_figure *figure, struct kl_file *file,
               enum kl_figure_format format, struct kl_error *err)
{
    const size_t bytes = (run->n + 1) * sizeof *run->drawings;
    struct drawing *more = realloc(run->drawings, bytes);
    if (!more) return kl_fail_memory(err, bytes);
    run->drawings = more;
    struct drawing *d = &more[run->n];
    *d = (struct drawing){ .figure = figure, .file = file, .format = format };
    if (run->single) snprintf(d->path, sizeof d->path, "%.4000s", run->v.common.output);
    else name_in_folder(d->path, run, figure->name, format);
    int code = check_alone(run, d, err);
    run->n++;
    return code;
}

static int add_formats(struct run *run, const struct kl_figure *figure, struct kl_file *file,
                       struct kl_error *err)
{
    int code = KL_OK;
    if (run->single)
        return add(run, figure, file, ends_with(run->v.common.output, ".svg") ? KL_SVG : KL_PNG, err);
    for (int f = KL_PNG; f <= KL_SVG && !code; f++)
        if (strcmp(run->v.format, "both") == 0 || strcmp(run->v.format, format_names[f]) == 0)
            code = add(run, figure, file, (enum kl_figure_format)f, err);
    return code;
}

static int add_file(struct run *run, struct kl_file *file, struct kl_error *err)
{
    char why[KL_OBSTACLE] = "", left_out[KL_OBSTACLE] = "";
    int code = KL_OK;
    const size_t before = run->n;
    const struct kl_figure_inputs inputs = inputs_of(run, file);
    for (const struct kl_figure *f = kl_figures; !code && f->name; f++) {
        if (strcmp(f->kind, kl_file_kind(file)) != 0) continue;
        if (!takes_all(run) && strcmp(f->name, run->v.figure) != 0) continue;
        code = kl_figure_obstacle(why, f, &inputs, err);
        if (*why) memcpy(left_out, why, sizeof why);
        if (!code && *why && !takes_all(run))
            code = f->needs_images ? kl_fail(err, KL_EUSAGE, "figure %s %s", f->name, why)
                                   : kl_fail(err, KL_EDATA, "%s", why);
        if (!code && !*why) code = add_formats(run, f, file, err);
    }
    if (!code && run->n == before && *left_out) kl_note(&run->log, 1, "%s", left_out);
    else if (!code && run->n == before)
        kl_note(&run->log, 1, "%s: no figure of a file of kind %s was asked for", kl_file_path(file),
                kl_file_kind(file));
    return code;
}

static int open_files(struct run *run, const char *const *paths, size_t n, struct kl_error *err)
{
    int code = KL_OK;
    if (!(run->files = calloc(n, sizeof *run->files)))
        return kl_fail_memory(err, n * sizeof *run->files);
    for (size_t i = 0; i < n && !code; i++) {
        code = kl_file_open(&run->files[i], paths[i], err);
        run->n_files += !code;
    }
    return code;
}

static int choose_figures(struct run *run, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < run->n_files && !code; i++) code = add_file(run, run->files[i], err);
    return !code && !run->n ? kl_fail(err, KL_EUSAGE, "nothing was drawn") : code;
}

/* ---- what must not be ---- */

static int check_target(const struct run *run, const char *const *inputs, size_t n, struct kl_error *err)
{
    const bool force = run->v.common.force;
    int code = KL_OK;
    if (run->v.report) {
        code = kl_target_no_input(run->v.report, inputs, n, err);
        if (!code) code = kl_place_check(run->v.report, err);
        if (!code)
            code = kl_target_check_bytes(run->v.report, 0, "<!DOCTYPE html>", force, inputs, n, err);
    }
    if (!code && run->v.common.output) code = kl_target_no_input(run->v.common.output, inputs, n, err);
    for (size_t i = 0; i < run->n && !code; i++)
        code = kl_figure_target_check(run->drawings[i].path, run->drawings[i].format, force, inputs, n,
                                      err);
    return code;
}

/* No input, which may be a folder of images, is written over, and nothing but pictures and pages unless
   --force. */
static int check_targets(const struct run *run, const char *const *paths, size_t n, struct kl_error *err)
{
    struct kl_sample_paths images = { 0 };
    const char **inputs = NULL;
    int code = run->v.images ? kl_sample_paths_split(&images, run->v.images, err) : KL_OK;
    const size_t all = n + images.n + (run->v.common.config != NULL);
    if (!code && !(inputs = malloc(all * sizeof *inputs)))
        code = kl_fail_memory(err, all * sizeof *inputs);
    if (!code) {
        memcpy(inputs, paths, n * sizeof *inputs);
        memcpy(inputs + n, images.paths, images.n * sizeof *inputs);
        if (run->v.common.config) inputs[all - 1] = run->v.common.config;
        code = check_target(run, inputs, all, err);
    }
    free(inputs);
    free(images.text);
    return code;
}

/* Pictures under the labels of others look right: the images must be those of the report. */
static int check_images(const struct run *run, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < run->n_files && !code && run->v.images; i++) {
        const struct kl_figure_inputs inputs = inputs_of(run, run->files[i]);
        bool known = true;
        for (const struct kl_figure *f = kl_figures; f->name && !code; f++)
            if (f->needs_images && strcmp(f->kind, kl_file_kind(inputs.file)) == 0 &&
                (run->v.report || takes_all(run) || strcmp(f->name, run->v.figure) == 0))
                code = kl_sample_images_check(&known, &inputs, err);
        if (!code && !known)
            kl_note(&run->log, 1,
                    "%s: holds no record of its features; whether they were made from --images %s "
                    "cannot be checked",
                    kl_file_path(inputs.file), inputs.images);
    }
    return code;
}

static int draw_all(struct run *run, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < run->n && !code; i++) {
        const struct drawing *d = &run->drawings[i];
        const struct kl_figure_inputs inputs = inputs_of(run, d->file);
        bool written = false;
        code = kl_figure_write(&written, d->figure, &inputs, d->format, d->path, err);
        run->written += written;
        if (!code) kl_note(&run->log, 2, "%s: %s", d->path, written ? "written" : "up to date");
    }
    return code;
}

static bool is_drawn(const struct run *run, const char *path)
{
    for (size_t i = 0; i < run->n; i++)
        if (strcmp(run->drawings[i].path, path) == 0) return true;
    return false;
}

/* Of an older run, beside new figures: what was left out, and so is not of these files. */
static void note_left(const struct run *run, struct kl_file *file)
{
    char why[KL_OBSTACLE], path[4200], there[2][4200] = { "", "" };
    const struct kl_figure_inputs inputs = inputs_of(run, file);
    for (const struct kl_figure *f = kl_figures; f->name; f++) {
        size_t n = 0;
        if (strcmp(f->kind, kl_file_kind(file)) != 0 || kl_figure_obstacle(why, f, &inputs, NULL) ||
            !*why)
            continue;
        for (int k = KL_PNG; k <= KL_SVG; k++) {
            name_in_folder(path, run, f->name, (enum kl_figure_format)k);
            if (access(path, F_OK) == 0 && !is_drawn(run, path)) memcpy(there[n++], path, sizeof path);
        }
        if (n)
            kl_note(&run->log, 1, "%s%s%s: older, not drawn this time: %s", there[0],
                    n > 1 ? " and " : "", n > 1 ? there[1] : "", why);
    }
}

static int check_output(struct run *run, size_t n, struct kl_error *err)
{
    const char *output = run->v.common.output;
    if (strcmp(output, "-") == 0)
        return kl_fail(err, KL_EUSAGE, "-o -: figures go to a folder or a file; name one");
    int code = refuse_format(output, err);
    if (code) return code;
    run->single = ends_with(output, ".png") || ends_with(output, ".svg");
    if (run->single && (n != 1 || takes_all(run)))
        return kl_fail(
            err, KL_EUSAGE,
            "%s: one file takes one figure of one input; say which with --figure, or give a folder "
            "(--format both, png or svg)",
            output);
    return KL_OK;
}

static int draw_figures(struct run *run, struct kl_error *err)
{
    const char *output = run->v.common.output;
    int code = KL_OK;
    if (!run->single && mkdir(output, 0777) != 0 && errno != EEXIST)
        code = kl_fail_errno(err, KL_EIO, "%s: the folder cannot be made", output);
    if (!code) code = draw_all(run, err);
    for (size_t i = 0; !code && takes_all(run) && i < run->n_files; i++) note_left(run, run->files[i]);
    return code;
}

static int work(struct run *run, const char *const *files, size_t n, struct kl_error *err)
{
    const char *output = run->v.common.output;
    if (!n || (!output && !run->v.report))
        return kl_fail(err, KL_EUSAGE, "expected: figures FILE.h5... -o FOLDER; see --help");
    int code = output ? check_output(run, n, err) : KL_OK;
    if (!code) code = open_files(run, files, n, err);
    if (!code && output) code = choose_figures(run, err);
    if (!code) code = check_targets(run, files, n, err);
    if (!code) code = check_images(run, err);
    if (!code && output) code = draw_figures(run, err);
    const struct kl_figure_inputs inputs = inputs_of(run, NULL);
    if (!code && run->v.report)
        code = kl_page_write(&run->page_written, run->v.report, run->files, n, &inputs, err);
    return code;
}

static void say_written(const char *output, size_t written, const char *what)
{
    if (!written) printf("%s: up to date\n", output);
    else printf("%s: %s\n", output, what);
}

static int summarise(const struct run *run, struct kl_error *err)
{
    const char *output = run->v.common.output, *report = run->v.report;
    const struct kl_json_pair pairs[] = { { "output", KL_JSON_TEXT, output ? output : "", 0 },
                                          { "figures", KL_JSON_COUNT, NULL, (double)run->n },
                                          { "written", KL_JSON_COUNT, NULL, (double)run->written },
                                          { "report", KL_JSON_TEXT, report ? report : "", 0 },
                                          { "report_written", KL_JSON_BOOL, NULL, run->page_written } };
    const size_t n = sizeof pairs / sizeof *pairs - (report ? 0 : 2);
    char what[80];
    if (run->v.common.json) return kl_json_line(stdout, pairs, n, err);
    if (run->v.common.quiet) return KL_OK;
    snprintf(what, sizeof what, "%zu figure%s, %zu written", run->n, kl_s(run->n), run->written);
    if (output) say_written(output, run->written, what);
    snprintf(what, sizeof what, "a page of %zu file%s", run->n_files, kl_s(run->n_files));
    if (report) say_written(report, run->page_written, what);
    return KL_OK;
}

int main(int argc, char **argv)
{
    struct kl_error err = { 0 };
    struct run run = { .v = { .figure = "all", .format = "both" }, .log = { tool.name, stderr, 1 } };
    const char **files = NULL;
    size_t n = 0;
    signal(SIGXFSZ, SIG_IGN); /* a write beyond `ulimit -f` then fails with a reason */
    int code = kl_options_parse(&tool, &run.v, argc, argv, &files, &n, &err);
    if (code) return kl_report(&run.log, &err);
    if (kl_options_answer(&tool, &run.v, stdout)) {
        free(files);
        return kl_finish(&run.log, 0);
    }
    run.log.level = run.v.common.quiet ? 0 : run.v.common.verbose ? 2 : 1;
    code = work(&run, files, n, &err);
    for (size_t i = 0; i < run.n_files; i++) kl_file_close(&run.files[i]);
    free(run.files);
    free(run.drawings);
    free(files);
    if (!code) code = summarise(&run, &err);
    return kl_finish(&run.log, code ? kl_report(&run.log, &err) : 0);
}
