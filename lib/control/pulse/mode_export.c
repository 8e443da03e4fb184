/* SPDX-License-Identifier: MIT
   `qcontrol export`: a pulse as a file that hardware plays, read again and scored; `qcontrol score`:
   such a file, or a pulse itself, scored alone, where it was made for or at other values. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/pulse/export.h"
#include "control/pulse/pulse.h"
#include "store/mode.h"
#include "store/store.h"

struct values {
    struct kl_common common;
    struct kl_control_hardware hardware;
    struct kl_control_distortion distortion;
    const char *format, *pulse, *unit, *set;
    double tolerate;
    struct kl_quantity tau, full_scale; /* of distortion and hardware */
};
#define AT(field) offsetof(struct values, field)
#define DISTORTION_OPTIONS                                                     \
    { "tau",   0,     KL_OPT_QUANTITY,                                         \
      AT(tau), "T",   -1,                                                      \
      1e9,     false, "of a low pass behind each output; -1: the pulse's own", \
      "Score", NULL },                                                         \
        { "skew",                                                              \
          0,                                                                   \
          KL_OPT_STRING,                                                       \
          AT(distortion.skew),                                                 \
          "T",                                                                 \
          0,                                                                   \
          0,                                                                   \
          false,                                                               \
          "every Q is so late; or y=0.01",                                     \
          NULL,                                                                \
          NULL },                                                              \
        { "amplitude",                                                         \
          0,                                                                   \
          KL_OPT_STRING,                                                       \
          AT(distortion.amplitude),                                            \
          "E",                                                                 \
          0,                                                                   \
          0,                                                                   \
          false,                                                               \
          "outputs are 1 + E times as large; or y=0.02",                       \
          NULL,                                                                \
          NULL },                                                              \
        { "oversample",                                                        \
          0,                                                                   \
          KL_OPT_INT,                                                          \
          AT(distortion.oversample),                                           \
          "N",                                                                 \
          0,                                                                   \
          4096,                                                                \
          false,                                                               \
          "segments of a sample; 0: as many as it needs",                      \
          NULL,                                                                \
          NULL },                                                              \
    {                                                                          \
        "tolerate", 0, KL_OPT_FLOAT, AT(tolerate), "X", 0, 1, false,           \
            "status 1 where the loss rises by more", NULL, NULL                \
    }
static const struct kl_option export_options[] = {
    { "format", 'F', KL_OPT_CHOICE, AT(format), "auto|" KL_CONTROL_FORMATS, 0, 0, false,
      "auto: by .csv, .json, .npy, .qasm", "Hardware", NULL },
    { "rate", 'r', KL_OPT_STRING, AT(hardware.rate), "R", 0, 0, false,
      "1 GS/s, or samples a unit of time; default the pulse's", NULL, NULL },
    { "bits", 'b', KL_OPT_INT, AT(hardware.bits), "N", 0, 24, false, "of a sample; 0: not rounded", NULL,
      NULL },
    { "full-scale", 0, KL_OPT_QUANTITY, AT(full_scale), "U", 0, 1e9, false,
      "H at the largest modulus of a sample; 0: by the limits", NULL, NULL },
    { "if", 0, KL_OPT_STRING, AT(hardware.frequency), "F", 0, 0, false,
      "50 MHz, or cycles a unit of time; one a pair x, y", NULL, NULL },
    { "quadrature", 0, KL_OPT_CHOICE, AT(hardware.quadrature), "auto|plus|minus", 0, 0, false,
      "sign of y in Q; auto: minus with a carrier", NULL, NULL },
    { "unit", 0, KL_OPT_STRING, AT(unit), "T", 0, 0, false,
      "20 ns: a unit of time, where the pulse has none", NULL, NULL },
    { "multiple", 0, KL_OPT_INT, AT(hardware.multiple), "N", 0, 65536, false,
      "of samples, by zeros behind; 0: 1, of qua 4", NULL, NULL },
    { "pad", 0, KL_OPT_INT, AT(hardware.pad), "N", 0, 65536, false, "zeros behind the pulse", NULL,
      NULL },
    DISTORTION_OPTIONS,
};
static const struct kl_option score_options[] = {
    { "pulse", 'p', KL_OPT_STRING, AT(pulse), "PULSE.h5", 0, 0, false, "that the samples are of",
      "Samples", NULL },
    { "set", 0, KL_OPT_LIST, AT(set), "NAME=NUMBER", 0, 0, false,
      "another device: detuning=0.3 T1=50us over the pulse's own", NULL, NULL },
    DISTORTION_OPTIONS,
};
const struct kl_tool kl_control_export_tool = {
    .name = "qcontrol",
    .summary = "Writes a pulse for hardware, reads the file again and says what its samples lose",
    .arguments = "export PULSE.h5 -o FILE",
    .example = "qcontrol export x.h5 --rate 100 --bits 14 -o x.csv\n"
               "  qcontrol export t.h5 --rate '1 GS/s' --if '50 MHz' -F qua -o t.json",
    .options = export_options,
    .n_options = sizeof export_options / sizeof *export_options,
    .values_size = sizeof(struct values),
    .without = "store dry-run key seed threads note no-provenance progress",
    .chosen_by = "export",
};
const struct kl_tool kl_control_score_tool = {
    .name = "qcontrol",
    .summary = "Says what a pulse, or its file by qcontrol export, loses on another device",
    .arguments = "score FILE",
    .example = "qcontrol score x.h5 --set 'detuning=0.1 T1=10' --amplitude 0.03\n"
               "  qcontrol score x.csv --pulse x.h5 --tau 0.01 --skew 0.002 --tolerate 1e-4",
    .options = score_options,
    .n_options = sizeof score_options / sizeof *score_options,
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key seed threads note no-provenance progress",
    .chosen_by = "score",
};

