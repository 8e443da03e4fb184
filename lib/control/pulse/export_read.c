/* SPDX-License-Identifier: MIT
   Files of samples read again: their conventions, then the numbers of CSV, JSON, NumPy and QUA. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "control/pulse/pulse_int.h"
#include "weights/weights.h"

bool kl_control_samples_agree(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

int kl_control_samples_take(struct kl_control_samples *s, int i, int j, double number, const char *path,
                            struct kl_error *err)
{
    const struct kl_control_output *o = &s->outputs[j];
    const bool code = s->bits && s->format <= KL_CONTROL_NPY;
    const double most = ldexp(1, s->bits - 1) - 1, value = number * o->scale;
    const char *name = s->system->controls[o->control].name;
    if (code && !(number == nearbyint(number) && fabs(number) <= most))
        return kl_fail(err, KL_EDATA,
                       "%s: sample %d of %s: found %g, expected a whole number within +-%.0f, %d bits",
                       path, i, name, number, most, s->bits);
    if (!code && !(fabs(value) < 1e9))
        return kl_fail(err, KL_EDATA, "%s: sample %d of %s: found %g, expected a number", path, i, name,
                       number);
    s->values[i * s->n_outputs + j] = value;
    return 0;
}

/* ---- conventions ---- */
static int fail_member(const char *path, const json_error_t *why, struct kl_error *err)
{
    return json_error_code(why) == json_error_out_of_memory
               ? kl_fail_memory(err, 1024)
               : kl_fail(err, KL_EDATA, "%s: conventions: %s", path, why->text);
}

static int read_output(struct kl_control_samples *s, int j, const json_t *value, const char **part,
                       const char *path, struct kl_error *err)
{
    struct kl_control_output *o = &s->outputs[j];
    const char *control;
    json_error_t why;
    if (json_unpack_ex((json_t *)value, &why, 0, "{s:s, s:s, s:F, s:F, s:F}", "control", &control,
                       "part", part, "frequency", &o->frequency, "full_scale", &o->full_scale, "scale",
                       &o->scale) != 0)
        return fail_member(path, &why, err);
    o->control = kl_control_system_control(s->system, control);
    if (o->control < 0)
        return kl_fail(err, KL_EDATA, "%s: conventions: output %d drives '%.24s', which %s has not",
                       path, j, control, s->system->name);
    for (int k = 0; k < j; k++)
        if (s->outputs[k].control == o->control)
            return kl_fail(err, KL_EDATA, "%s: conventions: two outputs drive %.24s", path, control);
    if (!(fabs(o->frequency) < s->rate / 2) || !(o->scale > 1e-30 && o->scale < 1e12) ||
        !(o->full_scale > 1e-30 && o->full_scale < 1e12))
        return kl_fail(err, KL_EDATA,
                       "%s: conventions: output %d: frequency %g, scale %g, full scale %g: expected a "
                       "frequency below half of the rate and scales above 0",
                       path, j, o->frequency, o->scale, o->full_scale);
    return 0;
}

static int read_outputs(struct kl_control_samples *s, const json_t *outputs, const char *path,
                        struct kl_error *err)
{
    const char *parts[KL_CONTROL_MAX_CONTROLS];
    s->n_outputs = s->system->n_controls;
    if (!json_is_array(outputs) || json_array_size(outputs) != (size_t)s->n_outputs)
        return kl_fail(err, KL_EDATA, "%s: conventions: outputs: found %zu, expected %d, one a control",
                       path, json_array_size(outputs), s->n_outputs);
    for (int j = 0; j < s->n_outputs; j++) {
        const int code = read_output(s, j, json_array_get(outputs, (size_t)j), &parts[j], path, err);
        if (code) return code;
    }
    kl_control_samples_pair(s);
    for (int j = 0; j < s->n_outputs; j++) {
        const struct kl_control_output *o = &s->outputs[j];
        const char *expected = o->is_q ? "Q" : o->q >= 0 ? "I" : "";
        if (strcmp(parts[j], expected) != 0)
            return kl_fail(err, KL_EDATA, "%s: conventions: output %d: part '%.8s', expected '%s'", path,
                           j, parts[j], expected);
        if (!(o->q >= 0 ? s->outputs[o->q].frequency == o->frequency : o->is_q || o->frequency == 0))
            return kl_fail(err, KL_EDATA,
                           "%s: conventions: output %d: I and Q have two frequencies, or "
                           "one that is no quadrature has one",
                           path, j);
    }
    return 0;
}

