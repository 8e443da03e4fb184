/* SPDX-License-Identifier: MIT
   Progress: what watches a run that takes long, as a bar, as lines or as JSON; a run of several kinds of
   work, in weighted steps; a run ended after a moment, to tell how long all of it would take. */
#include "base/base.h"

#include <string.h>
#include <unistd.h>

/* ---- progress ----
   Progress: what watches a run that takes long, as a bar, as lines or as JSON; and a run of several
   kinds of work, in weighted steps. */

enum mode { MODE_NONE, MODE_BAR, MODE_PLAIN, MODE_JSON };

static const double FIRST_SECONDS = 2, BAR_SECONDS = 0.1, LINE_SECONDS = 30;

int kl_watch_step(const struct kl_watch *watch, uint64_t done, uint64_t total, const char *note)
{
    return watch && watch->step ? watch->step(watch->context, done, total, note) : 0;
}

int kl_course_step(struct kl_course *course, uint64_t steps, const char *note, struct kl_error *err)
{
    if (!course) return KL_OK;
    course->done += steps;
    if (!kl_watch_step(course->watch, course->done, course->total, note)) return KL_OK;
    return kl_fail(err, KL_ESIGNAL, "stopped");
}

void kl_course_drop(struct kl_course *course, uint64_t steps)
{
    if (course) course->total -= steps;
}

void kl_time_text(char text[32], double seconds)
{
    int s = (int)(seconds + 0.5);
    if (s < 60) snprintf(text, 32, "%d s", s);
    else if (s < 3600) snprintf(text, 32, "%d:%02d min", s / 60, s % 60);
    else snprintf(text, 32, "%d:%02d h", s / 3600, s / 60 % 60);
}

static void draw(struct kl_progress *p, double now, uint64_t done, uint64_t total, const char *note)
{
    double rate = (done - p->from) / (now - p->start),
           left_seconds = rate > 0 && total > done ? (total - done) / rate : 0;
    char left[32];
    kl_time_text(left, left_seconds);
    const char *gap = note && *note ? "  " : "";
    if (!note) note = "";
    if (p->mode == MODE_JSON) {
        fprintf(p->log->to,
                "{\"done\":%llu,\"total\":%llu,\"unit\":\"%s\",\"rate\":%.6g,\"seconds_left\":%.1f}\n",
                (unsigned long long)done, (unsigned long long)total, p->what, rate, left_seconds);
    } else if (p->mode == MODE_PLAIN) {
        fprintf(p->log->to, "%s: %llu/%llu %s, %.4g/s%s%s, %s left\n", p->log->tool,
                (unsigned long long)done, (unsigned long long)total, p->what, rate, gap, note, left);
    } else {
        char bar[25];
        int filled = total ? (int)(24.0 * done / total) : 0;
        memset(bar, '-', 24);
        memset(bar, '#', (size_t)(filled > 24 ? 24 : filled));
        bar[24] = '\0';
        fprintf(p->log->to, "\r\033[K[%s] %llu/%llu %s  %.4g/s%s%s  %s left", bar,
                (unsigned long long)done, (unsigned long long)total, p->what, rate, gap, note, left);
        fflush(p->log->to);
        p->drawn = true;
        kl_signals_bar(true);
    }
}

static int step(void *context, uint64_t done, uint64_t total, const char *note)
{
    struct kl_progress *p = context;
    double now = kl_clock();
    /* Other work begins; a smaller total alone is the same work, of which some is not needed. */
    if (p->total && (total > p->total || done < p->done)) p->start = now, p->from = done;
    p->total = total;
    p->done = done;
    double wait = p->mode == MODE_BAR ? BAR_SECONDS : p->mode == MODE_JSON ? 1 : LINE_SECONDS;
    if (p->mode != MODE_NONE && now - p->start > FIRST_SECONDS && now - p->shown >= wait) {
        p->shown = now;
        draw(p, now, done, total, note);
    }
    return kl_signals_pending();
}

int kl_progress_begin(struct kl_progress *p, const struct kl_log *log, const char *mode,
                      const char *what)
{
    *p = (struct kl_progress){ .log = log, .what = what, .start = kl_clock() };
    p->watch = (struct kl_watch){ step, p };
    p->shown = p->start;
    if (!mode || strcmp(mode, "auto") == 0) p->mode = isatty(fileno(log->to)) ? MODE_BAR : MODE_PLAIN;
    else if (strcmp(mode, "bar") == 0) p->mode = MODE_BAR;
    else if (strcmp(mode, "plain") == 0) p->mode = MODE_PLAIN;
    else if (strcmp(mode, "json") == 0) p->mode = MODE_JSON;
    if (log->level == 0) p->mode = MODE_NONE;
    return KL_OK;
}

void kl_progress_end(struct kl_progress *p)
{
    if (p->drawn) fputs("\r\033[K", p->log->to);
    p->drawn = false;
    kl_signals_bar(false);
}

/* ---- A run that is ended after a moment, to tell how long all of it would take ---- */

enum { MOST_SECONDS = 5 };
static const double SECONDS = 0.5;

static int trial_step(void *context, uint64_t done, uint64_t total, const char *note)
{
    struct kl_trial *t = context;
    (void)note;
    t->done = done, t->total = total;
    t->seconds = kl_clock() - t->start;
    return (t->seconds > SECONDS && done >= t->least) || kl_signals_pending();
}

void kl_trial_begin(struct kl_trial *t)
{
    *t = (struct kl_trial){ .watch = { trial_step, t }, .start = kl_clock() };
    kl_signals_deadline(t->start + MOST_SECONDS);
}

int kl_trial_end(int code)
{
    kl_signals_deadline(0);
    return code == KL_ESIGNAL && !kl_signals_pending() ? KL_OK : code;
}

int kl_trial_whole(double *seconds, const struct kl_trial *t, const char *what, struct kl_error *err)
{
    if (t->done <= t->from) return kl_fail(err, KL_ENO, "%s takes longer than %d s", what, MOST_SECONDS);
    *seconds = t->seconds * (double)(t->total - t->from) / (double)(t->done - t->from);
    return KL_OK;
}
