/* SPDX-License-Identifier: MIT
   store: files by key. Only this room calls HDF5. docs/files.md describes the format.
   Tiers: a stage's run (stage.c); reading (read.c); writing (writer.c); keys, provenance, the shared
   store. Parts of a run: shard.h; looking after a store: housekeeping.h. */
#ifndef KL_STORE_H
#define KL_STORE_H

#include "base/base.h"

struct kl_kind;

enum kl_type {
    KL_TYPE_U8,
    KL_TYPE_I32,
    KL_TYPE_I64,
    KL_TYPE_F16,
    KL_TYPE_F32,
    KL_TYPE_F64,
    KL_TYPE_STRING /* fixed length, item_size bytes, NUL padded */
};
size_t kl_store_type_size(enum kl_type type); /* 0 for KL_TYPE_STRING */
/* Element i of data, which are neither text nor half floats. */
double kl_store_type_number(enum kl_type type, const void *data, size_t i);

enum { KL_MAX_RANK = 5 };

/* One dataset of a file, row-major, contiguous. rank 0 is a scalar (dims[0] = 1). */
struct kl_dataset {
    char name[128]; /* full name without the leading '/': "features", "params/vqc.weight" */
    enum kl_type type;
    size_t item_size; /* bytes of an element */
    int rank;
    size_t dims[KL_MAX_RANK];
    size_t rows, row_size; /* dims[0] and the bytes of dims[1..]: what kl_store_file_rows reads */
    uint64_t offset;       /* of the first byte in the file */
    int id;                /* (hidden) */
};

/* ---- a finished file, read (read.c, seal.c) ---- */
struct kl_file;

/* Open a finished file after the check of its envelope (signature, superblock, size, seal over all
   metadata). path "-": spooled from standard input. Refuses with KL_ENOINPUT (absent, or no file),
   KL_EDATA (damaged, unfinished, not ours; in words). */
int kl_store_file_open(struct kl_file **file, const char *path, struct kl_error *err);
/* The same, and the kind must be the one given (kind.h). */
int kl_store_file_open_kind(struct kl_file **file, const char *path, const struct kl_kind *kind,
                            struct kl_error *err);
/* The same of a descriptor, which is the file's from now on, also after a failure. path: for messages.
 */
int kl_store_file_open_fd(struct kl_file **file, int fd, const char *path, struct kl_error *err);
/* Name the kind found, the kind expected, and the tool that writes it. KL_EDATA. */
int kl_store_fail_kind(struct kl_error *err, const char *path, const char *found,
                       const struct kl_kind *kind);
void kl_store_file_close(struct kl_file **file); /* accepts NULL, clears the caller's pointer */
const char *kl_store_file_path(const struct kl_file *file);
const char *kl_store_file_kind(const struct kl_file *file);
int kl_store_file_schema(const struct kl_file *file);
const char *kl_store_file_key(const struct kl_file *file);     /* 64 hex digits */
const char *kl_store_file_content(const struct kl_file *file); /* 64 hex digits */
const char *kl_store_file_created_by(const struct kl_file *file);
const char *
kl_store_file_key_parts(const struct kl_file *file); /* canonical JSON that the key is the digest of */
/* JSON array of records, "[]" without provenance */
const char *kl_store_file_provenance(const struct kl_file *file);
/* Seconds that its newest record tells of: of the run that made the file; negative: it does not say. */
double kl_store_file_seconds(const struct kl_file *file);

/* in name order, without the digests' and provenance's own */
size_t kl_store_file_n_datasets(const struct kl_file *file);
const struct kl_dataset *kl_store_file_dataset(const struct kl_file *file, size_t i);
const struct kl_dataset *kl_store_file_find(const struct kl_file *file,
                                            const char *name); /* NULL: absent */
/* Find and check: KL_EDATA with found and expected if it is absent, or has another type or rank (rank
   -1: any). */
int kl_store_file_expect(const struct kl_dataset **dataset, const struct kl_file *file, const char *name,
                         enum kl_type type, int rank, struct kl_error *err);
/* Attributes of an object ("" = root). *value is malloc'ed (numbers as text are not converted). KL_EDATA
   if absent. */
