/* SPDX-License-Identifier: MIT
   `qcontrol noise`: the rates that a spectrum becomes, by a mapping of an earlier system and by the
   sound one beside it. It keeps no file. */
#include <math.h>

#include "control/noise/noise.h"
#include "store/mode.h"

struct values {
    struct kl_common common;
    const char *psd, *sequence, *mapping, *unit;
    double alpha, amplitude, seconds; /* seconds: of the unit of time; 0: it has none */
    struct kl_quantity omega_c, duration, omega0, gamma_h, line_width, temperature;
    int64_t segments;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "psd", 0, KL_OPT_CHOICE, AT(psd), KL_CONTROL_PSD_CHOICES, 0, 0, true, "its model", "Spectrum",
      "psd-model" },
    { "alpha", 0, KL_OPT_FLOAT, AT(alpha), "X", -10, 10, true, "exponent; of double_exp the shares",
      NULL, NULL },
    { "amplitude", 'A', KL_OPT_FLOAT, AT(amplitude), "A", 0, 1e30, true, "S = A / ...", NULL, NULL },
    { "omega-c", 0, KL_OPT_QUANTITY, AT(omega_c), "W", 1e-9, 1e9, true,
      "corner, radians per unit of time", NULL, NULL },
    { "duration", 'T', KL_OPT_QUANTITY, AT(duration), "T", 1e-12, 1e12, true, "of the pulse", "Qubit",
      "horizon" },
    { "sequence", 0, KL_OPT_STRING, AT(sequence), "NAME", 0, 0, true, "ramsey, echo, cpmg_N", NULL,
      NULL },
    { "omega0", 0, KL_OPT_QUANTITY, AT(omega0), "W", 0, 1e12, true, "between the levels", NULL, NULL },
    { "temperature", 0, KL_OPT_QUANTITY, AT(temperature), "X", -1, 1e30, true,
      "20 mK, or kT/hbar, radians per unit of time; -1: hot, as much up as down", NULL, NULL },
    { "line-width", 0, KL_OPT_QUANTITY, AT(line_width), "W", 0, 1e12, true,
      "of the transition; 0: sharp", NULL, NULL },
    { "mapping", 'm', KL_OPT_CHOICE, AT(mapping), KL_CONTROL_MAPPING_CHOICES, 0, 0, true,
      "what stands beside the standard one", "Earlier system", NULL },
    { "gamma-h", 0, KL_OPT_QUANTITY, AT(gamma_h), "W", 0, 1e12, true, "filter: width of its line", NULL,
      NULL },
    { "segments", 0, KL_OPT_INT, AT(segments), "N", 1, 1e6, true, "band: of the pulse", NULL,
      "n-segments" },
    { "unit", 0, KL_OPT_STRING, AT(unit), "T", 0, 0, false,
      "1 ns: the unit of time; then times, frequencies and --temperature may have units", "Units",
      NULL },
};
const struct kl_tool kl_control_noise_tool = {
    .name = "qcontrol",
    .summary = "Rates of a Lindblad equation from a spectrum of noise: jumps sqrt(gamma_phi/2) Z, "
               "sqrt(gamma_down) |0><1|, sqrt(gamma_up) |1><0|; by standard filters and converged "
               "integrals, beside those of metaqctrl",
    .arguments = "noise",
    .example = "qcontrol noise --psd one_over_f --alpha 1 -A 0.01 --omega-c 50 -T 1\n"
               "  qcontrol noise --psd lorentzian -A 5 --omega-c 2 --sequence cpmg_4",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key seed threads note no-provenance progress",
    .chosen_by = "noise",
};

static void defaults(void *values)
{
    struct values *v = values;
    struct kl_control_noise noise;
    kl_control_noise_default(&noise);
    v->psd = "one_over_f", v->sequence = "ramsey", v->mapping = "filter";
    v->alpha = 1, v->amplitude = 1, v->omega_c.value = 50;
    v->duration.value = noise.duration, v->omega0.value = noise.omega0;
    v->gamma_h.value = noise.gamma_h, v->line_width.value = noise.line_width;
    v->temperature.value = -1, v->segments = noise.segments;
}

