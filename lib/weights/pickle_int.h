/* SPDX-License-Identifier: MIT
   Private to pickle.c, the stack machine, and pth.c, which says what the names in a state dictionary
   mean. */
#ifndef KL_PICKLE_INT_H
#define KL_PICKLE_INT_H

#include "weights/weights_int.h"

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
/* What makes a file of it that is read, whatever else is in it. */
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