int kl_store_file_text(char **value, const struct kl_file *file, const char *object, const char *name,
                       struct kl_error *err);
int kl_store_file_number(double *value, const struct kl_file *file, const char *object, const char *name,
                         struct kl_error *err);
bool kl_store_file_has_attribute(const struct kl_file *file, const char *object, const char *name);
/* Ends of the interval of a number of the root, NAME_low and NAME_high. false: the file has none, or it
   has no width (kl_has_width). */
bool kl_store_file_interval(double ends[2], const struct kl_file *file, const char *name);
/* The file's own results: the k-th root attribute that is not one of every file's (key, kind, ...), in
   name order. text: its value as words, malloc'ed. KL_ENOMEM. *name is NULL past the last. */
int kl_store_file_result(const char **name, char **text, const struct kl_file *file, size_t k,
                         struct kl_error *err);

/* Rows [row, row + n) by pread into out (n * row_size bytes); each block touched is checked against its
   digest the first time. Thread-safe. KL_EDATA names file, dataset, block; KL_EIO. */
int kl_store_file_rows(struct kl_file *file, const struct kl_dataset *dataset, size_t row, size_t n,
                       void *out, struct kl_error *err);
/* The whole dataset, malloc'ed (64-byte aligned, free() it). */
int kl_store_file_load(void **data, struct kl_file *file, const struct kl_dataset *dataset,
                       struct kl_error *err);
/* The same of the dataset of this name, type and rank, as kl_store_file_expect finds it. */
int kl_store_file_load_named(void **data, const struct kl_dataset **dataset, struct kl_file *file,
                             const char *name, enum kl_type type, int rank, struct kl_error *err);
/* All of a dataset of exactly these dimensions. KL_EDATA names the one that differs. */
int kl_store_file_load_shape(void **data, struct kl_file *file, const char *name, enum kl_type type,
                             int rank, const size_t *dims, struct kl_error *err);
/* Check every block digest and the content. */
int kl_store_file_verify(struct kl_file *file, const struct kl_watch *watch, struct kl_error *err);
/* The same once, which is then remembered, as kl_store_is_up_to_date does it: for whoever reads a part
   of a file, and is to refuse one that is damaged elsewhere. */
int kl_store_file_check_once(struct kl_file *file, struct kl_error *err);

/* ---- a dataset as mapped memory (rows.c): what is read is what the caller touches, so that memory does
   not grow with files ---- */
struct kl_map {
    struct kl_file *file;
    const struct kl_dataset *dataset;
    const char *rows;        /* the first; NULL: there is none */
    void *base, *copy;       /* (hidden) */
    size_t bytes;            /* (hidden) */
    struct kl_mapped mapped; /* (hidden) */
};
/* The file must outlive it, and the struct stay where it is. KL_EIO, KL_ENOMEM. Close it in any case. */
int kl_store_map_open(struct kl_map *map, struct kl_file *file, const struct kl_dataset *dataset,
                      struct kl_error *err);
/* Rows [row, row + n); each block touched is checked the first time. Thread-safe. NULL with KL_EDATA: a
   block is damaged. */
const void *kl_store_map_rows(const struct kl_map *map, size_t row, size_t n, struct kl_error *err);
/* KL_EIO: the file was written to since it was opened, so rows may be others than were checked. (One
   that is cut ends the tool: kl_signals_map.) To be asked behind the reading, before its result is kept.
 */
int kl_store_map_unchanged(const struct kl_map *map, struct kl_error *err);
void kl_store_map_close(struct kl_map *map);

/* ---- inputs of other formats: their bytes (io.c, temporary.c) ---- */
/* Exactly n bytes at offset. KL_EIO; KL_EDATA: the file ends before. */
int kl_store_pread_all(int fd, void *data, size_t n, uint64_t offset, const char *path,
                       struct kl_error *err);
/* Copy a stream, at most `limit` bytes, into an unlinked file in $TMPDIR. Standard input can be spooled
   once (KL_EUSAGE). name: for messages. KL_EIO, KL_ESIGNAL. */
int kl_store_spool(int *fd, int from, uint64_t limit, const char *name, struct kl_error *err);

