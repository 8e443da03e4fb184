/* SPDX-License-Identifier: MIT
   Searches for pulses side by side on the GPU: the generator in places, their memory, their launches. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/library.h"
#include "kernels/cuda/pulse_adam.cuh"
#include "kernels/cuda/pulse_newton.cuh"
#include "kernels/cuda/pulse_points.cuh"

struct kl_cuda_pulses {
    struct kl_pulse_job job;
    size_t blocks, number, shared; /* number: bytes of a number; shared: of a block's shared memory */
    struct kl_cuda_pieces pieces;
    cudaStream_t stream;
    int device;
};

typedef void (*kernel)(struct kl_pulse_job);

static kernel kernel_of(const struct kl_cuda_pulses *s)
{
    switch (s->job.problem.method) {
    case KL_CUDA_PULSE_NEWTON: return kl_pulse_newton_trials;
    case KL_CUDA_PULSE_ADAM: return kl_pulse_adam_trials;
    case KL_CUDA_PULSE_POINTS:
        return s->job.problem.single ? kl_pulse_points<float> : kl_pulse_points<double>;
    default: return kl_pulse_trials;
    }
}

/* ---- memory ---- */
/* n values for as long as the searches live: zeros, or a copy. */
template <class T>
static int keep(struct kl_cuda_pulses *s, T **to, const void *from, size_t n, struct kl_error *err)
{
    return kl_cuda_keep(&s->pieces, to, from, n, "pulses", err);
}
template <class T>
static int keep(struct kl_cuda_pulses *s, const T **to, const T *from, size_t n, struct kl_error *err)
{
    return keep(s, (T **)to, (const void *)from, n, err);
}

/* ---- the generator ---- */
/* On the host; `place` of each term. */
struct tables {
    int32_t *row, *column, *back_place, *back_row, *place, *place_begin, *control_begin;
    struct kl_pulse_entry *by_place, *by_control;
};

static void free_tables(struct tables *t)
{
    free(t->row), free(t->column), free(t->back_place), free(t->back_row), free(t->place);
    free(t->place_begin), free(t->control_begin), free(t->by_place), free(t->by_control);
}

static bool is_new_place(const struct kl_liouville_term *terms, int i)
{
    return i == 0 || terms[i].row != terms[i - 1].row || terms[i].col != terms[i - 1].col;
}

/* Most places that a row has, and a column. */
static void widths(int *wide, int *wide_back, int32_t *of_row, int32_t *of_column,
                   const struct kl_liouville *g)
{
    *wide = *wide_back = 1;
    for (int i = 0; i < g->n_terms; i++) {
        if (!is_new_place(g->terms, i)) continue;
        const int row = ++of_row[g->terms[i].row], column = ++of_column[g->terms[i].col];
        *wide = row > *wide ? row : *wide, *wide_back = column > *wide_back ? column : *wide_back;
    }
}

static int take_tables(struct tables *t, struct kl_pulse_generator *to, const struct kl_liouville *g,
                       struct kl_error *err)
{
    const size_t dim = (size_t)g->dim, terms = (size_t)g->n_terms + 1;
    int wide, wide_back;
    t->row = (int32_t *)calloc(2 * dim, sizeof *t->row);
    if (!t->row) return kl_cuda_fail(err, KL_ENOMEM, "no memory for %zu rows", 2 * dim);
    widths(&wide, &wide_back, t->row, t->row + dim, g);
    to->places = wide * g->dim, to->back_places = wide_back * g->dim;
    const size_t places = (size_t)to->places, back = (size_t)to->back_places;
    t->column = (int32_t *)calloc(places, sizeof *t->column);
    t->back_place = (int32_t *)calloc(back, sizeof *t->back_place);
    t->back_row = (int32_t *)calloc(back, sizeof *t->back_row);
    t->place = (int32_t *)calloc(terms, sizeof *t->place);
    t->place_begin = (int32_t *)calloc(places + 1, sizeof *t->place_begin);
    t->control_begin = (int32_t *)calloc((size_t)g->controls + 1, sizeof *t->control_begin);
    t->by_place = (struct kl_pulse_entry *)calloc(terms, sizeof *t->by_place);
    t->by_control = (struct kl_pulse_entry *)calloc(terms, sizeof *t->by_control);
    if (t->column && t->back_place && t->back_row && t->place && t->place_begin && t->control_begin &&
        t->by_place && t->by_control)
        return KL_OK;
    return kl_cuda_fail(err, KL_ENOMEM, "no memory for %zu terms", terms);
}

