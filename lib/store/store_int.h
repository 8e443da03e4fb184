/* SPDX-License-Identifier: MIT
   What the files of store/ share with each other. Byte layouts: docs/files.md. */
#ifndef KL_STORE_INT_H
#define KL_STORE_INT_H

#include <pthread.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "store/store.h"

enum {
    KL_BLOCK_BYTES =
        256 << 10, /* a digest block holds whole rows, as many as fit in this, at least one */
    KL_LARGE_BYTES =
        64 << 10, /* datasets from this size on lie outside the seal: their blocks' digests guard them */
    KL_SEAL_BYTES = 48,    /* the footer without the list of extents */
    KL_TEXT_BYTES = 60000, /* longest attribute (HDF5 keeps an attribute within 64 KiB) */
};

/* ---- digest.c: blocks, sums of rows, content ---- */
size_t kl_store_block_rows(size_t row_size);
size_t kl_store_block_count(size_t rows, size_t row_size);
/* Rows of block b, the last one may be short. */
size_t kl_store_block_span(size_t rows, size_t row_size, size_t b);
/* sum += digests of n rows, as 128-bit big-endian integers modulo 2^128. */
void kl_store_row_sum_add(unsigned char sum[16], const void *data, size_t n, size_t row_size);
void kl_store_sum_add(unsigned char sum[16], const unsigned char other[16]);
void kl_store_hex(char *text, const unsigned char *bytes, size_t n);
bool kl_store_is_key(const char *text); /* 64 lower-case hex digits */

/* ---- digest.c: a sorted table of attributes; the same for readers and writers ---- */
enum kl_attribute_type { KL_ATTR_TEXT, KL_ATTR_NUMBER, KL_ATTR_INTEGER };
struct kl_attribute {
    char *object, *name; /* object "" is the root */
    enum kl_attribute_type type;
    char *text;
    double number;
    int64_t integer;
};
struct kl_attributes {
    struct kl_attribute *items;
    size_t n, room;
};
/* Adds or replaces. */
int kl_store_attributes_set(struct kl_attributes *a, const char *object, const char *name,
                            const struct kl_attribute *value, struct kl_error *err);
const struct kl_attribute *kl_store_attributes_find(const struct kl_attributes *a, const char *object,
                                                    const char *name);
void kl_store_attributes_sort(struct kl_attributes *a);
/* For messages. */
static inline const char *kl_store_object_name(const char *object)
{
    return *object ? object : "the root";
}
void kl_store_attributes_free(struct kl_attributes *a);
/* kind, schema, key, key_parts, content, created_by and those of digests: not part of the content. */
bool kl_store_attribute_is_standard(const struct kl_attribute *a);

/* One dataset with what guards it; in a reader and in a writer. */
struct kl_stored {
    struct kl_dataset dataset; /* first member: kl_store_file_dataset hands out its address */
    unsigned char *digests;    /* n_blocks x 16 */
    size_t n_blocks;
    unsigned char row_sum[16];
    unsigned char *checked; /* reader: block seen and found whole. writer: digest known */
};
/* What only saves work, should the file be made again, and names of files are no part of its content: they
   may be absent, or others. */
bool kl_store_is_aside(const struct kl_dataset *dataset);
int kl_store_content_digest(char hex[65], struct kl_stored *const *stored, size_t n,
                            const struct kl_attributes *attributes, struct kl_error *err);

/* ---- seal.c: the seal after HDF5's end ---- */
struct kl_extent {
    uint64_t offset, length;
};
struct kl_envelope {
    uint64_t eof, size; /* of the HDF5 part, of the file */
    struct kl_extent *extents;
    size_t n;
};
/* Sort the extents and append list and footer at eof. */
int kl_store_envelope_write(int fd, const char *path, uint64_t eof, struct kl_extent *extents, size_t n,
                            struct kl_error *err);
/* Fill *envelope (free extents) if the file is whole outside its extents. */
int kl_store_envelope_check(struct kl_envelope *envelope, int fd, const char *path,
                            struct kl_error *err);