/* ---- a file for a trial (temporary.c, io.c) ---- */
/* For mkostemps: a name in the folder that belongs to this process, which its next run of this `name`,
   or `cache gc`, removes if this one is killed. Those that dead runs left are removed now. Returns the
   length of the name's end; -1: `room` bytes are too few. */
int kl_store_temporary_pattern(char *path, size_t room, const char *folder, const char *name);
/* fsync of an open folder; that a file system has none is no failure. path: for the message. KL_EIO. */
int kl_store_sync_folder(int fd, const char *path, struct kl_error *err);

/* ---- a file being written (writer.c) ---- */
struct kl_writer;

struct kl_header {
    const char *kind; /* "features", "head", "report", ... */
    int schema;
    const char *key, *key_parts; /* from kl_store_key_finish */
    const char *tool;            /* created_by becomes "tool version" */
};

/* Begin a temporary file beside `path` (a name no *.h5 matches). path "-": complete file to standard
   output at the end. Removes temporaries that dead runs of this target left. */
int kl_store_writer_open(struct kl_writer **writer, const char *path, const struct kl_header *header,
                         struct kl_error *err);
/* Declare datasets (all before the first kl_store_writer_rows); space is reserved on disk. item_size
   only for KL_TYPE_STRING, else 0. Returns the dataset's number (>= 0) or a code. */
int kl_store_writer_dataset(struct kl_writer *w, const char *name, enum kl_type type, size_t item_size,
                            int rank, const size_t *dims, struct kl_error *err);
/* Write rows at any time, in any order, from any thread (no row twice). */
int kl_store_writer_rows(struct kl_writer *w, int dataset, size_t row, size_t n, const void *data,
                         struct kl_error *err);
/* Declare and write a small dataset in one call. */
int kl_store_writer_put(struct kl_writer *w, const char *name, enum kl_type type, size_t item_size,
                        int rank, const size_t *dims, const void *data, struct kl_error *err);
int kl_store_writer_text(struct kl_writer *w, const char *object, const char *name, const char *value,
                         struct kl_error *err);
int kl_store_writer_number(struct kl_writer *w, const char *object, const char *name, double value,
                           struct kl_error *err);
int kl_store_writer_integer(struct kl_writer *w, const char *object, const char *name, int64_t value,
                            struct kl_error *err);
/* Names the dimensions of a declared dataset for readers of netCDF-4, such as xarray and ArviZ
   (dimensions.c). scales: as many declared datasets as it has dimensions, each of one dimension, as
   long, and of the same group: "posterior/chain"; its last name becomes the dimension's. Without one,
   "posterior/dimension_4" of 4. A reader of ours sees the text attribute `dimensions` of the dataset,
   "chain draw". KL_EINTERNAL. */
int kl_store_writer_dimensions(struct kl_writer *w, const char *dataset, const char *const *scales,
                               struct kl_error *err);
/* JSON array of records; NULL or not called: no provenance. */
int kl_store_writer_provenance(struct kl_writer *w, const char *records, struct kl_error *err);
/* Digests, content, seal, reopen and verify, fsync, rename, fsync of the directory. Frees the writer in
   every case. content (65 bytes) may be NULL. */
int kl_store_writer_publish(struct kl_writer **writer, char *content, struct kl_error *err);
void kl_store_writer_abort(struct kl_writer **writer); /* removes the temporary; accepts NULL */
/* A whole file of another format (a figure), as atomically, if it does not hold these bytes yet:
 *written says (temporary.c). KL_EIO. */
int kl_store_publish_bytes(bool *written, const char *path, const void *data, size_t n,
                           struct kl_error *err);

/* The same for bytes that come little by little (temporary.c); publish and abort free *raw in every
 * case. */
struct kl_raw;
int kl_store_raw_open(struct kl_raw **raw, const char *path, struct kl_error *err);
int kl_store_raw_write(struct kl_raw *raw, const void *data, size_t n, struct kl_error *err);
int kl_store_raw_publish(struct kl_raw **raw, struct kl_error *err);
void kl_store_raw_abort(struct kl_raw **raw); /* accepts NULL */

