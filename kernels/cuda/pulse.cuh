/* SPDX-License-Identifier: MIT
   An ensemble's loss and gradient at one point, by a block. A unit is one column of one member: `width`
   lanes of a warp carry it through all segments and back, each some of its rows. A warp carries 32 /
   width units at a time, its load; the block's warps take the loads in turn. What a segment does is the
   series of kernels/cpu/liouville.c and its exact adjoint. */
#ifndef KL_CUDA_PULSE_CUH
#define KL_CUDA_PULSE_CUH

#include "kernels/cuda/pulse_waveform.cuh"

/* ---- numbers ---- */
/* A number and its derivative along the block's direction. What follows is written over T, a real number
   R, double or float, or such a one. */
template <class R> struct kl_pulse_dual {
    R v, d;
};
template <class T> struct kl_pulse_kind {
    typedef T real;
    enum { DUAL = 0, SINGLE = sizeof(T) == sizeof(float) };
};
template <class R> struct kl_pulse_kind<kl_pulse_dual<R>> {
    typedef R real;
    enum { DUAL = 1, SINGLE = sizeof(R) == sizeof(float) };
};
template <class T> using kl_pulse_real = typename kl_pulse_kind<T>::real;

template <class R> KL_GPU R kl_pulse_value(R a)
{
    return a;
}
template <class R> KL_GPU R kl_pulse_value(kl_pulse_dual<R> a)
{
    return a.v;
}
template <class T> KL_GPU void kl_pulse_make(T *to, kl_pulse_real<T> v, kl_pulse_real<T> d)
{
    if constexpr (kl_pulse_kind<T>::DUAL) to->v = v, to->d = d;
    else (void)d, *to = v;
}
/* c + a b; s a; a + b */
template <class R> KL_GPU R kl_pulse_mac(R a, R b, R c)
{
    return fma(a, b, c);
}
template <class R>
KL_GPU kl_pulse_dual<R> kl_pulse_mac(kl_pulse_dual<R> a, kl_pulse_dual<R> b, kl_pulse_dual<R> c)
{
    return { fma(a.v, b.v, c.v), fma(a.v, b.d, fma(a.d, b.v, c.d)) };
}
template <class R> KL_GPU kl_pulse_dual<R> kl_pulse_mac(R a, kl_pulse_dual<R> b, kl_pulse_dual<R> c)
{
    return { fma(a, b.v, c.v), fma(a, b.d, c.d) };
}
template <class R> KL_GPU R kl_pulse_scale(R s, R a)
{
    return s * a;
}
template <class R> KL_GPU kl_pulse_dual<R> kl_pulse_scale(R s, kl_pulse_dual<R> a)
{
    return { s * a.v, s * a.d };
}
template <class R> KL_GPU R kl_pulse_add(R a, R b)
{
    return a + b;
}
template <class R> KL_GPU kl_pulse_dual<R> kl_pulse_add(kl_pulse_dual<R> a, kl_pulse_dual<R> b)
{
    return { a.v + b.v, a.d + b.d };
}
template <class R> KL_GPU R kl_pulse_sum(R a)
{
    return kl_warp_sum(a);
}
template <class R> KL_GPU kl_pulse_dual<R> kl_pulse_sum(kl_pulse_dual<R> a)
{
    return { kl_warp_sum(a.v), kl_warp_sum(a.d) };
}

/* ---- what a segment reads, in R ---- */
KL_GPU const kl_pulse_tables<double> &kl_pulse_tables_of(const kl_pulse_job &job, double)
{
    return job.tables;
}
KL_GPU const kl_pulse_tables<float> &kl_pulse_tables_of(const kl_pulse_job &job, float)
{
    return job.singles;
}
KL_GPU double kl_pulse_factor(const kl_pulse_entry &entry, double)
{
    return entry.value;
}
KL_GPU float kl_pulse_factor(const kl_pulse_entry &entry, float)
{
    return entry.single;
}

/* Controls and direction of the block's trial, and of one of its members. */
template <class R> struct kl_pulse_given {
    const R *x, *d, *params;
    R amplitude;
};
/* number: of the member among those of all tasks. */
KL_GPU void kl_pulse_find_given(kl_pulse_given<double> *to, const kl_pulse_job &job, int, int number)
{
    const struct kl_cuda_pulse &p = job.problem;
    *to = { kl_pulse_controls(job), kl_pulse_vector(job, KL_PULSE_D),
            p.params + (size_t)number * (size_t)p.g.params, p.amplitude[number] };
}
/* As kl_pulse_round has left it. */
KL_GPU void kl_pulse_find_given(kl_pulse_given<float> *to, const kl_pulse_job &job, int member, int)
{
    const float *x = kl_pulse_rounded(job), *amplitude = x + job.n;
    *to = { x, NULL, amplitude + job.problem.members + (size_t)member * (size_t)job.problem.g.params,
            amplitude[member] };
}

