/* SPDX-License-Identifier: MIT
   Synthetic people: their laws, the time courses of a run, and the run at the electrodes. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "sequence/recording/recording.h"
#include "sequence/synthetic/synthetic.h"

enum { KL_PEOPLE_PINK = 12, KL_PEOPLE_OCTAVES = 7 };
enum { KL_PEOPLE_LEFT, KL_PEOPLE_RIGHT, KL_PEOPLE_ALPHA };
struct run_place {
    const struct kl_sequence_people *o;
    struct kl_sequence_person p;
    size_t person, n; /* samples */
    int run;
};

/* ---- people ----
   Synthetic people: their laws, and the time courses of a run. A run is a sum of sources with places on
   the head: a pink background, two mu rhythms of which one desynchronises, an alpha rhythm that knows
   nothing of hands, blinks; and at each electrode mains and noise of its own. */

/* Purposes of random numbers: each is KL_RANDOM_PEOPLE + 256 * one of these. */
enum { TRAITS, ORDER, BLINKS, RHYTHM, PINK = RHYTHM + 3, SENSOR = PINK + KL_PEOPLE_PINK };
static const double PI = 3.141592653589793, SHORT = 0.4, ODD_RATE = 128, REST = 4.2, TASK = 4.1;

void kl_sequence_people_default(struct kl_sequence_people *o)
{
    *o = (struct kl_sequence_people){
        .people = 10, .channels = 64, .trials = 15, .effect = 0.6, .rate = 160, .mains = 50
    };
}

/* ---- random numbers ---- */
static uint32_t purpose(int what)
{
    return KL_RANDOM_PEOPLE + 256u * (uint32_t)what;
}

/* The k-th trait of a person, uniform between two ends. */
static double trait(const struct kl_sequence_people *o, size_t person, uint32_t k, double low,
                    double high)
{
    uint32_t words[4];
    kl_philox(words, o->seed, k, purpose(TRAITS), 0, (uint32_t)person);
    return low + (high - low) * kl_philox_unit(words[0]);
}

/* Two normals of two words (Box & Muller 1958). */
static void normals(double out[2], const uint32_t words[2])
{
    const double radius = sqrt(-2 * log(kl_philox_unit(words[0]))),
                 angle = 2 * PI * kl_philox_unit(words[1]);
    out[0] = radius * cos(angle), out[1] = radius * sin(angle);
}

static void normal_noise(double *out, size_t n, const struct run_place *r, int what, uint32_t first)
{
    for (size_t i = 0; i < n; i += 4) {
        uint32_t words[4];
        double four[4];
        kl_philox(words, r->o->seed, first + (uint32_t)(i / 4), purpose(what), (uint32_t)r->run,
                  (uint32_t)r->person);
        normals(four, words), normals(four + 2, words + 2);
        memcpy(out + i, four, (n - i < 4 ? n - i : 4) * sizeof *out);
    }
}

/* ---- a person's law ---- */
/* A place turned about the vertex. */
static void turn(double to[2], double x, double y, double angle)
{
    to[0] = x * cos(angle) - y * sin(angle), to[1] = x * sin(angle) + y * cos(angle);
}

void kl_sequence_person_draw(struct kl_sequence_person *p, const struct kl_sequence_people *o,
                             size_t person)
{
    const size_t last = o->people ? o->people - 1 : 0;
    *p = (struct kl_sequence_person){
        .mu_hz = trait(o, person, 0, 8.5, 12.5),
        .alpha_hz = trait(o, person, 1, 8.5, 11.5),
        .mu_uv = trait(o, person, 2, 7, 13),
        .alpha_uv = trait(o, person, 3, 4, 12),
        .background_uv = trait(o, person, 4, 9, 14),
        .sensor_uv = trait(o, person, 5, 1, 2.5),
        .mains_uv = o->mains > 0 ? trait(o, person, 6, 1, 4) : 0,
        .blink_uv = trait(o, person, 7, 90, 200),
        .loss = o->effect * trait(o, person, 8, 0.75, 1),
        .rotation = trait(o, person, 9, -0.3, 0.3),
        .spread = trait(o, person, 10, 0.2, 0.32),
        .rate = o->odd_rate && person == last ? ODD_RATE : o->rate,
    };
    turn(p->left, -0.4 * trait(o, person, 11, 0.9, 1.1), trait(o, person, 12, -0.05, 0.05), p->rotation);
    turn(p->right, 0.4 * trait(o, person, 13, 0.9, 1.1), trait(o, person, 14, -0.05, 0.05), p->rotation);
}

