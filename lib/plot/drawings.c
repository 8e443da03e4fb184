/* SPDX-License-Identifier: MIT
   Figures of several files into a folder, or one figure into one file. */
#include "plot/drawings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"

struct kl_drawing {
    const struct kl_figure *figure;
    struct kl_file *file;
    enum kl_figure_format format;
    char path[4200];
};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcasecmp(text + n - m, end) == 0;
}

#define HOW "end the name in .png, .svg or .pdf, or name a folder (--format both, png, svg, pdf or all)"

/* A name like that of a picture in a format that is not written here: surely no folder is meant. */
static int refuse_format(const char *output, struct kl_error *err)
{
    static const char *const ends[] = { ".ps",  ".eps",  ".jpg", ".jpeg", ".gif", ".tif",
                                        ".bmp", ".tiff", ".emf", ".svgz", ".webp" };
    struct stat st;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(output, ends[i]) && (stat(output, &st) != 0 || !S_ISDIR(st.st_mode)))
            return kl_fail(err, KL_EUSAGE, "%s: figures are PNG, SVG or PDF, not %s; " HOW, output,
                           ends[i] + 1);
    return KL_OK;
}

static bool takes_all(const struct kl_drawings *d)
{
    return strcmp(d->figure, "all") == 0;
}

static struct kl_figure_inputs inputs_of(const struct kl_drawings *d, struct kl_file *file)
{
    struct kl_figure_inputs inputs = d->inputs;
    inputs.file = file, inputs.files = d->files, inputs.n_files = d->n_files;
    return inputs;
}

/* Does a file give a figure of this name, by its kind? */
static bool gives(const struct kl_drawings *d, struct kl_file *file, const char *name)
{
    const struct kl_figure_inputs inputs = inputs_of(d, file);
    for (const struct kl_figure *f = kl_figures; f->name; f++)
        if (strcmp(f->name, name) == 0 && kl_plot_figure_takes(f, &inputs)) return true;
    return false;
}

