/* SPDX-License-Identifier: MIT
   A synthetic person's run at the electrodes, its EDF file, and what is true of all. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/recording/recording.h"
#include "sequence/synthetic/people_int.h"

static const int run_numbers[KL_SEQUENCE_RUNS] = { 4, 8, 12 };

void kl_sequence_people_name(char name[32], size_t person, int run)
{
    snprintf(name, 32, "S%03uR%02d.edf", (unsigned)(person + 1) % 1000, run_numbers[run]);
}

/* Adds a source to all electrodes; its amplitude falls with the distance as a Gaussian. */
static void project(double *samples, const struct kl_run_place *r, const double *course,
                    double amplitude, const double place[2], double spread)
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

static void add_background(double *samples, const struct kl_run_place *r, double *course, double *noise)
{
    for (int k = 0; k < KL_PEOPLE_PINK; k++) {
        double place[2];
        kl_sequence_course_background_place(place, r, k);
        kl_sequence_course_pink(course, r, k, noise);
        project(samples, r, course, r->p.background_uv, place, 0.45);
    }
}

static void add_rhythms(double *samples, const struct kl_run_place *r,
                        const struct kl_sequence_annotation *a, size_t n, double *left, double *right,
                        double *noise)
{
    const double occipital[2] = { 0.72 * sin(r->p.rotation), -0.72 * cos(r->p.rotation) },
                 frontal[2] = { 0, 0.95 };
    kl_sequence_course_rhythm(left, r, KL_PEOPLE_LEFT, r->p.mu_hz, noise);
    kl_sequence_course_rhythm(right, r, KL_PEOPLE_RIGHT, r->p.mu_hz, noise);
    kl_sequence_course_desynchronise(left, right, r, a, n);
    project(samples, r, left, r->p.mu_uv, r->p.left, r->p.spread);
    project(samples, r, right, r->p.mu_uv, r->p.right, r->p.spread);
    kl_sequence_course_rhythm(left, r, KL_PEOPLE_ALPHA, r->p.alpha_hz, noise);
    project(samples, r, left, r->p.alpha_uv, occipital, 0.35);
    kl_sequence_course_blinks(left, r);
    project(samples, r, left, r->p.blink_uv, frontal, 0.28);
}

static void add_electrodes(double *samples, const struct kl_run_place *r, double *noise)
{
    const double angle = 2 * 3.141592653589793 * r->o->mains / r->p.rate;
    for (size_t c = 0; c < r->o->channels; c++) {
        const double gain = r->p.mains_uv * kl_sequence_course_mains(r, c, false),
                     phase = kl_sequence_course_mains(r, c, true);
        double *row = samples + c * r->n;
        kl_sequence_course_sensor(noise, r, c);
        for (size_t t = 0; t < r->n; t++) row[t] += r->p.sensor_uv * noise[t];
        for (size_t t = 0; t < r->n && gain > 0; t++) row[t] += gain * sin(angle * (double)t + phase);
    }
}

int kl_sequence_people_run(double *samples, struct kl_sequence_annotation *annotations,
                           size_t *n_annotations, const struct kl_sequence_people *o, size_t person,
                           int run, struct kl_error *err)
{
    struct kl_run_place r = {
        .o = o, .person = person, .run = run, .n = kl_sequence_people_samples(o, person, run)
    };
    kl_sequence_person_draw(&r.p, o, person);
    double *work = malloc(4 * r.n * sizeof *work);
    if (!work) return kl_fail_memory(err, 4 * r.n * sizeof *work);
    memset(samples, 0, o->channels * r.n * sizeof *samples);
    *n_annotations = kl_sequence_course_trials(annotations, &r);
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