struct work {
    struct kl_mode_run *run;
    const struct values *v;
    const char *name; /* of the file with the samples */
    struct kl_file *file;
    struct kl_control_stored pulse;
    struct kl_control_setup other;     /* the pulse's, with --set; empty without */
    bool is_pulse;                     /* what is scored is the pulse, no file of samples */
    struct kl_control_samples samples; /* as they were read, or those of the pulse */
    struct kl_control_score score;
    unsigned char *bytes;
    size_t n_bytes;
    const char *status; /* "computed", "up to date"; NULL: nothing was written */
};

static void defaults(void *values)
{
    struct values *v = values;
    v->format = "auto", v->hardware.quadrature = "auto";
    v->tau.value = -1, v->tolerate = 1;
}

/* ---- words ---- */
static double increase(const struct work *w, int row)
{
    return w->score.loss[row] - w->score.loss[KL_CONTROL_ROW_DESIGNED];
}

static int tell_json(const struct work *w, FILE *to, struct kl_error *err)
{
    static const char *const formats[] = { "csv", "json", "npy", "openqasm3", "qua" };
    const struct kl_control_samples *s = &w->samples;
    const double *loss = w->score.loss;
    struct kl_json_pair pairs[] = {
        { w->status ? "output" : "file", KL_JSON_TEXT, w->name, 0 },
        { "format", KL_JSON_TEXT, w->is_pulse ? NULL : formats[s->format], 0 },
        { "samples", KL_JSON_COUNT, NULL, s->n },
        { "outputs", KL_JSON_COUNT, NULL, s->n_outputs },
        { "rate", KL_JSON_NUMBER, NULL, s->rate },
        { "bits", KL_JSON_COUNT, NULL, s->bits },
        { "segments", KL_JSON_COUNT, NULL, w->score.segments },
        { "designed", KL_JSON_NUMBER, NULL, loss[KL_CONTROL_ROW_DESIGNED] },
        { "sampled", KL_JSON_NUMBER, NULL, loss[KL_CONTROL_ROW_SAMPLED] },
        { "carrier", KL_JSON_NUMBER, NULL, w->score.carrier },
        { "quantised", KL_JSON_NUMBER, NULL, loss[KL_CONTROL_ROW_QUANTISED] },
        { "low_pass", KL_JSON_NUMBER, NULL, loss[KL_CONTROL_ROW_LOW_PASS] },
        { "skew", KL_JSON_NUMBER, NULL, loss[KL_CONTROL_ROW_SKEW] },
        { "amplitude", KL_JSON_NUMBER, NULL, loss[KL_CONTROL_ROW_AMPLITUDE] },
        { "all", KL_JSON_NUMBER, NULL, loss[KL_CONTROL_ROW_ALL] },
        { "increase", KL_JSON_NUMBER, NULL, increase(w, KL_CONTROL_ROW_ALL) },
        { "tolerated", KL_JSON_BOOL, NULL, increase(w, KL_CONTROL_ROW_ALL) <= w->v->tolerate },
        kl_json_cautions(w->run->stage.log),
        w->status ? (struct kl_json_pair){ "status", KL_JSON_TEXT, w->status, 0 }
                  : (struct kl_json_pair){ "set", KL_JSON_NUMBER, NULL, loss[KL_CONTROL_ROW_SET] },
    };
    return kl_json_line(to, pairs, sizeof pairs / sizeof *pairs, err);
}