static const char *base_of(const struct kl_file *file)
{
    const char *path = kl_store_file_path(file), *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "out/pca.png"; where several files give this figure, "out/pca-train.png" of train.h5, and of files
   that are called alike in different folders "out/pca-a-train.png". */
static void name_in_folder(char path[4200], const struct kl_drawings *d, const char *name,
                           struct kl_file *file, enum kl_figure_format format)
{
    bool several = false, alike = false;
    for (size_t i = 0; i < d->n_files; i++) {
        if (d->files[i] == file || !gives(d, d->files[i], name)) continue;
        several = true;
        alike |= strcmp(base_of(d->files[i]), base_of(file)) == 0;
    }
    const char *whose = alike ? kl_store_file_path(file) : base_of(file);
    whose += strspn(whose, "./");
    const size_t n = strlen(whose), stem = ends_with(whose, ".h5") ? n - 3 : n;
    const int length = snprintf(path, 4200, "%.3900s/%s", d->output, name);
    int end = length;
    if (several) end += snprintf(path + length, 220, "-%.*s", (int)(stem < 200 ? stem : 200), whose);
    for (char *c = path + length; c < path + end; c++)
        if (*c == '/') *c = '-';
    snprintf(path + end, 8, ".%s", kl_plot_formats[format]);
}

/* A figure that takes several files of this kind; "": there is none. */
static const char *figure_of_several(const struct kl_file *file)
{
    for (const struct kl_figure *f = kl_figures; f->name; f++)
        if (f->beside && strcmp(f->kind, f->beside) == 0 &&
            strcmp(f->kind, kl_store_file_kind(file)) == 0)
            return f->name;
    return "";
}

/* Two files of a kind would leave one figure of the two in one file. */
static int check_alone(const struct kl_drawings *d, const struct kl_drawing *one, struct kl_error *err)
{
    const char *several = figure_of_several(one->file);
    for (const struct kl_drawing *other = d->list; other < one; other++)
        if (strcmp(other->path, one->path) == 0)
            return kl_fail(err, KL_EUSAGE, "%s: both %s and %s give this figure; %s%s%s%s%s%s",
                           one->path, kl_store_file_path(other->file), kl_store_file_path(one->file),
                           d->single ? "give a folder" : "name the file once",
                           *several ? ", or one figure of all: --figure " : "", several,
                           *several ? " -o " : "", several, *several ? ".png" : "");
    return KL_OK;
}

static int add(struct kl_drawings *d, const struct kl_figure *figure, struct kl_file *file,
               enum kl_figure_format format, struct kl_error *err)
{
    const size_t bytes = (d->n + 1) * sizeof *d->list;
    struct kl_drawing *more = realloc(d->list, bytes);
    if (!more) return kl_fail_memory(err, bytes);
    d->list = more;
    struct kl_drawing *one = &more[d->n];
    *one = (struct kl_drawing){ .figure = figure, .file = file, .format = format };
    if (d->single) snprintf(one->path, sizeof one->path, "%.4000s", d->output);
    else name_in_folder(one->path, d, figure->name, file, format);
    int code = check_alone(d, one, err);
    d->n++;
    d->n_figures += d->n == 1 || one[-1].figure != figure || one[-1].file != file;
    return code;
}

static int add_formats(struct kl_drawings *d, const struct kl_figure *figure, struct kl_file *file,
                       struct kl_error *err)
{
    int code = KL_OK;
    const bool all = strcmp(d->format, "all") == 0, both = strcmp(d->format, "both") == 0;
    if (d->single) return add(d, figure, file, kl_plot_format_of(d->output), err);
    for (int f = KL_PNG; f < KL_N_FORMATS && !code; f++)
        if (all || (both && f != KL_PDF) || strcmp(d->format, kl_plot_formats[f]) == 0)
            code = add(d, figure, file, (enum kl_figure_format)f, err);
    return code;
}

/* Of a kind that a figure which was asked for, or one that is drawn, takes beside its own. */
static bool stands_beside(const struct kl_drawings *d, const struct kl_file *file)
{
    for (const struct kl_drawing *one = d->list; one < d->list + d->n; one++)
        if (one->figure->beside && strcmp(one->figure->beside, kl_store_file_kind(file)) == 0)
            return true;
    for (const struct kl_figure *f = kl_figures; f->name; f++)
        if (f->beside && strcmp(f->beside, kl_store_file_kind(file)) == 0 &&
            strcmp(f->name, d->figure) == 0)
            return true;
    return false;
}

/* List the figures of a file of which none was asked for. */
static void note_others(const struct kl_drawings *d, const struct kl_file *file)
{
    char names[160] = "";
    size_t used = 0;
    for (const struct kl_figure *f = kl_figures; f->name; f++)
        if (strcmp(f->kind, kl_store_file_kind(file)) == 0 && used < sizeof names)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", f->name);
    if (used)
        kl_note(d->log, 1, "%s: holds '%s'; its figures: %s", kl_store_file_path(file),
                kl_store_file_kind(file), names);
    else
        kl_note(d->log, 1, "%s: holds '%s', which has no figures; --report PAGE.html makes a page of it",
                kl_store_file_path(file), kl_store_file_kind(file));
}

static int add_file(struct kl_drawings *d, struct kl_file *file, struct kl_error *err)
{
    char why[KL_OBSTACLE] = "", left_out[KL_OBSTACLE] = "";
    int code = KL_OK;
    const size_t before = d->n;
    const struct kl_figure_inputs inputs = inputs_of(d, file);
    for (const struct kl_figure *f = kl_figures; !code && f->name; f++) {
        if (!kl_plot_figure_takes(f, &inputs)) continue;
        if (!takes_all(d) && strcmp(f->name, d->figure) != 0) continue;
        code = kl_plot_figure_obstacle(why, f, &inputs, err);
        if (*why) memcpy(left_out, why, sizeof why);
        if (!code && *why && !takes_all(d))
            code = f->needs_images ? kl_fail(err, KL_EUSAGE, "figure %s %s", f->name, why)
                                   : kl_fail(err, KL_EDATA, "%s", why);
        if (!code && !*why) code = add_formats(d, f, file, err);
    }
    if (!code && d->n == before && *left_out) kl_note(d->log, 1, "%s", left_out);
    else if (!code && d->n == before && !stands_beside(d, file)) note_others(d, file);
    return code;
}

/* Text that has become too small, or smaller than was asked for. */
static void note_size(const struct kl_drawings *d, const char *path, double label, double least)
{
    const double asked = d->inputs.look.size, width = d->inputs.look.width;
    if (asked > 0 && fabs(label - asked) > 0.5)
        kl_note(d->log, 1, "%s: its labels have %.1f points; %.1f do not suit this figure at this width",
                path, label, asked);
    else if (width > 0 && least < 5.95)
        kl_note(d->log, 1, "%s: its smallest text has %.1f points; from --width %.0fmm on it has 6",
                path, least, ceil(width * 6 / least * 25.4 / 72));
}

/* "pca of features, key 3f2a...: extract-features ..." */
static int write_about(FILE *to, const struct kl_figure *figure, const struct kl_file *file,
                       struct kl_error *err)
{
    fprintf(to, "%s of %s, key %s: ", figure->name, kl_store_file_kind(file), kl_store_file_key(file));
    return kl_store_write_own_command(to, file, err);
}

/* What a picture says of itself: of each file that it shows the key and the command. Malloc'ed. */
static int make_about(char **about, const struct kl_drawings *d, const struct kl_drawing *one,
                      struct kl_error *err)
{
    size_t size;
    *about = NULL;
    FILE *to = open_memstream(about, &size);
    if (!to) return kl_fail_memory(err, 1024);
    int code = write_about(to, one->figure, one->file, err);
    for (size_t i = 0; i < d->n_files && !code && one->figure->beside; i++)
        if (d->files[i] != one->file &&
            strcmp(kl_store_file_kind(d->files[i]), one->figure->beside) == 0) {
            fputs("; ", to);
            code = write_about(to, one->figure, d->files[i], err);
        }
    if (fclose(to) && !code) code = kl_fail_memory(err, size);
    for (char *c = *about; !code && *c;) { /* of any bytes, as names of files may have */
        const size_t n = kl_plot_text_character(c);
        if (!n) *c = '?';
        c += n ? n : 1;
    }
    return code;
}

static int draw_all(struct kl_drawings *d, struct kl_error *err)
{
    int code = KL_OK;
    char lacking[KL_CHARACTER] = "";
    for (size_t i = 0; i < d->n && !code; i++) {
        const struct kl_drawing *one = &d->list[i];
        struct kl_figure_inputs inputs = inputs_of(d, one->file);
        bool written = false;
        char *about;
        double label = 0, least = 0;
        inputs.label = &label, inputs.least = &least;
        inputs.lacking = *lacking ? NULL : lacking; /* told once */
        code = make_about(&about, d, one, err);
        inputs.about = about;
        if (!code)
            code = kl_plot_figure_write(&written, one->figure, &inputs, one->format, one->path, err);
        free(about);
        d->written += written;
        if (!code) kl_note(d->log, 2, "%s: %s", one->path, written ? "written" : "up to date");
        if (!code) note_size(d, one->path, label, least);
        if (!code && *lacking && inputs.lacking)
            kl_note(d->log, 1, "%s: the font has no %s, drawn as a box", one->path, lacking);
    }
    return code;
}

static bool is_drawn(const struct kl_drawings *d, const char *path)
{
    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->list[i].path, path) == 0) return true;
    return false;
}