/* Resumable writing (partial.c): the temporary is named by the key and keeps a journal of finished row
   ranges with digests, so a killed run's rows are found again. */
int kl_store_writer_open_partial(struct kl_writer **writer, const char *path,
                                 const struct kl_header *header, struct kl_error *err);
/* After all datasets are declared: which rows of `dataset` are already there and verified? done[rows] of
   bool. */
int kl_store_writer_done_rows(struct kl_writer *w, int dataset, bool *done, struct kl_error *err);
/* Record that rows [row, row+n) of every dataset whose dims[0] is that of the journalled one are on
   disk. */
int kl_store_writer_journal(struct kl_writer *w, int dataset, size_t row, size_t n,
                            struct kl_error *err);
/* A note on the rows that a stopped run of another key left: they go with this one's first `first`. */
void kl_store_writer_note_older(const struct kl_writer *w, const struct kl_log *log, const char *first);
/* The run was stopped by a signal, `how`: a note says whether anything of it is kept. */
void kl_store_writer_stopped(const struct kl_writer *w, const struct kl_log *log, const char *how);
/* Nothing of it is to be kept: rows are not what the key says. */
void kl_store_writer_spoiled(struct kl_writer *w);

/* ---- keys (key.c) ---- */
struct kl_key;
int kl_store_key_begin(struct kl_key **key, const char *kind, int schema, const char *stage,
                       int numerical_version, struct kl_error *err);
/* All options of the table that have in_key. */
int kl_store_key_options(struct kl_key *key, const struct kl_tool *tool, const void *values,
                         struct kl_error *err);
int kl_store_key_text(struct kl_key *key, const char *name, const char *value,
                      struct kl_error *err); /* a further part */
int kl_store_key_integer(struct kl_key *key, const char *name, int64_t value,
                         struct kl_error *err); /* the same, as decimal text */
/* An input by its content (64 hex digits); role: "images", "weights", "features". Order matters within a
   role. */
int kl_store_key_input(struct kl_key *key, const char *role, const char *content, struct kl_error *err);
/* hex: 65 bytes; *parts: canonical JSON, malloc'ed. Frees the key. */
int kl_store_key_finish(struct kl_key **key, char *hex, char **parts, struct kl_error *err);
void kl_store_key_abort(struct kl_key **key); /* accepts NULL */
/* Why two keys differ: "options.seed: 0 -> 1" a line, "" when they do not. From key_parts. malloc'ed
   (key.c). */
int kl_store_key_diff(char **text, const char *old_parts, const char *new_parts, struct kl_error *err);
/* The same of two files; where their provenance says what an input was called, its name stands behind
   its digest. */
int kl_store_file_diff(char **text, const struct kl_file *a, const struct kl_file *b,
                       struct kl_error *err);
/* Content of a raw input (not one of our files), a file or a folder (sorted relative names and the
   SHA-256 of each file), remembered by (device, inode, size, mtime, ctime) under $XDG_CACHE_HOME/ketline
   (input.c). */
int kl_store_input_content(char hex[65], const char *path, struct kl_error *err);
/* Raw input i of its role, FILE or FILE:DATASET: its content (and the dataset's name) into the key, path
   and digest into a JSON object, the raw_inputs of a provenance record. */
int kl_store_input_identify(struct kl_key *key, struct json_t *record, const char *role, size_t i,
                            const char *path, struct kl_error *err);
/* Was kl_store_input_remember called of this file with these words, since it last changed? A check that
   need not be made again (input.c). */
bool kl_store_input_remembered(const char *path, const char *words);
void kl_store_input_remember(const char *path, const char *words);
/* The second half alone, of an input whose content is known otherwise. */
int kl_store_input_record(struct json_t *record, const char *role, const char *path, const char *content,
                          struct kl_error *err);
/* Under another name than "sha256": a digest that is not that of the input's bytes. */
int kl_store_input_record_as(struct json_t *record, const char *role, const char *path,
                             const char *member, const char *hex, struct kl_error *err);

