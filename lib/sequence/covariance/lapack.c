/* SPDX-License-Identifier: MIT
   Eigenvalues by the LAPACK of OpenBLAS. Linking it would cost every start of a tool 9 ms: it is loaded
   when first asked for. On one thread, so that results do not depend on threads. */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm.h"
#include "sequence/covariance/covariance.h"

#define LIBRARY "libopenblas.so.0"
/* Of an eigenvalue, in units of the largest. Windows are float32, whose rounding has 1e-15 of their
   power: what is left has at least 300 times the amplitude of that. */
#define LEAST_POWER 1e-10
/* Fortran's: texts have their lengths behind all other arguments. */
typedef void (*dsyevd_fn)(const char *job, const char *half, const int *n, double *a, const int *lda,
                          double *w, double *work, const int *lwork, int *iwork, const int *liwork,
                          int *info, size_t, size_t);
typedef void (*dsygvd_fn)(const int *type, const char *job, const char *half, const int *n, double *a,
                          const int *lda, double *b, const int *ldb, double *w, double *work,
                          const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);
static struct {
    dsyevd_fn dsyevd;
    dsygvd_fn dsygvd;
    char why[256];
} lapack;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void load(void)
{
    /* Its own threads would be started as it is loaded. */
    const bool mine = !getenv("OPENBLAS_NUM_THREADS");
    if (mine) setenv("OPENBLAS_NUM_THREADS", "1", 1);
    void *const library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (mine) unsetenv("OPENBLAS_NUM_THREADS");
    void (*threads)(int) = NULL;
    if (library) {
        *(void **)&threads = dlsym(library, "openblas_set_num_threads");
        *(void **)&lapack.dsygvd = dlsym(library, "dsygvd_");
        *(void **)&lapack.dsyevd = dlsym(library, "dsyevd_");
    }
    const char *const why = dlerror();
    if (!threads || !lapack.dsygvd || !lapack.dsyevd) {
        lapack.dsyevd = NULL;
        snprintf(lapack.why, sizeof lapack.why, "%s", why ? why : "it has not all functions");
        return;
    }
    threads(1);
}

/* Rows of vectors: that of the component furthest from 0 becomes positive. */
static void set_signs(double *vectors, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double *const v = vectors + i * n;
        size_t most = 0;
        for (size_t k = 1; k < n; k++)
            if (fabs(v[k]) > fabs(v[most])) most = k;
        for (size_t k = 0; k < n && v[most] < 0; k++)
            if (k != most) v[k] = -v[k];
        v[most] = fabs(v[most]);
    }
}

int kl_sequence_eigen(double *values, double *vectors, const double *a, const double *b, size_t channels,
                      struct kl_error *err)
{
    pthread_once(&once, load);
    if (!lapack.dsyevd)
        return kl_fail(err, KL_EDEVICE,
                       LIBRARY ": it cannot be loaded (%s); on Debian it is in the package libopenblas0",
                       lapack.why);
    const int n = (int)channels, type = 1, lwork = 1 + 6 * n + 2 * n * n, liwork = 3 + 5 * n;
    int info = 0;
    const size_t size = channels * channels, bytes = ((size_t)lwork + size) * 8 + (size_t)liwork * 4;
    double *const work = malloc(bytes);
    if (!work) return kl_fail_memory(err, bytes);
    double *const copy = work + lwork;
    int *const iwork = (int *)(copy + size);
    memcpy(vectors, a, size * sizeof *a);
    pthread_mutex_lock(&one_at_a_time);
    if (b) {
        memcpy(copy, b, size * sizeof *b);
        lapack.dsygvd(&type, "V", "L", &n, vectors, &n, copy, &n, values, work, &lwork, iwork, &liwork,
                      &info, 1, 1);
    } else lapack.dsyevd("V", "L", &n, vectors, &n, values, work, &lwork, iwork, &liwork, &info, 1, 1);
    pthread_mutex_unlock(&one_at_a_time);
    free(work);
    if (info > n)
        return kl_fail(err, KL_EDATA,
                       "a covariance of %d channels is not positive definite; is one a sum of others? "
                       "The estimator oas, which shrinks, would do",
                       n);
    if (info)
        return kl_fail(err, KL_EDATA, "eigenvalues of a covariance of %d channels: no convergence (%d)",
                       n, info);
    set_signs(vectors, channels);
    return KL_OK;
}

/* sum over k of f_k v_k v_k^T, (n, n); scaled (n, n) is room. */
static void rebuild(double *result, const double *f, const double *vectors, double *scaled, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) scaled[k * n + i] = f[k] * vectors[k * n + i];
    kl_kernel_gemm_f64()(result, n, vectors, 1, n, scaled, n, n, n, n, 0);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) result[j * n + i] = result[i * n + j];
}

/* Eigenvalues, rising, and vectors of one matrix, with room for a function of it. */
struct spectrum {
    double *vectors, *room; /* (n, n) */
    double *values, *f;     /* (n) */
};

static int decompose(struct spectrum *s, const double *a, size_t n, struct kl_error *err)
{
    const size_t bytes = (2 * n * n + 2 * n) * sizeof(double);
    *s = (struct spectrum){ .vectors = malloc(bytes) };
    if (!s->vectors) return kl_fail_memory(err, bytes);
    s->room = s->vectors + n * n, s->values = s->room + n * n, s->f = s->values + n;
    return kl_sequence_eigen(s->values, s->vectors, a, NULL, n, err);
}

int kl_sequence_roots(double *root, double *inverse_root, const double *a, size_t channels,
                      struct kl_error *err)
{
    const size_t n = channels;
    struct spectrum s;
    int code = decompose(&s, a, n, err);
    if (!code && !(s.values[0] > 1e-14 * s.values[n - 1]))
        code = kl_fail(err, KL_EDATA,
                       "the mean covariance is singular (eigenvalues %.3g to %.3g); is a channel a sum "
                       "of others? The estimator oas, which shrinks, would do",
                       s.values[0], s.values[n - 1]);
    if (!code && root) {
        for (size_t i = 0; i < n; i++) s.f[i] = sqrt(s.values[i]);
        rebuild(root, s.f, s.vectors, s.room, n);
    }
    if (!code && inverse_root) {
        for (size_t i = 0; i < n; i++) s.f[i] = 1 / sqrt(s.values[i]);
        rebuild(inverse_root, s.f, s.vectors, s.room, n);
    }
    free(s.vectors);
    return code;
}

int kl_sequence_inverse_root(double *result, size_t *rank, const double *a, size_t channels,
                             struct kl_error *err)
{
    const size_t n = channels;
    struct spectrum s;
    int code = decompose(&s, a, n, err);
    *rank = 0;
    for (size_t i = 0; i < n && !code; i++) {
        const bool power = s.values[i] > LEAST_POWER * s.values[n - 1];
        s.f[i] = power ? 1 / sqrt(s.values[i]) : 0, *rank += power;
    }
    if (!code && !*rank)
        code = kl_fail(err, KL_EDATA, "the mean covariance has no power (eigenvalues %.3g to %.3g)",
                       s.values[0], s.values[n - 1]);
    if (!code) rebuild(result, s.f, s.vectors, s.room, n);
    free(s.vectors);
    return code;
}

int kl_sequence_exponential(double *result, const double *a, size_t channels, struct kl_error *err)
{
    struct spectrum s;
    const int code = decompose(&s, a, channels, err);
    for (size_t i = 0; i < channels && !code; i++) s.f[i] = exp(s.values[i]);
    if (!code) rebuild(result, s.f, s.vectors, s.room, channels);
    free(s.vectors);
    return code;
}