/* ---- a unit ---- */
/* In shared memory: the generator of a segment; sums of its slopes by place; powers (top, dim); the
   adjoint at a substep's end; two vectors that take turns. */
template <class T> struct kl_pulse_unit {
    int lane, member, column, there; /* there 0: behind the last, goes along as zeros */
    const double *weights;           /* its own, or those of all */
    kl_pulse_given<kl_pulse_real<T>> given;
    T *values, *sums, *powers, *end, *turn[2];
};

template <class T> KL_GPU kl_pulse_unit<T> kl_pulse_unit_of(const kl_pulse_job &job, int load)
{
    const int dim = job.problem.g.dim, columns = job.problem.g.columns, own = KL_WARP / job.width,
              in_warp = kl_lane_number() / job.width, number = load * own + in_warp;
    kl_pulse_unit<T> u;
    u.lane = kl_lane_number() % job.width;
    u.there = number < job.units;
    u.member = u.there ? number / columns : 0;
    u.column = u.there ? number % columns : 0;
    const int of_all = kl_pulse_first_member(job) + u.member;
    u.weights =
        job.problem.weights + (job.problem.own_weights ? (size_t)of_all : 0) * (size_t)(dim * columns);
    kl_pulse_find_given(&u.given, job, u.member, of_all);
    u.values = (T *)(void *)kl_shared + (size_t)(kl_warp() * own + in_warp) * (size_t)job.room;
    u.sums = u.values + job.g.places + 1;
    u.powers = u.sums + job.g.places;
    u.end = u.powers + job.top * dim;
    u.turn[0] = u.end + dim, u.turn[1] = u.turn[0] + dim;
    return u;
}

/* Element r of G v, and of G^T a. */
template <class T> KL_GPU T kl_pulse_row(const kl_pulse_job &job, const T *values, const T *v, int r)
{
    T sum;
    kl_pulse_make(&sum, 0, 0);
    for (int e = r; e < job.g.places; e += job.problem.g.dim)
        sum = kl_pulse_mac(values[e], v[job.g.column[e]], sum);
    return sum;
}
template <class T>
KL_GPU T kl_pulse_row_back(const kl_pulse_job &job, const T *values, const T *a, int r)
{
    T sum;
    kl_pulse_make(&sum, 0, 0);
    for (int e = r; e < job.g.back_places; e += job.problem.g.dim)
        sum = kl_pulse_mac(values[job.g.back_place[e]], a[job.g.back_row[e]], sum);
    return sum;
}

/* Terms of the series that the warp's generators need: by sqrt(||G||_1 ||G||_inf). */
template <class T> KL_GPU int kl_pulse_order(const kl_pulse_job &job, const kl_pulse_unit<T> &u)
{
    typedef kl_pulse_real<T> R;
    const kl_pulse_tables<R> &tables = kl_pulse_tables_of(job, R());
    R most_row = 0, most_column = 0;
    for (int r = u.lane; r < job.problem.g.dim; r += job.width) {
        R row = 0, column = 0;
        for (int e = r; e < job.g.places; e += job.problem.g.dim)
            row += fabs(kl_pulse_value(u.values[e]));
        for (int e = r; e < job.g.back_places; e += job.problem.g.dim)
            column += fabs(kl_pulse_value(u.values[job.g.back_place[e]]));
        most_row = fmax(most_row, row), most_column = fmax(most_column, column);
    }
    const R norm = sqrt(kl_warp_most(most_row) * kl_warp_most(most_column));
    int m = KL_SERIES_LEAST;
    while (m < job.top && !(norm <= tables.norm[m - KL_SERIES_LEAST])) m++;
    return m;
}

/* The generator of segment s, times a substep; returns the order of its series. Of the segment before
   the last step's barrier has ended all reads of it. */
