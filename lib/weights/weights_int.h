/* SPDX-License-Identifier: MIT
   Private to the readers of weights: a file's bytes in memory in, tensors out. Nothing in these bytes is
   trusted. */
#ifndef KL_WEIGHTS_INT_H
#define KL_WEIGHTS_INT_H

#include "weights/weights.h"

/* The first six are the types of tensors; arrays may be of any. */
enum kl_element {
    KL_EL_F16,
    KL_EL_BF16,
    KL_EL_F32,
    KL_EL_F64,
    KL_EL_I32,
    KL_EL_I64,
    KL_EL_TENSORS,
    KL_EL_BOOL = KL_EL_TENSORS,
    KL_EL_I8,
    KL_EL_I16,
    KL_EL_U8,
    KL_EL_U16,
    KL_EL_U32,
    KL_EL_U64,
    KL_EL_NONE
};
/* Elements in a file's bytes (array.c). */
struct kl_cells {
    enum kl_element type;
    bool big_endian;
    const unsigned char *data;
};
size_t kl_weights_element_size(enum kl_element type);
double kl_weights_element(const struct kl_cells *elements, size_t i);

struct kl_bytes {
    const unsigned char *data;
    size_t n;
    const char *path; /* for messages */
};

/* Append a tensor to weights and convert it to float32. strides: in elements, NULL: row-major. The
   caller has checked that all elements lie in the data. KL_EDATA (rank over 4, name too long or twice),
   KL_ENOMEM. */
int kl_weights_add(struct kl_weights *weights, const char *path, const char *name, int rank,
                   const size_t *dims, const size_t *strides, const struct kl_cells *elements,
                   struct kl_error *err);
/* *n = product of dims, KL_EDATA if it overflows or the bytes would. */
int kl_weights_count(size_t *n, const char *path, const char *name, int rank, const size_t *dims,
                     struct kl_error *err);

/* words.c: config, features and class_names, which stand beside the tensors. Where the text of that name
   is kept, NULL: it is none that is; n bytes of NumPy's UTF-32 into it; n_classes strings of `size`
   bytes of it; the metadata of safetensors (NULL: none), where all are texts. KL_ENOMEM. */
struct json_t;
char **kl_weights_word(struct kl_weights *weights, const char *name);
/* n bytes of UTF-32, or up to a NUL, as UTF-8 into to, which has room for n + 1 bytes; characters that
   are none become '?'. */
void kl_weights_utf8(char *to, const unsigned char *data, size_t n, bool big_endian);
int kl_weights_text(char **word, const unsigned char *data, size_t n, struct kl_error *err);
int kl_weights_classes(struct kl_weights *weights, const unsigned char *data, size_t n_classes,
                       size_t size, struct kl_error *err);
int kl_weights_metadata(struct kl_weights *weights, const struct json_t *metadata, struct kl_error *err);

/* safetensors.c: header of at most 100 MB, no duplicate names, data without holes or overlaps. */
int kl_weights_safetensors_parse(struct kl_weights *weights, const struct kl_bytes *file,
                                 struct kl_error *err);

/* zip.c: the one strict reading of an archive: members side by side from byte 0, each local header
   equal to its central entry, CRC-32 checked; central directory and end record close the file. Members
   are stored; what NumPy writes may be deflated and have sizes of 64 bits in its local headers. */
enum kl_archive { KL_ARCHIVE_TORCH, KL_ARCHIVE_NUMPY };
struct kl_zip_member {
    const char *name; /* in memory owned by the zip */
    const unsigned char *data;
    size_t n;
    unsigned char *inflated; /* NULL: data lie in the file */
};
struct kl_zip {
    struct kl_zip_member *members;       /* in file order */
    const struct kl_zip_member **sorted; /* by name */
    size_t n;
    size_t inflated; /* bytes in all */
};
int kl_weights_zip_open(struct kl_zip *zip, const struct kl_bytes *file, enum kl_archive from,
                        struct kl_error *err);
const struct kl_zip_member *kl_weights_zip_find(const struct kl_zip *zip,
                                                const char *name); /* NULL: absent */
void kl_weights_zip_close(struct kl_zip *zip);

/* npy.c: an archive of .npy, as numpy.savez and savez_compressed write it: floats of 16 to 64 bits and
   integers of any, bool, in either order; text is passed over, but for config,
   features and class_names; objects (which are pickles) are refused. npy.c: one array. */