/* ---- provenance (provenance.c) ---- */
/* Parents' records (their files, or NULL) and one new record, deduplicated by id. raw_inputs: JSON
   object
   {"images":
   {"path":..., "sha256":...}} for inputs that are not our files, or NULL. cautions: lines, or NULL.
   found: of KL_STORE_FOUND, or NULL. malloc'ed JSON array in *records. */
#define KL_STORE_FOUND "found" /* member of a record: what the tool told at its end */
int kl_store_provenance_make(char **records, const struct kl_tool *tool, const void *values, int argc,
                             char **argv, const struct kl_file *const *parents, size_t n_parents,
                             const char *raw_inputs, const char *cautions, struct json_t *found,
                             double seconds, struct kl_error *err);

/* The cautions of the run that made the file: lines, each ended by a newline, malloc'ed; NULL: none.
   KL_EDATA, KL_ENOMEM. */
int kl_store_file_cautions(char **lines, const struct kl_file *file, struct kl_error *err);
/* The line on the file that its tool told at its end, behind the file's name: "1 device; dev_a fails
   frequency"; malloc'ed. NULL: none. The same codes. */
int kl_store_file_told(char **line, const struct kl_file *file, struct kl_error *err);
/* Caution of what the file's run cautioned of in these words ("": of all of it), where it holds of what
   is judged as well. The same codes. */
int kl_store_file_repeat(const struct kl_file *file, const char *words, const struct kl_log *log,
                         struct kl_error *err);
/* The command line of a record; what would steer a terminal becomes '?'. */
void kl_store_write_command(FILE *to, const struct json_t *record);
/* That of the run that made the file; nothing, where there is no record. KL_EDATA, KL_ENOMEM. */
int kl_store_write_own_command(FILE *to, const struct kl_file *file, struct kl_error *err);

/* Do two paths name one file, or would they, where there is none yet? (target.c) */
bool kl_store_same_place(const char *a, const char *b);
/* Can something new be made at path? KL_EIO if its folder is missing or must not be written. */
int kl_store_place_check(const char *path, struct kl_error *err);

/* May a result of this kind go to `path`? KL_EUSAGE if that is one of the n inputs (paths), or, without
   force, a file of another kind or of another program, or named as one ("p.csv"). (target.c) */
int kl_store_target_check(const char *path, const char *kind, bool force, const char *const *inputs,
                          size_t n, struct kl_error *err);

/* The same for a file of another format, of which ours hold `mark` from byte `at` on, KL_STORE_VARIES in
   it standing for digits and double quotes, many or none, and KL_STORE_OR before another mark.
   KL_EUSAGE, KL_EIO. */
#define KL_STORE_VARIES "\a"
#define KL_STORE_OR "\v"
int kl_store_target_check_bytes(const char *path, size_t at, const char *mark, bool force,
                                const char *const *inputs, size_t n, struct kl_error *err);

/* KL_EUSAGE if a folder or file that results go to is one of the inputs. */
int kl_store_target_no_input(const char *path, const char *const *inputs, size_t n,
                             struct kl_error *err);

/* ---- what every stage does around its computation (stage.c, shared.c) ---- */
/* How long a stage's work would take. */
struct kl_estimate {
    double seconds; /* negative: there is none */
    bool at_most;   /* the work may end before */
};
struct kl_stage {
    const struct kl_tool *tool;
    const void *values;
    const struct kl_common *common;
    const struct kl_log *log;
    int argc;
    char **argv;
    const char *const *inputs; /* paths, which the output must not be */
    size_t n_inputs;
    char key[65];
    char *key_parts;
    double start; /* kl_clock(); 0: kl_store_stage_begin sets it */
    /* For --dry-run: how long the work would take here, tried for a moment and thrown away; an error: it
       cannot be said. NULL: of this stage it cannot. */
    int (*estimate)(void *context, struct kl_estimate *estimate, struct kl_error *err);
    void *estimate_context;
    size_t runs, at_once; /* of all that are like this one, such as folds; 0: it is alone */
    size_t ranks;         /* that would share it; 0: none */
    struct kl_header header;
    char kind[64];      /* (hidden) */
    char *words, *json; /* (hidden) kl_store_stage_found */
};
enum kl_stage_answer { KL_STAGE_COMPUTE, KL_STAGE_UP_TO_DATE, KL_STAGE_FETCHED, KL_STAGE_ANSWERED };
/* path is a whole file of this key. Every block is checked once, which is then remembered. */
bool kl_store_is_up_to_date(const char *path, const char *key);
/* Finish the key; answer --key and --dry-run (on `out`); look at the target, then in the shared store.
   *answer says what is left to do: COMPUTE, or nothing (UP_TO_DATE: target untouched; FETCHED: copied
   from the store; ANSWERED: --key or --dry-run). A target of another key is replaced only by a later
   publish. KL_EIO where a store is needed that can be none (kl_store_shared_check). */