template <class T> KL_GPU int kl_pulse_set(const kl_pulse_job &job, const kl_pulse_unit<T> &u, int s)
{
    typedef kl_pulse_real<T> R;
    const kl_pulse_tables<R> &tables = kl_pulse_tables_of(job, R());
    const kl_pulse_given<R> &given = u.given;
    const int controls = job.problem.g.controls;
    for (int e = u.lane; e < job.g.places; e += job.width) {
        T sum;
        kl_pulse_make(&sum, 0, 0);
        for (int i = job.g.place_begin[e]; i < job.g.place_begin[e + 1]; i++) {
            const kl_pulse_entry t = job.g.by_place[i];
            T c;
            if (t.of < controls) {
                const R factor = given.amplitude * tables.limit[t.of];
                const int k = s * controls + t.of;
                kl_pulse_make(&c, factor * given.x[k], kl_pulse_kind<T>::DUAL ? factor * given.d[k] : 0);
            } else kl_pulse_make(&c, given.params[t.of - controls], 0);
            sum = kl_pulse_mac(kl_pulse_factor(t, R()), c, sum);
        }
        u.values[e] = kl_pulse_scale(tables.dt, sum);
    }
    if (u.lane == 0) kl_pulse_make(&u.values[job.g.places], 0, 0);
    __syncwarp();
    return kl_pulse_order(job, u);
}

/* Row j of a lane in `states` of substep i. */
template <class T> KL_GPU T *kl_pulse_state(const kl_pulse_job &job, int i, int j)
{
    const size_t steps = (size_t)(job.problem.g.segments * job.problem.g.substeps),
                 warp = (size_t)blockIdx.x * (size_t)job.warps + (size_t)kl_warp();
    return (T *)(void *)job.states +
           ((warp * steps + (size_t)i) * (size_t)job.rows + (size_t)j) * KL_WARP + kl_lane_number();
}

/* A substep by Horner's rule: the first of the powers becomes the state at its end. */
template <class T>
KL_GPU void kl_pulse_step(const kl_pulse_job &job, const kl_pulse_unit<T> &u, int order)
{
    const kl_pulse_tables<kl_pulse_real<T>> &tables = kl_pulse_tables_of(job, kl_pulse_real<T>());
    const int dim = job.problem.g.dim;
    const T *from = u.powers;
    for (int k = order; k >= 1; k--) {
        T *to = u.turn[k % 2];
        for (int r = u.lane; r < dim; r += job.width)
            to[r] = kl_pulse_mac(tables.inverse[k], kl_pulse_row(job, u.values, from, r), u.powers[r]);
        __syncwarp();
        from = to;
    }
    for (int r = u.lane; r < dim; r += job.width) u.powers[r] = from[r];
    __syncwarp();
}

/* The unit to the pulse's end; its loss there. */
template <class T> KL_GPU double kl_pulse_forward(const kl_pulse_job &job, const kl_pulse_unit<T> &u)
{
    const struct kl_liouville &g = job.problem.g;
    double loss = 0;
    for (int r = u.lane; r < g.dim; r += job.width)
        kl_pulse_make(&u.powers[r],
                      u.there ? (kl_pulse_real<T>)job.problem.start[r * g.columns + u.column] : 0, 0);
    for (int s = 0; s < g.segments; s++) {
        const int order = kl_pulse_set(job, u, s);
        for (int i = 0; i < g.substeps; i++) {
            for (int r = u.lane, j = 0; r < g.dim; r += job.width, j++)
                *kl_pulse_state<T>(job, s * g.substeps + i, j) = u.powers[r];
            kl_pulse_step(job, u, order);
        }
    }
    for (int r = u.lane; r < g.dim; r += job.width)
        loss = fma(-u.weights[r * g.columns + u.column], (double)kl_pulse_value(u.powers[r]), loss);
    for (int bit = 1; bit < job.width; bit *= 2) loss += __shfl_xor_sync(0xffffffffu, loss, bit);
    return loss;
}

/* `end`, the adjoint at the end of substep i, becomes that at its start; slopes by place are added. */
template <class T>
KL_GPU void kl_pulse_step_back(const kl_pulse_job &job, const kl_pulse_unit<T> &u, int i, int order)
{
    const kl_pulse_tables<kl_pulse_real<T>> &tables = kl_pulse_tables_of(job, kl_pulse_real<T>());
    const int dim = job.problem.g.dim;
    for (int r = u.lane, j = 0; r < dim; r += job.width, j++) {
        u.powers[r] = *kl_pulse_state<T>(job, i, j);
        u.turn[order % 2][r] = kl_pulse_scale(tables.inverse[order], u.end[r]);
    }
    __syncwarp();
    for (int k = 1; k < order; k++) {
        const T *from = u.powers + (k - 1) * dim;
        for (int r = u.lane; r < dim; r += job.width)
            u.powers[k * dim + r] =
                kl_pulse_scale(tables.inverse[k], kl_pulse_row(job, u.values, from, r));
        __syncwarp();
    }
    for (int k = order; k >= 1; k--) {
        const T *a = u.turn[k % 2], *v = u.powers + (k - 1) * dim;
        for (int r = u.lane; r < dim; r += job.width) {
            for (int e = r; e < job.g.places; e += dim)
                u.sums[e] = kl_pulse_mac(a[r], v[job.g.column[e]], u.sums[e]);
            const T sum = kl_pulse_add(u.end[r], kl_pulse_row_back(job, u.values, a, r));
            if (k > 1) u.turn[(k - 1) % 2][r] = kl_pulse_scale(tables.inverse[k - 1], sum);
            else u.end[r] = sum;
        }
        __syncwarp();
    }
}

