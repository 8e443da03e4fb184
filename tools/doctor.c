/* SPDX-License-Identifier: MIT
   doctor: what this machine has, whether it is fit, how fast it is, and what to change. */
#include "doctor/doctor.h"
#include "store/mode.h"

struct values {
    struct kl_common common;
    bool no_bench, bug_report;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "no-bench", 0, KL_OPT_FLAG, AT(no_bench), NULL, 0, 0, false,
      "do not measure: two seconds less, no forecast", "Examination", NULL },
    { "bug-report", 0, KL_OPT_FLAG, AT(bug_report), NULL, 0, 0, false,
      "what a maintainer needs, to be pasted into an issue", NULL, NULL },
    { "store", 0, KL_OPT_STRING, AT(common.store), "DIR", 0, 0, false,
      "try this file system (KETLINE_STORE, else the folder here)", NULL, NULL },
};
static const struct kl_tool tool = {
    .name = "doctor",
    .summary = "Looks at this machine: processor, threads, memory, libraries, GPU, the store's file "
               "system; measures two seconds long; says what to change. Status 1: something needed does "
               "not work",
    .arguments = "",
    .example = "doctor --store /shared/ketline\n  doctor --bug-report > report.md",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key seed note no-provenance progress",
};

static int examine(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    const struct kl_doctor_options o = { .folder = v->common.store ? v->common.store : ".",
                                         .threads = v->common.threads,
                                         .no_bench = v->no_bench };
    struct kl_doctor d = { 0 };
    if (v->common.json && v->bug_report)
        return kl_fail(err, KL_EUSAGE, "--json and --bug-report are two forms; give one");
    int code = kl_doctor_examine(&d, &o, err);
    if (code) return code;
    if (v->common.json) code = kl_doctor_json(run->out, &d, err);
    else if (v->bug_report) kl_doctor_bug_report(run->out, &d);
    else if (!v->common.quiet) kl_doctor_text(run->out, &d);
    const size_t broken = kl_doctor_broken(&d);
    if (!code && broken)
        code = kl_fail(err, KL_ENO, "%zu thing%s that is needed does not work: %s", broken, kl_s(broken),
                       d.advice[0].text);
    return code;
}

int main(int argc, char **argv)
{
    static const struct kl_mode machine = { .tool = &tool, .run = examine, .keeps_nothing = true };
    return kl_store_mode_main(&machine, argc, argv, stdout, stderr);
}
