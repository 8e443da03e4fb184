/* SPDX-License-Identifier: MIT
   What a pulse's file keeps for figures, against what is known otherwise: ways that begin at states and
   end where the transfer matrix says, free evolution's filter function, the loss in the landscape's
   middle; other systems have no ways. */
#include <math.h>
#include <stdlib.h>

#include "control/pulse/pulse.h"
#include "store/store.h"
#include "tests/unit/any_file.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static char path[1024];

static void must_hold(int code, const struct kl_error *err)
{
    if (code >= 0) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* The file of a pulse of these options whose controls are all u; transfer [dim * dim] is its own. */
static struct kl_file *file_of(const struct kl_control_options *o, double u, double *transfer,
                               double *loss)
{
    struct kl_control_setup s;
    struct kl_control_report report;
    struct kl_writer *w = NULL;
    struct kl_file *file = NULL;
    struct kl_error err;
    const struct kl_control_start start = { .loss = 1 };
    must_hold(kl_control_setup_make(&s, o, &err), &err);
    const int n = s.problem.segments * s.system.n_controls;
    double *controls = malloc((size_t)n * sizeof *controls);
    for (int i = 0; i < n; i++) controls[i] = u;
    must_hold(kl_control_report_make(&report, &s, controls, &err), &err);
    for (int i = 0; i < s.system.dim * s.system.dim; i++) transfer[i] = report.transfer[i];
    *loss = report.nominal;
    must_hold(open_any_file(&w, path, "pulse", &err), &err);
    must_hold(kl_control_pulse_save(w, &s, NULL, controls, &report, &start, 1, 0, "{}", NULL, &err),
              &err);
    must_hold(kl_store_writer_publish(&w, NULL, &err), &err);
    must_hold(kl_store_file_open(&file, path, &err), &err);
    kl_control_report_free(&report);
    kl_control_setup_free(&s);
    free(controls);
    return file;
}

static double *load(const struct kl_dataset **set, struct kl_file *file, const char *name, int rank)
{
    void *data = NULL;
    struct kl_error err;
    must_hold(kl_store_file_expect(set, file, name, KL_TYPE_F64, rank, &err), &err);
    must_hold(kl_store_file_load(&data, file, *set, &err), &err);
    return data;
}

static void check_ways(struct kl_file *file, const double *transfer)
{
    static const double starts[3][3] = { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } };
    static const double targets[3][3] = { { 0, 0, -1 }, { 1, 0, 0 }, { 0, -1, 0 } }; /* of X */
    const struct kl_dataset *set, *ends;
    double *r = load(&set, file, "path/vectors", 3), *to = load(&ends, file, "path/target", 2);
    const size_t points = set->dims[1];
    CHECK(set->dims[0] == 3 && points >= 200, "%zu x %zu", set->dims[0], points);
    for (size_t i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++) {
            double end = transfer[4 * (a + 1)];
            for (int b = 0; b < 3; b++) end += transfer[4 * (a + 1) + b + 1] * starts[i][b];
            CHECK(fabs(r[3 * i * points + (size_t)a] - starts[i][a]) < 1e-14, "begin");
            CHECK(fabs(r[3 * ((i + 1) * points - 1) + (size_t)a] - end) < 1e-12, "end");
            CHECK(fabs(to[3 * i + (size_t)a] - targets[i][a]) < 1e-14, "target");
        }
    free(r), free(to);
}

/* Nothing is played, and the detuning is 0: noise on any axis is seen alike. */
static void check_filter(struct kl_file *file, double duration)
{
    const struct kl_dataset *grid, *set;
    double *omega = load(&grid, file, "filter/omega", 1), *values = load(&set, file, "filter/F", 2),
           worst = 0;
    const size_t n = grid->dims[0];
    for (size_t i = 0; i < n; i++)
        for (size_t axis = 0; axis < 3; axis++) {
            const double ramsey = 2 * pow(sin(omega[i] * duration / 2) / omega[i], 2);
            worst = fmax(worst, fabs(values[axis * n + i] - ramsey));
        }
    CHECK(worst < 1e-13, "F of no pulse is off by %.1e", worst);
    free(omega), free(values);
}

static void check_landscape(struct kl_file *file, double loss, const char *x, const char *y)
{
    const struct kl_dataset *set;
    struct kl_error err;
    double *values = load(&set, file, "landscape/loss", 2);
    char *names[2] = { NULL, NULL };
    const size_t n = set->dims[0];
    CHECK(n % 2 == 1 && n == set->dims[1], "%zu x %zu", n, set->dims[1]);
    CHECK(fabs(values[n / 2 * n + n / 2] - loss) < 1e-13, "in the middle %.17g, alone %.17g",
          values[n / 2 * n + n / 2], loss);
    must_hold(kl_store_file_text(&names[0], file, "landscape/x", "parameter", &err), &err);
    must_hold(kl_store_file_text(&names[1], file, "landscape/y", "parameter", &err), &err);
    CHECK(strcmp(names[0], x) == 0 && strcmp(names[1], y) == 0, "axes %s, %s", names[0], names[1]);
    free(values), free(names[0]), free(names[1]);
}

int main(void)
{
    struct kl_control_options o;
    double transfer[256], loss;
    make_test_folder();
    in_folder(path, "pulse.h5");
    kl_control_options_default(&o);
    o.segments = 7, o.set = "detuning=0.3";
    struct kl_file *file = file_of(&o, 0.8, transfer, &loss);
    check_ways(file, transfer);
    check_landscape(file, loss, "detuning", "amplitude");
    kl_store_file_close(&file);

    o.set = NULL, o.spread = "amplitude=0.1", o.duration.value = 3;
    file = file_of(&o, 0, transfer, &loss);
    check_filter(file, 3);
    check_landscape(file, loss, "amplitude", "detuning");
    kl_store_file_close(&file);

    o.fidelity = "state"; /* from |0> alone */
    file = file_of(&o, 1, transfer, &loss);
    const struct kl_dataset *set = kl_store_file_find(file, "path/vectors");
    CHECK(set && set->dims[0] == 1, "one way of one state");
    kl_store_file_close(&file);

    kl_control_options_default(&o);
    o.system = "two-qubits", o.segments = 3;
    file = file_of(&o, 0.4, transfer, &loss);
    CHECK(!kl_store_file_find(file, "path/vectors") && !kl_store_file_find(file, "filter/F"),
          "two qubits have no Bloch sphere");
    check_landscape(file, loss, "J", "amplitude");
    kl_store_file_close(&file);
    return failures != 0;
}