int kl_store_stage_begin(struct kl_stage *stage, enum kl_stage_answer *answer, struct kl_key **key,
                         FILE *out, struct kl_error *err);
const char *
kl_store_stage_status(enum kl_stage_answer answer); /* "computed", "up to date", "fetched from ..." */
/* What was found, as words and (with `json`) as one JSON object, kept for kl_store_stage_tell and, in
   the record of the file that is published, for a later run that has nothing to compute. KL_ENOMEM. */
int kl_store_stage_found(struct kl_stage *stage,
                         int (*tell)(void *context, FILE *to, bool json, struct kl_error *err),
                         void *context, struct kl_error *err);
void kl_store_stage_tell(const struct kl_stage *stage, FILE *to); /* the one that is asked for */
/* The summary of a run that had nothing to compute: "FILE: up to date" and what was found, or with
   --json an object. It goes to `out`, and nowhere if that carries the file itself or with --quiet. */
int kl_store_stage_report(const struct kl_stage *stage, enum kl_stage_answer answer, FILE *out,
                          struct kl_error *err);
/* Provenance, with the cautions of stage->log, unless --no-provenance; publish to common->output, copy
   to the shared store (a failure there is only noted). */
int kl_store_stage_publish(struct kl_stage *stage, struct kl_writer **writer,
                           const struct kl_file *const *parents, size_t n_parents,
                           const char *raw_inputs, char content[65], struct kl_error *err);
/* `again`: the key, made anew behind the work from inputs that were identified before it. If it is
   another one, KL_EDATA, which names `input`. */
int kl_store_stage_unchanged(const struct kl_stage *stage, struct kl_key **again, const char *input,
                             struct kl_error *err);
void kl_store_stage_end(struct kl_stage *stage);

/* ---- the state of a stopped run (checkpoint.c): a file of kind `checkpoint` ---- */
/* DIR/.NAME.checkpoint for the target DIR/NAME; malloc'ed. NULL where there is no target, or a pipe,
   which has no folder to keep one in. KL_ENOMEM. */
int kl_store_checkpoint_path(char **path, const char *target, struct kl_error *err);
/* Replace the checkpoint at path (NULL: there is none to write) by what save puts into it. */
typedef int (*kl_checkpoint_save_fn)(void *context, struct kl_writer *writer, struct kl_error *err);
int kl_store_checkpoint_write(const char *path, const struct kl_stage *stage, kl_checkpoint_save_fn save,
                              void *context, struct kl_error *err);
/* Is there a checkpoint of this key, whole to the last byte? */
bool kl_store_checkpoint_fits(const char *path, const char *key);
/* Open the checkpoint of this key that a stopped run left, to go on from; *file NULL: there is none,
   or --force begins anew.
   *older: there is one of other options or inputs. That is said: it stays until this run has its first
   epoch, or whatever `first` calls it. So it is of one that is damaged. Errors: it cannot be read. */
int kl_store_checkpoint_resume(struct kl_file **file, bool *older, const char *path,
                               const struct kl_stage *stage, const struct kl_log *log, const char *first,
                               struct kl_error *err);
/* Removes it, and what killed runs left of it. With a key: only if it belongs to that key. */
void kl_store_checkpoint_remove(const char *path, const char *key);

/* ---- the shared store (shared.c): DIR/ab/cdef....h5 ---- */
/* Can `store` be one: a folder, or a name for one in a folder that is there? KL_EIO, KL_ENOMEM. */
int kl_store_shared_check(const char *store, struct kl_error *err);
/* The same; *place, the caller's to free: the folder itself, or if it is not there yet the one that it
   will be made in. */
