/* SPDX-License-Identifier: MIT
   Samples as files of other programs: CSV, JSON, NumPy, OpenQASM 3 with OpenPulse, a QUA configuration.
   Each says by which conventions it is to be read. */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/export.h"

enum kl_control_format kl_control_samples_format(const char *path)
{
    static const char *const endings[] = { ".csv", ".json", ".npy", ".qasm" };
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < 4; i++)
        if (strcmp(dot, endings[i]) == 0) return (enum kl_control_format)i;
    return KL_CONTROL_NO_FORMAT;
}

const char *kl_control_samples_mark(enum kl_control_format format)
{
    switch (format) {
    case KL_CONTROL_CSV: return "# ketline: {";
    case KL_CONTROL_NPY: return "\x93NUMPY";
    case KL_CONTROL_OPENQASM3: return "// ketline: {";
    default: return "{\"ketline\":{";
    }
}

/* ---- conventions ---- */
/* NULL: no memory. */
static json_t *outputs_json(const struct kl_control_samples *s)
{
    json_t *outputs = json_array();
    for (int j = 0; outputs && j < s->n_outputs; j++) {
        const struct kl_control_output *o = &s->outputs[j];
        const char *name = s->system->controls[o->control].name, *part = o->is_q     ? "Q"
                                                                         : o->q >= 0 ? "I"
                                                                                     : "";
        json_t *one = json_pack("{s:s, s:s, s:f, s:f, s:f}", "control", name, "part", part, "frequency",
                                o->frequency, "full_scale", o->full_scale, "scale", o->scale);
        if (json_array_append_new(outputs, one) == 0) continue;
        json_decref(outputs);
        outputs = NULL;
    }
    return outputs;
}

static json_t *words_json(const struct kl_control_samples *s)
{
    const bool built_in = kl_choice(KL_CONTROL_SYSTEMS, s->system->name) >= 0;
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s}", "H",
        built_in ? "sum over the controls of u times their operators: X and Y of a qubit, without a "
                   "factor 1/2, "
                   "(a + a^+)/2 and i(a^+ - a)/2 of a transmon; hbar = 1, 2 pi is in u"
                 : "sum over the controls of u times the operators that the model's file gives them, "
                   "with their factors; "
                   "hbar = 1, 2 pi is in u",
        "u", "a number of this file times its output's scale: radians per unit of time", "time",
        "zero-order hold: sample i lasts from i/rate to (i+1)/rate, the first begins at 0", "signal",
        s->mixed ? "I + i Q = (u_x + i sign u_y) exp(2 pi i frequency t), t the middle of the sample; "
                   "frequency in cycles per unit of time"
                 : "I + i Q = u_x + i sign u_y; the hardware multiplies it by exp(2 pi i frequency t); "
                   "frequency in cycles per unit of time",
        "carrier",
        s->sign < 0 ? "I cos(w t) - Q sin(w t) drives H at w + 2 pi frequency, |0> the lower level"
                    : "I cos(w t) + Q sin(w t) drives H at w - 2 pi frequency, |0> the lower level");
}

/* One line; malloc'ed. */
static int conventions(char **text, const struct kl_control_samples *s, struct kl_error *err)
{
    static const char *const formats[] = { "csv", "json", "npy", "openqasm3", "qua" };
    json_t *all =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:i, s:i, s:i, s:b, s:o, s:o}", "format",
                  "ketline waveforms 1", "written_as", formats[s->format], "pulse", s->pulse, "system",
                  s->system->name, "gate", s->gate, "time_unit", s->system->time_unit, "unit_seconds",
                  s->unit, "rate", s->rate, "samples", s->n, "bits", s->bits, "sign", s->sign, "mixed",
                  s->mixed, "outputs", outputs_json(s), "conventions", words_json(s));
    const int code = all ? kl_json_dump(text, all, err) : kl_fail_memory(err, 4096);
    json_decref(all);
    return code;
}

/* ---- numbers ---- */
static double number_of(const struct kl_control_samples *s, int i, int j)
{
    const double number = s->values[i * s->n_outputs + j] / s->outputs[j].scale;
    const bool code = s->bits && s->format <= KL_CONTROL_NPY;
    return (code ? nearbyint(number) : number) + 0.0; /* no -0 */
}

/* With a point or an exponent, as OpenQASM tells a float from a whole number. */
static void put_float(FILE *to, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    fprintf(to, "%s%s", text, text[strcspn(text, ".e")] ? "" : ".0");
}

