/* SPDX-License-Identifier: MIT
   figures: PNG, SVG and PDF of heads, reports and features; all of them on one page of HTML. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plot/drawings.h"
#include "store/mode.h"

struct values {
    struct kl_common common;
    const char *figure, *format, *images, *report, *found, *width, *font;
    double font_size;
    int64_t replica;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "figure", 0, KL_OPT_CHOICE, AT(figure),
      "all|curves|circuit|confusion|calibration|samples|pca|sweep|plateau|frequency|bit-tests|"
      "transitions|symbols|learning|classifiers|configurations|gan|tournament|synthetic|validation|"
      "pulse|bloch|filter-function|landscape|starts|meta-learning|adaptation|tasks|"
      "traces|ranks|autocorrelation|acceptance|bounds|windows|spectra|erd|topography|people|importance|"
      "scaling",
      0, 0, true, "which", "Figures", NULL },
    { "format", 0, KL_OPT_CHOICE, AT(format), "both|png|svg|pdf|all", 0, 0, true, "both: PNG and SVG",
      NULL, NULL },
    { "width", 0, KL_OPT_STRING, AT(width), "86mm", 0, 0, true,
      "of a picture (mm, cm, in, pt); below 120mm one column", NULL, NULL },
    { "font", 0, KL_OPT_STRING, AT(font), "FAMILY", 0, 0, true, "of all text", NULL, NULL },
    { "font-size", 0, KL_OPT_FLOAT, AT(font_size), "PT", 0, 14, true,
      "of the axes' names; 0: 8, scaled with --width", NULL, NULL },
    { "images", 0, KL_OPT_STRING, AT(images), "IMAGES", 0, 0, false,
      "samples: what the report's features were made from (several: A,B)", NULL, NULL },
    { "replica", 0, KL_OPT_INT, AT(replica), "K", 0, 1e6, true, "of a report: which of several heads",
      NULL, NULL },
    { "report", 0, KL_OPT_STRING, AT(report), "PAGE.html", 0, 0, false,
      "one page of all, which needs nothing beside it", NULL, NULL },
    { "found", 0, KL_OPT_STRING, AT(found), "FILE", 0, 0, false,
      "of a page: what was found, in lines of one's own, in place of the tools'", NULL, NULL },
    { "output", 'o', KL_OPT_STRING, AT(common.output), "PATH", 0, 0, false,
      "a folder, or FIGURE.png, .svg or .pdf for one figure", NULL, NULL },
    { "force", 'f', KL_OPT_FLAG, AT(common.force), NULL, 0, 0, false, "replace what is no picture, too",
      NULL, NULL },
};
static const struct kl_tool tool = {
    .name = "figures",
    .summary = "Draws what the other tools wrote: heads, reports, features, sweeps, plateau scans, "
               "device bits, "
               "generators, tournaments, pulses, policies, chains, bounds, windows, models of "
               "sequences; --report "
               "makes one page of them all",
    .arguments = "FILE.h5... -o FOLDER|FIGURE.png|.svg|.pdf",
    .example = "figures head.h5 report.h5 -o figures\n  figures head.h5 --figure curves -o curves.svg\n"
               "  figures head.h5 report.h5 --report run.html",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key seed threads note no-provenance progress",
};

struct run {
    const struct values *v;
    const struct kl_log *log;
    FILE *out;
    struct kl_file **files; /* [n_files], open */
    size_t n_files;
    struct kl_drawings drawings;
    char *found; /* text of --found; NULL: not given */
    bool page_written;
};

static bool is_hdf5(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool is = fd >= 0 && kl_store_is_hdf5(fd);
    if (fd >= 0) close(fd);
    return is;
}

static int open_files(struct run *run, const char *const *paths, size_t n, struct kl_error *err)
{
    int code = KL_OK;
    if (!(run->files = calloc(n, sizeof *run->files)))
        return kl_fail_memory(err, n * sizeof *run->files);
    for (size_t i = 0; i < n && !code; i++) {
        code = kl_store_file_open(&run->files[i], paths[i], err);
        if (code == KL_EDATA && !is_hdf5(paths[i])) {
            const struct kl_error why = *err;
            code = kl_fail(err, code, "%s; figures draws files that ketline's tools wrote", why.text);
        }
        run->n_files += !code;
        if (!code) code = kl_store_file_check_once(run->files[i], err);
    }
    return code;
}

