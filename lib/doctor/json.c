/* SPDX-License-Identifier: MIT
   The examination as one JSON object: docs/schema/doctor.json. */
#include <jansson.h>
#include <stdlib.h>

#include "doctor/doctor.h"

/* NULL members make the pack fail, which is "no memory". */
static json_t *processor(const struct kl_doctor *d)
{
    json_t *model = NULL;
    if (kl_json_string(&model, d->cpu->model, NULL)) return NULL;
    return json_pack("{so ss sb sb}", "model", model, "isa", d->isa, "avx2", d->cpu->avx2, "avx512",
                     d->cpu->avx512);
}

static json_t *threads(const struct kl_doctor *d)
{
    return json_pack("{si si si si sf}", "online", d->threads.online, "allowed", d->threads.allowed,
                     "quota", d->threads.quota, "used", d->threads.used, "load", d->threads.load);
}

static json_t *memory(const struct kl_memory *m)
{
    return json_pack("{sI sI sI}", "total", (json_int_t)m->total, "available", (json_int_t)m->available,
                     "limit", (json_int_t)m->limit);
}

static json_t *libraries(const struct kl_doctor *d)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < d->n_libraries; i++)
        if (json_object_set_new(
                object, d->library[i].name,
                json_pack("{ss ss}", "built", d->library[i].built, "found", d->library[i].found))) {
            json_decref(object);
            return NULL;
        }
    return object;
}

static json_t *gpus(const struct kl_doctor *d)
{
    const struct kl_gpus *g = &d->gpus;
    json_t *list = json_array();
    for (int i = 0; list && i < g->n; i++)
        if (json_array_append_new(list, json_pack("{ss sI s[ii]}", "name", g->gpu[i].name, "memory",
                                                  (json_int_t)g->gpu[i].memory, "capability",
                                                  g->gpu[i].major, g->gpu[i].minor))) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{si sb si so ss sb}", "nodes", g->nodes, "library", g->library, "driver",
                     g->driver, "devices", list, "problem", g->problem, "usable", d->cuda);
}

static json_t *disk(const struct kl_disk *s)
{
    json_t *path = NULL, *problem = NULL;
    if (kl_json_string(&path, s->path, NULL)) return NULL;
    if (kl_json_string(&problem, s->problem, NULL)) {
        json_decref(path);
        return NULL;
    }
    return json_pack("{so sb ss sb sf sf sf sf sf sf so}", "path", path, "exists", !s->absent, "type",
                     s->type, "remote", s->remote, "size", s->size, "free", s->free, "fsync_ms",
                     s->sync_ms, "publish_ms", s->publish_ms, "write_bytes_per_second", s->write_rate,
                     "clock_ahead_seconds", s->clock_ahead, "problem", problem);
}

static json_t *rates(const struct kl_rates *r)
{
    return json_pack("{sf sf sf sf s[ff] s[ff] s[ii] sf ss}", "peak_flops", r->peak,
                     "memory_bytes_per_second", r->bandwidth, "product_flops", r->product,
                     "convolution_flops", r->convolution, "circuits_per_second", r->circuit[0],
                     r->circuit[1], "circuits_share_of_peak", r->circuit_share[0], r->circuit_share[1],
                     "circuits_qubits", kl_rates_qubits[0], kl_rates_qubits[1], "normals_per_second",
                     r->normals, "problem", r->problem);
}

static json_t *forecasts(const struct kl_doctor *d)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < d->n_forecasts; i++)
        if (json_object_set_new(object, d->forecast[i].name, json_real(d->forecast[i].seconds))) {
            json_decref(object);
            return NULL;
        }
    return object;
}

static json_t *advice(const struct kl_doctor *d)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < d->n_advice; i++) {
        json_t *text = NULL;
        kl_json_string(&text, d->advice[i].text, NULL);
        if (!text || json_array_append_new(
                         list, json_pack("{sb so}", "broken", d->advice[i].broken, "text", text))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

int kl_doctor_json(FILE *to, const struct kl_doctor *d, struct kl_error *err)
{
    json_t *object = json_object();
    char *text = NULL;
    int failed = !object;
    const struct {
        const char *name;
        json_t *value;
    } parts[] = { { "version", json_string(KL_VERSION) },
                  { "processor", processor(d) },
                  { "threads", threads(d) },
                  { "memory", memory(&d->memory) },
                  { "gpu", gpus(d) },
                  { "libraries", libraries(d) },
                  { "store", disk(&d->disk) },
                  { "rates", d->n_forecasts ? rates(&d->rates) : json_null() },
                  { "forecast_seconds", forecasts(d) },
                  { "chains_in_memory", json_integer((json_int_t)d->chains) },
                  { "advice", advice(d) },
                  { "broken", json_integer((json_int_t)kl_doctor_broken(d)) } };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        failed |= json_object_set_new(object, parts[i].name, parts[i].value) != 0;
    int code = failed ? kl_fail_memory(err, 4096) : kl_json_dump(&text, object, err);
    if (!code && fprintf(to, "%s\n", text) < 0) code = kl_fail_errno(err, KL_EIO, "standard output");
    free(text);
    json_decref(object);
    return code;
}
