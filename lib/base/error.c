/* SPDX-License-Identifier: MIT
   One line for an error, the exit status of each code, and texts that are safe to show in it. */
#include "base/base.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* One line, and nothing in it that a terminal would obey: what was found in an input may hold anything.
 */
static int fill(struct kl_error *err, int code, const char *format, va_list list)
{
    if (!err) return code;
    err->code = code;
    vsnprintf(err->text, sizeof err->text, format, list);
    kl_make_printable(err->text);
    return code;
}

int kl_fail(struct kl_error *err, int code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fill(err, code, format, list);
    va_end(list);
    return code;
}

int kl_fail_errno(struct kl_error *err, int code, const char *format, ...)
{
    int saved = errno;
    if (saved == ENOMEM) code = KL_ENOMEM;
    va_list list;
    va_start(list, format);
    fill(err, code, format, list);
    va_end(list);
    if (err) {
        char reason[128];
        const char *text = strerror_r(saved, reason, sizeof reason);
        size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used, ": %s", text);
    }
    errno = saved;
    return code;
}

int kl_fail_memory(struct kl_error *err, size_t bytes)
{
    return kl_fail(err, KL_ENOMEM,
                   "no memory: %zu bytes asked for; close other programs or use fewer threads", bytes);
}

int kl_exit_status(int code)
{
    switch (code) {
    case KL_OK: return 0;
    case KL_ENO: return 1;
    case KL_EUSAGE: return 2;
    case KL_EDATA: return 65;
    case KL_ENOINPUT: return 66;
    case KL_EIO: return 74;
    case KL_ENOMEM:
    case KL_EDEVICE: return 75;
    default: return 70;
    }
}

/* ---- Texts that are safe to show ---- */

int kl_control_length(const char *text)
{
    const unsigned char c = (unsigned char)text[0];
    if (c == 0xc2) return (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0 ? 2 : 0;
    return (c && c < ' ') || c == 127;
}

void kl_make_printable(char *text)
{
    while (*text) {
        const int n = kl_control_length(text);
        memset(text, '?', (size_t)n);
        text += n ? n : 1;
    }
}