/* What was asked for, and a low pass that the pulse was made for; JSON has all. */
static bool is_told(const struct work *w, int row)
{
    const struct kl_control_distortion *d = &w->v->distortion;
    return row == KL_CONTROL_ROW_SAMPLED || row == KL_CONTROL_ROW_QUANTISED ? !w->is_pulse
           : row == KL_CONTROL_ROW_SET                                      ? w->v->set != NULL
           : row == KL_CONTROL_ROW_LOW_PASS                                 ? w->score.low_pass
           : row == KL_CONTROL_ROW_SKEW                                     ? d->skew != NULL
           : row == KL_CONTROL_ROW_AMPLITUDE                                ? d->amplitude != NULL
                                                                            : true;
}

static int tell(const struct work *w, struct kl_error *err)
{
    const struct kl_control_samples *s = &w->samples;
    FILE *to = w->status ? kl_words_to(&w->v->common) : w->run->out;
    if (w->v->common.json) return tell_json(w, to, err);
    if (w->v->common.quiet) return KL_OK;
    fprintf(to, "%s: %d samples of %d outputs, %g a unit of time", w->name, s->n, s->n_outputs, s->rate);
    if (w->is_pulse)
        fprintf(to, ", %s of %s (%s)", w->pulse.setup.target.name, s->system->name,
                w->pulse.setup.objective.name);
    if (s->bits) fprintf(to, ", %d bits", s->bits);
    for (int j = 0; j < s->n_outputs; j++)
        if (s->outputs[j].q >= 0 && s->outputs[j].frequency != 0)
            fprintf(to, ", %s at %g cycles", s->system->controls[s->outputs[j].control].name,
                    s->outputs[j].frequency);
    fprintf(to, "%s%s\n%-10s%13s%13s\n", w->status ? ", " : "", w->status ? w->status : "", "", "loss",
            "increase");
    for (int r = 0; r < KL_CONTROL_ROWS; r++) {
        if (!is_told(w, r)) continue;
        fprintf(to, "%-10s%13.6g", kl_control_row_words((enum kl_control_row)r), w->score.loss[r]);
        if (r) fprintf(to, "%+13.2e", increase(w, r));
        if (r == KL_CONTROL_ROW_SAMPLED && w->score.carrier != 0)
            fprintf(to, ", %+.2e of it by the intermediate frequency", w->score.carrier);
        putc('\n', to);
    }
    return KL_OK;
}

/* What lowers the largest part of a loss: of the file's rows each holds that of the row before. */
static const char *mend(const struct work *w)
{
    static const char *const words[] = { NULL,
                                         "sampled: a higher --rate of export lowers it",
                                         "quantised: more --bits of export lower it",
                                         "low pass: optimize --low-pass makes a pulse for it",
                                         "skew: align the outputs",
                                         "amplitude: optimize --spread amplitude=E makes a pulse for it",
                                         "set: optimize --set makes a pulse for it" };
    const double *loss = w->score.loss;
    int largest = KL_CONTROL_ROW_SAMPLED;
    double most = increase(w, largest);
    for (int r = KL_CONTROL_ROW_QUANTISED; r < KL_CONTROL_ROW_ALL; r++) {
        const double part =
            loss[r] -
            loss[r == KL_CONTROL_ROW_QUANTISED ? KL_CONTROL_ROW_SAMPLED : KL_CONTROL_ROW_QUANTISED];
        if (is_told(w, r) && part > most) most = part, largest = r;
    }
    return words[largest];
}