const char *kl_sequence_people_channel(size_t channel)
{
    static const char *const first[] = { "C3",  "C4",  "Cz",  "Fp1", "Fp2", "O1", "O2", "Pz", "FC3",
                                         "FC4", "CP3", "CP4", "Fz",  "F3",  "F4", "P3", "P4" };
    enum { FIRST = sizeof first / sizeof *first };
    if (channel < FIRST) return first[channel];
    size_t left = channel - FIRST;
    for (size_t i = 0; i < kl_sequence_n_electrodes; i++) {
        bool taken = false;
        for (size_t k = 0; k < FIRST; k++)
            taken |= strcmp(first[k], kl_sequence_electrodes[i].name) == 0;
        if (!taken && left-- == 0) return kl_sequence_electrodes[i].name;
    }
    return NULL;
}

size_t kl_sequence_people_samples(const struct kl_sequence_people *o, size_t person, int run)
{
    struct kl_sequence_person p;
    kl_sequence_person_draw(&p, o, person);
    double seconds = ceil((double)o->trials * (REST + TASK));
    if (o->short_last && person == 0 && run == KL_SEQUENCE_RUNS - 1) seconds = ceil(SHORT * seconds);
    return (size_t)(seconds * p.rate);
}

/* ---- trials ---- */
/* Rest, then a hand: half of them left (of an odd number the first and third run have one more), in an
   order drawn by Fisher & Yates. Those that begin behind the recording's end are not in it. */
static size_t course_trials(struct kl_sequence_annotation *a, const struct run_place *r)
{
    const size_t n = r->o->trials, left = (n + (size_t)(r->run % 2 == 0)) / 2;
    const double seconds = (double)r->n / r->p.rate;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const double begin = (double)i * (REST + TASK);
        a[2 * i] = (struct kl_sequence_annotation){ begin, REST, "T0" };
        a[2 * i + 1] = (struct kl_sequence_annotation){ begin + REST, TASK, i < left ? "T1" : "T2" };
    }
    for (size_t i = n; i-- > 1;) {
        uint32_t words[4];
        kl_philox(words, r->o->seed, (uint32_t)i, purpose(ORDER), (uint32_t)r->run, (uint32_t)r->person);
        const size_t j = (size_t)((uint64_t)words[0] * (i + 1) >> 32);
        const char *text = a[2 * i + 1].text;
        a[2 * i + 1].text = a[2 * j + 1].text, a[2 * j + 1].text = text;
    }
    while (kept < 2 * n && a[kept].onset < seconds) kept++;
    return kept;
}

/* ---- time courses: functions of (seed, person, run) alone ----
   noise: work of n (pink) or 2 n (rhythm) numbers. */
/* Standard deviation 1: the sum of processes that forget within 1/(2 pi f) seconds, f in octaves from
   0.5 Hz on, of equal power: about 1/f between the ends. */
static void pink(double *out, const struct run_place *r, int source, double *noise)
{
    memset(out, 0, r->n * sizeof *out);
    for (int k = 0; k < KL_PEOPLE_OCTAVES; k++) {
        const double keep = exp(-2 * PI * 0.5 * (double)(1 << k) / r->p.rate),
                     whole = sqrt(1.0 / KL_PEOPLE_OCTAVES), add = whole * sqrt(1 - keep * keep);
        double x = 0;
        normal_noise(noise, r->n, r, PINK + source, (uint32_t)k << 24);
        for (size_t t = 0; t < r->n; t++) {
            x = t ? keep * x + add * noise[t] : whole * noise[t];
            out[t] += x;
        }
    }
}