static void put_list(FILE *to, const struct kl_control_samples *s, int j)
{
    for (int i = 0; i < s->n; i++) fprintf(to, "%s%.17g", i ? "," : "[", number_of(s, i, j));
    putc(']', to);
}

/* The name of an output as part of an identifier. */
static const char *name_of(char name[KL_CONTROL_NAME], const struct kl_control_samples *s, int j)
{
    const char *control = s->system->controls[s->outputs[j].control].name;
    bool plain = isalpha((unsigned char)*control);
    for (const char *c = control; *c; c++) plain &= isalnum((unsigned char)*c) || *c == '_';
    if (plain) snprintf(name, KL_CONTROL_NAME, "%s", control);
    else snprintf(name, KL_CONTROL_NAME, "c%d", j);
    return name;
}

/* ---- the formats ---- */
static void put_csv(FILE *to, const struct kl_control_samples *s, const char *words)
{
    fprintf(to, "# ketline: %s\ntime", words);
    for (int j = 0; j < s->n_outputs; j++)
        fprintf(to, ",%s", s->system->controls[s->outputs[j].control].name);
    for (int i = 0; i < s->n; i++) {
        fprintf(to, "\n%.17g", i / s->rate);
        for (int j = 0; j < s->n_outputs; j++) fprintf(to, ",%.17g", number_of(s, i, j));
    }
    putc('\n', to);
}

static void put_json(FILE *to, const struct kl_control_samples *s, const char *words)
{
    fprintf(to, "{\"ketline\":%s,\n\"samples\":[", words);
    for (int j = 0; j < s->n_outputs; j++) {
        fputs(j ? ",\n" : "", to);
        put_list(to, s, j);
    }
    fputs("]}\n", to);
}

/* The header of an array: magic, version 1.0, a dictionary that ends at a multiple of 64 bytes. */
static void put_npy_header(FILE *to, const char *descr, const char *shape)
{
    char text[256];
    const int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                           descr, shape);
    const int padded = (n + 1 + 10 + 63) / 64 * 64 - 10;
    fwrite("\x93NUMPY\x01\x00", 1, 8, to);
    putc(padded & 255, to), putc(padded >> 8, to);
    fprintf(to, "%-*s\n", padded - 1, text);
}

/* Two arrays behind each other, as numpy.save writes them into one file: the samples, then the
   conventions as a text of bytes. */
static void put_npy(FILE *to, const struct kl_control_samples *s, const char *words)
{
    char text[64];
    snprintf(text, sizeof text, "(%d, %d)", s->n, s->n_outputs);
    put_npy_header(to, s->bits ? "<i4" : "<f8", text);
    for (int i = 0; i < s->n * s->n_outputs; i++) {
        const double number = number_of(s, i / s->n_outputs, i % s->n_outputs);
        const int32_t whole = (int32_t)number;
        if (s->bits) fwrite(&whole, sizeof whole, 1, to);
        else fwrite(&number, sizeof number, 1, to);
    }
    snprintf(text, sizeof text, "|S%zu", strlen(words));
    put_npy_header(to, text, "()");
    fputs(words, to);
}

static void put_wave(FILE *to, const struct kl_control_samples *s, int j)
{
    const int q = s->outputs[j].q;
    for (int i = 0; i < s->n; i++) {
        fputs(i % 4 ? ", " : i ? ",\n    " : "\n    ", to);
        put_float(to, number_of(s, i, j));
        if (q < 0) continue;
        const double im = number_of(s, i, q);
        fputs(im < 0 ? " - " : " + ", to);
        put_float(to, fabs(im));
        fputs("im", to);
    }
}

static void put_openqasm3(FILE *to, const struct kl_control_samples *s, const char *words)
{
    char name[KL_CONTROL_NAME];
    bool plain = isalpha((unsigned char)s->gate[0]);
    for (const char *c = s->gate; *c; c++) plain &= isalnum((unsigned char)*c) || *c == '_';
    fprintf(to, "// ketline: %s\nOPENQASM 3.0;\ndefcalgrammar \"openpulse\";\ncal {\n", words);
    for (int j = 0; j < s->n_outputs; j++)
        if (!s->outputs[j].is_q) fprintf(to, "  port port_%s;\n", name_of(name, s, j));
    for (int j = 0; j < s->n_outputs; j++) {
        if (s->outputs[j].is_q) continue;
        name_of(name, s, j);
        fprintf(to, "  frame frame_%s = newframe(port_%s, ", name, name);
        put_float(to, s->outputs[j].frequency / (s->unit > 0 ? s->unit : 1));
        fprintf(to, ", 0.0);\n  waveform wave_%s = {", name);
        put_wave(to, s, j);
        fputs("\n  };\n", to);
    }
    fprintf(to, "}\ndefcal %s $0", plain ? s->gate : "pulse");
    for (int q = 1; q < s->system->n_qubits; q++) fprintf(to, ", $%d", q);
    fputs(" {\n", to);
    for (int j = 0; j < s->n_outputs; j++)
        if (!s->outputs[j].is_q) {
            name_of(name, s, j);
            fprintf(to, "  play(frame_%s, wave_%s);\n", name, name);
        }
    fputs("}\n", to);
}

