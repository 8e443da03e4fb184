/* SPDX-License-Identifier: MIT
   figures: PNG and SVG of heads, reports and features. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plot/plot.h"
#include "store/store.h"

struct values {
    struct kl_common common;
    const char *figure, *format, *images;
    int64_t replica;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "figure", 0, KL_OPT_CHOICE, AT(figure),
      "all|curves|circuit|confusion|calibration|samples|pca|sweep|plateau", 0, 0, true, "which",
      "Figures", NULL },
    { "format", 0, KL_OPT_CHOICE, AT(format), "both|png|svg", 0, 0, true, "of the files in a folder",
      NULL, NULL },
    { "images", 0, KL_OPT_STRING, AT(images), "IMAGES", 0, 0, false,
      "samples: what the report's features were made from (several: A,B)", NULL, NULL },
    { "replica", 0, KL_OPT_INT, AT(replica), "K", 0, 1e6, true, "of a report: which of several heads",
      NULL, NULL },
};
static const struct kl_tool tool = {
    "figures",
    "Draws heads (curves, circuit), reports (confusion, calibration, samples), features (pca), "
    "sweeps and plateau scans",
    "FILE.h5... -o FOLDER|FIGURE.png|FIGURE.svg",
    "figures head.h5 report.h5 -o figures\n  figures head.h5 --figure curves -o curves.svg",
    options,
    sizeof options / sizeof *options,
    sizeof(struct values),
    "store force dry-run key seed threads device note no-provenance progress"
};

struct run {
    struct values v;
    struct kl_log log;
    size_t drawn, written;
};

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

static int draw_one(struct run *run, const struct kl_figure *figure,
                    const struct kl_figure_inputs *inputs, enum kl_figure_format format,
                    const char *path, struct kl_error *err)
{
    bool written;
    int code = kl_figure_write(&written, figure, inputs, format, path, err);
    if (code) return code;
    run->drawn++;
    run->written += written;
    kl_note(&run->log, 2, "%s: %s", path, written ? "written" : "up to date");
    return KL_OK;
}

/* Into a folder, as NAME.png and NAME.svg. */
static int draw_into(struct run *run, const struct kl_figure *figure,
                     const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    char path[4096];
    static const char *const ends[] = { [KL_PNG] = "png", [KL_SVG] = "svg" };
    for (int f = KL_PNG; f <= KL_SVG; f++) {
        if (strcmp(run->v.format, "both") != 0 && strcmp(run->v.format, ends[f]) != 0) continue;
        snprintf(path, sizeof path, "%.4000s/%s.%s", run->v.common.output, figure->name, ends[f]);
        int code = draw_one(run, figure, inputs, (enum kl_figure_format)f, path, err);
        if (code) return code;
    }
    return KL_OK;
}

/* Pictures under the labels of others look right: the images must be those of the report. */
static int check_images(const struct run *run, const struct kl_figure_inputs *inputs,
                        struct kl_error *err)
{
    bool known;
    int code = kl_sample_images_check(&known, inputs, err);
    if (!code && !known)
        kl_note(&run->log, 1,
                "%s: holds no record of its features; whether they were made from --images %s cannot be "
                "checked",
                kl_file_path(inputs->file), inputs->images);
    return code;
}

static int draw_file(struct run *run, const char *path, bool single, struct kl_error *err)
{
    struct kl_file *file = NULL;
    size_t before = run->drawn;
    int code = kl_file_open(&file, path, err);
    for (const struct kl_figure *f = kl_figures; !code && f->name; f++) {
        struct kl_figure_inputs inputs = { .file = file,
                                           .images = run->v.images,
                                           .replica = run->v.replica };
        bool all = strcmp(run->v.figure, "all") == 0;
        if (strcmp(f->kind, kl_file_kind(file)) != 0 || (!all && strcmp(f->name, run->v.figure) != 0))
            continue;
        if (all && f->dataset && !kl_file_find(file, f->dataset))
            continue; /* a head trained elsewhere */
        if (f->needs_images && !run->v.images) {
            if (!all) code = kl_fail(err, KL_EUSAGE, "figure %s needs --images", f->name);
            continue;
        }
        if (f->needs_images && (code = check_images(run, &inputs, err))) break;
        if (single)
            code = draw_one(run, f, &inputs, ends_with(run->v.common.output, ".svg") ? KL_SVG : KL_PNG,
                            run->v.common.output, err);
        else code = draw_into(run, f, &inputs, err);
    }
    if (!code && run->drawn == before)
        kl_note(&run->log, 1, "%s: no figure of a file of kind %s was asked for", path,
                kl_file_kind(file));
    kl_file_close(&file);
    return code;
}

static int work(struct run *run, const char *const *files, size_t n, struct kl_error *err)
{
    const char *output = run->v.common.output;
    if (!n || !output)
        return kl_fail(err, KL_EUSAGE, "expected: figures FILE.h5... -o FOLDER; see --help");
    if (strcmp(output, "-") == 0)
        return kl_fail(err, KL_EUSAGE, "-o -: figures go to a folder or a file; name one");
    int code = refuse_format(output, err);
    if (code) return code;
    bool single = ends_with(output, ".png") || ends_with(output, ".svg");
    if (single && (n != 1 || strcmp(run->v.figure, "all") == 0))
        return kl_fail(
            err, KL_EUSAGE,
            "%s: one file takes one figure of one input; say which with --figure, or give a folder "
            "(--format both, png or svg)",
            output);
    if (!single && mkdir(output, 0777) != 0 && errno != EEXIST)
        return kl_fail_errno(err, KL_EIO, "%s: the folder cannot be made", output);
    for (size_t i = 0; !code && i < n; i++) code = draw_file(run, files[i], single, err);
    if (!code && !run->drawn) return kl_fail(err, KL_EUSAGE, "nothing was drawn");
    return code;
}

static int summarise(const struct run *run, struct kl_error *err)
{
    const char *output = run->v.common.output;
    const struct kl_json_pair pairs[] = { { "output", KL_JSON_TEXT, output, 0 },
                                          { "figures", KL_JSON_COUNT, NULL, (double)run->drawn },
                                          { "written", KL_JSON_COUNT, NULL, (double)run->written } };
    if (run->v.common.json) return kl_json_line(stdout, pairs, sizeof pairs / sizeof *pairs, err);
    if (run->v.common.quiet) return KL_OK;
    if (!run->written) printf("%s: up to date\n", output);
    else printf("%s: %zu figure%s, %zu written\n", output, run->drawn, kl_s(run->drawn), run->written);
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
    free(files);
    if (!code) code = summarise(&run, &err);
    return kl_finish(&run.log, code ? kl_report(&run.log, &err) : 0);
}
