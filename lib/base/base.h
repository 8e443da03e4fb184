/* SPDX-License-Identifier: MIT
   base: the manners that every tool and room shares. First what a tool calls, then what rooms call.
   Nothing here prints or exits, apart from log.c and progress.c, which write where the tool says. */
#ifndef KL_BASE_H
#define KL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KL_VERSION "0.2.0"
#define KL_RELEASED "November 29, 2026" /* the date of the manual pages */

/* ---- errors (error.c) ----
   Functions return 0 or one of these; the exit status of a tool is kl_exit_status(code). */
enum kl_code {
    KL_OK = 0,
    KL_ENO = -1,        /* a check said no                                       exit 1  */
    KL_EUSAGE = -2,     /* wrong option or argument                              exit 2  */
    KL_ESIGNAL = -3,    /* stopped by SIGINT/SIGTERM; the tool re-raises the signal      */
    KL_EDATA = -65,     /* an input is damaged or of the wrong form              exit 65 */
    KL_ENOINPUT = -66,  /* an input is absent, cannot be opened, or is no file   exit 66 */
    KL_EINTERNAL = -70, /* a promise inside the program was broken               exit 70 */
    KL_EIO = -74,       /* reading or writing failed, a full disk included       exit 74 */
    KL_ENOMEM = -75,    /* no memory                                             exit 75 */
    KL_EDEVICE = -76,   /* no such device, or it was lost                        exit 75 */
};

/* One line for a person: "what: why; what to do". It names the file, the dataset, found and expected. */
struct kl_error {
    int code;
    char text[1024];
};

/* Bytes of the control character at text: 1 of ASCII, 2 of ISO 6429's other 32 in UTF-8 (U+0080 to
   U+009F); 0: none is there. */
int kl_control_length(const char *text);
/* '?' in place of each, which would steer a terminal: names and texts from files are anybody's. */
void kl_make_printable(char *text);

/* Fill *err (which may be NULL) and return code, so that callers write: return kl_fail(err, KL_EDATA,
   ...). */