static bool is_stream(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static int check_target(const struct run *run, const char *const *inputs, size_t n, struct kl_error *err)
{
    const bool force = run->v->common.force;
    int code = KL_OK;
    if (run->v->report && !is_stream(run->v->report)) {
        code = kl_store_target_no_input(run->v->report, inputs, n, err);
        if (!code) code = kl_store_place_check(run->v->report, err);
        if (!code)
            code =
                kl_store_target_check_bytes(run->v->report, 0, "<!DOCTYPE html>", force, inputs, n, err);
    }
    if (!code && run->v->common.output)
        code = kl_store_target_no_input(run->v->common.output, inputs, n, err);
    return code ? code : kl_plot_drawings_check(&run->drawings, force, inputs, n, err);
}

/* No input, which may be a folder of images, is written over, and nothing but pictures and pages unless
   --force. */
static int check_targets(const struct run *run, const char *const *paths, size_t n, struct kl_error *err)
{
    struct kl_sample_paths images = { 0 };
    const char **inputs = NULL;
    int code = run->v->images ? kl_plot_sample_paths_split(&images, run->v->images, err) : KL_OK;
    const size_t all = n + images.n + (run->v->common.config != NULL);
    if (!code && !(inputs = malloc(all * sizeof *inputs)))
        code = kl_fail_memory(err, all * sizeof *inputs);
    if (!code) {
        memcpy(inputs, paths, n * sizeof *inputs);
        memcpy(inputs + n, images.paths, images.n * sizeof *inputs);
        if (run->v->common.config) inputs[all - 1] = run->v->common.config;
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
    for (size_t i = 0; i < run->n_files && !code && run->v->images; i++) {
        const struct kl_figure_inputs inputs = { .file = run->files[i],
                                                 .images = run->v->images,
                                                 .replica = run->v->replica };
        bool known = true;
        for (const struct kl_figure *f = kl_figures; f->name && !code; f++)
            if (f->needs_images && strcmp(f->kind, kl_store_file_kind(inputs.file)) == 0 &&
                (run->v->report || strcmp(run->v->figure, "all") == 0 ||
                 strcmp(f->name, run->v->figure) == 0))
                code = kl_plot_sample_images_check(&known, &inputs, err);
        if (!code && !known)
            kl_note(run->log, 1,
                    "%s: holds no record of its features; whether they were made from --images %s "
                    "cannot be checked",
                    kl_store_file_path(inputs.file), inputs.images);
    }
    return code;
}

/* The page has the same lines. */
static int say_apart(const struct run *run, struct kl_error *err)
{
    char *lines, *rest = NULL;
    const int code = kl_plot_files_apart(&lines, run->files, run->n_files, err);
    for (char *line = lines ? strtok_r(lines, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        kl_note(run->log, 1, "%s", line);
    free(lines);
    return code;
}

/* "86mm" into points; NULL: 0. KL_EUSAGE. */
static int read_width(double *points, const char *text, struct kl_error *err)
{
    static const struct {
        const char *name;
        double points;
    } units[] = { { "mm", 72 / 25.4 }, { "cm", 720 / 25.4 }, { "in", 72 }, { "pt", 1 } };
    char *end = NULL;
    const double number = text ? strtod(text, &end) : 0;
    *points = 0;
    while (end && *end == ' ') end++;
    for (size_t i = 0; end && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0) *points = number * units[i].points;
    if (text && !(*points >= 70 && *points <= 3000))
        return kl_fail(err, KL_EUSAGE,
                       "--width: found '%s', expected a length of 25mm to 1000mm, as 86mm", text);
    return KL_OK;
}

static int read_look(struct kl_figure_look *look, const struct values *v, const struct kl_log *log,
                     struct kl_error *err)
{
    *look = (struct kl_figure_look){ .size = v->font_size, .font = v->font };
    if (v->font && !kl_plot_has_font(v->font))
        kl_note(
            log, 1,
            "--font: '%s' is as wide as this machine's default; if fc-list : family does not name it, "
            "it is not here",
            v->font);
    return read_width(&look->width, v->width, err);
}

/* Options that would change nothing of what is drawn. */
static int check_idle(const struct run *run, struct kl_error *err)
{
    const struct values usual = { .figure = "all", .format = "both" };
    static const char none[] = "is of a report, and none of these files is one";
    bool report = false, replicas = false;
    for (size_t i = 0; i < run->n_files; i++) {
        report |= strcmp(kl_store_file_kind(run->files[i]), "report") == 0;
        replicas |= strcmp(kl_store_file_kind(run->files[i]), "sequence-report") == 0;
    }
    int code = report ? KL_OK : kl_options_refuse(&tool, run->v, &usual, "images", none, err);
    if (!code && !report && !replicas)
        code = kl_options_refuse(&tool, run->v, &usual, "replica", none, err);
    if (!code && (run->drawings.single || !run->v->common.output))
        code = kl_options_refuse(&tool, run->v, &usual, "format",
                                 "is of a folder of figures; leave it out", err);
    if (!code && !run->v->report)
        code = kl_options_refuse(&tool, run->v, &usual, "found", "is of a page; give --report", err);
    if (!code && !run->v->common.output)
        code = kl_options_refuse(&tool, run->v, &usual, "figure width font font-size",
                                 "is of -o; the page has all figures as they are", err);
    return code;
}

static int work(struct run *run, const char *const *files, size_t n, struct kl_error *err)
{
    const struct values *v = run->v;
    const bool draws = v->common.output != NULL;
    char lacking[KL_CHARACTER] = "";
    size_t n_found;
    struct kl_figure_inputs inputs = { .images = v->images, .replica = v->replica };
    struct kl_drawings *d = &run->drawings;
    *d = (struct kl_drawings){ v->common.output, v->figure, v->format, inputs, run->log, .n_files = n };
    int code = read_look(&d->inputs.look, v, run->log, err);
    if (!code && v->found)
        code = kl_read_text(&run->found, &n_found, v->found, 1 << 16, "lines of text", err);
    if (!code && draws) code = kl_plot_drawings_place(d, err);
    if (!code && v->found && !run->found[strspn(run->found, " \t\r\n")])
        code = kl_fail(err, KL_EDATA, "%s: holds no line of text", v->found);
    if (!code) code = open_files(run, files, n, err);
    d->files = run->files;
    if (!code) code = check_idle(run, err);
    if (!code && draws) code = kl_plot_drawings_choose(d, err);
    if (!code) code = check_targets(run, files, n, err);
    if (!code) code = check_images(run, err);
    if (!code) code = say_apart(run, err);
    if (!code && draws) code = kl_plot_drawings_write(d, err);
    inputs.lacking = lacking;
    if (!code && v->report)
        code =
            kl_plot_page_write(&run->page_written, v->report, run->files, n, run->found, &inputs, err);
    if (!code && *lacking)
        kl_note(run->log, 1, "%s: the font has no %s, drawn as a box", v->report, lacking);
    return code;
}

static void say_written(FILE *to, const char *output, size_t written, const char *what)
{
    if (!written) fprintf(to, "%s: up to date\n", output);
    else fprintf(to, "%s: %s\n", output, what);
}

static int summarise(const struct run *run, struct kl_error *err)
{
    const char *output = run->v->common.output, *report = run->v->report;
    const struct kl_drawings *d = &run->drawings;
    const struct kl_json_pair pairs[] = { { "output", KL_JSON_TEXT, output ? output : "", 0 },
                                          { "figures", KL_JSON_COUNT, NULL, (double)d->n_figures },
                                          { "files", KL_JSON_COUNT, NULL, (double)d->n },
                                          { "written", KL_JSON_COUNT, NULL, (double)d->written },
                                          { "report", KL_JSON_TEXT, report ? report : "", 0 },
                                          { "report_written", KL_JSON_BOOL, NULL, run->page_written } };
    const size_t n = sizeof pairs / sizeof *pairs - (report ? 0 : 2);
    char what[80];
    FILE *to = is_stream(report) ? stderr : run->out; /* behind a page there are no words */
    if (run->v->common.json) return kl_json_line(to, pairs, n, err);
    if (run->v->common.quiet) return KL_OK;
    snprintf(what, sizeof what, "%zu figure%s in %zu file%s, %zu written", d->n_figures,
             kl_s(d->n_figures), d->n, kl_s(d->n), d->written);
    if (output) say_written(to, output, d->written, what);
    snprintf(what, sizeof what, "a page of %zu file%s", run->n_files, kl_s(run->n_files));
    if (report) say_written(to, report, run->page_written, what);
    return KL_OK;
}

static int draw(struct kl_mode_run *mode, struct kl_error *err)
{
    struct run run = { .v = mode->values, .log = mode->stage.log, .out = mode->out };
    int code = work(&run, mode->stage.inputs, mode->stage.n_inputs, err);
    if (!code) code = summarise(&run, err);
    for (size_t i = 0; i < run.n_files; i++) kl_store_file_close(&run.files[i]);
    free(run.files), free(run.found);
    kl_plot_drawings_free(&run.drawings);
    return code;
}

static void defaults(void *values)
{
    *(struct values *)values = (struct values){ .figure = "all", .format = "both" };
}

static bool has_output(const void *values)
{
    return !((const struct values *)values)->report;
}

int main(int argc, char **argv)
{
    static const struct kl_mode figures = {
        .tool = &tool, .defaults = defaults, .run = draw, .has_output = has_output, .keeps_nothing = true
    };
    return kl_store_mode_main(&figures, argc, argv, stdout, stderr);
}