/* Where the rows' and columns' numbers lie. */
static void fill_places(struct tables *t, const struct kl_pulse_generator *to,
                        const struct kl_liouville *g)
{
    int32_t *of_row = t->row, *of_column = t->row + g->dim;
    memset(t->row, 0, 2 * (size_t)g->dim * sizeof *t->row);
    for (int e = 0; e < to->places; e++) t->column[e] = e % g->dim;
    for (int e = 0; e < to->back_places; e++) t->back_place[e] = to->places, t->back_row[e] = e % g->dim;
    for (int i = 0; i < g->n_terms; i++) {
        const struct kl_liouville_term *term = &g->terms[i];
        if (is_new_place(g->terms, i)) {
            const int e = of_row[term->row]++ * g->dim + term->row,
                      back = of_column[term->col]++ * g->dim + term->col;
            t->place[i] = e, t->column[e] = term->col;
            t->back_place[back] = e, t->back_row[back] = term->row;
        } else t->place[i] = t->place[i - 1];
    }
}

/* Term i's entry in the lists by control; -1: in none. */
static int control_of(const struct kl_liouville *g, int i)
{
    return g->terms[i].of < g->controls ? g->terms[i].of : -1;
}

/* Lists of keys [0, n), each with the entries of its terms in their order. From counts in begin[key +
   1], by way of the lists' ends. */
static void sort_entries(int32_t *begin, struct kl_pulse_entry *to, int n, const struct tables *t,
                         const struct kl_liouville *g, bool by_control)
{
    for (int i = 0; i < g->n_terms; i++) begin[(by_control ? control_of(g, i) : t->place[i]) + 1]++;
    begin[0] = 0; /* where those that are in no list were counted */
    for (int k = 0; k < n; k++) begin[k + 1] += begin[k];
    const int32_t all = begin[n];
    for (int i = g->n_terms - 1; i >= 0; i--) {
        const int key = by_control ? control_of(g, i) : t->place[i];
        const int32_t of = by_control ? t->place[i] : g->terms[i].of;
        if (key >= 0) to[--begin[key + 1]] = { g->terms[i].value, (float)g->terms[i].value, of };
    }
    memmove(begin, begin + 1, (size_t)n * sizeof *begin);
    begin[n] = all;
}

static int send_tables(struct kl_cuda_pulses *s, const struct tables *t, struct kl_error *err)
{
    struct kl_pulse_generator *g = &s->job.g;
    const struct kl_liouville *of = &s->job.problem.g;
    const size_t places = (size_t)g->places, back = (size_t)g->back_places;
    int code = keep(s, &g->column, t->column, places, err);
    if (!code) code = keep(s, &g->back_place, t->back_place, back, err);
    if (!code) code = keep(s, &g->back_row, t->back_row, back, err);
    if (!code) code = keep(s, &g->place_begin, t->place_begin, places + 1, err);
    if (!code) code = keep(s, &g->control_begin, t->control_begin, (size_t)of->controls + 1, err);
    if (!code) code = keep(s, &g->by_place, t->by_place, (size_t)of->n_terms, err);
    if (!code) code = keep(s, &g->by_control, t->by_control, (size_t)of->n_terms, err);
    return code;
}

static int make_generator(struct kl_cuda_pulses *s, struct kl_error *err)
{
    struct tables t = {};
    int code = take_tables(&t, &s->job.g, &s->job.problem.g, err);
    if (!code) {
        fill_places(&t, &s->job.g, &s->job.problem.g);
        sort_entries(t.place_begin, t.by_place, s->job.g.places, &t, &s->job.problem.g, false);
        sort_entries(t.control_begin, t.by_control, s->job.problem.g.controls, &t, &s->job.problem.g,
                     true);
        code = send_tables(s, &t, err);
    }
    free_tables(&t);
    return code;
}

template <class R>
static void fill_tables(kl_pulse_tables<R> *to, const struct kl_cuda_pulse *p, const R *norm)
{
    to->dt = (R)(p->g.dt / p->g.substeps);
    memcpy(to->norm, norm, sizeof to->norm);
    for (int k = 1; k <= KL_SERIES_MOST; k++) to->inverse[k] = (R)(1.0 / k);
    for (int k = 0; k < p->g.controls; k++) to->limit[k] = (R)p->limit[k];
}

