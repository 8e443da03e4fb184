/* SPDX-License-Identifier: MIT
   Rows of measured bits of several devices, from text, NumPy, packed bytes or our own files. First
   what a tool calls, then reading by blocks, for inputs larger than memory. */
#ifndef KL_QRNG_BITS_BITS_H
#define KL_QRNG_BITS_BITS_H

#include "base/base.h"
#include "store/store.h"
#include "stats/stats.h"

enum {
    KL_BITS_NAME = 32,
    KL_BITS_DEVICES = 4096, /* of one input, at most */
    KL_BITS_ROW = 1 << 24,  /* bits of a row, at most */
    KL_BITS_SYMBOL = 8      /* bits of a symbol, at most */
};
#define KL_BITS_ENCODINGS "symbols|hex|base64"

#define KL_BITS_STDIN "standard input" /* what "-" is called */

/* Row r starts at words + r * words_per_row; bit j of it is (words[j / 64] >> (j % 64)) & 1; bits past
   n_bits are 0. */
struct kl_bits {
    size_t n_rows, n_bits, words_per_row;
    uint64_t *words;             /* [n_rows, words_per_row] */
    int32_t *device;             /* [n_rows], from 0 */
    int n_devices;               /* each has a row at least */
    char (*names)[KL_BITS_NAME]; /* [n_devices] texts: the label, or the file's name less its ending */
    int symbol_bits;             /* declared, never guessed; divides n_bits */
    size_t n_dropped;            /* bits at the end of packed or encoded bytes that made no row */
    struct kl_file **files;      /* those of the inputs that are ours: parents of what is made of them */
    size_t n_files;
    int used_bits; /* of symbols a byte: up to the highest bit that is ever set, of the device where it
                      is lowest; 0: no such device */
};

/* How inputs are read. */
struct kl_bits_how {
    int symbol_bits; /* --symbol-bits; 0: not given, 1 or what a file of ours declares */
    bool packed;     /* --packed: raw bytes, the most significant bit first */
    /* --encoding, or NULL. symbols: one a byte, its low symbol_bits bits, the most significant first, as
       NIST's ea_non_iid reads and orders them; hex, base64: text of packed bytes, or of half ones. */
    const char *encoding;
    size_t row_bits; /* --bits: of a row of such bytes, which follows the last one without a gap */
    size_t max_rows; /* of each device; 0: all */
    size_t max_bits; /* the same, of bits: as many rows as hold them, and least_rows at least */
    size_t least_rows;
};

/* Inputs whole: FILE, or "-" for standard input. What it is its first bytes say, if neither packed
   nor encoding does; and what these say is refused (KL_EDATA) where the bytes are seen to be something
   else.
   - text: a row a line, characters 0 and 1; a space and the device's label, a whole number from 1, may
     follow, then in all rows. All labels up to the largest must occur;
   - .npy: texts of characters 0 and 1, or bytes (rows, bits) of 0 and 1;
   - a file of kind `device-bits`.
   Of several, equally long rows; each one is a device then, so none may hold several (KL_EDATA).
   KL_EUSAGE, KL_ENOINPUT, KL_EIO, KL_ENOMEM; KL_EDATA names file and row (from 1). */
int kl_bits_read_files(struct kl_bits *bits, const char *const *paths, size_t n,
                       const struct kl_bits_how *how, struct kl_error *err);
/* SHA-256 of the bits, devices and names: the same in every format. KL_ENOMEM. */
int kl_bits_content(char hex[65], const struct kl_bits *bits, struct kl_error *err);
/* Put the input into the key, as the bits themselves: the same in every format; and into the record, the
   raw_inputs of a provenance, paths that are not our files (those are its parents: bits->files), each
   with its own SHA-256; what came through a pipe with that of all bits, as `bits`. */
int kl_bits_identify(struct kl_key *key, struct json_t *record, const struct kl_bits *bits,
                     const char *const *paths, size_t n, struct kl_error *err);
