/* SPDX-License-Identifier: MIT
   `qcontrol noise`: the rates that a spectrum becomes, by a mapping of an earlier system and by the
   sound one beside it. It keeps no file. */
#include <math.h>

#include "control/noise/noise.h"
#include "store/mode.h"

struct values {
    struct kl_common common;
    const char *psd, *sequence, *mapping;
    double alpha, amplitude, omega_c, duration, omega0, gamma_h, line_width, temperature;
    int64_t segments;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "psd", 0, KL_OPT_CHOICE, AT(psd), KL_CONTROL_PSD_CHOICES, 0, 0, true, "its model", "Spectrum",
      "psd-model" },
    { "alpha", 0, KL_OPT_FLOAT, AT(alpha), "X", -10, 10, true, "exponent; of double_exp the shares",
      NULL, NULL },
    { "amplitude", 'A', KL_OPT_FLOAT, AT(amplitude), "A", 0, 1e30, true, "S = A / ...", NULL, NULL },
    { "omega-c", 0, KL_OPT_FLOAT, AT(omega_c), "W", 1e-9, 1e9, true, "corner, radians per unit of time",
      NULL, NULL },
    { "duration", 'T', KL_OPT_FLOAT, AT(duration), "T", 1e-12, 1e12, true, "of the pulse", "Qubit",
      "horizon" },
    { "sequence", 0, KL_OPT_STRING, AT(sequence), "NAME", 0, 0, true, "ramsey, echo, cpmg_N", NULL,
      NULL },
    { "omega0", 0, KL_OPT_FLOAT, AT(omega0), "W", 0, 1e12, true, "between the levels", NULL, NULL },
    { "temperature", 0, KL_OPT_FLOAT, AT(temperature), "X", -1, 1e30, true,
      "kT/hbar, radians per unit of time; -1: hot, as much up as down", NULL, NULL },
    { "line-width", 0, KL_OPT_FLOAT, AT(line_width), "W", 0, 1e12, true, "of the transition; 0: sharp",
      NULL, NULL },
    { "mapping", 'm', KL_OPT_CHOICE, AT(mapping), KL_CONTROL_MAPPING_CHOICES, 0, 0, true,
      "what stands beside the standard one", "Earlier system", NULL },
    { "gamma-h", 0, KL_OPT_FLOAT, AT(gamma_h), "W", 0, 1e12, true, "filter: width of its line", NULL,
      NULL },
    { "segments", 0, KL_OPT_INT, AT(segments), "N", 1, 1e6, true, "band: of the pulse", NULL,
      "n-segments" },
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
    v->alpha = 1, v->amplitude = 1, v->omega_c = 50;
    v->duration = noise.duration, v->omega0 = noise.omega0, v->gamma_h = noise.gamma_h;
    v->line_width = noise.line_width, v->temperature = -1, v->segments = noise.segments;
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
                                        v->alpha, v->amplitude, v->omega_c };
    struct kl_control_noise noise = { .mapping = (enum kl_control_mapping)kl_choice(
                                          KL_CONTROL_MAPPING_CHOICES, mapping),
                                      .segments = (int)v->segments,
                                      .duration = v->duration,
                                      .omega0 = v->omega0,
                                      .gamma_h = v->gamma_h,
                                      .line_width = v->line_width,
                                      .temperature = v->temperature < 0 ? INFINITY : v->temperature };
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

static void table(FILE *to, const struct values *v, const struct row *rows, size_t n)
{
    fprintf(to, "%s, alpha %g, A %g, omega_c %g; T %g, %s, omega0 %g\n", v->psd, v->alpha, v->amplitude,
            v->omega_c, v->duration, v->sequence, v->omega0);
    fprintf(to, "%-10s%13s%13s%13s%13s%13s\n", "mapping", "gamma_phi", "gamma_down", "gamma_up", "T1",
            "T2");
    for (size_t i = 0; i < n; i++) {
        const struct kl_control_rates *r = &rows[i].rates;
        fprintf(to, "%-10s%13.6g%13.6g%13.6g", rows[i].name, r->phi, r->down, r->up);
        put_time(to, rows[i].t1), put_time(to, rows[i].t2);
        fputc('\n', to);
    }
}

static int json(FILE *to, const struct values *v, const struct row *row, const struct row *standard,
                const struct kl_log *log, struct kl_error *err)
{
    const struct kl_json_pair pairs[] = {
        { "psd", KL_JSON_TEXT, v->psd, 0 },
        { "alpha", KL_JSON_NUMBER, NULL, v->alpha },
        { "amplitude", KL_JSON_NUMBER, NULL, v->amplitude },
        { "omega_c", KL_JSON_NUMBER, NULL, v->omega_c },
        { "duration", KL_JSON_NUMBER, NULL, v->duration },
        { "sequence", KL_JSON_TEXT, v->sequence, 0 },
        { "omega0", KL_JSON_NUMBER, NULL, v->omega0 },
        { "mapping", KL_JSON_TEXT, row->name, 0 },
        { "gamma_phi", KL_JSON_NUMBER, NULL, row->rates.phi },
        { "gamma_down", KL_JSON_NUMBER, NULL, row->rates.down },
        { "gamma_up", KL_JSON_NUMBER, NULL, row->rates.up },
        { "t1", KL_JSON_NUMBER, NULL, row->t1 },
        { "t2", KL_JSON_NUMBER, NULL, row->t2 },
        { "standard_gamma_phi", KL_JSON_NUMBER, NULL, standard->rates.phi },
        { "standard_gamma_down", KL_JSON_NUMBER, NULL, standard->rates.down },
        { "standard_gamma_up", KL_JSON_NUMBER, NULL, standard->rates.up },
        { "standard_t1", KL_JSON_NUMBER, NULL, standard->t1 },
        { "standard_t2", KL_JSON_NUMBER, NULL, standard->t2 },
        kl_json_cautions(log),
    };
    return kl_json_line(to, pairs, sizeof pairs / sizeof *pairs, err);
}

/* Warn of rates that mislead by themselves. */
static void caution(const struct kl_log *log, const struct values *v, const struct row *rows, size_t n)
{
    const double chi = rows[n - 1].rates.phi * v->duration;
    if (chi > 1)
        kl_caution(log,
                   "chi is %.3g within T: the coherence is gone before the pulse ends, and a rate says "
                   "little of noise with a memory; average over the noise itself",
                   chi);
    if (rows[0].rates.phi > 10 * rows[n - 1].rates.phi)
        kl_caution(log, "the %s mapping has %.3g times the dephasing of the standard one", rows[0].name,
                   rows[0].rates.phi / rows[n - 1].rates.phi);
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    const struct kl_stage *stage = &run->stage;
    struct row rows[2];
    if (v->temperature < 0 && v->temperature != -1)
        return kl_fail(err, KL_EUSAGE, "--temperature: found %g, expected -1 or a number from 0",
                       v->temperature);
    int code = compute(&rows[0], v, v->mapping, err);
    if (!code) code = compute(&rows[1], v, "standard", err);
    if (code) return code;
    const size_t n = kl_choice(KL_CONTROL_MAPPING_CHOICES, v->mapping) == KL_CONTROL_STANDARD ? 1 : 2;
    caution(stage->log, v, rows, n);
    if (v->common.json) return json(run->out, v, &rows[0], &rows[1], stage->log, err);
    if (!v->common.quiet) table(run->out, v, rows, n);
    return KL_OK;
}

const struct kl_mode kl_control_mode_noise = {
    .tool = &kl_control_noise_tool, .defaults = defaults, .run = run, .keeps_nothing = true
};
