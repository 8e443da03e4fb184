/* SPDX-License-Identifier: MIT
   What every tool's main does: parse, answer --help and the like, run, report, end. A tool has one mode,
   or several, of which an option or the first word chooses one: each has a table of options and a file
   mode_NAME.c of its own. The first is the tool's own, which nothing chooses; it stands in tools/. */
#ifndef KL_MODE_H
#define KL_MODE_H

#include "store/ranks.h"

struct json_t;
struct kl_kind;

/* One run. stage: tool, values, common, log, inputs (without the word that chose the mode) are set. */
struct kl_mode_run {
    struct kl_stage stage;
    void *values; /* of the tool's table, parsed */
    FILE *out;    /* standard output */
    /* Of a struct kl_file_stage: */
    void *state;
    const char *kind; /* of the file, its schema and numerical version: the stage's own, unless open */
    int schema, version; /* says otherwise */
    enum kl_stage_answer answer;
    char *checkpoint;       /* of a stage with has_checkpoint; NULL: there is no place for one */
    bool done;              /* open did all that was asked for: there is no file to make */
    struct kl_ranks *ranks; /* NULL: alone */
    struct kl_pool *pool;   /* an estimate may create it before */
    const struct kl_watch *watch;
    /* Of the file's record: its parents (open adds them to `few`, or names a longer array), and its
       other inputs, an object that key fills (kl_store_input_identify). */
    const struct kl_file *const *parents, *few[3];
    size_t n_parents;
    struct json_t *raw_inputs;
    const char *text, *text_option; /* (hidden) the last that kl_store_mode_text_check let pass */
};

/* A stage that makes one file and trains nothing, in the order in which it is called. What stands
   between is kl_store_mode_main's: the key, answers without work, provenance, publishing, where words
   go. Each returns KL_OK or fails with err; NULL: there is nothing to do. */
struct kl_file_stage {
    const struct kl_kind *kind;
    int schema, version;
    const char *name;     /* in the key: "qcontrol optimize"; NULL: the tool's */
    bool seeded;          /* --seed is part of the key */
    size_t state_size;    /* run->state: so many bytes, zeros at first */
    const char *progress; /* what compute and save count, "starts"; NULL: nothing that takes long */
    /* "a sequence": compute counts them to its watch, ends where that says so, and changes nothing but
       the state: --dry-run forecasts by its first moments. NULL: no forecast, or that of open
       (run->stage.estimate). */
    const char *tried;
    bool stops_at_once; /* a signal ends compute: it need not come to an end of its own */
    /* Inputs are identified by key and read by compute: they must be the same after it. */
    bool reads_late;
    bool has_checkpoint; /* beside the output; it goes once the file is there */
    /* Of the option --ranks among the values; 0: it has none. All ranks compute; what the first has then
       is the result, and the others end. Signals that compute has shared (kl_store_ranks_agree) stop all
       of them. */
    size_t ranks_at;
    /* The name of the first result, "split", if a stopped run resumes from what save wrote. NULL: it
       does not. */
    const char *partial;
    int (*open)(struct kl_mode_run *run, struct kl_error *err);
    int (*key)(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err); /* inputs, mostly */
    /* What can be refused without the work, from inputs that key has identified. --dry-run asks it too.
       With the pool. */
    int (*check)(struct kl_mode_run *run, struct kl_error *err);
    int (*compute)(struct kl_mode_run *run, struct kl_error *err); /* with pool and watch */
    int (*save)(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err);
    /* Cautions, which the file keeps, and verdicts that refuse it. */
    int (*remark)(struct kl_mode_run *run, struct kl_error *err);
    /* Once the file is there, by this run or another one (run->answer): files beside it. */
    int (*after)(struct kl_mode_run *run, struct kl_error *err);
    /* What was found, written before the file is published, whose record keeps it for a run that finds
       it up to date. Lines on the file begin with its name. json: kl_store_mode_json. */
    int (*json)(struct kl_mode_run *run, FILE *to, struct kl_error *err);
    void (*words)(struct kl_mode_run *run, FILE *to);
    void (*close)(struct kl_mode_run *run);
};
/* An object of what every stage says (output, key, status), n pairs and the cautions, in a line. */
int kl_store_mode_json(const struct kl_mode_run *run, FILE *to, const struct kl_json_pair *pairs,
                       size_t n, struct kl_error *err);
/* The same with the members of an object, which is freed in every case. */
int kl_store_mode_json_object(const struct kl_mode_run *run, FILE *to, struct json_t *object,
                              struct kl_error *err);

/* --csv FILE, --latex FILE: a text with or without -o (path NULL: not given). May it be written?
   `begins`: its first bytes, as marks have them (store.h). On the screen ("-") there are no words among
   its lines. KL_EUSAGE, KL_ENOINPUT, KL_EIO. */
int kl_store_mode_text_check(struct kl_mode_run *run, const char *option, const char *path,
                             const char *begins, struct kl_error *err);
/* Of a text that is read back from the output: KL_EUSAGE if that goes to standard output. */
int kl_store_mode_text_of_file(const struct kl_mode_run *run, const char *option, const char *path,
                               struct kl_error *err);
bool kl_store_mode_on_screen(const char *path);
/* Its lines, by put; only if the bytes differ. KL_EIO, KL_ENOMEM, and what put returns. */
int kl_store_mode_text_write(struct kl_mode_run *run, const char *path,
                             int (*put)(FILE *to, const void *context, struct kl_error *err),
                             const void *context, struct kl_error *err);

struct kl_mode {
    const struct kl_tool *tool;     /* chosen_by: what selects it; NULL: nothing */
    void (*defaults)(void *values); /* of values that are all zero; or NULL: they stay so */
    /* Both NULL: the tool's own, where one of its commands is to be chosen (tool->commands). */
    const struct kl_file_stage *stage;
    int (*run)(struct kl_mode_run *run, struct kl_error *err); /* another one */
    int (*complete)(void *values, struct kl_error *err); /* options that depend on others; or NULL */
    /* Does this run write to what tool->arguments names after -o? NULL: it does. */
    bool (*has_output)(const void *values);
    /* It keeps nothing of unfinished work: a signal ends it at once, and one that is ignored stays so.
     */
    bool keeps_nothing;
};
/* A mode once more, with run->values as they are now: what its main does once inputs are checked. */
int kl_store_mode_run(const struct kl_mode *mode, struct kl_mode_run *run, struct kl_error *err);
/* The end of it in a process of its own: what it found wrong is told, as main does. The exit status. */
int kl_store_mode_end(struct kl_mode_run *run, int code, const struct kl_error *err);
/* The main of a mode; returns the exit status. out, messages: standard output and standard error. */
int kl_store_mode_main(const struct kl_mode *mode, int argc, char **argv, FILE *out, FILE *messages);
/* The same for the one of n modes that the command line chooses; for the first, if it chooses none. */
int kl_store_modes_main(const struct kl_mode *const *modes, size_t n, int argc, char **argv, FILE *out,
                        FILE *messages);

#endif