/* The largest order of a series. */
template <class R> static int32_t top_of(const kl_pulse_tables<R> *tables, double norm)
{
    int32_t m = KL_SERIES_LEAST;
    while (m < KL_SERIES_MOST && !(norm <= (double)tables->norm[m - KL_SERIES_LEAST])) m++;
    return m;
}

/* ---- blocks ---- */
/* Lanes of a unit, and how many units a block carries at a time: as many warps as fit. */
static int fit(struct kl_cuda_pulses *s, size_t most, struct kl_error *err)
{
    struct kl_pulse_job *job = &s->job;
    const struct kl_liouville *g = &job->problem.g;
    for (job->width = 1; job->width < g->dim && job->width < KL_WARP;) job->width *= 2;
    job->rows = (g->dim + job->width - 1) / job->width;
    job->top = job->problem.single ? top_of(&job->singles, job->problem.norm)
                                   : top_of(&job->tables, job->problem.norm);
    job->units = job->problem.members * g->columns;
    job->loads = (job->units + KL_WARP / job->width - 1) / (KL_WARP / job->width);
    job->room = 2 * job->g.places + 1 + (job->top + 3) * g->dim;
    /* So that the units of a warp meet in few banks, of which there are 16 of doubles, 32 of floats. */
    const int banks = s->number == sizeof(float) ? 32 : 16;
    while (job->room % banks != job->width % banks) job->room++;
    const size_t warp = (size_t)(KL_WARP / job->width) * (size_t)job->room * s->number;
    if (warp > most)
        return kl_cuda_fail(err, KL_EUSAGE,
                            "a system of %d numbers takes %zu bytes, a block of this GPU has %zu; give "
                            "--device cpu",
                            g->dim, warp, most);
    job->warps = job->loads < KL_PULSE_WARPS ? job->loads : KL_PULSE_WARPS;
    while ((size_t)job->warps * warp > most) job->warps--;
    s->shared = (size_t)job->warps * warp;
    return KL_OK;
}

/* Numbers of a block in its arrays: doubles, given: floats. */
struct sizes {
    size_t vectors, part, states, controls, samples, units, members, given;
};
/* Doubles that have the room of n numbers of a pass. */
static size_t doubles(const struct kl_cuda_pulses *s, size_t n)
{
    return (n * s->number + sizeof(double) - 1) / sizeof(double);
}
static struct sizes sizes_of(const struct kl_cuda_pulses *s)
{
    const struct kl_pulse_job *job = &s->job;
    const struct kl_liouville *g = &job->problem.g;
    const size_t warps = (size_t)job->warps, shaped = job->problem.waveform.samples > 0;
    return { KL_PULSE_VECTORS * (size_t)job->n,
             doubles(s, warps * (size_t)job->size),
             doubles(s, warps * (size_t)(g->segments * g->substeps) * (size_t)job->rows * KL_WARP),
             shaped * (size_t)job->size,
             (size_t)(job->problem.waveform.samples * g->controls),
             (size_t)job->units,
             (size_t)job->problem.members,
             job->problem.single
                 ? (size_t)job->n + (size_t)job->problem.members * (size_t)(1 + g->params)
                 : 0 };
}
static size_t block_bytes(const struct kl_cuda_pulses *s)
{
    const struct sizes z = sizes_of(s);
    return sizeof *s->job.place +
           sizeof(double) * (z.vectors + z.part + z.states + 2 * z.controls + 2 * z.samples + z.units +
                             2 * z.members) +
           sizeof(float) * z.given;
}

static int look_at_gpu(struct kl_cuda_pulses *s, int device, struct kl_error *err)
{
    struct cudaDeviceProp p;
    size_t room = 0;
    int together = 0, code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    if (!code) code = kl_cuda_check(cudaGetDeviceProperties(&p, device), "looking at the GPU", err);
    if (!code) code = fit(s, p.sharedMemPerBlockOptin, err);
    if (!code)
        code =
            kl_cuda_check(cudaFuncSetAttribute(kernel_of(s), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               (int)s->shared),
                          "looking at the GPU", err);
    if (!code)
        code = kl_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                 &together, kernel_of(s), s->job.warps * KL_WARP, s->shared),
                             "looking at the GPU", err);
    if (!code) code = kl_cuda_room(&room, block_bytes(s), err);
    if (code) return code;
    if (!together)
        return kl_cuda_fail(err, KL_EDEVICE, "this GPU cannot hold a block of the pulses' kernel");
    s->blocks = (size_t)(together * p.multiProcessorCount);
    if (s->blocks > room) s->blocks = room;
    if (s->blocks > (size_t)s->job.n_starts) s->blocks = (size_t)s->job.n_starts;
    return KL_OK;
}

