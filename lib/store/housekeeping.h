/* SPDX-License-Identifier: MIT
   Looking after a store, for the tool `cache` (housekeeping.c, transfer.c). */
#ifndef KL_HOUSEKEEPING_H
#define KL_HOUSEKEEPING_H

#include "store/store.h"

/* Errors that stop nothing: they are reported at the end, in one line. */
struct kl_skipped_errors {
    size_t n;
    struct kl_error first;
};

struct kl_found {
    const char *path;
    char kind[64], key[65], content[65]; /* empty when the file cannot be opened */
    char created_by[64];                 /* tool and version */
    int schema;
    uint64_t rows;       /* of `index` or `labels`, 0: it has none */
    uint64_t size;       /* bytes */
    int64_t mtime;       /* seconds since 1970 */
    int code;            /* 0 or what opening or verifying said */
    const char *problem; /* in words, "" when whole */
    const struct kl_file *file; /* open while it is looked at; NULL: it cannot be opened */
};
/* Each *.h5 below the folder, in name order (path may also be one file): the envelope, with `verify`
   every block as well, and that a file under a key's name has that key. `each` may be
   NULL; non-zero from it stops the walk. *n_bad may be NULL. A folder below it that cannot be listed
   stops nothing: then it is KL_EIO at the end, and *n_bad is of what was seen. */
int kl_store_walk(const char *path, bool verify,
                  int (*each)(void *context, const struct kl_found *found), void *context, size_t *n_bad,
                  struct kl_error *err);
struct kl_gc {
    double max_age; /* seconds: remove files of ours neither read nor written for so long; 0: none */
    bool dry;       /* only tell */
    /* May be NULL; error: 0, or the errno of a file that could not be removed. */
    void (*each)(void *context, const char *path, const char *why, uint64_t bytes, int error);
    void *context;
    size_t n; /* results */
    uint64_t bytes;
    size_t n_left;                   /* that could not be removed: not in n */
    size_t n_unlisted;               /* folders below it of which nothing, or not all, could be seen */
    struct kl_skipped_errors passed; /* (hidden) all of these */
};
/* Temporaries of dead runs below the folder go always. Each file is judged by its own name, times and
   envelope, whatever lies elsewhere; so a file that cannot be removed, or a folder below that cannot be
   listed, stops nothing: all others are seen to, then it is KL_EIO, which names the first. */
int kl_store_gc(const char *folder, struct kl_gc *gc, struct kl_error *err);
/* Whole files of one store into another (transfer.c), each checked on the way; what is there stays. A
   store is a folder, or NAME:PATH of rclone's, of which one may be. */
enum kl_transferred { KL_COPIED, KL_WAS_THERE, KL_REFUSED, KL_TRANSFERRED };
struct kl_transfer {
    void (*each)(void *context, const char *path, enum kl_transferred what,
                 const char *why); /* may be NULL */
    void *context;
    size_t n[KL_TRANSFERRED]; /* results; KL_REFUSED: damaged, or under another's name */
};
/* KL_ENOINPUT: no such store, or no rclone; KL_EIO, KL_ENOMEM, KL_ESIGNAL: what was copied before stays.
 */
int kl_store_transfer(struct kl_transfer *transfer, const char *from, const char *to,
                      struct kl_error *err);

/* Does the text name a store at the other end of the program rclone, "NAME:PATH": object storage, SFTP,
   WebDAV...? A folder that is there under this name is one. */
bool kl_store_is_remote(const char *place);

#endif