/* KL_ENO: some of the rows rose too far, which are named. */
static int judge(const struct work *w, struct kl_error *err)
{
    char which[256] = "";
    const double total = increase(w, KL_CONTROL_ROW_ALL);
    if (total <= w->v->tolerate) return KL_OK;
    for (int r = KL_CONTROL_ROW_SAMPLED; r < KL_CONTROL_ROW_ALL; r++) {
        const size_t n = strlen(which);
        if (is_told(w, r) && increase(w, r) > w->v->tolerate)
            snprintf(which + n, sizeof which - n, "%s%s by %.3g", n ? ", " : "",
                     kl_control_row_words((enum kl_control_row)r), increase(w, r));
    }
    return kl_fail(err, KL_ENO, "%s: the loss rises by %.3g, --tolerate %g; %s%s; most is of %s",
                   w->name, total, w->v->tolerate, *which ? "alone " : "none of these alone so far",
                   which, mend(w));
}

/* ---- the work ---- */
static int open_pulse(struct work *w, const char *path, struct kl_error *err)
{
    const int code = kl_store_file_open_kind(&w->file, path, &kl_control_pulse_kind, err);
    return code ? code : kl_control_pulse_load(&w->pulse, w->file, err);
}

/* "H detuning = 1.885 rad/us (0.3 MHz) times Z, made for 0" */
static int note_param(const struct work *w, int j, struct kl_error *err)
{
    char *words = NULL, end[48];
    size_t size;
    FILE *to = open_memstream(&words, &size);
    if (!to) return kl_fail_memory(err, 256);
    snprintf(end, sizeof end, ", made for %.10g", w->pulse.setup.system.params[j].value);
    kl_control_system_write_param(to, &w->other.system, j, end);
    const bool failed = ferror(to) | (fclose(to) != 0);
    if (!failed) kl_note(w->run->stage.log, 1, "%.*s", (int)strcspn(words, "\n"), words);
    free(words);
    return failed ? kl_fail_memory(err, 256) : KL_OK;
}

/* The pulse's problem at the values of --set; what these change is told as it was understood. */
static int take_set(struct work *w, struct kl_error *err)
{
    struct kl_control_options o = w->pulse.options;
    o.over = w->v->set;
    int code = kl_control_setup_make(&w->other, &o, err);
    for (int j = 0; j < w->other.system.n_params && !code; j++)
        if (w->other.system.params[j].value != w->pulse.setup.system.params[j].value)
            code = note_param(w, j, err);
    return code;
}

static int score_samples(struct work *w, struct kl_error *err)
{
    struct kl_control_distortion distortion = w->v->distortion;
    struct kl_quantity tau = w->v->tau;
    int code = kl_control_quantity_take(&tau, KL_CONTROL_TIME, &w->pulse.setup.system, 0, "tau", err);
    distortion.tau = tau.value;
    if (!code && w->v->set) code = take_set(w, err);
    if (w->v->set) distortion.other = &w->other.law;
    return code ? code : kl_control_score_samples(&w->score, &w->pulse, &w->samples, &distortion, err);
}

static int read_and_score(struct work *w, struct kl_error *err)
{
    const int code =
        kl_control_samples_read(&w->samples, &w->pulse.setup.system, w->bytes, w->n_bytes, w->name, err);
    return code ? code : score_samples(w, err);
}

static int take_format(enum kl_control_format *format, const struct values *v, struct kl_error *err)
{
    *format = strcmp(v->format, "auto") != 0
                  ? (enum kl_control_format)kl_choice(KL_CONTROL_FORMATS, v->format)
                  : kl_control_samples_format(v->common.output);
    if (*format != KL_CONTROL_NO_FORMAT) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "%s: its ending says no format, which is .csv, .json, .npy or .qasm; give --format",
                   v->common.output);
}