int kl_weights_npz_parse(struct kl_weights *weights, const struct kl_bytes *file, struct kl_error *err);
/* Of "<f4" the elements but for the data, and whether each is two, real and imaginary; false: no type
   that is read. */
bool kl_weights_npy_type(struct kl_cells *elements, bool *complex_ones, const char *descr);
int kl_weights_npy_parse(struct kl_weights *weights, const struct kl_bytes *file, const char *name,
                         const unsigned char *data, size_t n, struct kl_error *err);

/* write_safetensors.c, write_npz.c: what kl_weights_make does. A stream that fails is the caller's to
   find. */
int kl_weights_safetensors_write(FILE *to, const struct kl_weights *weights,
                                 const struct kl_weights_word *words, size_t n_words,
                                 struct kl_error *err);
int kl_weights_npz_write(FILE *to, const struct kl_weights *weights, const struct kl_weights_word *words,
                         size_t n_words, struct kl_error *err);

/* pth.c over pickle.c: the stack machine of a state dictionary (some twenty opcodes, four names), which
   builds values and calls nothing. */
int kl_weights_pth_parse(struct kl_weights *weights, const struct kl_bytes *file, struct kl_error *err);

/* ---- Private to pickle.c, the stack machine, and pth.c, which says what the names in a state
   dictionary mean
   ---- */

enum kl_pickle_type {
    T_MARK,
    T_NONE,
    T_BOOL,
    T_INT,
    T_STRING,
    T_NAME,
    T_TUPLE,
    T_DICT,
    T_STORAGE,
    T_TENSOR,
    T_LIST, /* its items are not kept: no tensor is in one */
    T_OTHER /* what is not needed and not read: a number of Python or NumPy, an object of a trainer */
};
/* Advice: how to save the file so that it can be read, whatever else is in it. */
#define KL_PICKLE_REMEDY                                                                             \
    "in PyTorch: torch.save({k: v for k, v in s.items() if torch.is_tensor(v)}, FILE), s being the " \
    "state_dict"

/* A value is made once and never changes, but for dictionaries, which grow. */
struct kl_pickle_value {
    enum kl_pickle_type type;
    int64_t integer;           /* BOOL, INT; NAME: which; STORAGE: elements */
    const unsigned char *text; /* STRING: in the file; STORAGE: its bytes */
    size_t n;                  /* STRING: bytes; TUPLE, DICT: items (a DICT has 2 a pair) */
    int *items;                /* TUPLE, DICT: values */
    size_t room;
    enum kl_element element; /* STORAGE, and NAME of a storage's type */
    int storage, rank;       /* TENSOR */
    size_t offset, dims[4], strides[4];
};

struct kl_pickle {
    const struct kl_bytes *file;
    struct kl_error *err;
    const struct kl_zip *zip;
    const char *prefix; /* of the members: "archive/" */
    const unsigned char *at, *end;
    struct kl_pickle_value *values;
    int n_values, room_values;
    int *stack, *memo;
    int depth, n_memo;
};

/* From the protocol to STOP, which leaves its result on the stack. KL_EDATA, KL_ENOMEM. */
int kl_weights_pickle_run(struct kl_pickle *m);
void kl_weights_pickle_free(struct kl_pickle *m);                   /* what it made, not *m */
int kl_weights_pickle_refuse(struct kl_pickle *m, const char *why); /* KL_EDATA */
/* Number of a new value; negative: a code. Pointers to values do not outlive it. */
int kl_weights_pickle_new(struct kl_pickle *m, enum kl_pickle_type type);
int kl_weights_pickle_push(struct kl_pickle *m,
                           int value); /* a negative value is a code, and returned */
/* The top value, or one below it, if it has this type; NULL after a message. */
struct kl_pickle_value *kl_weights_pickle_top(struct kl_pickle *m, int below, enum kl_pickle_type type);

/* ---- pth.c: what opcodes mean that name something outside; nothing is called ---- */
int kl_weights_pth_global(struct kl_pickle *m);     /* GLOBAL: two lines, module and name */
int kl_weights_pth_persistent(struct kl_pickle *m); /* BINPERSID: a storage */
/* REDUCE, or NEWOBJ: name, tuple of arguments. */
int kl_weights_pth_reduce(struct kl_pickle *m, bool new_object);

#endif
