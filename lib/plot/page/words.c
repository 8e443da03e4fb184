/* SPDX-License-Identifier: MIT
   What files, tables and figures are called on the page. */
#include <string.h>

#include "plot/page/page_int.h"

/* What belongs together on a page of several (KL_PAGE_STUDIES). */
enum study { HEADS, CIRCUITS, DEVICES, WINDOWS, PULSES, CHAINS, INPUT /* of any */ };
_Static_assert((int)INPUT == (int)KL_PAGE_STUDIES, "the page goes through them");

/* A kind to which others lead stands before them. */
static const struct {
    const char *name, *words, *lead; /* lead: the figure that shows what was found; NULL: none does */
    enum kl_page_decides decides;    /* of it and of the numbers that stand beside it */
    enum study study;
} kinds[] = {
    { "report", "Evaluation of heads", "confusion", KL_PAGE_RESULTS, HEADS },
    { "predictions", "Predicted classes", NULL, KL_PAGE_RESULTS, HEADS },
    { "tournament", "Devices against each other", "tournament", KL_PAGE_TABLES, DEVICES },
    { "device-report", "Evaluation of classifiers of devices", "classifiers", KL_PAGE_RESULTS, DEVICES },
    { "sequence-comparison", "Comparison of sequence models", "people", KL_PAGE_TABLES, WINDOWS },
    { "sequence-report", "Evaluation of sequence models", "people", KL_PAGE_RESULTS, WINDOWS },
    { "sequence-predictions", "Predicted classes of windows", NULL, KL_PAGE_RESULTS, WINDOWS },
    { "sweep", "Sweep over options", "sweep", KL_PAGE_TABLES, HEADS },
    { "synthetic", "Synthetic devices", "synthetic", KL_PAGE_NEITHER, DEVICES },
    { "nist", "Tests and entropies of devices", NULL, KL_PAGE_NEITHER, DEVICES },
    { "gan", "Generators of device bits", "gan", KL_PAGE_TABLES, DEVICES },
    { "plateau", "Scan for barren plateaus", "plateau", KL_PAGE_NEITHER, CIRCUITS },
    { "pulse", "Pulse for a quantum gate", "landscape", KL_PAGE_NEITHER, PULSES },
    { "regret", "What adapting a policy is worth", "tasks", KL_PAGE_RESULTS, PULSES },
    { "policy", "Meta-learned policies of pulses", "meta-learning", KL_PAGE_NEITHER, PULSES },
    { "bounds", "What a ladder of chains proves", "bounds", KL_PAGE_RESULTS, CHAINS },
    { "chains", "Chains on a ladder of temperatures", "traces", KL_PAGE_NEITHER, CHAINS },
    { "head", "Trained heads", "curves", KL_PAGE_NEITHER, HEADS },
    { "sequence-model", "Trained sequence models", "curves", KL_PAGE_NEITHER, WINDOWS },
    { "sequence-fit", "Classifier on covariances", NULL, KL_PAGE_NEITHER, WINDOWS },
    { "sequence-scaling", "Time of a training step", "scaling", KL_PAGE_NEITHER, WINDOWS },
    { "device-classifier", "Classifiers of devices", "learning", KL_PAGE_NEITHER, DEVICES },
    { "windows", "Windows of recordings", "erd", KL_PAGE_NEITHER, INPUT },
    { "device-bits", "Bits of devices", "frequency", KL_PAGE_NEITHER, INPUT },
    { "features", "Features", "pca", KL_PAGE_NEITHER, INPUT },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static size_t rank(const char *kind)
{
    size_t i = 0;
    while (i < KINDS && strcmp(kinds[i].name, kind) != 0) i++;
    return i;
}

const char *kl_plot_page_kind(const char *kind)
{
    const size_t i = rank(kind);
    return i < KINDS ? kinds[i].words : kind;
}

const char *kl_plot_page_lead(const char *kind)
{
    const size_t i = rank(kind);
    return i < KINDS ? kinds[i].lead : NULL;
}

enum kl_page_decides kl_plot_page_decides(const char *kind)
{
    const size_t i = rank(kind);
    return i < KINDS ? kinds[i].decides : KL_PAGE_NEITHER;
}

bool kl_plot_page_is_result(const char *kind)
{
    return rank(kind) < rank("chains");
}

int kl_plot_page_study(const struct kl_file *file)
{
    const size_t i = rank(kl_store_file_kind(file));
    if (kl_store_file_has_attribute(file, "", "of")) return WINDOWS; /* a sweep of models on them */
    return i < KINDS && kinds[i].study != INPUT ? (int)kinds[i].study : -1;
}

size_t kl_plot_page_main(struct kl_file *const *files, size_t n, int study)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++) {
        const char *kind = kl_store_file_kind(files[i]);
        if (study >= 0 && kl_plot_page_study(files[i]) != study) continue;
        if (best == n || rank(kind) < rank(kl_store_file_kind(files[best]))) best = i;
    }
    return best;
}