static int take_blocks(struct kl_cuda_pulses *s, struct kl_error *err)
{
    struct kl_pulse_job *job = &s->job;
    const struct sizes z = sizes_of(s);
    const size_t b = s->blocks;
    int code = keep(s, &job->place, NULL, b, err);
    if (!code) code = keep(s, &job->vectors, NULL, b * z.vectors, err);
    if (!code) code = keep(s, &job->part, NULL, b * z.part, err);
    if (!code) code = keep(s, &job->states, NULL, b * z.states, err);
    if (!code) code = keep(s, &job->controls, NULL, b * z.controls, err);
    if (!code) code = keep(s, &job->by_controls, NULL, b * z.controls, err);
    if (!code) code = keep(s, &job->samples, NULL, b * z.samples, err);
    if (!code) code = keep(s, &job->by_samples, NULL, b * z.samples, err);
    if (!code) code = keep(s, &job->ends, NULL, b * z.units, err);
    if (!code) code = keep(s, &job->losses, NULL, b * z.members, err);
    if (!code) code = keep(s, &job->given, NULL, b * z.given, err);
    return code ? code : keep(s, &job->shares, NULL, b * z.members, err);
}

static int take_starts(struct kl_cuda_pulses *s, const double *points, struct kl_error *err)
{
    struct kl_pulse_job *job = &s->job;
    const size_t all = (size_t)job->n_starts, n = (size_t)job->n;
    int code = keep(s, &job->next, NULL, 1, err);
    if (!code) code = keep(s, &job->done, NULL, 1, err);
    if (!code) code = keep(s, &job->points, points, all * n, err);
    if (!code) code = keep(s, &job->gradients, NULL, all * n, err);
    return code ? code : keep(s, &job->results, NULL, all, err);
}

static int send_problem(struct kl_cuda_pulses *s, struct kl_error *err)
{
    struct kl_cuda_pulse *p = &s->job.problem;
    const size_t n = (size_t)s->job.n, matrix = (size_t)(p->g.dim * p->g.columns),
                 members = (size_t)p->tasks * (size_t)p->members;
    int code = keep(s, &p->start, p->start, matrix, err);
    if (!code) code = keep(s, &p->weights, p->weights, (p->own_weights ? members : 1) * matrix, err);
    if (!code) code = keep(s, &p->params, p->params, members * (size_t)p->g.params, err);
    if (!code) code = keep(s, &p->amplitude, p->amplitude, members, err);
    if (!code) code = keep(s, &p->share, p->share, (size_t)p->members, err);
    p->limit = NULL;
    if (!code) code = keep(s, &p->low, p->low, n, err);
    if (!code) code = keep(s, &p->high, p->high, n, err);
    const size_t values = p->waveform.values ? (size_t)(p->waveform.samples * p->waveform.count) : 0;
    return code ? code : keep(s, &p->waveform.values, p->waveform.values, values, err);
}

/* ---- calls ---- */
static void pulses_close(struct kl_cuda_pulses **pulses)
{
    struct kl_cuda_pulses *s = *pulses;
    if (!s) return;
    kl_cuda_give_pieces(&s->pieces);
    if (s->stream) cudaStreamDestroy(s->stream);
    free(s);
    *pulses = NULL;
}

static int pulses_open(struct kl_cuda_pulses **pulses, const struct kl_cuda_pulse *problem,
                       const double *points, size_t n, int device, struct kl_error *err)
{
    *pulses = NULL;
    if (problem->single && (problem->waveform.samples || problem->method != KL_CUDA_PULSE_POINTS))
        return kl_cuda_fail(err, KL_EUSAGE, "searches and waveforms are in double alone");
    struct kl_cuda_pulses *s = *pulses = (struct kl_cuda_pulses *)calloc(1, sizeof *s);
    if (!s) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *s);
    s->job.problem = *problem, s->device = device;
    s->number = (problem->single ? sizeof(float) : sizeof(double)) *
                (problem->method == KL_CUDA_PULSE_NEWTON ? 2 : 1);
    s->job.size = problem->g.segments * problem->g.controls, s->job.n_starts = (int32_t)n;
    s->job.of_task = (int32_t)n / problem->tasks;
    s->job.n = problem->waveform.samples ? problem->waveform.n : s->job.size;
    fill_tables(&s->job.tables, problem, kl_series_norm_f64);
    fill_tables(&s->job.singles, problem, kl_series_norm_f32);
    int code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    if (!code) code = make_generator(s, err);
    if (!code) code = look_at_gpu(s, device, err);
    if (!code) code = send_problem(s, err);
    if (!code) code = take_blocks(s, err);
    if (!code) code = take_starts(s, points, err);
    /* Zeros and copies go by the default stream, for which this one does not wait. */
    if (!code) code = kl_cuda_check(cudaStreamSynchronize(0), "taking the GPU", err);
    if (!code)
        code = kl_cuda_check(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking),
                             "taking the GPU", err);
    if (code) pulses_close(pulses);
    return code;
}