static int check_numbers(const struct kl_control_samples *s, json_int_t n, json_int_t bits,
                         json_int_t sign, const char *path, struct kl_error *err)
{
    if (!(s->rate > 1e-15 && s->rate < 1e15))
        return kl_fail(err, KL_EDATA, "%s: conventions: rate: found %g, expected more than 0", path,
                       s->rate);
    if (n < 1 || n > KL_CONTROL_MOST_SAMPLES)
        return kl_fail(err, KL_EDATA, "%s: conventions: samples: found %lld, expected 1 to %d", path,
                       (long long)n, (int)KL_CONTROL_MOST_SAMPLES);
    if ((bits != 0 && bits < 2) || bits > 24)
        return kl_fail(err, KL_EDATA, "%s: conventions: bits: found %lld, expected 0, or 2 to 24", path,
                       (long long)bits);
    if (sign != 1 && sign != -1)
        return kl_fail(err, KL_EDATA, "%s: conventions: sign: found %lld, expected 1 or -1", path,
                       (long long)sign);
    const bool timed = s->unit > 1e-18 && s->unit < 1e9;
    if (s->format == KL_CONTROL_QUA ? !(timed && (double)n / s->rate * s->unit < 1e6)
                                    : !(timed || s->unit == 0))
        return kl_fail(err, KL_EDATA, "%s: conventions: unit_seconds: found %g", path, s->unit);
    return 0;
}

/* Everything but the values, for which there is room then. */
static int read_conventions(struct kl_control_samples *s, const json_t *all, const char *path,
                            struct kl_error *err)
{
    const char *format, *written, *pulse, *unit, *gate;
    json_int_t n, bits, sign;
    int mixed;
    json_t *outputs;
    json_error_t why;
    if (json_unpack_ex((json_t *)all, &why, 0,
                       "{s:s, s:s, s:s, s:s, s:s, s:F, s:F, s:I, s:I, s:I, s:b, s:o}", "format", &format,
                       "written_as", &written, "pulse", &pulse, "gate", &gate, "time_unit", &unit,
                       "unit_seconds", &s->unit, "rate", &s->rate, "samples", &n, "bits", &bits, "sign",
                       &sign, "mixed", &mixed, "outputs", &outputs) != 0)
        return fail_member(path, &why, err);
    if (strcmp(format, "ketline waveforms 1") != 0)
        return kl_fail(err, KL_EDATA, "%s: conventions: found '%.40s', expected 'ketline waveforms 1'",
                       path, format);
    if (kl_choice(KL_CONTROL_FORMATS, written) != (int)s->format)
        return kl_fail(err, KL_EDATA, "%s: conventions: written as '%.20s', found another format", path,
                       written);
    if (strcmp(unit, s->system->time_unit) != 0)
        return kl_fail(err, KL_EDATA, "%s: conventions: unit of time '%.20s', the pulse has '%s'", path,
                       unit, s->system->time_unit);
    if (strlen(pulse) != 64 || strspn(pulse, "0123456789abcdef") != 64)
        return kl_fail(err, KL_EDATA, "%s: conventions: pulse: found '%.70s', expected 64 hex digits",
                       path, pulse);
    memcpy(s->pulse, pulse, sizeof s->pulse);
    for (size_t i = 0; i <= strlen(gate); i++)
        if (i + 1 == sizeof s->gate || (gate[i] && (gate[i] < ' ' || gate[i] > '~')))
            return kl_fail(err, KL_EDATA, "%s: conventions: gate: expected at most 63 ASCII letters",
                           path);
    snprintf(s->gate, sizeof s->gate, "%s", gate);
    int code = check_numbers(s, n, bits, sign, path, err);
    s->n = (int)n, s->bits = (int)bits, s->sign = (int)sign, s->mixed = mixed;
    if (!code) code = read_outputs(s, outputs, path, err);
    if (code) return code;
    s->values = calloc((size_t)(s->n * s->n_outputs), sizeof *s->values);
    return s->values ? 0 : kl_fail_memory(err, (size_t)(s->n * s->n_outputs) * sizeof *s->values);
}

/* From a text that is not ended. */
static int read_conventions_text(struct kl_control_samples *s, const char *text, size_t n,
                                 const char *path, struct kl_error *err)
{
    json_t *all = NULL;
    int code = kl_json_parse_bytes(&all, text, n, path, err);
    if (!code) code = read_conventions(s, all, path, err);
    json_decref(all);
    return code;
}

