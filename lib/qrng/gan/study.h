/* SPDX-License-Identifier: MIT
   gan_study: a generator for each pair of devices, or for each device that another is compared with;
   what `qgan` computes. First the study's own way (reference), then the sound one, then what both share.
 */
#ifndef KL_QRNG_GAN_STUDY_H
#define KL_QRNG_GAN_STUDY_H

#include "qrng/bits/bits.h"
#include "qrng/gan/gan.h"
#include "store/store.h"

enum kl_gan_generator { KL_GAN_NETWORK, KL_GAN_QUANTUM };
enum kl_gan_loss { KL_GAN_ADVERSARIAL, KL_GAN_EXACT, KL_GAN_MMD };
#define KL_GAN_GENERATORS "network|quantum"
#define KL_GAN_LOSSES "gan|kl|mmd"
enum { KL_GAN_MOST_BITS = 16, KL_GAN_MOST_QUBITS = 12 };

struct kl_gan_options {
    bool reference, all_rows; /* all_rows: reference keeps the first row of each device but the first */
    enum kl_gan_generator generator;
    enum kl_gan_loss loss;
    int64_t epochs, word_bits, hidden, repetitions, steps, patience, shots, resamples, seed;
    double lr, decay, penalty; /* penalty: of the discriminator's slope; 0: none */
};

/* A pair (a, b) of devices, from 0. */
struct kl_gan_pair {
    int32_t a, b;
};
/* "1v2,1v3", names or numbers from 1; NULL: all, in order. *pairs malloc'ed. KL_EUSAGE;
   KL_EDATA: one device. */
int kl_gan_pairs(struct kl_gan_pair **pairs, size_t *n, const char *text, const struct kl_bits *bits,
                 struct kl_error *err);

/* Histories: before the epoch's step. The divergence is KL(target || law); the target of the sound way's
   is the validation rows. */
enum kl_gan_column {
    KL_GAN_DIVERGENCE,
    KL_GAN_GENERATOR_LOSS,
    KL_GAN_DISCRIMINATOR_LOSS,
    KL_GAN_N_COLUMNS
};

/* The scores of each pair when all is trained; NAN where one does not apply. */
enum kl_gan_score {
    KL_GAN_KL,          /* KL(target || law): reference, of the last epoch; else of device a's held-out
                           rows, at the epoch that was kept */
    KL_GAN_KL_START,    /* the same before any step */
    KL_GAN_KL_UNIFORM,  /* of the uniform law: in reference the closed form of what KL comes to */
    KL_GAN_HALVES_LOW,  /* reference: the closed form of halves of device a with each other, least and */
    KL_GAN_HALVES_HIGH, /* largest of KL_GAN_HALVES */
    KL_GAN_ON_A,        /* cross-entropy a word of held-out rows of a under the law of a, in nats */
    KL_GAN_ON_B,        /* of held-out rows of b under the law of a */
    KL_GAN_DIFFERENCE,  /* on b less on a, with the bootstrap's 95 % interval */
    KL_GAN_LOW,
    KL_GAN_HIGH,
    KL_GAN_EXCESS, /* of held-out rows of b: under the law of a less under that of b, an estimate of
                      KL(b || a) a word; with its interval */
    KL_GAN_EXCESS_LOW,
    KL_GAN_EXCESS_HIGH,
    KL_GAN_PLUGIN_DIFFERENCE, /* the same under the smoothed frequencies of the training rows */
    KL_GAN_PLUGIN_LOW,
    KL_GAN_PLUGIN_HIGH,
    KL_GAN_PLUGIN_EXCESS,
    KL_GAN_PLUGIN_EXCESS_LOW,
    KL_GAN_PLUGIN_EXCESS_HIGH,
    KL_GAN_Z_A, /* the discriminator as a test: mean over held-out rows less that under the law, in */
    KL_GAN_Z_B, /* standard errors */
    KL_GAN_N_SCORES
};
enum { KL_GAN_HALVES = 20 };
extern const char *const kl_gan_score_names[KL_GAN_N_SCORES];

/* The replica of a model's random numbers; of: its pair, or device a alone (b -1). */
static inline uint32_t kl_gan_replica(const struct kl_gan_pair *of)
{
    return (uint32_t)of->a * KL_BITS_DEVICES + (uint32_t)(of->b + 1);
}