/* Standard deviation 1: a turning process of this frequency, 1 Hz wide at half its power. */
static void rhythm(double *out, const struct run_place *r, int which, double hz, double *noise)
{
    const double keep = exp(-PI / r->p.rate), add = sqrt(1 - keep * keep),
                 angle = 2 * PI * hz / r->p.rate;
    const double c = keep * cos(angle), s = keep * sin(angle);
    double x = 0, y = 0;
    normal_noise(noise, 2 * r->n, r, RHYTHM + which, 0);
    for (size_t t = 0; t < r->n; t++) {
        const double scale = t ? add : 1, turned = c * x - s * y;
        y = s * x + c * y + scale * noise[2 * t + 1];
        x = turned + scale * noise[2 * t];
        out[t] = x;
    }
}

/* Half a second after a hand's cue its opposite side has lost `loss` of its power, and regains it within
   as long behind the end; both steps are half a wave of a cosine. */
static void desynchronise(double *left, double *right, const struct run_place *r,
                          const struct kl_sequence_annotation *a, size_t n)
{
    const double depth = 1 - sqrt(1 - r->p.loss), ramp = 0.5;
    for (size_t i = 0; i < n; i++) {
        double *side = strcmp(a[i].text, "T1") == 0 ? right : strcmp(a[i].text, "T2") == 0 ? left : NULL;
        const double begin = a[i].onset, end = a[i].onset + a[i].duration;
        for (size_t t = (size_t)ceil(begin * r->p.rate);
             side && t < r->n && (double)t / r->p.rate < end + ramp; t++) {
            const double at = (double)t / r->p.rate, in = fmin((at - begin) / ramp, 1),
                         out = fmin((end + ramp - at) / ramp, 1);
            side[t] *= 1 - depth * 0.25 * (1 - cos(PI * in)) * (1 - cos(PI * out));
        }
    }
}

/* Of height up to 1, 0.35 s long, one in every four seconds, somewhere within the first three of them.
 */
static void blinks(double *out, const struct run_place *r)
{
    const double length = 0.35;
    memset(out, 0, r->n * sizeof *out);
    for (uint32_t k = 0; 4.0 * k * r->p.rate < (double)r->n; k++) {
        uint32_t words[4];
        kl_philox(words, r->o->seed, k, purpose(BLINKS), (uint32_t)r->run, (uint32_t)r->person);
        const double begin = 4.0 * k + 3 * kl_philox_unit(words[0]),
                     height = 0.6 + 0.4 * kl_philox_unit(words[1]);
        for (size_t t = (size_t)ceil(begin * r->p.rate);
             t < r->n && (double)t / r->p.rate < begin + length; t++)
            out[t] += height * 0.5 * (1 - cos(2 * PI * ((double)t / r->p.rate - begin) / length));
    }
}

static void sensor(double *out, const struct run_place *r, size_t channel)
{
    normal_noise(out, r->n, r, SENSOR, (uint32_t)channel << 24);
}

/* ---- traits of sources and electrodes ---- */
static void course_background_place(double to[2], const struct run_place *r, int source)
{
    const uint32_t k = 32 + 2 * (uint32_t)source;
    const double radius = sqrt(trait(r->o, r->person, k, 0, 1)),
                 angle = trait(r->o, r->person, k + 1, 0, 2 * PI);
    to[0] = radius * cos(angle), to[1] = radius * sin(angle);
}

/* Gain, or with phase: radians, of mains at an electrode. */
static double course_mains(const struct run_place *r, size_t channel, bool phase)
{
    const uint32_t k = 128 + 2 * (uint32_t)channel + phase;
    return phase ? trait(r->o, r->person, k, 0, 0.6) : trait(r->o, r->person, k, 0.5, 1.5);
}

/* ---- a synthetic person's run at the electrodes, its EDF file, and what is true of all ---- */

static const int run_numbers[KL_SEQUENCE_RUNS] = { 4, 8, 12 };