int kl_fail(struct kl_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, with ": " and strerror(errno) added. ENOMEM becomes KL_ENOMEM whatever code says. */
int kl_fail_errno(struct kl_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* KL_ENOMEM with a standard text that names the bytes asked for. */
int kl_fail_memory(struct kl_error *err, size_t bytes);
/* KL_ENOINPUT: an input that should be a file is a folder. What is absent passes: opening it tells. */
int kl_no_folder(const char *path, struct kl_error *err);
/* KL_ENOINPUT: s is of a folder, pipe or device, where the reader has to go back and forth in a file. */
struct stat;
int kl_regular(const struct stat *s, const char *path, struct kl_error *err);
/* KL_EDATA: a file begins as what stands in its place, a pointer of Git LFS or git-annex or a page of
   HTML or XML; the line says how to get the file. first: its first n bytes, KL_STAND_IN of them if it
   has so many. */
enum { KL_STAND_IN = 256 };
int kl_no_stand_in(const void *first, size_t n, const char *path, struct kl_error *err);
/* All of a file or pipe of at most `most` bytes, `expected` in words; *bytes malloc'ed, *n of them and a
   0 behind. KL_ENOINPUT, KL_EDATA (longer), KL_EIO, KL_ENOMEM; then *bytes is NULL. */
int kl_read_bytes(char **bytes, size_t *n, const char *path, size_t most, const char *expected,
                  struct kl_error *err);
/* The same of a text, which is UTF-8 whatever wrote it: a mark of byte order is left out, UTF-16 with
   one is converted. Ends of lines stay as they are. KL_EDATA: it is no UTF-16 after all. */
int kl_read_text(char **text, size_t *n, const char *path, size_t most, const char *expected,
                 struct kl_error *err);
/* KL_EUSAGE: n inputs, of which `most` are taken. */
int kl_fail_inputs(struct kl_error *err, const char *const *inputs, size_t n, size_t most,
                   const char *expected);
int kl_exit_status(int code);
/* A library of ours (dlopen): the file that an environment variable names; else beside the tools, in
   ../lib, where the system looks. NULL: see dlerror. (library.c) */
void *kl_library_open(const char *file, const char *variable);

/* ---- options (options.c, help.c, config.c, emit.c) ----
   One table a tool; parsing, --help, the manual page, completion, YAML configuration, its schema and the
   cache key are made from it. */
enum kl_option_type {
    KL_OPT_FLAG,
    KL_OPT_INT,
    KL_OPT_FLOAT,
    KL_OPT_QUANTITY, /* a number with or without a unit, which its reader knows: "30", "30 ns" */
    KL_OPT_STRING,
    KL_OPT_CHOICE,
    KL_OPT_DEVICE, /* texts */
    KL_OPT_LIST    /* a text of words between blanks; given several times, it is all of them */
};

struct kl_quantity {
    double value;
    const char *unit;               /* NULL: it has none */
    const struct kl_option *option; /* which gave the unit, and has bounds for the number without it */
};

struct kl_option {
    const char *name; /* long option without dashes; the same name in YAML, where '_' equals '-' */
    char letter;      /* short option or 0 */
    enum kl_option_type type;
    size_t offset; /* of the field in the values struct: bool, int64_t, double, struct kl_quantity, const
                      char * */
    const char *arg;   /* "N", "FILE", ...; for KL_OPT_CHOICE the choices: "adam|adamw|sgd" */
    double min, max;   /* closed bounds of INT, FLOAT and, without a unit, QUANTITY; both 0: unbounded */
    bool in_key;       /* can it change the result? Then it is part of the cache key */
    const char *help;  /* one short line; NULL: an alias or hidden */
    const char *group; /* heading in --help, or NULL for the same as before */
    const char *alias; /* second accepted long name (a reference's name such as n_qubits), or NULL */
};

struct kl_tool {
    const char *name;
    const char *summary;   /* one line */
    const char *arguments; /* "INPUT... -o OUTPUT"; "": it takes none */
    const char *example;   /* one or two command lines */
    const struct kl_option *options;
    size_t n_options;
    size_t values_size;   /* bytes of the values struct, whose first member is struct kl_common */
    const char *without;  /* common options that would have no effect on it: "key dry-run"; or NULL */
    const char *commands; /* first words: "list|show|log"; NULL: none */
    /* Commands and modes that have tables of their own, by name, up to a NULL; NULL: none. */
    const struct kl_tool *const *parts;
    /* The word that selects this table among the tool's: a command, "plateau", or an option of it,
       "--qrng", whose row says what the mode is; NULL: it is the tool's own. */
    const char *chosen_by;
    const char *elsewhere; /* the command for an input that this one does not take; or NULL */
};

/* Options that tools have in common; options.c holds their table. */
struct kl_common {
    const char *output;          /* -o */
    const char *store;           /* --store, or KETLINE_STORE */
    const char *config;          /* --config */
    const char *note;            /* --note */
    const char *device;          /* --device auto|cpu|cuda[:k] */
    const char *device_used;     /* no option: what that came to, "cuda: NAME"; NULL: the CPU */
    size_t (*device_peak)(void); /* no option: most bytes of its memory that were taken; NULL: the CPU */
    const char *progress;        /* --progress auto|bar|plain|json|none */
    int64_t threads;             /* --threads, 0: what the machine allows */
    int64_t seed;                /* --seed */
    const char *emit;            /* --emit, hidden: what is made from the table of options (emit.c) */
    bool force, print_key, dry_run, json, quiet, verbose, no_provenance, print_config, help, version;
};

/* Parse argv over the values that the defaults function of the tool has set. --config FILE is read
   first, the command line wins; an unknown name is an error that names the nearest known one. *args and
   *n_args receive the positional arguments (pointers into argv). Strings point into argv or into memory
   that lives as long as the process. Returns 0, KL_EUSAGE, KL_ENOINPUT or KL_EDATA. */
int kl_options_parse(const struct kl_tool *tool, void *values, int argc, char **argv, const char ***args,
                     size_t *n_args, struct kl_error *err);
/* Once a mode's options were refused: the message of one that the mode lacks and `whole`, the tool
   without it, has; else it stays. Returns KL_EUSAGE. */
int kl_options_name_owner(const struct kl_tool *tool, const struct kl_tool *whole, int argc, char **argv,
                          struct kl_error *err);
/* Options that do nothing beside others: KL_EUSAGE, "--NAME: WHY", for the first of `names` ("clip lr")
   whose value is not that of `defaults`, a values struct too. */
int kl_options_refuse(const struct kl_tool *tool, const void *values, const void *defaults,
                      const char *names, const char *why, struct kl_error *err);
/* Inputs, and -o, as the tool's `arguments` have them: "WINDOWS.h5... -o MODEL.h5". inputs: without the
   word that chose the table. KL_EUSAGE. */
int kl_options_check_inputs(const struct kl_tool *tool, const struct kl_common *common, bool has_output,
                            const char *const *inputs, size_t n, struct kl_error *err);
/* --help, --version, --print-config and --emit: if one was given, write the text to `to`, return true.
 */
bool kl_options_answer(const struct kl_tool *tool, const void *values, FILE *to);
/* The effective options as compact JSON with sorted names; only those with in_key if key_only, and
   of these no text that was not given, so that a new option leaves the keys without it as they are.
   malloc'ed; NULL: no memory. */
char *kl_options_json(const struct kl_tool *tool, const void *values, bool key_only);
/* Place of text among "a|b|c", from 0; -1: it is none of them. */
int kl_choice(const char *choices, const char *text);
/* KL_EUSAGE: the word is none of the tool's commands, or stands behind options; NULL: there is none. */
int kl_options_fail_command(const struct kl_tool *tool, const char *word, struct kl_error *err);

/* "TOOL INPUT --lr 0.003 -o OUTPUT" for a shell: what changes the result and is not as in defaults
   (option_values.c). */
void kl_options_command(FILE *to, const struct kl_tool *tool, const void *values, const void *defaults,
                        const char *const *inputs, size_t n_inputs, const char *output);

/* ---- grids of options (grid.c) ---- */
enum { KL_GRID_AXES = 8, KL_GRID_VALUES = 64, KL_GRID_POINTS = 4096 };
struct kl_grid_axis {
    const struct kl_option *option;
    const char *values[KL_GRID_VALUES]; /* of a range its two ends */
    size_t n;
    bool range, log; /* every number between the ends, or the logarithms of them, is as likely */
};
struct kl_grid {
    struct kl_grid_axis axes[KL_GRID_AXES];
    int n_axes;
    size_t n;           /* combinations ("points"); the last axis runs fastest */
    char *text;         /* (hidden) what the values point into */
    const char **drawn; /* (n, n_axes) values of points that were drawn; NULL: combinations */
};
/* "lr=1e-3,3e-3 n_layers=1,2", "lr=1e-4:1e-1:log7" (seven from end to end in equal ratios; lin7: in
   equal steps; the ends as they are written, those between of four digits): names as on the command
   line, values checked against the options; where a value holds commas, '|' separates
   (reduction=128,32|64). refusals: options that the caller allows in no grid, or in spite of not being
   in the key, up to one without a name; NULL: none. KL_EUSAGE. Free with kl_grid_free; the grid must
   outlive the values that are set from it. */
struct kl_grid_refusal {
    const char *name, *why; /* "--grid: NAME: WHY"; NULL: it changes results, by what its file says */
};
int kl_grid_parse(struct kl_grid *grid, const struct kl_tool *tool,
                  const struct kl_grid_refusal *refusals, const char *text, struct kl_error *err);
/* The same, and "lr=1e-4:1e-1:log", "dropout=0:0.5:lin": ranges. Its points are n that are drawn, all of
   them different; unit: a number in (0, 1) that follows from point, axis and attempt. */
int kl_grid_draw(struct kl_grid *grid, const struct kl_tool *tool,
                 const struct kl_grid_refusal *refusals, const char *text, size_t n,
                 double (*unit)(const void *context, size_t point, int axis, size_t attempt),
                 const void *context, struct kl_error *err);
const char *kl_grid_value(const struct kl_grid *grid, size_t point, int axis);
/* The options of one point into the tool's values. */
int kl_grid_set(const struct kl_grid *grid, size_t point, void *values, struct kl_error *err);
void kl_grid_free(struct kl_grid *grid);

/* ---- JSON (json.c) ---- */
struct json_t;
/* As jansson's, with "no memory" told from "damaged" (KL_EDATA). */
int kl_json_parse(struct json_t **value, const char *text, const char *what, struct kl_error *err);
int kl_json_parse_bytes(struct json_t **value, const void *text, size_t n, const char *what,
                        struct kl_error *err);
/* A string; one that is not UTF-8 (a file name may hold any bytes) is taken for Latin-1. */
int kl_json_string(struct json_t **value, const char *text, struct kl_error *err);
/* Canonical: compact, names sorted. malloc'ed. */
int kl_json_dump(char **text, const struct json_t *value, struct kl_error *err);
/* The same with jansson's flags. */
int kl_json_dump_as(char **text, const struct json_t *value, size_t flags, struct kl_error *err);
/* An array of the lines of a text, each ended by a newline; NULL: none. KL_ENOMEM. */
int kl_json_lines(struct json_t **value, const char *lines, struct kl_error *err);
/* Members of --json's output, one object on a line of its own. A number has six digits. */
enum kl_json_type {
    KL_JSON_TEXT, /* NULL: null */
    KL_JSON_COUNT,
    KL_JSON_NUMBER,
    KL_JSON_BOOL,
    KL_JSON_LINES, /* an array: the lines of a text, which may be NULL */
    KL_JSON_RAW    /* JSON already; NULL: null */
};
struct kl_json_pair {
    const char *name;
    enum kl_json_type type;
    const char *text;
    double number;
};
int kl_json_line(FILE *to, const struct kl_json_pair *pairs, size_t n, struct kl_error *err);
/* An object's members in their order, numbers in as few digits as give them back; malloc'ed. */
int kl_json_members(char **text, const struct json_t *object, struct kl_error *err);

/* The ending of a plural: "%zu head%s", n, kl_s(n). */
static inline const char *kl_s(unsigned long long n)
{
    return n == 1 ? "" : "s";
}

/* Is there an interval? None has ends that are unknown (NaN), or one but for rounding: values that are
   all the same say nothing of how far others would lie from them. Of shares, whose steps are larger. */
static inline bool kl_has_width(double low, double high)
{
    return high - low > 1e-12;
}

/* ---- messages (log.c) and progress (progress.c) ---- */
struct kl_cautions {
    char *lines; /* each ended by a newline; NULL: none */
    bool lost;   /* there was no memory for one */
};
struct kl_log {
    const char *tool;
    FILE *to;                     /* stderr */
    int level;                    /* 0 quiet, 1 normal, 2 verbose */
    struct kl_cautions *cautions; /* of the result that is under way; NULL: none are kept */
};
void kl_note(const struct kl_log *log, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A note, of level 1, that whoever reads the result should know: it goes with the result's provenance,
   once. */
void kl_caution(const struct kl_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kl_cautions_free(struct kl_cautions *cautions);
/* A note of each variable of the environment whose name is nearly one that tools heed (log.c). */
void kl_note_variables(const struct kl_log *log);
/* Those that the log keeps, each ended by a newline, or a line that says that one was lost; NULL: none.
 */
const char *kl_caution_lines(const struct kl_log *log);
/* As a member of what --json prints. */
struct kl_json_pair kl_json_cautions(const struct kl_log *log);
/* The stream of a tool's summary: standard output, unless the result itself goes there. */
FILE *kl_words_to(const struct kl_common *common);
/* "tool: text" and the exit status for `code`; flushes stdout first. */
int kl_report(const struct kl_log *log, const struct kl_error *err);
/* Last act of main: close stdout; a failure there (full disk) becomes exit status 74. */
int kl_finish(const struct kl_log *log, int status);
/* How a tool ends: its error is reported, but no KL_ENO without a text, which was said on standard
   output; a signal that stopped it raised again; standard output closed. Returns the exit status. */
int kl_end(const struct kl_log *log, int code, const struct kl_error *err);

/* A callback of long functions, called after each step, which can stop them. step returns 0 to go on;
   anything else: finish what is begun, save, return KL_ESIGNAL. May be NULL. */
struct kl_watch {
    int (*step)(void *context, uint64_t done, uint64_t total, const char *note);
    void *context;
};
int kl_watch_step(const struct kl_watch *watch, uint64_t done, uint64_t total,
                  const char *note); /* NULL is fine */

/* How far a run of several kinds of work has come, in steps of about equal time, so that what is left
   can be told. Work that turns out not to be needed is dropped: what is left never grows. */
struct kl_course {
    const struct kl_watch *watch;
    uint64_t done, total;
};
/* So many more are done. NULL: nobody asks. KL_ESIGNAL. */
int kl_course_step(struct kl_course *course, uint64_t steps, const char *note, struct kl_error *err);
/* So many are not needed. */
void kl_course_drop(struct kl_course *course, uint64_t steps);

/* A kl_watch that draws a bar on a terminal, else a plain line every 30 s, nothing in the first two
   seconds; and answers non-zero once a signal is pending. `what` names the unit: "images", "epochs". */
struct kl_progress {
    struct kl_watch watch;
    const struct kl_log *log;
    const char *what;
    int mode;
    double start, shown;
    /* A larger total, or less done than before, begins a phase with a rate of its own. */
    uint64_t from, done, total;
    bool drawn;
};
int kl_progress_begin(struct kl_progress *p, const struct kl_log *log, const char *mode,
                      const char *what);
void kl_progress_end(struct kl_progress *p);

/* "7 s", "2:05 min", "1:10 h". (progress.c) */
void kl_time_text(char text[32], double seconds);

/* A kl_watch that ends what it watches after half a second, by which time it is plain how long all of it
   would take, or when `least` is done, if that is later. After five seconds it is as if a signal had
   come, so that a long step is given up: end it in any case (progress.c). */
struct kl_trial {
    struct kl_watch watch;
    double start, seconds;             /* kl_clock(); from there to the last step */
    uint64_t from, done, total, least; /* from: what was done before */
};
void kl_trial_begin(struct kl_trial *trial);
/* End the trial: its KL_ESIGNAL becomes KL_OK, unless a signal is pending. */
int kl_trial_end(int code);
/* Seconds of all, if what is left goes as what was done. KL_ENO where nothing was: "WHAT takes longer
   than 5 s". */
int kl_trial_whole(double *seconds, const struct kl_trial *trial, const char *what,
                   struct kl_error *err);

/* ---- signals (signals.c) ---- */
void kl_signals_install(void);       /* SIGINT, SIGTERM: first sets a flag, second ends at once */
int kl_signals_pending(void);        /* the signal's number or 0 */
void kl_signals_plain(void);         /* from here on they end the tool at once, also as process 1 */
void kl_signals_deadline(double at); /* of kl_clock(), from which SIGALRM is pending; 0: none */
void kl_signals_bar(bool drawn);  /* of progress: a signal that ends the tool at once clears the line */
void kl_signals_told(int number); /* another process of this job got it: kl_signals_reraise raises it */
void kl_signals_reraise(void);    /* default handler, then raise: the shell sees 128+n */

/* Memory that is a file's. Where the file is cut, a look there is SIGBUS, in whatever thread and loop:
   it ends the tool with one line that names the file, and status 74, as a failed read does. Whoever maps
   memory keeps the struct, unmoved, from one call to the other. */
struct kl_mapped {
    const char *from;
    size_t n;
    char line[320];         /* (hidden) */
    struct kl_mapped *next; /* (hidden) */
};
void kl_signals_map(struct kl_mapped *mapped, const char *path);
void kl_signals_unmap(struct kl_mapped *mapped); /* accepts one that is not known */

/* ---- arenas (arena.c) ----
   Workspace made before the loop and passed in. Blocks are 64-byte aligned and uninitialised. */
struct kl_arena {
    struct kl_arena_chunk *first, *current;
};
/* bytes: reserved at once (more is taken when needed). Returns 0 or KL_ENOMEM. */
int kl_arena_init(struct kl_arena *arena, size_t bytes, struct kl_error *err);
/* NULL: no memory. */
void *kl_arena_take(struct kl_arena *arena, size_t count, size_t size);
/* All blocks are given back, the memory is kept. */
void kl_arena_reset(struct kl_arena *arena);
void kl_arena_free(struct kl_arena *arena);

/* ---- threads (threads.c) ---- */
struct kl_pool;
/* Affinity mask and cgroup quota; at least 1. */
int kl_threads_available(void);
/* Processors, and bytes of memory, that cgroups allow this process, 0: no limit. proc_file:
   /proc/self/cgroup; root: where they are mounted, /sys/fs/cgroup (cgroup.c). */
int kl_cgroup_limit(const char *proc_file, const char *root);
uint64_t kl_cgroup_memory(const char *proc_file, const char *root);
/* n_threads <= 0: kl_threads_available(). With one thread no thread is started. */
int kl_pool_create(struct kl_pool **pool, int n_threads, struct kl_error *err);
int kl_pool_size(const struct kl_pool *pool);
/* Run fn(context, i, thread) for i in [0, count), thread in [0, size); returns when all are done. Items
   are handed out in order, one at a time; count is below 2^32. Results must not depend on `thread`. pool
   NULL: in the calling thread. */
void kl_pool_for(struct kl_pool *pool, size_t count, void (*fn)(void *context, size_t i, int thread),
                 void *context);
void kl_pool_destroy(struct kl_pool **pool);

/* ---- digests (hash.c) ---- */
struct kl_sha256 {
    void *state; /* (hidden) */
};
int kl_sha256_begin(struct kl_sha256 *s, struct kl_error *err);
void kl_sha256_add(struct kl_sha256 *s, const void *data, size_t n);
void kl_sha256_end(struct kl_sha256 *s, char hex[65]); /* frees the state; hex may be NULL */
int kl_sha256_hex(char hex[65], const void *data, size_t n, struct kl_error *err);
/* SHA-256 of a file's bytes, by read(). KL_ENOINPUT, KL_EIO. */
int kl_sha256_file(char hex[65], const char *path, struct kl_error *err);
/* XXH3-128 of a block in canonical (big-endian) order: damage, not identity. */
void kl_xxh128(unsigned char digest[16], const void *data, size_t n);

double kl_clock(void); /* seconds, monotonic */

/* ---- Letters and words: how far a word is from a known one, what was meant by an unknown name; Unicode
   ---- */

/* Of words that are tried the one that differs least from an unknown one, by Levenshtein's distance
   (option_values.c); words of more than 64 letters are near to none. */
struct kl_near {
    const char *name; /* unknown, [n] */
    size_t n, below; /* distances from here on are too far: no more than half its letters may be wrong */
    const char *word; /* the nearest, [length]; NULL: none is near */
    size_t length;
};
static inline struct kl_near kl_near_to(const char *name, size_t n)
{
    return (struct kl_near){ name, n, n / 2 + 1, NULL, 0 };
}
void kl_near_try(struct kl_near *near, const char *word, size_t length);
/* Which of the choices "a|b|c" an unknown word means: what it begins or ends alike with, as another
   library's StronglyEntanglingLayers does with strongly-entangling, else the nearest; *n: its length.
   NULL: none (options.c). */
const char *kl_choice_meant(const char *choices, const char *text, size_t *n);
/* "; did you mean WORD?", of a word's n letters; "": it is NULL. Returns text. */
enum { KL_MEANT = 96 };
const char *kl_meant_words(char text[KL_MEANT], const char *word, size_t n);

/* A quantity whose unit has been read: the number without it, within the bounds of its option.
 * KL_EUSAGE.
 */
int kl_quantity_settle(struct kl_quantity *q, double value, struct kl_error *err);

/* ---- unicode.c ---- */
/* The letter's bytes; returns where the next one goes. */
char *kl_put_utf8(char *to, uint32_t letter);
/* The letter at text, and its bytes; 0: no UTF-8. */
int kl_get_utf8(uint32_t *letter, const char *text);
/* Letters and the marks behind them become one letter where Unicode has it (NFC, but for a mark that has
   another before it): names that macOS took apart (NFD) are then those of everybody else. True: some
   were. */
bool kl_compose(char *text);
/* Two names, of m and n bytes, that are the same once they are composed. */
bool kl_same_name(const char *a, size_t m, const char *b, size_t n);

/* ---- Tables as texts (RFC 4180: quoted fields may hold separators, quotes and ends of lines), taken
   apart in place. Fields are parted by tabs, semicolons or commas, whichever the first row has; numbers
   have a point or, where a table has no other use for it, a comma
   ---- */

enum { KL_CSV_FIELDS = 4096 };
struct kl_csv {
    const char *path; /* for messages */
    char *at, *end;   /* what is not read yet */
    char separator;   /* '\t', ';' or ',' */
    size_t line;      /* at which the row begins, from 1 */
    size_t next_line; /* (hidden) */
    size_t n;         /* fields; an empty row has none */
    char *fields[KL_CSV_FIELDS];
};
/* text: n bytes of kl_read_text and a 0 behind; it is changed. first_line: the number of its first one,
   1 or more. KL_EDATA: it holds a 0. */
int kl_csv_open(struct kl_csv *csv, const char *path, char *text, size_t n, size_t first_line,
                struct kl_error *err);
/* The next row; *more false: there is none. Lines end in LF, CR or both. KL_EDATA: quotes without an
   end, too many fields. */
int kl_csv_row(struct kl_csv *csv, bool *more, struct kl_error *err);
/* Is a field a finite number? It may have a comma for a decimal sign. */
bool kl_csv_value(double *value, const char *text);
/* A field as a finite number; name: the column's, for the line. KL_EDATA. */
int kl_csv_number(double *value, const struct kl_csv *csv, size_t field, const char *name,
                  struct kl_error *err);
/* n bytes of a text as a field, in quotes where it needs them. */
void kl_csv_write(FILE *to, const char *text, size_t n);

/* ---- Tables of texts that are made here (table.c): for people, or for LaTeX with booktabs. All zero:
   an empty one. First the columns with their titles, then the cells, row by row. ---- */

enum { KL_TABLE_COLUMNS = 32 };
struct kl_table {
    size_t columns, n, room;     /* n: cells, titles among them */
    size_t names;                /* the column that is set left; all others are set right */
    bool wide;                   /* two blanks between columns */
    bool lost;                   /* (hidden) for want of memory */
    int least[KL_TABLE_COLUMNS]; /* letters of a column */
    char **cells;
};
void kl_table_column(struct kl_table *t, int least, const char *title);
void kl_table_cell(struct kl_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* none: what stands for what is no number; the infinite is "inf". */
void kl_table_number(struct kl_table *t, const char *format, double value, const char *none);
/* Of two numbers; where they have no width (kl_has_width) "all equal", of values that are, or
   "undefined". */
void kl_table_interval(struct kl_table *t, const char *format, double low, double high);
/* KL_ENOMEM: a cell was lost. What LaTeX begins with tells it from a table of somebody else. */
#define KL_TABLE_LATEX "% \\usepackage{booktabs}\n\\begin{tabular}{"
int kl_table_write(FILE *to, const struct kl_table *t, bool latex, struct kl_error *err);
void kl_table_free(struct kl_table *t);

/* ---- IEEE 754 binary16 (half precision), round to nearest even ---- */

/* Out of range gives infinity: returned is how many did. */
size_t kl_half_from_float(uint16_t *half, const float *x, size_t n);
void kl_float_from_half(float *x, const uint16_t *half, size_t n);

#endif