/* Of an older run, beside new figures: what was left out, and so is not of these files. */
static void note_left(const struct kl_drawings *d, struct kl_file *file)
{
    char why[KL_OBSTACLE], path[4200], there[4300] = "";
    const struct kl_figure_inputs inputs = inputs_of(d, file);
    for (const struct kl_figure *f = kl_figures; f->name; f++) {
        size_t n = 0;
        if (!kl_plot_figure_takes(f, &inputs) || kl_plot_figure_obstacle(why, f, &inputs, NULL) || !*why)
            continue;
        for (int k = KL_PNG; k < KL_N_FORMATS; k++) {
            name_in_folder(path, d, f->name, file, (enum kl_figure_format)k);
            if (access(path, F_OK) != 0 || is_drawn(d, path)) continue;
            n += (size_t)snprintf(there + n, sizeof there - n, "%s%s", n ? ", " : "",
                                  n ? strrchr(path, '/') + 1 : path);
        }
        if (n) kl_note(d->log, 1, "%s: older, not drawn this time: %s", there, why);
    }
}

int kl_plot_drawings_place(struct kl_drawings *d, struct kl_error *err)
{
    const char *output = d->output;
    struct stat st;
    if (strcmp(output, "-") == 0)
        return kl_fail(err, KL_EUSAGE, "-o -: figures go to a folder or a file; name one");
    int code = refuse_format(output, err);
    if (code) return code;
    d->single = kl_plot_format_of(output) != KL_N_FORMATS;
    if (!d->single && stat(output, &st) == 0 && !S_ISDIR(st.st_mode))
        return kl_fail(err, KL_EUSAGE, "%s: is a file, and no figure by its name; " HOW, output);
    if (d->single && takes_all(d))
        return kl_fail(err, KL_EUSAGE,
                       "%s: one file takes one figure; say which with --figure, or name a folder "
                       "(--format both, png, svg, pdf or all)",
                       output);
    return KL_OK;
}

int kl_plot_drawings_choose(struct kl_drawings *d, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < d->n_files && !code; i++) code = add_file(d, d->files[i], err);
    return !code && !d->n ? kl_fail(err, KL_EUSAGE, "nothing was drawn") : code;
}

int kl_plot_drawings_check(const struct kl_drawings *d, bool force, const char *const *inputs, size_t n,
                           struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < d->n && !code; i++)
        code = kl_plot_figure_target_check(d->list[i].path, d->list[i].format, force, inputs, n, err);
    return code;
}

int kl_plot_drawings_write(struct kl_drawings *d, struct kl_error *err)
{
    int code = KL_OK;
    if (!d->single && mkdir(d->output, 0777) != 0 && errno != EEXIST)
        code = kl_fail_errno(err, KL_EIO, "%s: the folder cannot be made", d->output);
    if (!code) code = draw_all(d, err);
    for (size_t i = 0; !code && takes_all(d) && i < d->n_files; i++) note_left(d, d->files[i]);
    return code;
}

void kl_plot_drawings_free(struct kl_drawings *d)
{
    free(d->list);
}