/* End of file that an HDF5 superblock of version 2 or 3 records; 0: not such a file. */
uint64_t kl_store_superblock_eof(int fd);

/* ---- io.c: whole reads and writes ---- */
int kl_store_pwrite_all(int fd, const void *data, size_t n, uint64_t offset, const char *path,
                        struct kl_error *err);
/* The rest of `from`, at most `limit` bytes, to `to` by read and write. The names are for messages. */
int kl_store_copy_all(int to, const char *to_name, int from, const char *from_name, uint64_t limit,
                      struct kl_error *err);
int kl_store_open_folder(int *fd, const char *path,
                         struct kl_error *err); /* the folder that holds path */
char *kl_store_path_folder(const char *path);   /* malloc'ed: "." for a bare name */
const char *kl_store_path_name(const char *path);
/* KL_EIO: a file could not be created at path, errno says why. */
int kl_store_fail_place(struct kl_error *err, const char *path);
int kl_store_make_folders(const char *folder); /* mkdir -p: 0 or -1 with errno */
/* A small file in one read; NULL with errno. *n may be NULL; a NUL is added. */
char *kl_store_read_small(const char *path, size_t limit, size_t *n);

/* ---- temporary.c: names beside the target, and what dead runs left ---- */
/* "host-pid-start" of this process, and whether the process that a name or an owner file tells of is
   surely dead. */
void kl_store_process_tag(char tag[64]);
bool kl_store_process_dead(const char *tag, const struct stat *file);
struct kl_temporary {
    char *target; /* where the file will appear: `path` with symbolic links resolved */
    char *path;   /* NULL: unlinked, the file goes to a stream */
    int fd;
    bool stream, to_stdout;
};
int kl_store_temporary_open(struct kl_temporary *t, const char *path, struct kl_error *err);
int kl_store_fail_folder(struct kl_error *err, const char *path); /* KL_EIO: it is one */
/* The first half: target and stream, no file yet. */
int kl_store_temporary_resolve(struct kl_temporary *t, const char *path, struct kl_error *err);
/* ".NAME.", how names of this target's temporaries begin. */
void kl_store_name_prefix(char prefix[160], const char *name);
/* fsync, rename, fsync of the folder; or the copy to the stream. Frees *t in every case. */
int kl_store_temporary_publish(struct kl_temporary *t, struct kl_error *err);
void kl_store_temporary_abort(struct kl_temporary *t);
bool kl_store_temporary_is(const char *name); /* a name that this file or partial.c makes */
/* Removes temporaries of dead runs: of one target name, or of every one (name NULL). `each` may be NULL;
   its error is 0, or the errno of a file that is still there. false, with errno: the folder cannot be
   listed, or not to its end. */
bool kl_store_temporary_sweep(const char *folder, const char *name, bool dry,
                              void (*each)(void *context, const char *path, uint64_t bytes, int error),
                              void *context);

/* ---- checkpoint.c ---- */
bool kl_store_checkpoint_is(const char *name);
bool kl_store_checkpoint_is_ours(const char *path, struct kl_error *err);
/* Say that a stopped run's checkpoint is deleted after this one's first epoch, or whatever `first` calls it. */
void kl_store_checkpoint_say_forgotten(const char *path, const struct kl_log *log, const char *first);

/* ---- h5.c, dimensions.c: the few HDF5 calls ---- */
/* A skeleton is an HDF5 file in memory with all metadata and holes for the data. *problem (0 before)
   receives errno of a failed write until kl_store_h5_close, which tells. */
int kl_store_h5_create(int *memory_fd, long long *file, int *problem, struct kl_error *err);
int kl_store_h5_dataset(long long file, struct kl_dataset *dataset,
                        struct kl_error *err); /* sets offset */
int kl_store_h5_attributes(long long file, const struct kl_attributes *attributes, struct kl_error *err);
/* The dimension scales that the text attributes `dimensions` name, after everything else. */
int kl_store_h5_scales(long long file, struct kl_stored *const *stored, size_t n,
                       const struct kl_attributes *attributes, struct kl_error *err);
