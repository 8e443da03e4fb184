/* SPDX-License-Identifier: MIT
   Bounds that hold for all pulses, tried on random ones and on what an optimisation finds; a lookup in a
   store of planted pulses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../check.h"
#include "../test_folder.h"
#include "control/stored/stored.h"
#include "kernels/inline/philox.h"
#include "store/store.h"

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}
static double draw(uint32_t *count)
{
    uint32_t w[4];
    kl_philox(w, 7, (*count)++, 1000, 0, 0);
    return kl_philox_unit(w[0]);
}

/* ---- bounds ---- */
static struct kl_control_options options_of(const char *system, const char *fidelity)
{
    struct kl_control_options o;
    kl_control_options_default(&o);
    o.system = system, o.fidelity = fidelity, o.segments = 8;
    return o;
}

/* Random pulses of random amplitude in two random tasks: no loss below the limit, no difference above
   what the parameters' sensitivities allow. */
static void random_pulses(const char *system, const char *fidelity, double least_limit)
{
    const struct kl_control_options o = options_of(system, fidelity);
    struct kl_control_setup s;
    struct kl_control_sensitivity moves;
    struct kl_error err;
    uint32_t count = 0;
    double largest = 0, seen = 0;
    must(kl_control_setup_make(&s, &o, &err), &err);
    must(kl_control_sensitivity_make(&moves, &s.system, s.fidelity, &err), &err);
    const int n = s.problem.segments * s.system.n_controls;
    double *u = malloc((size_t)n * sizeof *u);
    const struct kl_control_pulse pulse = { s.problem.segments, s.system.n_controls, s.problem.duration,
                                            u };
    for (int round = 0; round < 100; round++) {
        struct kl_control_task task[2];
        double loss[2], limit[2], most = 0;
        for (int i = 0; i < n; i++)
            u[i] = (2 * draw(&count) - 1) * s.problem.limit[i % s.system.n_controls];
        for (int k = 0; k < 2; k++) {
            struct kl_control_gradient to = { 0 };
            kl_control_task_default(&task[k], &s.system);
            for (int j = 0; j < s.system.n_params; j++) {
                const double size = 0.2 * draw(&count) / s.problem.duration;
                if (s.system.params[j].rate) task[k].params[j] = size;
                else task[k].params[j] += size;
            }
            must(kl_control_propagate(&to, &s.system, &s.objective, &pulse, &task[k], &err), &err);
            must(kl_control_decoherence_limit(&limit[k], &s.system, &s.objective, s.fidelity,
                                              s.problem.duration, &task[k], &err),
                 &err);
            loss[k] = to.loss, seen = fmax(seen, limit[k]);
            CHECK(to.loss >= limit[k] - 1e-12, "%s %s: loss %g below its limit %g", system, fidelity,
                  to.loss, limit[k]);
        }
        for (int j = 0; j < s.system.n_params; j++)
            most += moves.params[j] * fabs(task[0].params[j] - task[1].params[j]) * s.problem.duration;
        largest = fmax(largest, fabs(loss[0] - loss[1]) / most);
    }
    CHECK(largest <= 1, "%s %s: moved by %g of the bound", system, fidelity, largest);
    CHECK(seen >= least_limit, "%s %s: limits of at most %g say nothing", system, fidelity, seen);
    free(u);
    kl_control_setup_free(&s);
}

/* One qubit: 1 - (1 + 2 exp(-G2 T) + exp(-G1 T)) / 4 of F_e, two thirds of it of F_avg. */
static void closed_form(void)
{
    struct kl_control_options o = options_of("qubit", "entanglement");
    struct kl_control_sensitivity moves;
    struct kl_control_setup s;
    struct kl_error err;
    double limit;
    o.set = "gamma_phi=0.085 gamma_down=0.045", o.duration.value = 2;
    const double expected = 1 - (1 + 2 * exp(-2 * (0.085 + 0.0225)) + exp(-2 * 0.045)) / 4;
    for (int k = 0; k < 2; k++) {
        o.fidelity = k ? "average" : "entanglement";
        must(kl_control_setup_make(&s, &o, &err), &err);
        must(kl_control_decoherence_limit(&limit, &s.system, &s.objective, s.fidelity, 2, &s.members[0],
                                          &err),
             &err);
        CHECK(fabs(limit - expected * (k ? 2 / 3.0 : 1)) < 1e-14, "%.17g", limit);
        must(kl_control_sensitivity_make(&moves, &s.system, s.fidelity, &err), &err);
        /* Half the diamond norms: 1 of (Z rho Z - rho)/2, 2 of -i[Z, rho]. */
        CHECK(fabs(moves.params[0] - (k ? 1 / 3.0 : 0.5)) < 1e-12, "%.17g", moves.params[0]);
        CHECK(fabs(moves.params[3] - (k ? 2 / 3.0 : 1)) < 1e-12, "%.17g", moves.params[3]);
        kl_control_setup_free(&s);
    }
}