/* Put into the key what all stages on bits have there: width and digest; files that are not ours go into
   the record (raw_inputs). */
int kl_bits_key(struct kl_key *key, struct json_t *record, const struct kl_bits *bits,
                const struct kl_stage *stage, struct kl_error *err);
/* Note what matters about bits before they are worked on: bits left out, widths, names; with `repeats`
   rows that occur again, too. */
int kl_bits_note(const struct kl_stage *stage, const struct kl_bits *bits, bool repeats,
                 struct kl_error *err);
/* rows [n_devices]: how many each device has. */
void kl_bits_count_rows(size_t *rows, const struct kl_bits *bits);
/* Says that bits at the end of packed or encoded bytes make no row of n_bits, if there are such. */
void kl_bits_note_dropped(const struct kl_log *log, size_t n_dropped, size_t n_bits);
/* Says that the symbols of a device use fewer bits than were declared: those above count, as zeros. */
void kl_bits_note_narrow(const struct kl_log *log, int used_bits, int symbol_bits);
/* Says that rows have one bit, or each device one row: a file of one bit a line, or of one line, says
   little as rows, and may not be meant as such. */
void kl_bits_note_rows(const struct kl_log *log, size_t n_rows, size_t n_bits, int n_devices);
/* Says which device is which of n inputs, of names [n], that have one name. KL_ENOMEM. */
int kl_bits_note_names(const struct kl_log *log, const char *const *paths,
                       const char (*names)[KL_BITS_NAME], size_t n, struct kl_error *err);
/* Rows that occur more than once, of one device or of several (repeats.c). expected: so many do at
   most, if rows are independent and a device's bits a Markov chain of first order whose steps depend on
   the place: of device d at most N_d, and N_d sqrt(q_d) (sum over devices e of N_e sqrt(q_e), less
   sqrt(q_d) for the row itself), q being the probability that two rows of a device are equal. copies: of
   some device of D they are more than 100 D times its part of that, which chance brings about less than
   once in a hundred times (Markov's inequality). */
struct kl_bits_repeats {
    size_t n, n_rows;
    double expected;
    bool copies;
};
int kl_bits_repeats(struct kl_bits_repeats *r, const struct kl_bits *bits, struct kl_error *err);
/* Says so, if there are copies. KL_ENOMEM. */
int kl_bits_note_repeats(const struct kl_log *log, const struct kl_bits *bits, bool all,
                         struct kl_error *err);
void kl_bits_free(struct kl_bits *bits); /* accepts what was zeroed */

static inline const uint64_t *kl_bits_row(const struct kl_bits *bits, size_t r)
{
    return bits->words + r * bits->words_per_row;
}
/* Symbol k of a row, its first bit the most significant; width: 1 to KL_BITS_SYMBOL bits. */
static inline unsigned kl_bits_symbol(const uint64_t *row, size_t k, int width)
{
    unsigned symbol = 0;
    for (size_t j = k * (size_t)width, end = j + (size_t)width; j < end; j++)
        symbol = symbol << 1 | (unsigned)(row[j / 64] >> (j % 64) & 1);
    return symbol;
}

/* ---- by blocks (inputs.c) ---- */
/* Inputs as those of kl_bits_read_files, in memory that does not grow with them. Standard input, and
   what is no regular file, is spooled to disk first. */
struct kl_bits_inputs {
    const char *const *paths;
    size_t n, n_bits;
    int symbol_bits;
    size_t expected_rows; /* about so many will come */
    /* known when the last row has been read */
    size_t n_rows, n_dropped;
    int n_devices, used_bits;
    char (*names)[KL_BITS_NAME];
    struct kl_bits_source **sources; /* (hidden) */
    size_t at;                       /* (hidden) the input that is being read */
};
int kl_bits_inputs_open(struct kl_bits_inputs *in, const char *const *paths, size_t n,
                        const struct kl_bits_how *how, struct kl_error *err);