/* ---- CSV ---- */
static int fail_row(const struct kl_csv *t, const char *found, const char *expected,
                    struct kl_error *err)
{
    char text[32];
    snprintf(text, sizeof text, "%s", found);
    kl_make_printable(text);
    return kl_fail(err, KL_EDATA, "%s: line %zu: found '%s', expected %s", t->path, t->line, text,
                   expected);
}

static int check_fields(const struct kl_control_samples *s, const struct kl_csv *t, struct kl_error *err)
{
    const size_t expected = (size_t)s->n_outputs + 1;
    if (t->n == expected) return 0;
    return kl_fail(err, KL_EDATA, "%s: line %zu: found %zu columns, expected %zu", t->path, t->line,
                   t->n, expected);
}

/* time, and the names of the outputs' controls */
static int read_csv_header(const struct kl_control_samples *s, struct kl_csv *t, struct kl_error *err)
{
    bool more;
    int code = kl_csv_row(t, &more, err);
    if (!code) code = check_fields(s, t, err);
    for (int j = -1; j < s->n_outputs && !code; j++) {
        const char *name = j < 0 ? "time" : s->system->controls[s->outputs[j].control].name;
        if (strcmp(t->fields[j + 1], name) != 0) code = fail_row(t, t->fields[j + 1], name, err);
    }
    return code;
}

static int read_csv_row(struct kl_control_samples *s, int i, struct kl_csv *t, struct kl_error *err)
{
    bool more;
    double number;
    int code = kl_csv_row(t, &more, err);
    if (!code && !more)
        return kl_fail(err, KL_EDATA, "%s: found %d samples, expected %d", t->path, i, s->n);
    if (!code) code = check_fields(s, t, err);
    for (int j = -1; j < s->n_outputs && !code; j++) {
        const char *name = j < 0 ? "time" : s->system->controls[s->outputs[j].control].name;
        code = kl_csv_number(&number, t, (size_t)(j + 1), name, err);
        if (!code && j < 0 && !(fabs(number - i / s->rate) <= 1e-6 / s->rate))
            code = fail_row(t, t->fields[0], "the sample's time, its number by the rate", err);
        if (!code && j >= 0) code = kl_control_samples_take(s, i, j, number, t->path, err);
    }
    return code;
}

/* Behind the conventions, which are the first line. */
static int read_csv_rows(struct kl_control_samples *s, char *text, const char *path,
                         struct kl_error *err)
{
    struct kl_csv t;
    bool more;
    const size_t n = strlen(text);
    if (n && !strchr("\r\n", text[n - 1])) /* a number that is cut is another one */
        return kl_fail(err, KL_EDATA, "%s: its last line has no end: cut short?", path);
    int code = kl_csv_open(&t, path, text, n, 2, err);
    if (!code) code = read_csv_header(s, &t, err);
    for (int i = 0; !code && i < s->n; i++) code = read_csv_row(s, i, &t, err);
    do {
        if (!code) code = kl_csv_row(&t, &more, err);
    } while (!code && more && t.n == 0);
    return code || !more ? code : fail_row(&t, t.fields[0], "the end of the file", err);
}

static int read_csv(struct kl_control_samples *s, const char *text, const char *path,
                    struct kl_error *err)
{
    const char *from = text + strlen("# ketline: "), *end = strchr(from, '\n');
    if (!end) return kl_fail(err, KL_EDATA, "%s: no line behind the conventions", path);
    int code = read_conventions_text(s, from, (size_t)(end - from), path, err);
    if (code) return code;
    char *rows = strdup(end + 1); /* which are taken apart in place */
    code = rows ? read_csv_rows(s, rows, path, err) : kl_fail_memory(err, strlen(end));
    free(rows);
    return code;
}

/* ---- JSON and QUA ---- */
static int read_list(struct kl_control_samples *s, int j, const json_t *list, const char *path,
                     struct kl_error *err)
{
    int code = 0;
    if (!json_is_array(list) || json_array_size(list) != (size_t)s->n)
        return kl_fail(err, KL_EDATA, "%s: output %d: %zu samples, expected %d", path, j,
                       json_array_size(list), s->n);
    for (int i = 0; !code && i < s->n; i++) {
        const json_t *number = json_array_get(list, (size_t)i);
        code = kl_control_samples_take(s, i, j, json_is_number(number) ? json_number_value(number) : NAN,
                                       path, err);
    }
    return code;
}