static int launch(struct kl_cuda_pulses *s, struct kl_error *err)
{
    void *arguments[] = { &s->job };
    return kl_cuda_check(cudaLaunchKernel(kernel_of(s), dim3((unsigned)s->blocks),
                                          dim3((unsigned)(s->job.warps * KL_WARP)), arguments, s->shared,
                                          s->stream),
                         "pulses", err);
}

static int pulses_go(struct kl_cuda_pulses *s, int trials, size_t *done, struct kl_error *err)
{
    uint32_t stopped = 0;
    s->job.trials = trials;
    int code = launch(s, err);
    if (!code) code = kl_cuda_check(cudaStreamSynchronize(s->stream), "pulses", err);
    if (!code)
        code = kl_cuda_check(cudaMemcpy(&stopped, s->job.done, sizeof stopped, cudaMemcpyDeviceToHost),
                             "from the GPU", err);
    *done = stopped;
    return code;
}

template <class T> static int fetch(T *to, const T *from, size_t n, struct kl_error *err)
{
    if (!to) return KL_OK;
    return kl_cuda_check(cudaMemcpy(to, from, n * sizeof *to, cudaMemcpyDeviceToHost), "from the GPU",
                         err);
}

static int pulses_get(struct kl_cuda_pulses *s, struct kl_cuda_pulse_result *results, double *points,
                      double *gradients, struct kl_error *err)
{
    const size_t starts = (size_t)s->job.n_starts, n = (size_t)s->job.n;
    int code = fetch(results, s->job.results, starts, err);
    if (!code) code = fetch(points, s->job.points, starts * n, err);
    return code ? code : fetch(gradients, s->job.gradients, starts * n, err);
}

/* n values to the GPU, and from there, in the order of the stream. */
template <class T>
static int copy(struct kl_cuda_pulses *s, T *to, const T *from, size_t n, bool back,
                struct kl_error *err)
{
    const cudaMemcpyKind kind = back ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    return kl_cuda_check(cudaMemcpyAsync((void *)to, from, n * sizeof(T), kind, s->stream),
                         back ? "from the GPU" : "to the GPU", err);
}

static int send_points(struct kl_cuda_pulses *s, const struct kl_cuda_pulse_points *at,
                       struct kl_error *err)
{
    const struct kl_cuda_pulse *p = &s->job.problem;
    const size_t numbers = (size_t)s->job.n_starts * (size_t)s->job.n,
                 members = (size_t)p->tasks * (size_t)p->members;
    int code = copy(s, (double *)p->params, at->params, members * (size_t)p->g.params, false, err);
    if (!code) code = copy(s, (double *)p->amplitude, at->amplitude, members, false, err);
    return code ? code : copy(s, s->job.points, at->points, numbers, false, err);
}

static int pulses_at(struct kl_cuda_pulses *s, const struct kl_cuda_pulse_points *at,
                     struct kl_error *err)
{
    const size_t starts = (size_t)s->job.n_starts, numbers = starts * (size_t)s->job.n;
    int code = kl_cuda_check(cudaSetDevice(s->device), "taking the GPU", err);
    if (!code) code = send_points(s, at, err);
    if (!code)
        code = kl_cuda_check(cudaMemsetAsync(s->job.next, 0, sizeof *s->job.next, s->stream),
                             "to the GPU", err);
    if (!code) code = launch(s, err);
    if (!code) code = copy(s, at->gradients, s->job.gradients, numbers, true, err);
    if (!code) code = copy(s, at->results, s->job.results, starts, true, err);
    return code ? code : kl_cuda_check(cudaStreamSynchronize(s->stream), "pulses", err);
}

const struct kl_cuda_pulses_calls kl_cuda_pulses_calls = { pulses_open, pulses_go, pulses_get, pulses_at,
                                                           pulses_close };