struct kl_gan_study {
    struct kl_gan_options o;
    const struct kl_bits *bits;
    size_t n_pairs, n_models, n_cells, n_angles, n_params; /* n_params: of a discriminator */
    struct kl_gan_pair *pairs;
    int32_t *model;         /* [n_pairs, 2]: the pair's, twice; or that of a and that of b */
    struct kl_gan_pair *of; /* [n_models]: the pair, or device a alone (b -1) */
    bool *done;             /* [n_models] */
    float *law, *target;    /* [n_models, n_cells] */
    float *witness;         /* [n_models, n_cells], of the sound way: see kl_gan_place */
    float *discriminator;   /* [n_models, n_params] */
    double *angles;         /* [n_models, n_angles] */
    double *history;        /* [KL_GAN_N_COLUMNS, n_models, epochs]; NAN behind the last epoch */
    double *scores;         /* [KL_GAN_N_SCORES, n_pairs] */
    size_t unlearnt;        /* models no better than the uniform law (scores.c) */
    struct kl_arena memory;
};
/* Options that were left open (0) become what generator and protocol have for them. KL_EUSAGE. */
int kl_gan_settle(struct kl_gan_options *o, struct kl_error *err);
/* Takes over pairs. bits must outlive the study. KL_EDATA, KL_ENOMEM. */
int kl_gan_study_make(struct kl_gan_study *s, const struct kl_gan_options *o, const struct kl_bits *bits,
                      struct kl_gan_pair *pairs, size_t n_pairs, struct kl_error *err);
/* Trains the models that are not done, those of the study's way on a GPU if there is one, then scores
   all pairs. keep (may be NULL) is called every KL_GAN_KEEP seconds between two models. KL_ESIGNAL: some
   are done. KL_EUSAGE (not for a GPU), KL_EDEVICE. */
enum { KL_GAN_KEEP = 20 };
struct kl_device;
int kl_gan_study_run(struct kl_gan_study *s, const struct kl_device *device, struct kl_pool *pool,
                     const struct kl_watch *watch, int (*keep)(void *context, struct kl_error *err),
                     void *context, struct kl_error *err);
void kl_gan_study_free(struct kl_gan_study *s);
/* All datasets, the models that are done and which they are; and back. */
int kl_gan_study_save(struct kl_writer *w, const struct kl_gan_study *s, struct kl_error *err);
int kl_gan_study_restore(struct kl_gan_study *s, struct kl_file *file, struct kl_error *err);
/* The models that are not done, side by side on a GPU (gpu.c). As kl_gan_study_run, without scores.
   KL_ENOMEM. */
int kl_gan_gpu_train(struct kl_gan_study *s, const struct kl_device *device,
                     const struct kl_watch *watch, int (*keep)(void *context, struct kl_error *err),
                     void *context, struct kl_error *err);
/* A table, one line for each of the first `most` pairs, and what its columns are. */
void kl_gan_study_table(FILE *to, const struct kl_gan_study *s, size_t most);

/* ---- one model ---- */
/* The place of a model's results, and the function that may stop it. */
struct kl_gan_place {
    float *law, *target, *discriminator;
    float *witness; /* what tells rows of the device from the law's: the discriminator's logit; with
                       --loss kl ln(target / law), with mmd the kernels' mean difference */
    double *angles, *history[KL_GAN_N_COLUMNS];
    struct kl_arena *memory;     /* to train with, for one model after another */
    uint32_t replica;            /* of its random numbers */
    bool (*stop)(void *context); /* asked before each epoch; a model that was stopped is not done */
    void *context;
};

/* The study's way (reference.c): the GAN of the grid of rates a and b, which is divided by its sum,
   but for the quantum generator, where it is not. KL_ESIGNAL, KL_EDATA, KL_ENOMEM. */
int kl_gan_reference(const struct kl_gan_place *to, const struct kl_gan_options *o,
                     const double a[KL_GRID_BITS], const double b[KL_GRID_BITS], struct kl_pool *pool,
                     struct kl_error *err);
/* Rates of 1 at the first KL_GRID_BITS positions of the rows that reference takes; part: 0 all of them,
   or one of two random halves, 1 and 2. For the quantum generator divided by all rows of the device, as
   in its notebook. */
void kl_gan_rates(double rates[KL_GRID_BITS], const struct kl_bits *bits, int32_t device, int part,
                  uint32_t draw, const struct kl_gan_options *o);