/* Everything in the unit of time of --unit. */
static int take_units(struct values *v, struct kl_error *err)
{
    const struct {
        struct kl_quantity *q;
        const char *name;
        enum kl_control_quantity what;
    } all[] = { { &v->duration, "duration", KL_CONTROL_TIME },
                { &v->omega_c, "omega-c", KL_CONTROL_FREQUENCY },
                { &v->omega0, "omega0", KL_CONTROL_FREQUENCY },
                { &v->line_width, "line-width", KL_CONTROL_FREQUENCY },
                { &v->gamma_h, "gamma-h", KL_CONTROL_FREQUENCY },
                { &v->temperature, "temperature", KL_CONTROL_TEMPERATURE } };
    const bool kelvin = v->temperature.unit != NULL;
    int code = kl_control_unit_read(&v->seconds, v->unit, err);
    for (size_t i = 0; i < sizeof all / sizeof *all && !code; i++)
        code = kl_control_quantity_take(all[i].q, all[i].what, NULL, v->seconds, all[i].name, err);
    if (kelvin) v->temperature.value *= 1.380649e-23 / 1.054571817646156e-34; /* k / hbar */
    return code;
}

/* One mapping's rates, and the times that they make. */
struct row {
    const char *name;
    struct kl_control_rates rates;
    double t1, t2;
};

static int compute(struct row *row, const struct values *v, const char *mapping, struct kl_error *err)
{
    const struct kl_control_psd psd = { (enum kl_control_psd_model)kl_choice(KL_CONTROL_PSD_CHOICES,
                                                                             v->psd),
                                        v->alpha, v->amplitude, v->omega_c.value };
    struct kl_control_noise noise = {
        .mapping = (enum kl_control_mapping)kl_choice(KL_CONTROL_MAPPING_CHOICES, mapping),
        .segments = (int)v->segments,
        .duration = v->duration.value,
        .omega0 = v->omega0.value,
        .gamma_h = v->gamma_h.value,
        .line_width = v->line_width.value,
        .temperature = v->temperature.value < 0 ? INFINITY : v->temperature.value
    };
    row->name = mapping;
    int code = kl_control_sequence(&noise.pulses, v->sequence, err);
    if (!code) code = kl_control_noise_rates(&row->rates, &psd, &noise, err);
    if (code) return code;
    const double relaxation = row->rates.down + row->rates.up;
    row->t1 = 1 / relaxation;
    row->t2 = 1 / (row->rates.phi + relaxation / 2);
    return KL_OK;
}

/* "0.0094284", or "never" for a time without end. */
static void put_time(FILE *to, double time)
{
    if (isfinite(time)) fprintf(to, "%13.6g", time);
    else fprintf(to, "%13s", "never");
}

/* The option by which optimize takes them; in 1/us where the unit of time is known. */
static void put_set(FILE *to, const struct values *v, const struct kl_control_rates *r)
{
    const double factor = v->seconds > 0 ? 1e-6 / v->seconds : 1;
    const char *unit = v->seconds > 0 ? " 1/us" : "";
    fprintf(to, "--set 'gamma_phi=%.6g%s gamma_down=%.6g%s gamma_up=%.6g%s'\n", factor * r->phi, unit,
            factor * r->down, unit, factor * r->up, unit);
}

static void table(FILE *to, const struct values *v, const struct row *rows, size_t n)
{
    fprintf(to, "%s, alpha %g, A %g, omega_c %g; T %g, %s, omega0 %g%s%s\n", v->psd, v->alpha,
            v->amplitude, v->omega_c.value, v->duration.value, v->sequence, v->omega0.value,
            v->unit ? "; unit of time " : "", v->unit ? v->unit : "");
    fprintf(to, "%-10s%13s%13s%13s%13s%13s\n", "mapping", "gamma_phi", "gamma_down", "gamma_up", "T1",
            "T2");
    for (size_t i = 0; i < n; i++) {
        const struct kl_control_rates *r = &rows[i].rates;
        fprintf(to, "%-10s%13.6g%13.6g%13.6g", rows[i].name, r->phi, r->down, r->up);
        put_time(to, rows[i].t1), put_time(to, rows[i].t2);
        fputc('\n', to);
    }
    put_set(to, v, &rows[0].rates);
}

