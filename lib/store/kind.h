/* SPDX-License-Identifier: MIT
   What files of a kind hold that `cache show` tells, as a table of constants. The room that writes a
   kind fills its table and tools/cache.c lists it; the store draws any of them (describe.h). What a file
   lacks is left out. */
#ifndef KL_STORE_KIND_H
#define KL_STORE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct json_t;
struct kl_error;
struct kl_file;
struct kl_kind;

/* A line of its own above the key: an attribute of an object, a text. */
struct kl_kind_heading {
    const char *object, *attribute;
};
/* A line for a root attribute, a number or (without a format) a text. After a number with `low` and
   `high` stand NAME_low and NAME_high, each on a line with that title. */
struct kl_kind_number {
    const char *attribute, *title, *format;
    const char *low, *high;
    const char *low_of_several; /* in place of `low` where kl_kind.replicas has several; NULL: `low` */
    bool difference;            /* an interval without width is none */
};
struct kl_kind_dataset {
    const char *dataset, *title;
};
/* Some epochs of the first run, and the best of each. The first that applies is drawn. */
struct kl_kind_history {
    struct kl_kind_dataset loss, judged; /* [runs, epochs] */
    bool least;                          /* of `judged` is the best; else the greatest */
    const char *of;                      /* "head": what a run is of */
    const char *needs;                   /* applies where this dataset is; NULL: in any case */
    const char *attribute, *is; /* applies where this root attribute is that text; NULL: in any case */
    const char *left_out;       /* root attribute: so many runs, the last ones, are not told of */
};
/* Datasets that are counted, not listed: those whose names begin with one of the prefixes. */
struct kl_kind_group {
    const char *prefixes[2], *words;
};

/* ---- tables of what stands in datasets ---- */
enum kl_cell { KL_CELL_AT, KL_CELL_LEAST, KL_CELL_GREATEST, KL_CELL_MEAN, KL_CELL_ONES, KL_CELL_ZEROS };
/* A number of each row. dataset: [rows] or [rows, k]; of k one, by its name or its place, or what `cell`
   makes of them. Beside NAME, NAME_low and NAME_high are its interval, NAME_error or NAME_se its
   standard error; beside a mean of k > 1 stand the least and the greatest of them as low and high. */
struct kl_kind_column {
    const char *member, *dataset, *heading, *format;
    enum kl_cell cell;
    const char *names, *pick; /* the k names, and the one; else: */
    size_t at;
    const char *spread; /* NAME, where it is not the dataset's own */
    double rounding;    /* less is 0 but for rounding */
};
#define KL_KIND_COLUMN(to, from, title, form, ...)                                   \
    {                                                                                \
        .member = to, .dataset = from, .heading = title, .format = form, __VA_ARGS__ \
    }
enum { KL_KIND_AXES = 3, KL_KIND_COLUMNS = 8 };
/* A table of results. A row is a point of up to three axes, of names or numbers, the last one fastest;
   or a pair. */
struct kl_kind_table {
    const char *name;
    struct kl_kind_axis {
        const char *member, *dataset;
    } axes[KL_KIND_AXES];
    const char *pairs;         /* dataset [rows, 2]: places, from 0, on the one axis */
    const char *needs, *lacks; /* a dataset without, or with, which there is no such table */
    const char *order;         /* rows, from the first to tell; NULL: as they stand */
    bool only_json;
    struct kl_kind_column columns[KL_KIND_COLUMNS]; /* up to one without a dataset */
};

/* An error of a stage's earlier versions. The key has changed since: a stage whose numerical version
   comes from kl_store_kind_version keeps the old key where the result was right. */
struct kl_kind_revision {
    const char *stage; /* as in the key: "qcontrol optimize" */
    int version;       /* from which on it is right */
    /* Does it concern a run of these options (those of the key)? file: what it made; NULL: it has not
       yet. NULL: any. */
    bool (*applies)(const struct json_t *options, const struct kl_file *file);
    const char *why;
};

/* Lists end with an element of zeros; NULL: none. */
struct kl_kind {
    const char *name;  /* "report": the file's attribute `kind` */
    const char *maker; /* the tool, for messages where a file is of another kind; NULL: not told */
    const struct kl_kind_heading *headings;
    const char *classes;            /* dataset of names: a line */
    const char *const *not_on_page; /* attributes: OBJECT/ or the beginning of a name of the root's */
    const char *const *parts;       /* of the key, beside its options: told as those are */
    const struct kl_kind_number *numbers;
    struct kl_kind_dataset replicas; /* [replicas]: mean and standard deviation */
    const struct kl_kind_history *histories;
    const struct kl_kind_table *tables;
    /* Writes the room's own part at the page's end; NULL: none. */
    int (*write)(FILE *to, struct kl_file *file, struct kl_error *err);
    const struct kl_kind_group *groups;
    const struct kl_kind_revision *revisions;
};

/* The numerical version of a run with these options: of the newest revision that concerns it, else
   `first`. */
int kl_store_kind_version(const struct kl_kind *kind, const char *stage, int first,
                          const struct json_t *options);
/* Is an option of the key given, and (`is` not NULL) that text? */
bool kl_store_option_is(const struct json_t *options, const char *name, const char *is);

#endif