/* The sound way. A device's rows in a random order: the first 70 % train, 10 % validate, 20 % are held
   out for the scores (law.c). */
enum kl_gan_part { KL_GAN_TRAINING, KL_GAN_VALIDATION, KL_GAN_HELD_OUT, KL_GAN_N_PARTS };
struct kl_gan_rows {
    int64_t *rows; /* malloc'ed */
    size_t from[KL_GAN_N_PARTS + 1];
};
/* KL_EDATA: a part would be empty. */
int kl_gan_split(struct kl_gan_rows *rows, const struct kl_bits *bits, int32_t device, uint64_t seed,
                 struct kl_error *err);
/* A note where devices have unequal numbers of rows: a law learnt from fewer lacks more, which the
   divergence from it counts as difference (docs/qrng.md). KL_ENOMEM. */
int kl_gan_note_unequal(const struct kl_log *log, const struct kl_bits *bits, struct kl_error *err);
/* Words of m successive bits within a row, the first bit the most significant; bits of a row behind the
   last whole word are not looked at. */
static inline unsigned kl_gan_word(const uint64_t *row, size_t k, int m)
{
    unsigned word = 0;
    for (size_t j = k * (size_t)m, end = j + (size_t)m; j < end; j++)
        word = word << 1 | (unsigned)(row[j / 64] >> (j % 64) & 1);
    return word;
}
/* counts (2^m) of a part's words. Returns how many there are. */
double kl_gan_count(double *counts, const struct kl_bits *bits, const struct kl_gan_rows *rows,
                    enum kl_gan_part part, int m);
/* Frequencies with 1/2 added to each count. */
void kl_gan_smooth(double *law, const double *counts, size_t n_cells);
/* The mean of table (2^m) over the words of each row of a part; means [rows of the part]. */
void kl_gan_row_means(double *means, const double *table, const struct kl_bits *bits,
                      const struct kl_gan_rows *rows, enum kl_gan_part part, int m);

/* Generator of the law of a device's words (train.c): that of the epoch with the least divergence of
   the validation rows. KL_ESIGNAL, KL_EDATA (it diverges), KL_ENOMEM. */
int kl_gan_train(const struct kl_gan_place *to, const struct kl_gan_options *o,
                 const struct kl_bits *bits, int32_t device, struct kl_error *err);
/* Its law (n_cells) before any step, as it is judged. KL_ENOMEM. */
int kl_gan_first_law(double *law, const struct kl_gan_options *o, uint32_t replica,
                     struct kl_error *err);
/* -ln of a law (n), no less than 1e-10, as in the divergence: what a word costs, in nats. */
void kl_gan_costs(double *costs, const float *law, size_t n);
/* Scores of all pairs of trained models (scores.c). */
int kl_gan_score(struct kl_gan_study *s, struct kl_pool *pool, struct kl_error *err);

/* Network generator of the sound way (train.c): the law is the mean of those of a batch of latent
   vectors. */
enum { KL_MIXTURE_LATENT = 16, KL_MIXTURE_HIDDEN = 64, KL_MIXTURE_BATCH = 32 };
struct kl_gan_mixture {
    struct kl_block block;
    size_t n_cells;
    float *params, *m, *v, *grad;
    float *z, *h, *y, *dh, *wt; /* (batch, latent), (batch, hidden), (batch, cells), ... */
};
int kl_gan_mixture_make(struct kl_gan_mixture *g, size_t n_cells, uint64_t seed, uint32_t replica,
                        struct kl_arena *memory, struct kl_error *err);
/* law (n_cells) of the latent vectors of a stream. */
void kl_gan_mixture_law(float *law, struct kl_gan_mixture *g, uint64_t seed, uint32_t stream,
                        uint32_t replica);
/* g->grad from dp (n_cells), of the law just made. */
void kl_gan_mixture_gradient(struct kl_gan_mixture *g, const float *dp);
/* Kernel distance of laws p and r over n bits (law.c): returns (p - r) K (p - r), K the mean of
   three products over the bits of exp(- [they differ] / 2 s^2), s^2 = n/16, n/4, n; k (2^n) = K (p - r),
   half the gradient by p; scratch (2 * 2^n). */
double kl_gan_mmd(double *k, const float *p, const float *r, int n_bits, double *scratch);

struct kl_kind;
extern const struct kl_kind kl_gan_kind; /* what such a file shows of itself */

#endif
