/* SPDX-License-Identifier: MIT
   A store at the other end of the program rclone, "NAME:PATH": object storage, SFTP, WebDAV... One
   process a file; its own messages go where ours do. */
#ifndef KL_STORE_RCLONE_H
#define KL_STORE_RCLONE_H

#include <sys/types.h>

#include "base/base.h"

/* Does the text name such a place? A folder that is there under this name is one. */
bool kl_store_is_remote(const char *place);
struct kl_rclone {
    pid_t child;
    int fd; /* what it says, to be read; -1 */
    const char *what;
};
/* `rclone WORD...`, the words ending with NULL. KL_ENOINPUT: there is no rclone. */
int kl_store_rclone_start(struct kl_rclone *r, const char *const *words, struct kl_error *err);
/* Its exit status in *status. KL_EIO: it did not end by itself. */
int kl_store_rclone_end(struct kl_rclone *r, int *status, struct kl_error *err);

#endif