/* ---- a planted store ---- */
struct made {
    int starts;
    struct kl_control_setup s;
    double loss, *u;
};
/* The best of some starts. */
static void make(struct made *to, const struct kl_control_options *o, int starts, uint64_t seed)
{
    struct kl_control_search search;
    struct kl_error err;
    must(kl_control_setup_make(&to->s, o, &err), &err);
    const size_t n = (size_t)(to->s.problem.segments * to->s.system.n_controls);
    struct kl_control_start *results = calloc((size_t)starts, sizeof *results);
    double *points = calloc(n * (size_t)starts, sizeof *points);
    kl_control_search_default(&search);
    search.starts = starts, search.seed = seed;
    must(kl_control_optimize(results, points, &to->s.problem, &search, NULL, NULL, &err), &err);
    int best = 0;
    for (int i = 1; i < starts; i++)
        if (results[i].loss < results[best].loss) best = i;
    to->u = malloc(n * sizeof *to->u), to->loss = results[best].loss, to->starts = starts;
    must(kl_control_amplitudes(NULL, to->u, &to->s.problem, points + (size_t)best * n, &err), &err);
    free(results), free(points);
}
static void drop(struct made *m)
{
    kl_control_setup_free(&m->s);
    free(m->u);
}

/* Under its key in the folder; *path: where. */
static void plant(char *path, const char *store, const struct kl_control_options *o,
                  const struct made *m)
{
    char config[1024], hex[65], *parts = NULL;
    struct kl_control_report report;
    struct kl_writer *w = NULL;
    struct kl_key *key = NULL;
    struct kl_error err;
    snprintf(
        config, sizeof config,
        "{\"system\":\"%s\",\"fidelity\":\"%s\",\"jump\":\"down\",\"law\":\"gauss\",\"limit\":\"%s\","
        "\"ensemble\":\"mean\",\"segments\":%d,\"members\":%d,\"set\":\"%s\",\"spread\":\"%s\","
        "\"method\":\"auto\",\"gradient\":1e-10,\"stall\":1e-9,\"start-size\":0.03}",
        o->system, o->fidelity, o->limit, (int)o->segments, (int)o->members, o->set,
        o->spread ? o->spread : "");
    must(kl_store_key_begin(&key, "pulse", KL_CONTROL_PULSE_SCHEMA, "test", 1, &err), &err);
    must(kl_store_key_text(key, "config", config, &err), &err);
    must(kl_store_key_finish(&key, hex, &parts, &err), &err);
    snprintf(path, 1200, "%s/%.2s", store, hex);
    mkdir(path, 0777);
    snprintf(path, 1200, "%s/%.2s/%s.h5", store, hex, hex + 2);
    const struct kl_header header = { "pulse", KL_CONTROL_PULSE_SCHEMA, hex, parts, "test" };
    must(kl_store_writer_open(&w, path, &header, &err), &err);
    must(kl_control_report_make(&report, &m->s, m->u, &err), &err);
    struct kl_control_start starts[32] = { 0 }; /* all at a minimum */
    for (int i = 0; i < m->starts; i++) starts[i].loss = m->loss, starts[i].stop = KL_CONTROL_FLAT;
    must(kl_control_pulse_save(w, &m->s, NULL, m->u, &report, starts, m->starts, 0, config, NULL, &err),
         &err);
    must(kl_store_writer_publish(&w, NULL, &err), &err);
    kl_control_report_free(&report);
    free(parts);
}

