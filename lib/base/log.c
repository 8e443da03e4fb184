/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

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
    const int status = code ? kl_report(log, err) : 0;
    if (code == KL_ESIGNAL) kl_signals_reraise();
    return kl_finish(log, status);
}