static int read_json(struct kl_control_samples *s, const json_t *all, const char *path,
                     struct kl_error *err)
{
    const json_t *lists = json_object_get(all, "samples");
    int code = read_conventions(s, json_object_get(all, "ketline"), path, err);
    if (!code && json_array_size(lists) != (size_t)s->n_outputs)
        code = kl_fail(err, KL_EDATA, "%s: samples: found %zu lists, expected %d, one an output", path,
                       json_array_size(lists), s->n_outputs);
    for (int j = 0; !code && j < s->n_outputs; j++)
        code = read_list(s, j, json_array_get(lists, (size_t)j), path, err);
    return code;
}

/* config.PART.NAME.MEMBER, or NULL. */
static const json_t *look(const json_t *config, const char *part, const char *name, const char *member)
{
    const json_t *found = name ? json_object_get(json_object_get(config, part), name) : NULL;
    return json_object_get(found, member);
}

static int read_qua_wave(struct kl_control_samples *s, int j, const json_t *config, const json_t *name,
                         const char *path, struct kl_error *err)
{
    const char *wave = json_string_value(name);
    const json_t *rate = look(config, "waveforms", wave, "sampling_rate");
    if (!kl_control_samples_agree(json_number_value(rate), s->rate / s->unit))
        return kl_fail(err, KL_EDATA, "%s: waveform of output %d: sampling_rate %g, expected %g", path,
                       j + 1, json_number_value(rate), s->rate / s->unit);
    return read_list(s, j, look(config, "waveforms", wave, "samples"), path, err);
}

/* The port of an element, from 0; -1: it has none. */
static int port_of(const json_t *element, const char *input, const char *member, int most)
{
    const json_t *port = json_object_get(json_object_get(element, input), member);
    const json_int_t number = json_integer_value(json_array_get(port, 1));
    return number >= 1 && number <= most ? (int)number - 1 : -1;
}

static int read_qua_element(struct kl_control_samples *s, const char *name, const json_t *element,
                            const json_t *config, bool *driven, const char *path, struct kl_error *err)
{
    const bool pair = json_object_get(element, "mixInputs");
    const int i = pair ? port_of(element, "mixInputs", "I", s->n_outputs)
                       : port_of(element, "singleInput", "port", s->n_outputs),
              q = pair ? port_of(element, "mixInputs", "Q", s->n_outputs) : -1;
    if (i < 0 || s->outputs[i].q != q || s->outputs[i].is_q || driven[i])
        return kl_fail(err, KL_EDATA, "%s: element %.40s: its ports are not those of an output", path,
                       name);
    const char *pulse =
        json_string_value(json_object_get(json_object_get(element, "operations"), "play"));
    const json_t *waves = look(config, "pulses", pulse, "waveforms");
    const double length = json_number_value(look(config, "pulses", pulse, "length")),
                 frequency = json_number_value(json_object_get(element, "intermediate_frequency")),
                 expected = s->n / s->rate * s->unit * 1e9;
    if (!(fabs(length - expected) <= 0.5))
        return kl_fail(err, KL_EDATA, "%s: element %.40s: its pulse lasts %g ns, its samples %g", path,
                       name, length, expected);
    if (pair && !kl_control_samples_agree(frequency * s->unit, s->outputs[i].frequency))
        return kl_fail(err, KL_EDATA, "%s: element %.40s: intermediate_frequency %g, expected %g", path,
                       name, frequency, s->outputs[i].frequency / s->unit);
    int code = read_qua_wave(s, i, config, json_object_get(waves, pair ? "I" : "single"), path, err);
    if (!code && pair) code = read_qua_wave(s, q, config, json_object_get(waves, "Q"), path, err);
    driven[i] = true;
    return code;
}

static int read_qua(struct kl_control_samples *s, const json_t *all, const char *path,
                    struct kl_error *err)
{
    const json_t *config = json_object_get(all, "config"), *element;
    bool driven[KL_CONTROL_MAX_CONTROLS] = { false };
    const char *name;
    int code = read_conventions(s, json_object_get(all, "ketline"), path, err);
    json_object_foreach(json_object_get(config, "elements"), name, element)
    {
        if (!code) code = read_qua_element(s, name, element, config, driven, path, err);
    }
    for (int j = 0; !code && j < s->n_outputs; j++)
        if (!driven[j] && !s->outputs[j].is_q)
            code = kl_fail(err, KL_EDATA, "%s: no element plays on port %d", path, j + 1);
    return code;
}