void kl_sequence_people_name(char name[32], size_t person, int run)
{
    snprintf(name, 32, "S%03uR%02d.edf", (unsigned)(person + 1) % 1000, run_numbers[run]);
}

/* Adds a source to all electrodes; its amplitude falls with the distance as a Gaussian. */
static void project(double *samples, const struct run_place *r, const double *course, double amplitude,
                    const double place[2], double spread)
{
    for (size_t c = 0; c < r->o->channels; c++) {
        const struct kl_sequence_electrode *e =
            kl_sequence_electrode_find(kl_sequence_people_channel(c));
        const double dx = e->x - place[0], dy = e->y - place[1];
        const double gain = amplitude * exp(-0.5 * (dx * dx + dy * dy) / (spread * spread));
        double *row = samples + c * r->n;
        for (size_t t = 0; t < r->n; t++) row[t] += gain * course[t];
    }
}

static void add_background(double *samples, const struct run_place *r, double *course, double *noise)
{
    for (int k = 0; k < KL_PEOPLE_PINK; k++) {
        double place[2];
        course_background_place(place, r, k);
        pink(course, r, k, noise);
        project(samples, r, course, r->p.background_uv, place, 0.45);
    }
}

static void add_rhythms(double *samples, const struct run_place *r,
                        const struct kl_sequence_annotation *a, size_t n, double *left, double *right,
                        double *noise)
{
    const double occipital[2] = { 0.72 * sin(r->p.rotation), -0.72 * cos(r->p.rotation) },
                 frontal[2] = { 0, 0.95 };
    rhythm(left, r, KL_PEOPLE_LEFT, r->p.mu_hz, noise);
    rhythm(right, r, KL_PEOPLE_RIGHT, r->p.mu_hz, noise);
    desynchronise(left, right, r, a, n);
    project(samples, r, left, r->p.mu_uv, r->p.left, r->p.spread);
    project(samples, r, right, r->p.mu_uv, r->p.right, r->p.spread);
    rhythm(left, r, KL_PEOPLE_ALPHA, r->p.alpha_hz, noise);
    project(samples, r, left, r->p.alpha_uv, occipital, 0.35);
    blinks(left, r);
    project(samples, r, left, r->p.blink_uv, frontal, 0.28);
}

static void add_electrodes(double *samples, const struct run_place *r, double *noise)
{
    const double angle = 2 * 3.141592653589793 * r->o->mains / r->p.rate;
    for (size_t c = 0; c < r->o->channels; c++) {
        const double gain = r->p.mains_uv * course_mains(r, c, false), phase = course_mains(r, c, true);
        double *row = samples + c * r->n;
        sensor(noise, r, c);
        for (size_t t = 0; t < r->n; t++) row[t] += r->p.sensor_uv * noise[t];
        for (size_t t = 0; t < r->n && gain > 0; t++) row[t] += gain * sin(angle * (double)t + phase);
    }
}

int kl_sequence_people_run(double *samples, struct kl_sequence_annotation *annotations,
                           size_t *n_annotations, const struct kl_sequence_people *o, size_t person,
                           int run, struct kl_error *err)
{
    struct run_place r = {
        .o = o, .person = person, .run = run, .n = kl_sequence_people_samples(o, person, run)
    };
    kl_sequence_person_draw(&r.p, o, person);
    double *work = malloc(4 * r.n * sizeof *work);
    if (!work) return kl_fail_memory(err, 4 * r.n * sizeof *work);
    memset(samples, 0, o->channels * r.n * sizeof *samples);
    *n_annotations = course_trials(annotations, &r);
    add_background(samples, &r, work, work + 2 * r.n);
    add_rhythms(samples, &r, annotations, *n_annotations, work, work + r.n, work + 2 * r.n);
    add_electrodes(samples, &r, work);
    free(work);
    return KL_OK;
}

/* ---- as a file ---- */
struct text {
    char *bytes;
    size_t n, room;
};