/* The file's bytes, read again and scored, before anything is written. */
static int make(struct work *w, struct kl_control_hardware *hardware, struct kl_error *err)
{
    struct kl_control_samples made = { 0 };
    struct kl_quantity full_scale = w->v->full_scale;
    int code = kl_control_quantity_take(&full_scale, KL_CONTROL_FREQUENCY, &w->pulse.setup.system, 0,
                                        "full-scale", err);
    hardware->full_scale = full_scale.value;
    if (!code)
        code = kl_control_samples_make(&made, &w->pulse, kl_store_file_content(w->file), hardware, err);
    if (!code) code = kl_control_samples_write(&w->bytes, &w->n_bytes, &made, err);
    kl_control_samples_free(&made);
    return code ? code : read_and_score(w, err);
}

/* ---- a rate that costs too much ---- */
/* Is the loss at the rate, not rounded, a tenth above the pulse's own, and more than rounding? */
static bool is_dear(const struct kl_control_score *s)
{
    const double own = s->loss[KL_CONTROL_ROW_DESIGNED], more = s->loss[KL_CONTROL_ROW_SAMPLED] - own;
    return more > 0.1 * own && more > 1e-9;
}

/* *dear at another rate, in samples a unit of time. */
static int try_rate(bool *dear, struct work *w, const struct kl_control_hardware *hardware, double rate,
                    struct kl_error *err)
{
    const struct kl_control_distortion none = { .tau = -1 };
    struct kl_control_hardware other = *hardware;
    struct kl_control_samples samples = { 0 };
    struct kl_control_score score;
    char text[32];
    snprintf(text, sizeof text, "%.17g", rate);
    other.rate = text, other.bits = other.pad = other.multiple = 0, other.full_scale = 0;
    int code = kl_control_samples_make(&samples, &w->pulse, kl_store_file_content(w->file), &other, err);
    if (!code) code = kl_control_score_samples(&score, &w->pulse, &samples, &none, err);
    if (!code) *dear = is_dear(&score);
    kl_control_samples_free(&samples);
    return code;
}

/* Twice the rate, four times, and so on, and the pulse's own among them: the first that is not dear. */
static int find_rate(double *rate, struct work *w, const struct kl_control_hardware *hardware,
                     struct kl_error *err)
{
    enum { DOUBLINGS = 7 };
    const struct kl_control_setup *setup = &w->pulse.setup;
    const double given = w->samples.rate, most = KL_CONTROL_MOST_SAMPLES / setup->problem.duration / 2,
                 own = (w->pulse.samples ? setup->waveform.samples : setup->problem.segments) /
                       setup->problem.duration;
    bool dear = true, tried = own <= given;
    int code = KL_OK;
    *rate = given;
    for (int i = 0; i < DOUBLINGS && dear && !code; i++) {
        if (!tried && own <= 2 * *rate) {
            code = try_rate(&dear, w, hardware, own, err);
            if (!code && !dear) *rate = own;
            tried = true;
            if (code || !dear) break;
        }
        *rate *= 2;
        if (*rate > most) break;
        code = try_rate(&dear, w, hardware, *rate, err);
    }
    if (dear) *rate = 0;
    return code == KL_EUSAGE ? KL_OK : code; /* more samples than there may be */
}

/* As --rate takes it. */
static void rate_text(char text[48], const struct kl_control_samples *s, double rate)
{
    const double a_second = s->unit > 0 ? rate / s->unit : 0;
    if (a_second >= 1e6)
        snprintf(text, 48, "'%.6g %cS/s'", a_second / (a_second < 0.9999e9 ? 1e6 : 1e9),
                 a_second < 0.9999e9 ? 'M' : 'G');
    else if (a_second > 0) snprintf(text, 48, "'%.6g kS/s'", a_second / 1e3);
    else snprintf(text, 48, "%.6g", rate);
}

static int warn_of_rate(struct work *w, const struct kl_control_hardware *hardware, struct kl_error *err)
{
    const double *loss = w->score.loss;
    char text[48], better[80] = "no rate up to a hundred times as high would not";
    double rate;
    if (!is_dear(&w->score)) return KL_OK;
    const int code = find_rate(&rate, w, hardware, err);
    if (code) return code;
    rate_text(text, &w->samples, rate);
    if (rate > 0) snprintf(better, sizeof better, "--rate %s does not", text);
    rate_text(text, &w->samples, w->samples.rate);
    kl_caution(w->run->stage.log, "--rate %s raises the loss from %.3g to %.3g, more than a tenth; %s",
               text, loss[KL_CONTROL_ROW_DESIGNED], loss[KL_CONTROL_ROW_SAMPLED], better);
    return KL_OK;
}

