/* SPDX-License-Identifier: MIT
   Windows as they are collected: values and names that grow. */
#include <stdlib.h>
#include <string.h>

#include "sequence/windows/windows_int.h"

int kl_sequence_collect_name(int32_t *place, char ***names, size_t *n, const char *name,
                             struct kl_error *err)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp((*names)[i], name) == 0) {
            *place = (int32_t)i;
            return 0;
        }
    char **more = realloc(*names, (*n + 1) * sizeof *more), *copy = strdup(name);
    if (more) *names = more;
    if (!more || !copy) {
        free(copy);
        return kl_fail_memory(err, (*n + 1) * sizeof *more);
    }
    *place = (int32_t)*n, more[(*n)++] = copy;
    return 0;
}

int kl_sequence_collect_text(struct kl_sequence_collection *c, const struct kl_sequence_labels *labels,
                             const char *text, struct kl_error *err)
{
    int32_t place;
    for (size_t i = 0; i < labels->n; i++)
        if (strcmp(labels->texts[i], text) == 0) c->found[i] = true;
    if (c->n_texts == KL_SEQUENCE_TEXTS) return 0;
    return kl_sequence_collect_name(&place, &c->texts, &c->n_texts, text, err);
}

static bool grow(void *at, size_t bytes)
{
    void *old, *more;
    memcpy(&old, at, sizeof old);
    more = realloc(old, bytes);
    if (more) memcpy(at, &more, sizeof more);
    return more;
}

static int reject_room(struct kl_sequence_collection *c, size_t more, struct kl_error *err)
{
    const size_t room = 2 * (c->n_rejected + more);
    if (c->n_rejected + more <= c->rejected_room) return 0;
    if (!grow(&c->rejected, room * sizeof *c->rejected))
        return kl_fail_memory(err, room * sizeof *c->rejected);
    c->rejected_room = room;
    return 0;
}

int kl_sequence_collect_room(struct kl_sequence_collection *c, size_t more, struct kl_error *err)
{
    const int code = reject_room(c, more, err);
    if (code) return code;
    if (c->n + more <= c->room) return 0;
    const size_t room = c->n + more > 2 * c->room ? c->n + more : 2 * c->room;
    size_t each, bytes;
    if (__builtin_mul_overflow(c->channels, c->steps, &each) ||
        __builtin_mul_overflow(room * sizeof *c->x, each, &bytes))
        return kl_fail_memory(err, SIZE_MAX);
    if (!grow(&c->x, bytes) || !grow(&c->labels, room * sizeof *c->labels) ||
        !grow(&c->subject, room * sizeof *c->subject) ||
        !grow(&c->recording, room * sizeof *c->recording) || !grow(&c->onset, room * sizeof *c->onset) ||
        !grow(&c->duration, room * sizeof *c->duration))
        return kl_fail_memory(err, bytes);
    c->room = room;
    return 0;
}

void kl_sequence_collection_free(struct kl_sequence_collection *c)
{
    kl_sequence_words_free(c->channel_names, c->channel_names ? c->channels : 0);
    kl_sequence_words_free(c->subject_names, c->n_subjects);
    kl_sequence_words_free(c->recording_names, c->n_recordings);
    free(c->x), free(c->labels), free(c->subject), free(c->recording), free(c->onset), free(c->duration);
    kl_sequence_words_free(c->texts, c->n_texts);
    free(c->square), free(c->rejected_by), free(c->rejected);
    *c = (struct kl_sequence_collection){ 0 };
}