static void put_qua_element(FILE *to, const struct kl_control_samples *s, int j, const char *name)
{
    const struct kl_control_output *o = &s->outputs[j];
    if (o->q >= 0)
        fprintf(to,
                "\"drive_%s\":{\"mixInputs\":{\"I\":[\"con1\",%d],\"Q\":[\"con1\",%d]},"
                "\"intermediate_frequency\":%.15g,",
                name, j + 1, o->q + 1, o->frequency / s->unit);
    else fprintf(to, "\"drive_%s\":{\"singleInput\":{\"port\":[\"con1\",%d]},", name, j + 1);
    fprintf(to, "\"operations\":{\"play\":\"pulse_%s\"}}", name);
}

static void put_qua_pulse(FILE *to, const struct kl_control_samples *s, int j, const char *name)
{
    fprintf(to, "\"pulse_%s\":{\"operation\":\"control\",\"length\":%.0f,\"waveforms\":{", name,
            s->n / s->rate * s->unit * 1e9);
    if (s->outputs[j].q >= 0) fprintf(to, "\"I\":\"wave_%s_i\",\"Q\":\"wave_%s_q\"}}", name, name);
    else fprintf(to, "\"single\":\"wave_%s\"}}", name);
}

static void put_qua_waves(FILE *to, const struct kl_control_samples *s, int j, const char *name)
{
    const int q = s->outputs[j].q;
    const char *const endings[] = { q >= 0 ? "_i" : "", "_q" };
    for (int part = 0; part < (q >= 0 ? 2 : 1); part++) {
        fprintf(to, "%s\"wave_%s%s\":{\"type\":\"arbitrary\",\"sampling_rate\":%.15g,\"samples\":",
                part ? ",\n" : "", name, endings[part], s->rate / s->unit);
        put_list(to, s, part ? q : j);
        putc('}', to);
    }
}

/* As a QUA program gives it to the machine: the member config. Volts, of an output from -0.5 to 0.5. */
static void put_qua(FILE *to, const struct kl_control_samples *s, const char *words)
{
    static void (*const parts[])(FILE *, const struct kl_control_samples *, int,
                                 const char *) = { put_qua_element, put_qua_pulse, put_qua_waves };
    static const char *const titles[] = { "elements", "pulses", "waveforms" };
    char name[KL_CONTROL_NAME];
    fprintf(to, "{\"ketline\":%s,\n\"config\":{\"controllers\":{\"con1\":{\"analog_outputs\":{", words);
    for (int j = 0; j < s->n_outputs; j++) fprintf(to, "%s\"%d\":{\"offset\":0.0}", j ? "," : "", j + 1);
    fputs("}}}", to);
    for (int part = 0; part < 3; part++) {
        bool first = true;
        fprintf(to, ",\n\"%s\":{", titles[part]);
        for (int j = 0; j < s->n_outputs; j++) {
            if (s->outputs[j].is_q) continue;
            fputs(first ? "" : ",\n", to);
            parts[part](to, s, j, name_of(name, s, j));
            first = false;
        }
        putc('}', to);
    }
    fputs("}}\n", to);
}

int kl_control_samples_write(unsigned char **bytes, size_t *n, const struct kl_control_samples *s,
                             struct kl_error *err)
{
    static void (*const formats[])(FILE *, const struct kl_control_samples *,
                                   const char *) = { put_csv, put_json, put_npy, put_openqasm3,
                                                     put_qua };
    char *text = NULL, *words = NULL;
    *bytes = NULL, *n = 0;
    int code = conventions(&words, s, err);
    if (code) return code;
    FILE *to = open_memstream(&text, n);
    if (to) formats[s->format](to, s, words);
    free(words);
    const bool whole = to && !ferror(to);
    if (to && fclose(to) == 0 && whole) *bytes = (unsigned char *)text;
    else {
        free(text);
        code = kl_fail_memory(err, (size_t)(s->n * s->n_outputs) * 24);
    }
    return code;
}