/* kind NULL: of any. */
static const struct {
    const char *kind, *name, *caption, *row;
} words[] = {
    { "report", "replicas", "Each head on the test samples", "head" },
    { "report", "controls/twin", "In the circuit's place: a classical twin", "head" },
    { "report", "controls/frozen", "In the circuit's place: the circuit with random weights", "head" },
    { "report", "controls/none", "In the circuit's place: nothing, a linear probe", "head" },
    { "report", "per_class", "Each class", "class" },
    { "report", "calibration", "Calibration: samples by the confidence of their prediction", "bin" },
    { "sequence-report", "chosen", "What the validation of each fold chose", "" },
    { "sequence-report", "metrics", "Each replica on all windows that it was tested on", "replica" },
    { "sequence-report", "subjects", "Each person, mean over replicas", "person" },
    { "device-bits", "device_stats", "Statistics of each device", "" },
    { "device-bits", "device_tests", "Tests of each device", "" },
    { "device-bits", "pairs", "Pairs of devices", "" },
    { "device-bits", "reference", "As the published study has it", "" },
    { "device-report", "pairs", "Classifier by pairs of bits, each split", "split" },
    { "device-report", "logistic", "Logistic regression, each split", "split" },
    { "device-report", "network", "Network, each split", "split" },
    { "device-report", "null", "Runs on shuffled labels", "run" },
    { "device-report", "reference", "As the published study judges, each split", "split" },
    { "gan", "scores",
      "Pairs of devices a v b: scores in nats; intervals are of held-out rows, under the laws as "
      "trained, so too narrow for the divergence itself",
      "" },
    { "gan", "history", "By epoch", "epoch" },
    { "synthetic", "study", "The published divergence, mean of each device", "" },
    { "synthetic", "study/class_pairs", "The published divergence by pairs of classes", "" },
    { "synthetic", "smoothed", "Divergence from smoothed counts, mean of each device", "" },
    { "synthetic", "smoothed/class_pairs", "Divergence from smoothed counts by pairs of classes", "" },
    { "synthetic", "network", "Accuracy of the network on each device", "" },
    { "synthetic", "logistic", "Accuracy of logistic regression on each device", "" },
    { "nist", "restart", "SP 800-90B after restarts", "" },
};

struct kl_page_words kl_plot_page_words(const char *kind, const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].kind, kind) == 0 && strlen(words[i].name) == n &&
            memcmp(words[i].name, name, n) == 0)
            return (struct kl_page_words){ words[i].caption, words[i].row };
    return (struct kl_page_words){ NULL, "" };
}

/* Columns that have shorter names in the file than on the terminal. */
static const char *const columns[][2] = {
    { "scores/cross_entropy_a", "a on a" },
    { "scores/cross_entropy_b", "b on a" },
    { "scores/excess", "KL(b||a), below 0: none found" },
    { "scores/plugin_excess", "KL(b||a), plug-in" },
    { "scores/plugin_difference", "difference, plug-in" },
    { "scores/divergence", "KL to the law" },
    { "scores/divergence_uniform", "KL to the uniform law" },
    { "scores/divergence_start", "KL to the law at start" },
    { "scores/test_a", "z a" },
    { "scores/test_b", "z b" },
    { "metrics/auc", "area under the ROC" },
    { "metrics/f1", "F1, weighted" },
    { "metrics/brier", "Brier score" },
    { "metrics/calibration", "calibration error" },
    { "subjects/n", "windows" },
    { "subjects/mean_accuracy", "accuracy" },
};

