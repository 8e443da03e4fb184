/* SPDX-License-Identifier: MIT
   A scaling table as a file, as a text and as JSON. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "sequence/learn/scaling.h"

static const struct kl_kind_number numbers[] = {
    { .attribute = "processor", .title = "processor" },
    { .attribute = "windows", .title = "windows", .format = "%.0f" },
    { .attribute = NULL },
};
const struct kl_kind kl_sequence_scaling_kind = { .name = "sequence-scaling",
                                                  .maker = "qseq bench",
                                                  .numbers = numbers };

enum {
    MODEL,
    QUBITS,
    LAYERS,
    BATCH,
    RANKS,
    THREADS,
    PARAMETERS,
    SECONDS,
    SPEEDUP,
    WAITED,
    BYTES,
    COLUMNS
};
static const struct {
    const char *name;
    enum kl_type type;
} columns[COLUMNS] = {
    { "model", KL_TYPE_STRING },   { "qubits", KL_TYPE_I32 },  { "layers", KL_TYPE_I32 },
    { "batch", KL_TYPE_I32 },      { "ranks", KL_TYPE_I32 },   { "threads", KL_TYPE_I32 },
    { "parameters", KL_TYPE_I64 }, { "seconds", KL_TYPE_F64 }, { "speed_up", KL_TYPE_F64 },
    { "waited", KL_TYPE_F64 },     { "bytes", KL_TYPE_F64 },
};

static size_t size_of(int k)
{
    return columns[k].type == KL_TYPE_STRING ? sizeof((struct kl_sequence_scaling_row *)0)->model
           : columns[k].type == KL_TYPE_I32  ? sizeof(int32_t)
                                             : 8;
}

static const void *value_of(const struct kl_sequence_scaling_row *row, int k)
{
    const void *const values[COLUMNS] = { row->model,    &row->qubits,  &row->layers,     &row->batch,
                                          &row->ranks,   &row->threads, &row->parameters, &row->seconds,
                                          &row->speedup, &row->waited,  &row->bytes };
    return values[k];
}

int kl_sequence_scaling_save(struct kl_writer *writer, const struct kl_sequence_scaling *s,
                             struct kl_error *err)
{
    char *column = malloc(s->n * sizeof s->rows->model + 1);
    int code = column ? KL_OK : kl_fail_memory(err, s->n * sizeof s->rows->model);
    for (int k = 0; k < COLUMNS && code >= 0; k++) {
        const size_t size = size_of(k);
        for (size_t i = 0; i < s->n; i++) memcpy(column + i * size, value_of(&s->rows[i], k), size);
        code = kl_store_writer_put(writer, columns[k].name, columns[k].type,
                                   columns[k].type == KL_TYPE_STRING ? size : 0, 1, &s->n, column, err);
    }
    free(column);
    if (code >= 0) code = kl_store_writer_text(writer, "seconds", "unit", "s", err);
    if (code >= 0) code = kl_store_writer_text(writer, "waited", "unit", "s", err);
    if (code >= 0) code = kl_store_writer_text(writer, "", "processor", kl_device_cpu()->model, err);
    if (code >= 0) code = kl_store_writer_integer(writer, "", "windows", (int64_t)s->windows, err);
    if (code >= 0) code = kl_store_writer_integer(writer, "", "channels", (int64_t)s->channels, err);
    return code < 0 ? code : kl_store_writer_integer(writer, "", "steps", (int64_t)s->steps, err);
}

void kl_sequence_scaling_tell(FILE *to, const struct kl_sequence_scaling *s)
{
    fprintf(to, "%zu windows of %zu x %zu, %s; a step:\n", s->windows, s->channels, s->steps,
            kl_device_cpu()->model);
    fprintf(to, "%-18s%7s%7s%7s%7s%9s%10s%12s%10s%9s%11s\n", "model", "qubits", "layers", "batch",
            "ranks", "threads", "ms", "windows/s", "speed-up", "kB sent", "ms waited");
    for (size_t i = 0; i < s->n; i++) {
        const struct kl_sequence_scaling_row *r = &s->rows[i];
        char qubits[16] = "-", layers[16] = "-";
        if (r->qubits) snprintf(qubits, sizeof qubits, "%d", r->qubits);
        if (r->layers) snprintf(layers, sizeof layers, "%d", r->layers);
        fprintf(to, "%-18s%7s%7s%7d%7d%9d%10.3f%12.0f%10.2f%9.1f%11.3f\n", r->model, qubits, layers,
                r->batch, r->ranks, r->threads, 1e3 * r->seconds, r->batch / r->seconds, r->speedup,
                r->bytes / 1e3, 1e3 * r->waited);
    }
}

static json_t *row_json(const struct kl_sequence_scaling *s, size_t i)
{
    const struct kl_sequence_scaling_row *r = &s->rows[i];
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:I, s:f, s:f, s:f, s:f}", "model", r->model,
                     "qubits", r->qubits, "layers", r->layers, "batch", r->batch, "ranks", r->ranks,
                     "threads", r->threads, "parameters", (json_int_t)r->parameters, "seconds",
                     r->seconds, "seconds_waited", r->waited, "bytes_sent", r->bytes, "speed_up",
                     r->speedup);
}

int kl_sequence_scaling_json(FILE *to, const struct kl_sequence_scaling *s, const char *output,
                             const struct kl_log *log, struct kl_error *err)
{
    json_t *cautions = NULL, *rows = json_array(), *all = NULL;
    char *text = NULL;
    int code = kl_json_lines(&cautions, kl_caution_lines(log), err);
    for (size_t i = 0; i < s->n && rows && !code; i++)
        if (json_array_append_new(rows, row_json(s, i))) code = kl_fail_memory(err, 4096);
    if (!code && rows)
        all = json_pack("{s:s?, s:s, s:I, s:I, s:I, s:O, s:O}", "output", output, "processor",
                        kl_device_cpu()->model, "windows", (json_int_t)s->windows, "channels",
                        (json_int_t)s->channels, "steps", (json_int_t)s->steps, "rows", rows, "cautions",
                        cautions);
    if (!code) code = all ? kl_json_dump(&text, all, err) : kl_fail_memory(err, 4096);
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    json_decref(all), json_decref(rows), json_decref(cautions);
    return code;
}