static int take(void *context, const void *data, size_t n, struct kl_error *err)
{
    struct text *t = context;
    if (t->n + n > t->room) {
        const size_t room = 2 * (t->n + n);
        char *grown = realloc(t->bytes, room);
        if (!grown) return kl_fail_memory(err, room);
        t->bytes = grown, t->room = room;
    }
    memcpy(t->bytes + t->n, data, n);
    t->n += n;
    return KL_OK;
}

static int write_run(struct text *t, const struct kl_sequence_people *o, size_t person, int run,
                     double *samples, struct kl_sequence_annotation *annotations, struct kl_error *err)
{
    struct kl_sequence_edf_signal signals[64];
    struct kl_sequence_person p;
    size_t n_annotations;
    const size_t n = kl_sequence_people_samples(o, person, run);
    kl_sequence_person_draw(&p, o, person);
    const int code = kl_sequence_people_run(samples, annotations, &n_annotations, o, person, run, err);
    if (code) return code;
    /* A tenth of a microvolt a step. */
    for (size_t c = 0; c < o->channels; c++)
        signals[c] = (struct kl_sequence_edf_signal){ kl_sequence_people_channel(c), "uV", -3276.8,
                                                      3276.7, samples + c * n };
    const struct kl_sequence_edf edf = { .signals = signals,
                                         .n_signals = o->channels,
                                         .per_record = (size_t)p.rate,
                                         .n_records = n / (size_t)p.rate,
                                         .record_seconds = 1,
                                         .start = "2026-11-01 09:00:00",
                                         .equipment = "ketline",
                                         .annotations = annotations,
                                         .n_annotations = n_annotations };
    return kl_sequence_edf_write(NULL, &edf, take, t, err);
}

int kl_sequence_people_file(char **bytes, size_t *n, const struct kl_sequence_people *o, size_t person,
                            int run, struct kl_error *err)
{
    struct text t = { 0 };
    const size_t size = o->channels * kl_sequence_people_samples(o, person, run) * sizeof(double);
    double *samples = malloc(size);
    struct kl_sequence_annotation *annotations = calloc(2 * o->trials, sizeof *annotations);
    int code = samples && annotations ? KL_OK : kl_fail_memory(err, size);
    if (!code) code = write_run(&t, o, person, run, samples, annotations, err);
    free(samples), free(annotations);
    if (code) free(t.bytes), t = (struct text){ 0 };
    *bytes = t.bytes, *n = t.n;
    return code;
}

/* ---- the truth ---- */
static json_t *person_json(const struct kl_sequence_people *o, size_t person)
{
    struct kl_sequence_person p;
    char name[8];
    kl_sequence_person_draw(&p, o, person);
    snprintf(name, sizeof name, "S%03u", (unsigned)(person + 1) % 1000);
    return json_pack("{s:s,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:[ff],s:[ff],s:f}", "name", name,
                     "mu_hz", p.mu_hz, "alpha_hz", p.alpha_hz, "mu_uv", p.mu_uv, "alpha_uv", p.alpha_uv,
                     "background_uv", p.background_uv, "sensor_uv", p.sensor_uv, "mains_uv", p.mains_uv,
                     "blink_uv", p.blink_uv, "power_lost", p.loss, "rotation", p.rotation, "spread",
                     p.spread, "left", p.left[0], p.left[1], "right", p.right[0], p.right[1], "rate",
                     p.rate);
}

int kl_sequence_people_truth(json_t **truth, const struct kl_sequence_people *o, struct kl_error *err)
{
    json_t *people = json_array();
    bool whole = people != NULL;
    for (size_t i = 0; i < o->people && whole; i++)
        whole = json_array_append_new(people, person_json(o, i)) == 0;
    *truth = whole
                 ? json_pack("{s:s,s:I,s:I,s:I,s:f,s:f,s:O}", "made_by",
                             "ketline " KL_VERSION ": qseq generate people", "seed", (json_int_t)o->seed,
                             "channels", (json_int_t)o->channels, "trials", (json_int_t)o->trials,
                             "effect", o->effect, "mains", o->mains, "people", people)
                 : NULL;
    json_decref(people);
    return *truth ? KL_OK : kl_fail_memory(err, 256 * o->people);
}