static const char *const tasks[] = {
    "gamma_phi=0.02 gamma_down=0.01",
    "gamma_phi=0.05 gamma_down=0.08",
    "gamma_phi=0.085 gamma_down=0.045",
    "gamma_phi=0.15 gamma_down=0.02 detuning=0.1",
    "gamma_phi=0.04 gamma_down=0.03 gamma_up=0.02 detuning=0.2",
};
static const char *const asked[] = {
    "gamma_phi=0.022 gamma_down=0.01",
    "gamma_phi=0.05 gamma_down=0.079",
    "gamma_phi=0.09 gamma_down=0.04",
    "gamma_phi=0.08 gamma_down=0.045 detuning=0.02",
    "gamma_phi=0.15 gamma_down=0.02 detuning=0.15",
    "gamma_phi=0.14 gamma_down=0.025 detuning=0.1",
    "gamma_phi=0.04 gamma_down=0.03 gamma_up=0.02 detuning=0.21",
    "gamma_phi=0.041 gamma_down=0.029 gamma_up=0.02 detuning=0.2",
    "gamma_phi=0.001",
    "detuning=0.5",
};

/* Optimising again gains at most as much as was said; fidelity state has only the assumed bound. */
static void ten_tasks(const char *folder, const char *fidelity)
{
    struct kl_control_options o = options_of("qubit", fidelity);
    char store[1000], path[1200];
    int with_assumed = 0;
    struct kl_error err;
    o.segments = 20, o.limit = "4";
    snprintf(store, sizeof store, "%s/%s", folder, fidelity);
    mkdir(store, 0777);
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        o.set = tasks[i];
        struct made m;
        make(&m, &o, 16, i);
        plant(path, store, &o, &m);
        drop(&m);
    }
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct kl_control_lookup found;
        o.set = asked[i];
        struct made m;
        make(&m, &o, 12, 100 + i);
        must(kl_control_lookup(&found, store, &m.s, &err), &err);
        CHECK(found.found && found.pulses == 5 && found.fit == 5, "%zu fit", found.fit);
        CHECK(found.loss >= m.loss - 1e-7, "%s %s: found %g, optimised %g", fidelity, asked[i],
              found.loss, m.loss);
        CHECK(m.loss >= found.proven - 1e-12, "%s %s: %.9g below the proven %.9g", fidelity, asked[i],
              m.loss, found.proven);
        if (found.has_assumed)
            CHECK(m.loss >= found.assumed, "%s %s: %.9g below the assumed %.9g", fidelity, asked[i],
                  m.loss, found.assumed);
        with_assumed += found.has_assumed;
        CHECK(found.start_found && found.start[0], "no start");
        drop(&m);
    }
    CHECK(with_assumed >= 5, "%s: %d assumed bounds", fidelity, with_assumed);
}

/* The same for means over ensembles: of stored ensembles, and of stored single tasks. */
static void ensembles(const char *folder)
{
    struct kl_control_options o = options_of("qubit", "average");
    struct kl_control_lookup found;
    struct kl_error err;
    char store[1000], path[1200];
    o.segments = 20, o.limit = "6", o.members = 3, o.spread = "detuning=0.3", o.set = "gamma_phi=0.02";
    snprintf(store, sizeof store, "%s/ensembles", folder);
    mkdir(store, 0777);
    struct made m;
    make(&m, &o, 32, 1);
    plant(path, store, &o, &m);
    drop(&m);
    o.set = "gamma_phi=0.021";
    make(&m, &o, 32, 2);
    must(kl_control_lookup(&found, store, &m.s, &err), &err);
    CHECK(found.found && strcmp(found.best, path) == 0, "%s", found.best);
    CHECK(found.has_assumed && found.assumed <= m.loss && found.proven <= m.loss, "%g %g %g",
          found.assumed, found.proven, m.loss);
    drop(&m);
}

/* A search that stopped too early is found out by a better pulse; a pulse that is gone is not told of;
   one that is replaced is read again; limits that a pulse does not keep. */