static int export_pulse(struct work *w, struct kl_error *err)
{
    const struct kl_stage *stage = &w->run->stage;
    const struct values *v = w->v;
    struct kl_control_hardware hardware = v->hardware;
    bool written = false;
    if (hardware.bits == 1)
        return kl_fail(err, KL_EUSAGE, "--bits: found 1, expected 0, or 2 to 24: one is the sign");
    w->name = v->common.output;
    int code = take_format(&hardware.format, v, err);
    if (!code) code = kl_control_unit_read(&hardware.unit, v->unit, err);
    if (!code) code = open_pulse(w, *stage->inputs, err);
    if (!code) code = make(w, &hardware, err);
    if (!code)
        code = kl_store_target_check_bytes(w->name, 0, kl_control_samples_mark(hardware.format),
                                           v->common.force, stage->inputs, 1, err);
    if (!code) code = warn_of_rate(w, &hardware, err);
    const int verdict = code ? code : judge(w, err);
    if (!code && !verdict) code = kl_store_publish_bytes(&written, w->name, w->bytes, w->n_bytes, err);
    w->status = verdict ? "not written" : written ? "computed" : "up to date";
    if (!code) code = tell(w, verdict ? NULL : err);
    return code ? code : verdict;
}

/* Is it a file, and no HDF5? */
static bool is_no_pulse(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is = fd >= 0 && !kl_store_is_hdf5(fd);
    if (fd >= 0) close(fd);
    return is;
}

/* The pulse itself, as if a generator played it exactly. */
static int score_pulse(struct work *w, struct kl_error *err)
{
    const struct kl_control_hardware exact = { .quadrature = "auto" };
    if (is_no_pulse(w->name))
        return kl_fail(err, KL_EUSAGE,
                       "score: %s is no pulse; of samples, give --pulse PULSE.h5, that they are of",
                       w->name);
    w->is_pulse = true;
    int code = open_pulse(w, w->name, err);
    if (!code)
        code =
            kl_control_samples_make(&w->samples, &w->pulse, kl_store_file_content(w->file), &exact, err);
    return code ? code : score_samples(w, err);
}

static int score_file(struct work *w, struct kl_error *err)
{
    char *text = NULL;
    int code = open_pulse(w, w->v->pulse, err);
    if (!code) code = kl_read_text(&text, &w->n_bytes, w->name, KL_CONTROL_EXPORT_BYTES, "samples", err);
    w->bytes = (unsigned char *)text;
    if (!code) code = read_and_score(w, err);
    if (!code && strcmp(w->samples.pulse, kl_store_file_content(w->file)) != 0)
        kl_caution(w->run->stage.log, "%s was written from another pulse than %s", w->name, w->v->pulse);
    return code;
}

static int score(struct work *w, struct kl_error *err)
{
    w->name = *w->run->stage.inputs;
    int code = w->v->pulse ? score_file(w, err) : score_pulse(w, err);
    if (code) return code;
    const int verdict = judge(w, err);
    code = tell(w, verdict ? NULL : err);
    return code ? code : verdict;
}

static int finish(struct work *w, int code)
{
    free(w->bytes);
    kl_control_samples_free(&w->samples);
    kl_control_setup_free(&w->other);
    kl_control_stored_close(&w->pulse);
    kl_store_file_close(&w->file);
    return code;
}

static int run_export(struct kl_mode_run *run, struct kl_error *err)
{
    struct work w = { .run = run, .v = run->values };
    return finish(&w, export_pulse(&w, err));
}
static int run_score(struct kl_mode_run *run, struct kl_error *err)
{
    struct work w = { .run = run, .v = run->values };
    return finish(&w, score(&w, err));
}

const struct kl_mode kl_control_mode_export = { .tool = &kl_control_export_tool,
                                                .defaults = defaults,
                                                .run = run_export };
const struct kl_mode kl_control_mode_score = {
    .tool = &kl_control_score_tool, .defaults = defaults, .run = run_score, .keeps_nothing = true
};
