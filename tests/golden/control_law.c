/* SPDX-License-Identifier: MIT
   What pulses lose in the mean over laws, with levels, rates and complex controls of any kind, and by
   gates from other programs' files, against QuTiP and SciPy (tests/golden/control_law.h5, written by
   make_control_law.py beside it). */
#include <math.h>

#include "control/stored/stored.h"
#include "golden.h"
#include "tests/unit/test_folder.h"

enum { MOST = 512 };
static int failures;

/* A problem from its attributes; texts live in `kept`. */
struct problem {
    struct kl_control_options options;
    struct kl_control_texts texts;
    char kept[16][1024];
    int n;
    double u[MOST];
};

static bool has(hid_t group, const char *name)
{
    return H5Aexists(group, name) > 0;
}

static void text(const char **to, struct problem *p, hid_t group, const char *name)
{
    if (!has(group, name)) return;
    golden_text(p->kept[p->n], sizeof p->kept[0], group, name);
    *to = p->kept[p->n++];
}

static void model(struct problem *p, hid_t group)
{
    static char path[1024];
    const char *words = NULL;
    text(&words, p, group, "model");
    if (!words) return;
    FILE *file = fopen(in_folder(path, "model.yaml"), "w");
    golden_need(file && fputs(words, file) >= 0 && fclose(file) == 0, path);
    p->options.model = path;
}

/* A gate's matrix in a file of its own: its bytes, under the name that the gate has before any colon. */
static void gate_file(struct problem *p, hid_t group)
{
    static char path[1024];
    static uint8_t bytes[1 << 14];
    if (H5Lexists(group, "file", H5P_DEFAULT) <= 0) return;
    const hid_t set = H5Dopen2(group, "file", H5P_DEFAULT);
    const size_t n = (size_t)H5Dget_storage_size(set);
    golden_need(n <= sizeof bytes &&
                    H5Dread(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0,
                "file");
    H5Dclose(set);
    p->options.gate = in_folder(path, p->options.gate);
    char *colon = strchr(path + strlen(test_folder), ':');
    if (colon) *colon = 0;
    FILE *file = fopen(path, "wb");
    golden_need(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0, path);
    if (colon) *colon = ':';
}

static void read_problem(struct problem *p, hid_t group)
{
    struct kl_control_options *o = &p->options;
    struct kl_error err;
    p->n = 0, p->texts = (struct kl_control_texts){ 0 };
    kl_control_options_default(o);
    text(&o->system, p, group, "system"), text(&o->gate, p, group, "gate"),
        text(&o->set, p, group, "set");
    text(&o->jump, p, group, "jump"), text(&o->levels, p, group, "levels");
    text(&o->limit, p, group, "limit"), text(&o->spread, p, group, "spread");
    text(&o->law, p, group, "law"), text(&o->ensemble, p, group, "ensemble");
    if (has(group, "members")) o->members = (int64_t)golden_number(group, "members");
    if (has(group, "tail")) o->tail = golden_number(group, "tail");
    model(p, group), gate_file(p, group);
    must(kl_control_options_files(o, &p->texts, &err), &err);
}

/* Shares of 1 rather than of the loss: members are chosen for that. */
static void compare(hid_t group, const char *name, const char *what, double found, double bound)
{
    char attribute[64];
    snprintf(attribute, sizeof attribute, "expected_%s", what);
    if (!has(group, attribute)) return;
    const double expected = golden_number(group, attribute);
    if (fabs(found - expected) <= bound) return;
    fprintf(stderr, "%s: %s: found %.12g, expected %.12g\n", name, what, found, expected);
    failures++;
}

/* Above what is proven no pulse is better, and of a law it is close to what doing nothing costs. */
static void check_limit(hid_t group, const char *name, const struct kl_control_setup *setup)
{
    struct kl_error err;
    double limit;
    if (!has(group, "expected_limit")) return;
    const double expected = golden_number(group, "expected_limit");
    must(kl_control_law_limit(&limit, setup, &err), &err);
    if (limit <= expected * (1 + 1e-9) && limit >= 0.99 * expected) return;
    fprintf(stderr, "%s: limit: found %.12g, expected at most %.12g and near\n", name, limit, expected);
    failures++;
}

static void check_skew(hid_t group, const char *name, const struct kl_control_setup *setup,
                       const double *u)
{
    struct kl_control_budget budget;
    struct kl_error err;
    if (!has(group, "expected_x")) return;
    must(kl_control_budget(&budget, setup, u, "skew_x=0.001 skew_y=0.001", &err), &err);
    for (int i = 0; i < budget.n; i++) {
        const struct kl_control_budget_term *t = &budget.terms[i];
        if (strncmp(t->name, "skew_", 5) == 0) compare(group, name, t->name + 5, t->slope, 1e-7);
    }
}

static void check_report(hid_t group, const char *name, const struct kl_control_report *r)
{
    const double bound = has(group, "bound") ? golden_number(group, "bound") : 1e-7;
    compare(group, name, "loss", r->loss, bound);
    compare(group, name, "nominal", r->nominal, 1e-12);
    compare(group, name, "entanglement", r->channel.entanglement, 1e-12);
    compare(group, name, "leakage", r->channel.leakage, 1e-12);
    const bool agrees = kl_control_law_agrees(r->loss, r->of_members) == KL_CONTROL_AGREES;
    if (agrees != has(group, "members")) return;
    fprintf(stderr, "%s: by the members %g, over the law %g\n", name, r->of_members, r->loss);
    failures++;
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *groups)
{
    static struct problem p;
    struct kl_control_setup setup;
    struct kl_control_report report;
    struct kl_error err;
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    (void)info;
    read_problem(&p, group);
    const size_t n = golden_values(p.u, MOST, group, "controls");
    hsize_t shape[2];
    const hid_t set = H5Dopen2(group, "controls", H5P_DEFAULT), space = H5Dget_space(set);
    H5Sget_simple_extent_dims(space, shape, NULL);
    p.options.segments = (int64_t)shape[0];
    must(kl_control_setup_make(&setup, &p.options, &err), &err);
    golden_need(n == shape[0] * (size_t)setup.system.n_controls, "controls");
    must(kl_control_report_make(&report, &setup, p.u, &err), &err);
    check_report(group, name, &report);
    check_limit(group, name, &setup);
    check_skew(group, name, &setup, p.u);
    kl_control_report_free(&report), kl_control_setup_free(&setup), kl_control_texts_free(&p.texts);
    H5Sclose(space), H5Dclose(set), H5Gclose(group);
    ++*(int *)groups;
    return 0;
}

int main(void)
{
    make_test_folder();
    const int groups = golden_groups("tests/golden/control_law.h5", check);
    return failures || groups != 21;
}