/* The next rows, in *block until the next call: n_rows of them (0: at the end), words, device. */
int kl_bits_inputs_next(struct kl_bits_inputs *in, const struct kl_bits **block, struct kl_error *err);
int kl_bits_inputs_rewind(struct kl_bits_inputs *in, struct kl_error *err);
void kl_bits_inputs_close(struct kl_bits_inputs *in); /* accepts what was zeroed */
/* The inputs' bytes into the key and the record, before they are read; our files' contents into the key
   alone: *files [in->n], of which *n_files are set, are the record's parents and stay the inputs'. */
int kl_bits_inputs_identify(struct kl_key *key, struct json_t *record, struct kl_file **files,
                            size_t *n_files, const struct kl_bits_inputs *in, struct kl_error *err);

/* The first rows of each device, up to 2^20 bits or one row, and 2^28 bits of all devices, for
   kl_bits_repeats: what is taken stays small. */
struct kl_first_rows {
    struct kl_bits bits; /* zeroed before the first; no names */
    size_t room;         /* (hidden) rows */
    size_t *words;       /* (hidden) [bits.n_devices] taken */
    bool all;            /* none was left out */
};
int kl_bits_first_rows_take(struct kl_first_rows *f, const struct kl_bits *block, struct kl_error *err);
void kl_bits_first_rows_free(struct kl_first_rows *f);

/* ---- between words, whose lowest bit is the first, and bytes, whose highest is (bytes.c) ---- */
uint64_t kl_bits_reverse(uint64_t words); /* the bits of each byte */
/* n_bits of bytes, and back, the last byte filled up with zeros. */
void kl_bits_unpack(uint64_t *words, const uint8_t *bytes, size_t n_bits);
void kl_bits_pack(uint8_t *bytes, const uint64_t *words, size_t n_bits);

/* ---- what bytes are that may be raw bits, or may be something else (form.c) ---- */
enum { KL_BITS_LOOK = 4096 }; /* first bytes that tell a form */

enum kl_bits_form {
    KL_FORM_NONE,   /* nothing that is known: it may be random */
    KL_FORM_ROWS,   /* text of 0 and 1 that begins as rows do, perhaps with separators or labels */
    KL_FORM_DIGITS, /* text of decimal digits and separators */
    KL_FORM_HEX,
    KL_FORM_BASE64,
    KL_FORM_TEXT,
    KL_FORM_OWN, /* what is read without an option that says how: HDF5, .npy */
    KL_FORM_FILE /* another format */
};

struct kl_bits_look {
    enum kl_bits_form form;
    size_t n;           /* bytes of text, for its forms */
    bool few;           /* letters, which stand for symbols */
    bool prose;         /* of text: with line ends or tabs, or less than half of the characters between
                           its least and its largest, which samples would use */
    bool binary;        /* of text: its digits are 0 and 1 alone */
    const char *what;   /* "a gzip file"; NULL: KL_FORM_NONE */
    const char *remedy; /* the command that converts it, or NULL */
};
/* Recognise an input by its first n bytes, of which KL_BITS_LOOK are enough. Random bytes are taken for
   something in less than one of 2^35 inputs; form.c has the sum. */
struct kl_bits_look kl_bits_look(const unsigned char *first, size_t n);

/* ---- extract-features --qrng ---- */
struct kl_mode;
extern const struct kl_mode kl_mode_extract; /* --qrng of extract-features */
extern const struct kl_tool kl_extract_tool; /* its table, for tool->parts */
struct kl_kind;
extern const struct kl_kind kl_bits_kind; /* what such a file shows of itself (store/kind.h) */

/* ---- symbols: do the symbols of two devices come equally often, and how far are their laws apart? From
   counts a, b [n], n = 2^w
   ---- */

/* Divergences of the devices' symbols, in nats a symbol but for the total variation. */
enum kl_divergence { KL_DIV_AB, KL_DIV_BA, KL_DIV_JS, KL_DIV_TV, KL_DIV_CHERNOFF, KL_N_DIVERGENCES };
extern const char *const kl_divergence_names[KL_N_DIVERGENCES];

