/* SPDX-License-Identifier: MIT
   A growing list of names, and those in a folder. */
#ifndef KL_NAMES_INT_H
#define KL_NAMES_INT_H

#include "ingest/ingest.h"

struct kl_names {
    char **items;
    size_t n, room;
};
/* Takes ownership of item, which may be NULL: KL_ENOMEM. */
int kl_ingest_names_add(struct kl_names *names, char *item, struct kl_error *err);
enum kl_names_kind {
    KL_NAMES_FOLDERS,
    KL_NAMES_PICTURES, /* PNG and JPEG, by their endings */
    KL_NAMES_JPEG,     /* the latter alone */
    KL_NAMES_UNREAD    /* images of other formats */
};
/* What of this kind is in a folder, sorted; names that begin with a dot are passed over. */
int kl_ingest_names_list(struct kl_names *names, const char *path, enum kl_names_kind kind,
                         struct kl_error *err);
void kl_ingest_names_free(struct kl_names *names);
/* "FOLDER/NAME", malloc'ed. */
char *kl_ingest_path_join(const char *folder, const char *name);

/* ---- the classes of a folder (folder_classes.c) ---- */
struct kl_folder_class {
    char *folder, *name; /* as it lies there; as the class is called */
    int32_t label;
};
struct kl_folder_classes {
    struct kl_folder_class *items;
    size_t n, n_classes; /* folders; two of them may be one class */
    size_t passed;       /* folders that are none */
    bool numbers;        /* all names are numbers */
    bool usual;          /* the folders in the order of their bytes, and called as they are */
};
/* KL_ENOINPUT, KL_EIO, KL_ENOMEM; free it in any case. */
int kl_ingest_folder_classes(struct kl_folder_classes *classes, const char *path, struct kl_error *err);
void kl_ingest_folder_classes_free(struct kl_folder_classes *classes);
/* Cautions on an order that may not be the expected one, and on folders that are no classes. */
void kl_ingest_folder_classes_say(const struct kl_folder_classes *classes, const char *path,
                                  const struct kl_log *log);

struct kl_image_source;
/* folder_look.c: sizes, colour and index of a folder's files into the source; bad ones are an error, or
   leave the list and s->labels. */
int kl_ingest_folder_look(struct kl_image_source *s, struct kl_names *files,
                          const struct kl_images_options *options, struct kl_error *err);
/* rc; a picture that is refused (KL_EDATA) has in *err what leaves it out, unless that was asked for. */
int kl_ingest_folder_refuse(int rc, bool skip_bad, struct kl_error *err);

#endif
