/* SPDX-License-Identifier: MIT
   Blocks of the list of images: decoded, converted, resized; compressed sources in their order. */
#include <string.h>

#include "ingest/ingest_int.h"

void kl_ingest_images_cancel(struct kl_images *images)
{
    pthread_mutex_lock(&images->turn->lock);
    images->cancelled = true;
    pthread_cond_broadcast(&images->turn->moved);
    pthread_mutex_unlock(&images->turn->lock);
}

/* Grey from colour by ITU-R 601-2 luma in PIL's integers; colour from grey by repetition. */
static void convert(uint8_t *out, size_t channels, const struct kl_picture *p)
{
    const size_t n = p->height * p->width;
    const uint8_t *x = p->pixels;
    if (channels == p->channels) memcpy(out, x, n * channels);
    else if (channels == 3)
        for (size_t i = 0; i < n; i++) out[3 * i] = out[3 * i + 1] = out[3 * i + 2] = x[i];
    else
        for (size_t i = 0; i < n; i++)
            out[i] =
                (uint8_t)((x[3 * i] * 19595u + x[3 * i + 1] * 38470u + x[3 * i + 2] * 7471u + 0x8000) >>
                          16);
}

/* The resized span of a picture's rows (or columns), whose number is `side` and at least `shortest`:
   with a crop in torchvision's integers, which round halves to the even place. */
static struct kl_ingest_span span_of(const struct kl_images *im, size_t side, size_t shortest, size_t n)
{
    if (!im->shorter) return (struct kl_ingest_span){ n, 0, n };
    const size_t whole = im->shorter * side / shortest, left = whole - n, half = left / 2;
    return (struct kl_ingest_span){ whole, half + (left & half & 1), n };
}

/* Channels first, then size, as a torchvision transform of a converted PIL image. */
static int place(const struct kl_images *im, uint8_t *out, const struct kl_picture *p,
                 struct kl_arena *arena, struct kl_error *err)
{
    struct kl_picture q = *p;
    const size_t shortest = p->height < p->width ? p->height : p->width;
    const struct kl_ingest_span height = span_of(im, p->height, shortest, im->height),
                                width = span_of(im, p->width, shortest, im->width);
    if (p->height == height.n && p->width == width.n && height.whole == height.n) {
        convert(out, im->channels, p);
        return 0;
    }
    if (p->channels != im->channels) {
        uint8_t *pixels = kl_arena_take(arena, p->height * p->width, im->channels);
        if (!pixels) return kl_fail_memory(err, p->height * p->width * im->channels);
        convert(pixels, im->channels, p);
        q.channels = im->channels;
        q.pixels = pixels;
    }
    return kl_ingest_resize(out, &height, &width, &q, arena, err);
}

/* A run of images within one source. */
static int read_run(struct kl_images *im, struct kl_image_source *s, size_t first, size_t n,
                    uint8_t *pixels, struct kl_arena *arena, struct kl_error *err)
{
    int rc = 0;
    const size_t size = im->height * im->width * im->channels;
    if (!pixels) return s->in_order ? s->driver->read(s, first, n, NULL, arena, err) : 0;
    for (size_t done = 0, step; done < n && !rc; done += step) {
        struct kl_picture *pictures;
        step = s->driver->singly ? 1 : n - done;
        kl_arena_reset(arena);
        if (!(pictures = kl_arena_take(arena, step, sizeof *pictures)))
            return kl_fail_memory(err, step * sizeof *pictures);
        rc = s->driver->read(s, first + done, step, pictures, arena, err);
        for (size_t i = 0; i < step && !rc; i++)
            rc = place(im, pixels + (done + i) * size, &pictures[i], arena, err);
    }
    return rc;
}

static int read_all(struct kl_images *im, size_t first, size_t n, uint8_t *pixels,
                    struct kl_arena *arena, struct kl_error *err)
{
    int rc = 0;
    const size_t size = im->height * im->width * im->channels;
    for (size_t i = 0, begin = 0; i < im->n_sources && n && !rc; begin += im->sources[i++].n) {
        struct kl_image_source *s = &im->sources[i];
        if (first >= begin + s->n) continue;
        const size_t here = begin + s->n - first < n ? begin + s->n - first : n;
        rc = read_run(im, s, first - begin, here, pixels, arena, err);
        pixels = pixels ? pixels + here * size : NULL;
        first += here;
        n -= here;
    }
    return rc;
}

/* Of those that were chosen; what lies between them is passed over. */
static int read_chosen(struct kl_images *im, size_t first, size_t n, uint8_t *pixels,
                       struct kl_arena *arena, struct kl_error *err)
{
    int rc = 0;
    const size_t size = im->height * im->width * im->channels;
    const int64_t *chosen = im->chosen;
    if (!chosen) return read_all(im, first, n, pixels, arena, err);
    size_t from = first ? (size_t)chosen[first - 1] + 1 : 0;
    for (size_t i = 0, run; i < n && !rc; i += run) {
        const size_t at = (size_t)chosen[first + i];
        for (run = 1; i + run < n && (size_t)chosen[first + i + run] == at + run;) run++;
        if (from < at) rc = read_all(im, from, at - from, NULL, arena, err);
        if (!rc) rc = read_all(im, at, run, pixels ? pixels + i * size : NULL, arena, err);
        from = at + run;
    }
    return rc;
}

int kl_ingest_images_read(struct kl_images *images, size_t first, size_t n, uint8_t *pixels,
                          struct kl_arena *arena, struct kl_error *err)
{
    struct kl_ingest_turn *turn = images->turn;
    if (first > images->n || n > images->n - first)
        return kl_fail(err, KL_EINTERNAL, "images [%zu, %zu) of %zu", first, first + n, images->n);
    if (!images->in_order) return read_chosen(images, first, n, pixels, arena, err);
    pthread_mutex_lock(&turn->lock);
    while (!images->cancelled && images->next != first) pthread_cond_wait(&turn->moved, &turn->lock);
    int rc = images->cancelled ? kl_fail(err, KL_ESIGNAL, "reading was stopped")
                               : read_chosen(images, first, n, pixels, arena, err);
    images->next = first + n;
    images->cancelled = images->cancelled || rc;
    pthread_cond_broadcast(&turn->moved);
    pthread_mutex_unlock(&turn->lock);
    return rc;
}