const char *kl_plot_page_column(const char *name)
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(columns[i][0], name) == 0) return columns[i][1];
    return NULL;
}

static const char *const sentences[][2] = {
    { "curves",
      "Loss and accuracy by epoch; below them how large the gradients were, where that was kept." },
    { "circuit", "The circuit, from the features that enter to what is measured." },
    { "confusion", "Which class the samples of each true class were given." },
    { "calibration",
      "How often predictions are right by how sure they are; on the diagonal the two agree." },
    { "samples", "Images with their predictions, the surest mistakes first." },
    { "pca", "Samples by the two directions in which their features vary most, coloured by class." },
    { "sweep", "What each combination of options scores on validation samples, the best on top." },
    { "plateau", "How the variance of the gradient falls with the number of qubits." },
    { "frequency", "How often each device delivers ones: by position, in all, by row." },
    { "bit-tests", "Rows of each device beside what a fair coin would give." },
    { "transitions", "How likely each bit is behind a 0 and behind a 1." },
    { "symbols", "How the bits of a symbol hang together, and how often each symbol comes." },
    { "learning", "Loss, accuracy and learning rate of the classifiers by epoch." },
    { "classifiers",
      "How well rows that were held out are given to their devices, and what limits it." },
    { "configurations", "Each classifier with its settings, its accuracy and its gain over chance." },
    { "gan", "How far apart the devices are by their generators, and how these were trained." },
    { "tournament", "How far apart the devices are, by scores, divergences and a classifier." },
    { "synthetic", "Divergences within and between the classes that devices were made in." },
    { "pulse", "The controls against time, and what limits them." },
    { "bloch",
      "The ways that states take on the Bloch sphere while the pulse plays, from dark to light." },
    { "filter-function", "How much of slow and fast noise the pulse lets through: the lower a line, the "
                         "better it guards." },
    { "landscape", "The loss where the qubit or the pulse's amplitude is not what it was made for: the "
                   "wider the dark "
                   "part, the more robust." },
    { "starts",
      "Where each random start of the optimisation ended; trapped ones never found the best." },
    { "meta-learning", "The loss of tasks before and after adapting to them, by epoch of training." },
    { "adaptation",
      "What steps of adaptation gain, by their number and by the family's spread, and how far each way "
      "stays above the best pulse of each task." },
    { "tasks", "The loss of each task by each way to get a pulse for it, and the mean." },
    { "bounds", "Errors along the ladder of inverse temperatures and what bounds them, the loss curves "
                "whose areas are "
                "divergences, and what of these falls on a record." },
    { "traces",
      "The training loss of each chain, draw by draw: chains that have met overlap and do not drift." },
    { "ranks", "How often each rank among all chains' losses comes in each chain: level where the "
               "chains have met." },
    { "autocorrelation",
      "How long a chain remembers its loss: the sooner a line is at 0, the more a draw is worth." },
    { "acceptance",
      "How many proposals each chain accepted, and whether it is at equilibrium, by temperature." },
    { "windows", "A window of each class as it is, some channels above each other." },
    { "spectra", "How the power of the windows of each class is spread over frequencies." },
    { "erd", "How the power of each frequency changes over time, against the time before the event or, "
             "where windows have none, one class against the other." },
    { "topography", "Where on the head the power of the mu band differs between two classes." },
    { "people",
      "What each model scores on each person whom it was not trained on; lines join a person." },
    { "importance",
      "Which channels the loss depends on: what the model uses, whether rhythm or blink." },
    { "scaling",
      "How many times faster a step of training is on several ranks or threads than on one thread." },
    { "validation", "What the published study's numbers are worth on devices whose laws are known." },
};

const char *kl_plot_page_sentence(const char *figure)
{
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (strcmp(sentences[i][0], figure) == 0) return sentences[i][1];
    return figure;
}
