/* SPDX-License-Identifier: MIT
   `qseq inspect`: what is in recordings, and what is wrong with them. It keeps no file. */
#include <jansson.h>
#include <stdlib.h>

#include "sequence/recording/recording.h"
#include "store/mode.h"

struct values {
    struct kl_common common;
};
const struct kl_tool kl_sequence_inspect_tool = {
    .name = "qseq",
    .summary = "Says of each recording (EDF, EDF+, BDF, BDF+) its format, signals, rates, length, "
               "annotations, gaps and "
               "what is odd in it; exit status 65 where one cannot be read rightly",
    .arguments = "inspect RECORDING...",
    .example = "qseq inspect S001R04.edf\n  qseq inspect *.edf --json | jq -r '.remarks[]'",
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key note no-provenance progress seed device threads",
    .chosen_by = "inspect",
};

static int print(FILE *to, const json_t *value, struct kl_error *err)
{
    char *text = NULL;
    const int code = kl_json_dump(&text, value, err);
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    return code;
}

static int tell_json(FILE *to, const struct kl_sequence_recording *r, struct kl_error *err)
{
    json_t *report = NULL;
    int code = kl_sequence_recording_report(&report, r, err);
    if (!code) code = print(to, report, err);
    json_decref(report);
    return code;
}

/* Of one that is refused: the line that says so. */
static int tell_refused(FILE *to, const char *path, const char *line, struct kl_error *err)
{
    json_t *name = NULL, *words = NULL;
    int code = kl_json_string(&name, path, err);
    if (!code) code = kl_json_string(&words, line, err);
    json_t *report = code ? NULL : json_pack("{s:O,s:O}", "file", name, "refused", words);
    if (!code) code = report ? print(to, report, err) : kl_fail_memory(err, 1024);
    json_decref(name), json_decref(words), json_decref(report);
    return code;
}

static int inspect(const struct kl_mode_run *run, const char *path, struct kl_error *err)
{
    const struct values *v = run->values;
    struct kl_sequence_recording r;
    int code = kl_sequence_recording_open(&r, path, err);
    if (!code && v->common.json) code = tell_json(run->out, &r, err);
    else if (!code && !v->common.quiet) code = kl_sequence_recording_tell(run->out, &r, err);
    kl_sequence_recording_close(&r);
    return code;
}

/* All are looked at, also behind one that is refused. */
static int run(struct kl_mode_run *run, struct kl_error *err)
{
    const struct kl_stage *stage = &run->stage;
    const struct values *v = run->values;
    const size_t n = stage->n_inputs - 1;
    size_t refused = 0;
    int last = KL_OK;
    if (!n) return kl_fail_inputs(err, stage->inputs + 1, 0, SIZE_MAX, "RECORDING...");
    for (size_t i = 1; i <= n; i++) {
        const int code = inspect(run, stage->inputs[i], err);
        if (!code) continue;
        if (code != KL_EDATA && code != KL_ENOINPUT) return code;
        refused++, last = code;
        struct kl_error other = { 0 };
        if (v->common.json && tell_refused(run->out, stage->inputs[i], err->text, &other)) {
            *err = other;
            return other.code;
        }
        if (n > 1) kl_note(stage->log, 0, "%s", err->text);
    }
    if (n == 1 || !refused) return last;
    return kl_fail(err, last, "%zu of %zu recordings cannot be read", refused, n);
}

const struct kl_mode kl_sequence_mode_inspect = { .tool = &kl_sequence_inspect_tool,
                                                  .run = run,
                                                  .keeps_nothing = true };