/* Derivatives of the warp's units by the controls of segment s, times their members' shares. */
template <class T>
KL_GPU void kl_pulse_slopes(T *part, const kl_pulse_job &job, const kl_pulse_unit<T> &u,
                            kl_pulse_real<T> share, int s)
{
    typedef kl_pulse_real<T> R;
    const kl_pulse_tables<R> &tables = kl_pulse_tables_of(job, R());
    const int controls = job.problem.g.controls;
    for (int k = 0; k < controls; k++) {
        T slope;
        kl_pulse_make(&slope, 0, 0);
        for (int i = job.g.control_begin[k] + u.lane; i < job.g.control_begin[k + 1]; i += job.width)
            slope = kl_pulse_mac(kl_pulse_factor(job.g.by_control[i], R()),
                                 u.sums[job.g.by_control[i].of], slope);
        slope = kl_pulse_sum(kl_pulse_scale(share * tables.limit[k], slope));
        if (kl_lane_number() == 0) part[s * controls + k] = slope;
    }
}

/* From the end of kl_pulse_forward; part (size): what the load adds to the gradient. */
template <class T>
KL_GPU void kl_pulse_backward(T *part, const kl_pulse_job &job, const kl_pulse_unit<T> &u, double share)
{
    typedef kl_pulse_real<T> R;
    const struct kl_liouville &g = job.problem.g;
    const R factor = (R)share * (u.given.amplitude * kl_pulse_tables_of(job, R()).dt);
    for (int r = u.lane; r < g.dim; r += job.width)
        kl_pulse_make(&u.end[r], u.there ? (R)-u.weights[r * g.columns + u.column] : 0, 0);
    for (int s = g.segments - 1; s >= 0; s--) {
        const int order = kl_pulse_set(job, u, s);
        for (int r = u.lane; r < g.dim; r += job.width)
            for (int e = r; e < job.g.places; e += g.dim) kl_pulse_make(&u.sums[e], 0, 0);
        for (int i = g.substeps - 1; i >= 0; i--) kl_pulse_step_back(job, u, s * g.substeps + i, order);
        kl_pulse_slopes(part, job, u, factor, s);
    }
}

/* ---- a point ---- */
/* Number i of gradient, from what was there and the first `here` parts; with its derivative to hd. */
template <class T>
KL_GPU void kl_pulse_gather(const kl_pulse_job &job, const T *parts, int i, int here, double *g,
                            double *hd)
{
    (void)hd;
    for (int w = 0; w < here; w++) {
        const T part = parts[(size_t)w * (size_t)job.size + (size_t)i];
        g[i] += (double)kl_pulse_value(part);
        if constexpr (kl_pulse_kind<T>::DUAL) hd[i] += (double)part.d;
    }
}

/* All units at the block's controls; g (NULL: not asked for): the gradient by them, of members that
   count shares; of duals hd: its derivative along d. */
template <class T> KL_GPU void kl_pulse_pass(double *g, const kl_pulse_job &job, const double *shares)
{
    const double *x = kl_pulse_controls(job), *d = kl_pulse_vector(job, KL_PULSE_D),
                 energy = 2 * job.problem.energy / job.size;
    double *hd = kl_pulse_vector(job, KL_PULSE_HD);
    T *parts = (T *)(void *)job.part + (size_t)blockIdx.x * (size_t)job.warps * (size_t)job.size;
    for (int first = 0; first < job.loads; first += job.warps) {
        const int left = job.loads - first, here = left < job.warps ? left : job.warps;
        if (kl_warp() < here) {
            const kl_pulse_unit<T> u = kl_pulse_unit_of<T>(job, first + kl_warp());
            const double loss = kl_pulse_forward(job, u);
            if (u.there && u.lane == 0)
                job.ends[(size_t)blockIdx.x * (size_t)job.units +
                         (size_t)(u.member * job.problem.g.columns + u.column)] = loss;
            if (g)
                kl_pulse_backward(parts + (size_t)kl_warp() * (size_t)job.size, job, u,
                                  shares[u.member]);
        }
        __syncthreads();
        for (int i = (int)threadIdx.x; g && i < job.size; i += (int)blockDim.x) {
            if (!first) g[i] = energy * x[i];
            if (!first && kl_pulse_kind<T>::DUAL) hd[i] = energy * d[i];
            kl_pulse_gather(job, parts, i, here, g, hd);
        }
        __syncthreads();
    }
}