/* The two tests of a table and their p-values; natural size would underflow. */
struct kl_symbol_test {
    int df;
    double chi_square, g, log10_p, log10_p_g;
    double least; /* smallest expected count: below 5 both are rough; df 0: infinite */
};
/* Chi-squared and G of the table of two devices' symbol counts a, b [n]; symbols that neither has do not
   count. df 0: nothing to compare, p = 1. */
struct kl_symbol_test kl_bits_symbol_test(const int64_t *a, const int64_t *b, size_t n);
double kl_bits_symbol_chi_square(const int64_t *a, const int64_t *b, size_t n);
/* Divergences of a from b, counts [n]. One that is infinite is INFINITY. */
void kl_bits_symbol_divergences(double divergence[KL_N_DIVERGENCES], const int64_t *a, const int64_t *b,
                                size_t n);
/* 95 % of a divergence by those of n bootstrap samples, which are changed.
   distance: it is in proportion to a difference, as the total variation, and not to its square. NaN for
   a divergence that is infinite; high is INFINITY where more than 2.5 % of the samples are. */
struct kl_interval kl_bits_divergence_interval(double estimate, double *values, size_t n, bool distance);
/* Jensen-Shannon divergence, nats a symbol; *error: its standard error if symbols are independent
   (multinomial); may be NULL. */
double kl_bits_jensen_shannon(double *error, const int64_t *a, const int64_t *b, size_t n);

/* counts [S]: symbols of bootstrap sample `resample` of n rows, values [n, S], fewer than 2^32. */
void kl_bits_bootstrap_counts(int64_t *counts, const uint16_t *values, size_t n_symbols, size_t n,
                              size_t resample, uint64_t seed, uint32_t device);

/* ---- histograms of the rows' shares of ones, in 20 bins on [0, 1], as the study has them ---- */
enum { KL_BINS = 20 };
/* numpy.histogram's bin of a row with `ones` of n_bits. */
int kl_bits_ones_bin(size_t ones, size_t n_bits);
/* Symmetric Kullback-Leibler divergence, nats, of counts a and b of rows_a and rows_b rows; 1e-10 is
   added to each share after dividing, and not divided by their sum again. */
double kl_bits_histogram_divergence(const double a[KL_BINS], double rows_a, const double b[KL_BINS],
                                    double rows_b);

/* ---- the study's Jensen-Shannon divergence of two devices' rates of 1 by position ---- */
/* In nats: each is divided by its sum, which throws the bias away, and the mixture is made before that.
 */
/* One position's part: half of p ln(p / m) + q ln(q / m), where p = a / sum_a, q = b / sum_b and
   m = (a + b) / (sum_a + sum_b). If the sums are 1, that is the divergence of what was normalised first.
 */
double kl_bits_position_part(double a, double sum_a, double b, double sum_b);

/* ---- what no classifier can surpass (bayes_limit.c) ---- */
/* Devices whose symbols are independent draws: p [c, m], rows of n <= KL_LIMIT_ROW symbols, equal
   priors, at most KL_LIMIT_CLASSES of them. By an exact sum over the counts of the m <= KL_LIMIT_SYMBOLS
   symbols: accuracy of the best classifier, confusion [c, c] (may be NULL) = probability of each answer
   given the device, information = I(device; row) in bits. Errors: standard errors, to first order, where
   p [k] are shares among symbols [k] independent draws; 0 if symbols is NULL, p being known. */
enum { KL_LIMIT_CLASSES = 64, KL_LIMIT_SYMBOLS = 4, KL_LIMIT_ROW = 256 };
struct kl_limit {
    double accuracy, information, accuracy_error, information_error;
};
struct kl_limit kl_bits_bayes_limit(double *confusion, const double *p, const double *symbols,
                                    size_t classes, size_t m, size_t n);

#endif