static void planted(const char *folder)
{
    struct kl_control_options o = options_of("qubit", "state"), tight;
    struct kl_control_lookup found;
    struct kl_error err;
    char store[1000], good[1200], bad[1200];
    o.segments = 20, o.limit = "4", o.set = "gamma_phi=0.085 gamma_down=0.045";
    snprintf(store, sizeof store, "%s/planted", folder);
    mkdir(store, 0777);
    struct made m, poor, none;
    make(&m, &o, 32, 1), make(&poor, &o, 1, 1);
    for (int i = 0; i < 40; i++) poor.u[i] = 0.6;
    poor.starts = 4;
    plant(good, store, &o, &m);
    o.set = "gamma_phi=0.085 gamma_down=0.0451";
    plant(bad, store, &o, &poor);
    must(kl_control_lookup(&found, store, &m.s, &err), &err);
    CHECK(strcmp(found.best, good) == 0 && fabs(found.loss - m.loss) < 1e-9, "%s", found.best);
    CHECK(found.has_assumed && strcmp(found.from, good) == 0, "%s", found.from);
    tight = o, tight.limit = "1";
    make(&none, &tight, 1, 1);
    must(kl_control_lookup(&found, store, &none.s, &err), &err);
    CHECK(found.fit == 1 && strcmp(found.best, bad) == 0, "%zu fit", found.fit);
    unlink(good);
    must(kl_control_lookup(&found, store, &m.s, &err), &err);
    CHECK(found.pulses == 1 && strcmp(found.best, bad) == 0, "%zu pulses", found.pulses);
    o.set = "gamma_phi=0.085 gamma_down=0.0451";
    plant(bad, store, &o, &m);
    must(kl_control_lookup(&found, store, &m.s, &err), &err);
    CHECK(fabs(found.loss - m.loss) < 1e-9, "%g", found.loss);
    /* Damaged in a folder at rest: only the file itself tells that it is another. */
    sleep(3);
    must(kl_control_lookup(&found, store, &m.s, &err), &err);
    FILE *file = fopen(bad, "r+");
    if (!file || fwrite("damage", 6, 1, file) != 1 || fclose(file)) CHECK(false, "%s", bad);
    must(kl_control_lookup(&found, store, &m.s, &err), &err);
    CHECK(!found.found && found.unread == 1, "%zu unread", found.unread);
    drop(&m), drop(&poor), drop(&none);
}

/* Milliseconds of one answer among 500 pulses, whose index is at rest. */
static void fast(const char *folder)
{
    struct kl_control_options o = options_of("qubit", "average");
    struct kl_control_lookup found;
    struct kl_error err;
    char store[1000], path[1200], set[100];
    double least = 1;
    o.segments = 60, o.limit = "10", o.set = "gamma_phi=0.1";
    snprintf(store, sizeof store, "%s/many", folder);
    mkdir(store, 0777);
    struct made m;
    make(&m, &o, 1, 1);
    for (int i = 0; i < 500; i++) {
        snprintf(set, sizeof set, "gamma_phi=%.4f", 0.0002 * i);
        o.set = set;
        struct made one = { .u = malloc(120 * sizeof *one.u) };
        memcpy(one.u, m.u, 120 * sizeof *one.u);
        must(kl_control_setup_make(&one.s, &o, &err), &err);
        plant(path, store, &o, &one);
        drop(&one);
    }
    sleep(4);
    for (int i = 0; i < 20; i++) {
        must(kl_control_lookup(&found, store, &m.s, &err), &err);
        if (i) least = fmin(least, found.seconds);
    }
    printf("500 pulses: %.2f ms, %zu losses computed\n", 1e3 * least, found.compared);
    CHECK(least < 0.02, "%g s", least);
    drop(&m);
}

int main(void)
{
    make_test_folder();
    const char *folder = test_folder;
    closed_form();
    random_pulses("qubit", "average", 0.01);
    random_pulses("qubit", "states", 0.01);
    random_pulses("qubit", "state", 0);
    random_pulses("two-qubits", "entanglement", 0.01);
    random_pulses("two-qubits", "average", 0.01);
    random_pulses("two-qubits", "states", 0);
    random_pulses("transmon", "average", 0);
    random_pulses("transmon", "entanglement", 0.001);
    random_pulses("transmon", "leakage", 0);
    ten_tasks(folder, "average");
    ten_tasks(folder, "state");
    ensembles(folder);
    planted(folder);
    fast(folder);
    return failures != 0;
}