/* ---- NumPy ---- */
static int read_npy(struct kl_control_samples *s, const unsigned char *bytes, size_t n, const char *path,
                    struct kl_error *err)
{
    struct kl_npy array, words;
    char expected[24];
    int code = kl_weights_npy_header(&array, path, "of samples", bytes, n, err);
    if (code) return code;
    const bool whole = strcmp(array.descr, "<i4") == 0;
    const size_t size = whole ? 4 : 8;
    if ((!whole && strcmp(array.descr, "<f8") != 0) || array.fortran || array.rank != 2 ||
        array.dims[0] > KL_CONTROL_MOST_SAMPLES || array.dims[1] > KL_CONTROL_MAX_CONTROLS)
        return kl_fail(err, KL_EDATA,
                       "%s: expected an array [samples][outputs] of <i4 or <f8, in C's "
                       "order",
                       path);
    const size_t all = array.dims[0] * array.dims[1] * size;
    if (all > n - array.begin)
        return kl_fail(err, KL_EDATA, "%s: %zu bytes of samples, expected %zu", path, n - array.begin,
                       all);
    const unsigned char *second = bytes + array.begin + all;
    const size_t left = n - array.begin - all;
    code =
        kl_weights_npy_header(&words, path, "of conventions, which is the second,", second, left, err);
    if (code) return code;
    snprintf(expected, sizeof expected, "|S%zu", left - words.begin);
    if (words.rank != 0 || strcmp(words.descr, expected) != 0)
        return kl_fail(err, KL_EDATA,
                       "%s: conventions: %zu bytes, expected an array of no dimension "
                       "with dtype %s",
                       path, left - words.begin, expected);
    code = read_conventions_text(s, (const char *)second + words.begin, left - words.begin, path, err);
    if (!code && (array.dims[0] != (size_t)s->n || array.dims[1] != (size_t)s->n_outputs ||
                  whole != (s->bits > 0)))
        code = kl_fail(err, KL_EDATA, "%s: an array of %zu x %zu %s, expected %d x %d %s", path,
                       array.dims[0], array.dims[1], array.descr, s->n, s->n_outputs,
                       s->bits ? "<i4" : "<f8");
    for (int i = 0; !code && i < s->n * s->n_outputs; i++) {
        double number;
        int32_t integer;
        memcpy(whole ? (void *)&integer : (void *)&number, bytes + array.begin + (size_t)i * size, size);
        code = kl_control_samples_take(s, i / s->n_outputs, i % s->n_outputs, whole ? integer : number,
                                       path, err);
    }
    return code;
}

/* ---- whichever it is ---- */
static int read_object(struct kl_control_samples *s, const unsigned char *bytes, size_t n,
                       const char *path, struct kl_error *err)
{
    json_t *all = NULL;
    int code = kl_json_parse_bytes(&all, bytes, n, path, err);
    if (!code) {
        s->format = json_object_get(all, "config") ? KL_CONTROL_QUA : KL_CONTROL_JSON;
        code = s->format == KL_CONTROL_QUA ? read_qua(s, all, path, err) : read_json(s, all, path, err);
    }
    json_decref(all);
    return code;
}

static int read_program(struct kl_control_samples *s, const char *text, const char *path,
                        struct kl_error *err)
{
    const char *from = text + strlen("// ketline: "), *end = from + strcspn(from, "\n");
    const int code = read_conventions_text(s, from, (size_t)(end - from), path, err);
    return code ? code : kl_control_samples_read_qasm(s, text, path, err);
}

int kl_control_samples_read(struct kl_control_samples *s, const struct kl_control_system *system,
                            const unsigned char *bytes, size_t n, const char *path, struct kl_error *err)
{
    const char *text = (const char *)bytes;
    *s = (struct kl_control_samples){ .system = system };
    for (int f = KL_CONTROL_CSV; f <= KL_CONTROL_OPENQASM3; f++) {
        const char *mark = kl_control_samples_mark((enum kl_control_format)f);
        if (n < strlen(mark) || memcmp(bytes, mark, strlen(mark)) != 0 || f == KL_CONTROL_JSON) continue;
        s->format = (enum kl_control_format)f;
        if (f == KL_CONTROL_NPY) return read_npy(s, bytes, n, path, err);
        if (strlen(text) != n) return kl_fail(err, KL_EDATA, "%s: a zero byte in a text", path);
        return f == KL_CONTROL_CSV ? read_csv(s, text, path, err) : read_program(s, text, path, err);
    }
    if (n && *text == '{') return read_object(s, bytes, n, path, err);
    return kl_fail(
        err, KL_EDATA,
        "%s: no samples that qcontrol export wrote: it begins neither with '%s' nor '%s', and "
        "is no JSON and no array of NumPy",
        path, kl_control_samples_mark(KL_CONTROL_CSV), kl_control_samples_mark(KL_CONTROL_OPENQASM3));
}
