/* SPDX-License-Identifier: MIT
   Files of windows for the tests of what reads them. */
#ifndef TESTS_UNIT_SEQUENCE_SAVED_WINDOWS_H
#define TESTS_UNIT_SEQUENCE_SAVED_WINDOWS_H

#include "sequence/windows/windows.h"
#include "store/store.h"
#include "tests/unit/any_file.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static inline int save_windows(const char *name, const struct kl_sequence_windows *w,
                               struct kl_error *err)
{
    struct kl_writer *writer = NULL;
    char path[1024];
    int code = open_any_file(&writer, in_folder(path, name), "windows", err);
    if (!code) code = kl_sequence_windows_write(writer, w, NULL, err);
    if (!code) code = kl_store_writer_publish(&writer, NULL, err);
    kl_store_writer_abort(&writer);
    return code;
}

static inline struct kl_file *open_windows(const char *name)
{
    struct kl_error err = { 0 };
    struct kl_file *file = NULL;
    char path[1024];
    CHECK(kl_store_file_open(&file, in_folder(path, name), &err) == 0, "%s", err.text);
    return file;
}

#endif