int kl_store_h5_close(long long *file, const int *problem, struct kl_error *err);
/* Every dataset, with attributes; names in `digests/` and `provenance` included. *datasets is malloc'ed.
 */
int kl_store_h5_list(int fd, const char *path, struct kl_dataset **datasets, size_t *n,
                     struct kl_attributes *attributes, struct kl_error *err);

/* ---- read.c ---- */
struct kl_file {
    char *path;
    int fd;
    struct kl_envelope envelope;
    struct kl_attributes attributes;
    struct kl_stored **stored; /* in name order, hidden ones left out */
    size_t n;
    char *provenance;
    struct stat stat;
};

/* ---- writer.c ---- */
struct kl_partial;
struct kl_entry {
    struct kl_stored stored; /* first member */
    bool placed;             /* has its place in the temporary; else in memory */
    bool put;                /* given whole, so no journal tells of its rows */
    unsigned char *memory;
    unsigned char *written; /* one bit a row */
    size_t n_written;
};
struct kl_writer {
    struct kl_temporary temporary;
    struct kl_attributes attributes;
    struct kl_entry **entries;
    size_t n, room;
    pthread_mutex_t mutex;
    bool frozen, broken;
    int memory_fd, h5_problem;
    long long h5;
    char *provenance;
    struct kl_partial *partial;
};
/* Sets rows and row_size from rank, dims and item_size. False: no file has so many bytes. */
bool kl_store_dataset_measure(struct kl_dataset *d);
int kl_store_writer_freeze(struct kl_writer *w, struct kl_error *err);
/* For qsort of pointers to entries. */
int kl_store_by_name(const void *x, const void *y);
/* Rows are there, with this sum of their digests; KL_EINTERNAL if one was there before. Call with the
   mutex held. */
int kl_store_entry_mark(struct kl_entry *e, size_t row, size_t n, const unsigned char sum[16],
                        struct kl_error *err);
/* Everything but the rename (seal.c): digests, content, metadata, seal, reopening and checking. */
int kl_store_writer_seal(struct kl_writer *w, char content[65], struct kl_error *err);

/* ---- partial.c ---- */
struct kl_partial {
    uint64_t base, end; /* of the journal in the file */
    unsigned char layout[16];
    size_t n_records;
    bool ready;
    char *older; /* of a dead run of another key: deleted after this one's first record; NULL: none */
};
void kl_store_partial_free(struct kl_writer *w); /* keeps what is journalled for a later run */
bool kl_store_partial_is_dead(const char *name, const struct stat *s);

/* ---- shared.c ---- */
/* The open file fd into the store; path is for messages. */
int kl_store_shared_publish(const char *store, const char *key, const char *path, int fd,
                            struct kl_error *err);
/* Store the contents of fd, from where it stands, under the key's name; path: for messages. KL_EDATA: it
   is not whole, or has another key. */
int kl_store_shared_put(const char *store, const char *key, const char *path, int fd,
                        struct kl_error *err);

/* ---- input.c ---- */
/* A remembered line of a file. slot says where it is (device, inode), identity what it was (size, mtime,
   ctime); an entry of another identity is not found, and is replaced. */
bool kl_store_memo_get(const char *purpose, const char *slot, const char *identity, char *value,
                       size_t room);
void kl_store_memo_put(const char *purpose, const char *slot, const char *identity, const char *value);
void kl_store_stat_slot(char slot[64], const struct stat *s);
void kl_store_stat_identity(char identity[128], const struct stat *s);
bool kl_store_stat_settled(
    const struct stat *s); /* unchanged for two seconds: its times can be relied on */

/* ---- housekeeping.c ---- */
bool kl_store_has_shared_name(const char *path); /* "ab/cdef....h5", as in a shared store */

/* ---- key.c ---- */
struct kl_key_head {
    char kind[64];
    int schema;
};
const struct kl_key_head *kl_store_key_head(const struct kl_key *key);

#endif