/* What the worst members of together the weight tail count: each what is left of it before. */
KL_GPU double kl_pulse_tail_share(const kl_pulse_job &job, const double *losses, int m)
{
    const struct kl_cuda_pulse &p = job.problem;
    double before = 0;
    for (int j = 0; j < p.members; j++)
        if (losses[j] > losses[m] || (losses[j] == losses[m] && j < m)) before += p.share[j];
    return fmin(fmax(p.tail - before, 0.0), p.share[m]) / p.tail;
}

/* What the members' losses make together, by one warp; and their shares in its gradient, where these
   depend on the losses. */
KL_GPU double kl_pulse_together(double *shares, const kl_pulse_job &job, const double *losses)
{
    const struct kl_cuda_pulse &p = job.problem;
    const int lane = kl_lane_number(), n = p.members;
    double sum = 0, most = -INFINITY;
    if (p.aggregate == KL_CUDA_PULSE_WORST && n > 1) {
        const double k = fmin(p.sharpness, 1e300);
        for (int m = lane; m < n; m += KL_WARP) most = fmax(most, losses[m]);
        most = kl_warp_most(most);
        for (int m = lane; m < n; m += KL_WARP) sum += shares[m] = exp(k * (losses[m] - most));
        sum = kl_warp_sum(sum);
        for (int m = lane; m < n; m += KL_WARP) shares[m] /= sum;
        return most + log(sum) / k;
    }
    const bool tail = p.aggregate == KL_CUDA_PULSE_CVAR && n > 1;
    for (int m = lane; m < n; m += KL_WARP) {
        const double share = tail ? kl_pulse_tail_share(job, losses, m) : p.share[m];
        if (tail) shares[m] = share;
        sum = fma(share, losses[m], sum);
    }
    return kl_warp_sum(sum);
}

KL_GPU double kl_pulse_energy(const kl_pulse_job &job)
{
    const double *x = kl_pulse_controls(job);
    double sum = 0;
    for (int i = kl_lane_number(); i < job.size; i += KL_WARP) sum = fma(x[i], x[i], sum);
    return job.problem.energy / job.size * kl_warp_sum(sum);
}

/* Loss and gradient of the block's trial, for all its threads; of duals the Hessian's product with d,
   too, where the controls are the point's numbers. */
template <class T> KL_GPU void kl_pulse_evaluate(const kl_pulse_job &job)
{
    const struct kl_cuda_pulse &p = job.problem;
    const bool once = p.aggregate == KL_CUDA_PULSE_MEAN || p.members == 1;
    const bool shaped = !kl_pulse_kind<T>::SINGLE && p.waveform.samples > 0;
    double *g = kl_pulse_by_controls(job), *losses = job.losses + (size_t)blockIdx.x * (size_t)p.members,
           *shares = job.shares + (size_t)blockIdx.x * (size_t)p.members;
    const double *ends = job.ends + (size_t)blockIdx.x * (size_t)job.units;
    if (shaped) kl_pulse_play(job);
    kl_pulse_pass<T>(once ? g : NULL, job, p.share);
    for (int m = (int)threadIdx.x; m < p.members; m += (int)blockDim.x) {
        double sum = p.constant;
        for (int c = 0; c < p.g.columns; c++) sum += ends[m * p.g.columns + c];
        losses[m] = sum;
    }
    __syncthreads();
    if (kl_warp() == 0) {
        const double f = kl_pulse_together(shares, job, losses) + kl_pulse_energy(job) +
                         (shaped ? kl_pulse_slew(job) : 0);
        if (kl_lane_number() == 0) job.place[blockIdx.x].f = f;
        __syncwarp();
    }
    if (once && !shaped) return;
    __syncthreads();
    if (!once) kl_pulse_pass<T>(g, job, shares);
    if (shaped) kl_pulse_play_back(job);
}

#endif