/* standard: to be computed with. */
static int json(FILE *to, const struct values *v, const struct row *standard, const struct row *other,
                const struct kl_log *log, struct kl_error *err)
{
    const struct kl_json_pair pairs[] = {
        { "psd", KL_JSON_TEXT, v->psd, 0 },
        { "alpha", KL_JSON_NUMBER, NULL, v->alpha },
        { "amplitude", KL_JSON_NUMBER, NULL, v->amplitude },
        { "omega_c", KL_JSON_NUMBER, NULL, v->omega_c.value },
        { "duration", KL_JSON_NUMBER, NULL, v->duration.value },
        { "sequence", KL_JSON_TEXT, v->sequence, 0 },
        { "omega0", KL_JSON_NUMBER, NULL, v->omega0.value },
        { "gamma_phi", KL_JSON_NUMBER, NULL, standard->rates.phi },
        { "gamma_down", KL_JSON_NUMBER, NULL, standard->rates.down },
        { "gamma_up", KL_JSON_NUMBER, NULL, standard->rates.up },
        { "t1", KL_JSON_NUMBER, NULL, standard->t1 },
        { "t2", KL_JSON_NUMBER, NULL, standard->t2 },
        { "mapping", KL_JSON_TEXT, other->name, 0 },
        { "mapping_gamma_phi", KL_JSON_NUMBER, NULL, other->rates.phi },
        { "mapping_gamma_down", KL_JSON_NUMBER, NULL, other->rates.down },
        { "mapping_gamma_up", KL_JSON_NUMBER, NULL, other->rates.up },
        { "mapping_t1", KL_JSON_NUMBER, NULL, other->t1 },
        { "mapping_t2", KL_JSON_NUMBER, NULL, other->t2 },
        kl_json_cautions(log),
    };
    return kl_json_line(to, pairs, sizeof pairs / sizeof *pairs, err);
}

/* Warn of rates that mislead by themselves. */
static void caution(const struct kl_log *log, const struct values *v, const struct row *rows)
{
    const double chi = rows[0].rates.phi * v->duration.value;
    if (chi > 1)
        kl_caution(log,
                   "chi is %.3g within T: the coherence is gone before the pulse ends, and a rate says "
                   "little of noise with a memory; average over the noise itself",
                   chi);
    if (rows[1].rates.phi > 10 * rows[0].rates.phi)
        kl_caution(log, "the %s mapping has %.3g times the dephasing of the standard one", rows[1].name,
                   rows[1].rates.phi / rows[0].rates.phi);
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct values *v = run->values;
    const struct kl_stage *stage = &run->stage;
    struct row rows[2];
    int code = take_units(v, err);
    if (code) return code;
    if (v->temperature.value < 0 && v->temperature.value != -1)
        return kl_fail(err, KL_EUSAGE, "--temperature: found %g, expected -1 or a number from 0",
                       v->temperature.value);
    code = compute(&rows[0], v, "standard", err);
    if (!code) code = compute(&rows[1], v, v->mapping, err);
    if (code) return code;
    const size_t n = kl_choice(KL_CONTROL_MAPPING_CHOICES, v->mapping) == KL_CONTROL_STANDARD ? 1 : 2;
    caution(stage->log, v, rows);
    if (v->common.json) return json(run->out, v, &rows[0], &rows[1], stage->log, err);
    if (!v->common.quiet) table(run->out, v, rows, n);
    return KL_OK;
}

const struct kl_mode kl_control_mode_noise = {
    .tool = &kl_control_noise_tool, .defaults = defaults, .run = run, .keeps_nothing = true
};