int kl_store_shared_place(char **place, const char *store, struct kl_error *err);
int kl_store_shared_fetch(bool *found, const char *store, const char *key, const char *target,
                          struct kl_error *err);

/* ---- an index of the shared store's files of one kind (shared.c): what is worth knowing of each, so
   that a question to all of them opens none ---- */
struct kl_index;
struct kl_index_maker {
    const struct kl_kind *kind;
    int version; /* of what describe makes: another one makes the index anew */
    /* A file's description, malloc'ed, n bytes. Any code but KL_ENOMEM: it is passed over. */
    int (*describe)(void *context, void **data, size_t *n, struct kl_file *file, struct kl_error *err);
    void *context;
};
/* Brought up to date: new files are described, those that are gone or changed dropped; the file of the
   index, DIR/.KIND.ketline-index, is replaced whole where that can be written; anew: without what stands
   in it, after kl_store_index_holds said no. maker must outlive the index. KL_ENOINPUT: no such store;
   KL_ENOMEM. */
int kl_store_index_open(struct kl_index **index, const char *store, const struct kl_index_maker *maker,
                        bool anew, struct kl_error *err);
void kl_store_index_close(struct kl_index **index);         /* accepts NULL */
size_t kl_store_index_size(const struct kl_index *index);   /* files of any kind */
size_t kl_store_index_unread(const struct kl_index *index); /* that could not be described */
/* Description of file i, aligned to 8 bytes, and its key; NULL: it is of another kind, or was unread. */
const void *kl_store_index_data(size_t *n, char key[65], const struct kl_index *index, size_t i);
char *kl_store_index_file(const struct kl_index *index, size_t i); /* its path, malloc'ed */
/* Is the file still the one that was described? */
bool kl_store_index_holds(const struct kl_index *index, size_t i);

/* ---- images in foreign HDF5 files (foreign.c): envelope-free, bounded ---- */
enum { KL_FOREIGN_NAME = 256, KL_FOREIGN_NOTE = 640, KL_FOREIGN_CLASS = 64 };
struct kl_foreign {
    char images[KL_FOREIGN_NAME]; /* names of the datasets */
    char labels[KL_FOREIGN_NAME]; /* "": there are none, or not wanted */
    char
        root_labels[KL_FOREIGN_NAME]; /* the first of "labels", "y", "label" and "y_train" in the root */
    char note[KL_FOREIGN_NOTE];       /* what looks like images or labels and is not used; or "" */
    int rank;
    size_t dims[4]; /* (n, h, w) or (n, h, w, c) */
    uint8_t *data;
    int32_t *label;                  /* [n], NULL: none */
    char (*names)[KL_FOREIGN_CLASS]; /* [n_names] of classes whose labels were texts, in the order of
                               their bytes; NULL: they were numbers */
    size_t n_names;
};
/* path may be FILE or FILE:DATASET. labels: a dataset, "none", or NULL: those that belong to the images
   by name and number; where that is not plain, KL_EDATA. Whole numbers of any type or texts, of shape n
   beside sizes of 1, or (n, c) rows of zeros with a one. KL_ENOINPUT, KL_EDATA, KL_EIO, KL_ENOMEM. Free
   it in any case. */
int kl_store_foreign_read(struct kl_foreign *f, const char *path, const char *labels,
                          struct kl_error *err);
/* The same without data and label: which datasets would be read. */
int kl_store_foreign_look(struct kl_foreign *f, const char *path, const char *labels,
                          struct kl_error *err);
/* n labels alone, from FILE:DATASET, into label and names. */
int kl_store_foreign_labels_of(struct kl_foreign *f, size_t n, const char *path, struct kl_error *err);
void kl_store_foreign_free(struct kl_foreign *f);
/* Is it HDF5, from its first byte on or behind a user block, as MATLAB's files are? */
bool kl_store_is_hdf5(int fd);

/* HDF5's version when this was built, and the one that runs. */
void kl_store_hdf5_versions(char built[32], char found[32]);

#endif
