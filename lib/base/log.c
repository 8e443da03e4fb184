/* SPDX-License-Identifier: MIT
   What a tool says beside its result: notes, cautions that the file keeps, the report of an error;
   variables that it does not know. */
#include "base/base.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base_int.h"

void kl_note(const struct kl_log *log, int level, const char *format, ...)
{
    if (!log || level > log->level) return;
    va_list list;
    va_start(list, format);
    fprintf(log->to, "%s: ", log->tool);
    vfprintf(log->to, format, list);
    fputc('\n', log->to);
    va_end(list);
}

/* At the end, unless it is there already. */
static void keep(struct kl_cautions *cautions, const char *line)
{
    const size_t n = cautions->lines ? strlen(cautions->lines) : 0, length = strlen(line);
    for (const char *at = cautions->lines; at && (at = strstr(at, line)); at += length)
        if ((at == cautions->lines || at[-1] == '\n') && at[length] == '\n') return;
    char *lines = realloc(cautions->lines, n + length + 2);
    if (!lines) {
        cautions->lost = true;
        return;
    }
    memcpy(lines + n, line, length);
    memcpy(lines + n + length, "\n", 2);
    cautions->lines = lines;
}

void kl_caution(const struct kl_log *log, const char *format, ...)
{
    char *line = NULL;
    va_list list;
    if (!log) return;
    va_start(list, format);
    const int n = vasprintf(&line, format, list);
    va_end(list);
    if (n < 0) {
        if (log->cautions) log->cautions->lost = true;
        return;
    }
    kl_make_printable(line); /* there are names in it, of other people's files */
    kl_note(log, 1, "%s", line);
    if (log->cautions) keep(log->cautions, line);
    free(line);
}

struct kl_json_pair kl_json_cautions(const struct kl_log *log)
{
    return (struct kl_json_pair){ "cautions", KL_JSON_LINES, kl_caution_lines(log), 0 };
}

const char *kl_caution_lines(const struct kl_log *log)
{
    if (!log || !log->cautions) return NULL;
    return log->cautions->lost ? "cautions are missing here: there was no memory for one\n"
                               : log->cautions->lines;
}

void kl_cautions_free(struct kl_cautions *cautions)
{
    free(cautions->lines);
    *cautions = (struct kl_cautions){ 0 };
}

FILE *kl_words_to(const struct kl_common *common)
{
    return common->output && strcmp(common->output, "-") == 0 ? stderr : stdout;
}

int kl_report(const struct kl_log *log, const struct kl_error *err)
{
    fflush(stdout);
    if (err->code != KL_ESIGNAL) fprintf(log->to, "%s: %s\n", log->tool, err->text);
    return kl_exit_status(err->code);
}

int kl_finish(const struct kl_log *log, int status)
{
    bool failed = ferror(stdout);
    errno = 0;
    if (fclose(stdout) != 0) failed = true;
    if (!failed) return status;
    fprintf(log->to, "%s: standard output: %s\n", log->tool, errno ? strerror(errno) : "write failed");
    return kl_exit_status(KL_EIO);
}

int kl_end(const struct kl_log *log, int code, const struct kl_error *err)
{
    const bool said = code == KL_ENO && !*err->text; /* on standard output */
    const int status = said ? kl_exit_status(code) : code ? kl_report(log, err) : 0;
    if (code == KL_ESIGNAL) kl_signals_reraise();
    return kl_finish(log, status);
}

/* ---- variables ----
   Variables of the environment. A mistyped one would do nothing, without a word: results in no store,
   say. */

/* Those that tools read, then those of the tests and of the build: KETLINE_ISA is no mistyped
 * KETLINE_DATA. */
static const char *const known[] = { "KETLINE_STORE",  "KETLINE_DATA",  "KETLINE_ISA",
                                     "KETLINE_CUDA",   "KETLINE_MPI",   "KETLINE_SHARED",
                                     "KETLINE_PYTHON", "KETLINE_SMALL", "KETLINE_PC" };
enum { READ = 5, MOST = 64 };

/* Two letters may be others, too many or missing, and small ones large. */
static const char *meant(const char *name, size_t n)
{
    char large[MOST];
    struct kl_near near = { large, n, 3, NULL, 0 };
    const char *found = NULL;
    if (n > MOST) return NULL;
    for (size_t i = 0; i < n; i++) large[i] = (char)toupper((unsigned char)name[i]);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        kl_near_try(&near, known[i], strlen(known[i]));
        if (strlen(known[i]) == n && strncmp(name, known[i], n) == 0) return NULL;
        if (near.word == known[i]) found = i < READ ? known[i] : NULL;
    }
    return found;
}

void kl_note_variables(const struct kl_log *log)
{
    for (char **at = environ; at && *at; at++) {
        const size_t n = strcspn(*at, "=");
        const char *nearest = meant(*at, n);
        if (nearest)
            kl_note(log, 1, "variable %.*s is not read; did you mean %s?", (int)n, *at, nearest);
    }
}
