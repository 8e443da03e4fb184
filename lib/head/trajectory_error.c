/* SPDX-License-Identifier: MIT
   An evaluation by trajectories in two halves: their mean is the result, their difference its error. */
#include "head/evaluate.h"

#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "store/store.h"

struct halves {
    float *outputs[2], *logits[2]; /* (n, n_expval), (n, n_classes) */
    double share[2];               /* of the realisations */
};

static int take(struct halves *h, const struct kl_head_model *model, size_t n, struct kl_error *err)
{
    *h = (struct halves){ .share = { 0, 0 } };
    for (int i = 0; i < 2; i++) {
        h->outputs[i] = malloc((n * model->n_expval + 1) * sizeof **h->outputs);
        h->logits[i] = malloc((n * model->n_classes + 1) * sizeof **h->logits);
        if (!h->outputs[i] || !h->logits[i])
            return kl_fail_memory(err, n * (model->n_expval + model->n_classes) * sizeof(float));
    }
    return KL_OK;
}

static void release(struct halves *h)
{
    for (int i = 0; i < 2; i++) {
        free(h->outputs[i]);
        free(h->logits[i]);
    }
}

/* Each half alone, exact but for its realisations. */
static int run(struct halves *h, struct kl_head *head, const float *x, size_t n, struct kl_pool *pool,
               struct kl_error *err)
{
    struct kl_circuit *c = head->model.circuit;
    const size_t all = c->trajectories, begin = c->draws.trajectory, first = all / 2;
    int code = KL_OK;
    for (int i = 0; i < 2 && !code; i++) {
        c->trajectories = i ? all - first : first;
        c->draws.trajectory = begin + (i ? first : 0);
        h->share[i] = (double)c->trajectories / (double)all;
        code = kl_head_logits(h->logits[i], h->outputs[i], head, x, n, NULL, pool, err);
    }
    c->trajectories = all;
    c->draws.trajectory = begin;
    return code;
}

static size_t largest(const float *row, size_t n)
{
    size_t best = 0;
    for (size_t k = 1; k < n; k++)
        if (row[k] > row[best]) best = k;
    return best;
}

static double loss_of(const float *row, size_t n, int32_t label)
{
    double sum = 0;
    const double top = (double)row[largest(row, n)];
    for (size_t k = 0; k < n; k++) sum += exp((double)row[k] - top);
    return log(sum) + top - (double)row[label];
}

/* The mean of the halves, weighted by their shares a and b, errs by sqrt(ab) times their difference.
   Samples draw noise of their own, so their errors are independent. Accuracy is no such mean: a sample
   that is right with chance p adds p (1 - p) to its variance, most where the classes are close, and of
   these there are as many as the outputs err by. So twice the realisations divide the variance by
   sqrt 2, not by 2; and the halves disagree on twice a half's p (1 - p). */
static void find_errors(struct kl_trajectory_error *drawn, const struct halves *h,
                        const struct kl_head_model *model, const int32_t *labels, size_t n)
{
    const size_t c = model->n_classes, n_outputs = n * model->n_expval;
    const double factor = sqrt(h->share[0] * h->share[1]);
    double accuracy = 0, loss = 0, output = 0, half_right = 0, half_loss = 0;
    for (size_t i = 0; i < n; i++) {
        const float *a = h->logits[0] + i * c, *b = h->logits[1] + i * c;
        const int right_a = largest(a, c) == (size_t)labels[i],
                  right_b = largest(b, c) == (size_t)labels[i];
        const double loss_a = loss_of(a, c, labels[i]), loss_b = loss_of(b, c, labels[i]);
        accuracy += right_a != right_b;
        loss += (loss_a - loss_b) * (loss_a - loss_b);
        half_right += right_a + right_b;
        half_loss += loss_a + loss_b;
    }
    for (size_t i = 0; i < n_outputs; i++) {
        const double d = (double)h->outputs[0][i] - (double)h->outputs[1][i];
        output += d * d;
    }
    *drawn = (struct kl_trajectory_error){ 0 };
    if (!n) return;
    drawn->accuracy = sqrt(accuracy / (2 * sqrt(2))) / (double)n;
    drawn->log_loss = factor * sqrt(loss) / (double)n;
    drawn->half_accuracy = half_right / (double)(2 * n);
    drawn->half_log_loss = half_loss / (double)(2 * n);
    drawn->output = factor * sqrt(output / (double)n_outputs);
}

int kl_head_trajectory_logits(float *logits, struct kl_trajectory_error *drawn, struct kl_head *head,
                              const float *x, const int32_t *labels, size_t n,
                              const struct kl_shots *shots, struct kl_pool *pool, struct kl_error *err)
{
    struct halves h;
    int code = take(&h, &head->model, n, err);
    kl_head_judge_progress_runs(head->meter, shots && shots->n ? 3 : 2);
    if (!code) code = run(&h, head, x, n, pool, err);
    if (!code) find_errors(drawn, &h, &head->model, labels, n);
    if (!code && shots && shots->n) code = kl_head_logits(logits, NULL, head, x, n, shots, pool, err);
    else if (!code) {
        for (size_t i = 0; i < n * head->model.n_expval; i++)
            h.outputs[0][i] =
                (float)(h.share[0] * (double)h.outputs[0][i] + h.share[1] * (double)h.outputs[1][i]);
        code = kl_head_classify_outputs(logits, head, h.outputs[0], n, err);
    }
    release(&h);
    return code;
}

/* Replicas draw noise of their own, too; an output's error is that of one head. */
static struct kl_trajectory_error of_mean(const struct kl_trajectory_error *drawn, size_t n)
{
    struct kl_trajectory_error sum = { 0 };
    for (size_t r = 0; r < n; r++) {
        sum.accuracy += drawn[r].accuracy * drawn[r].accuracy;
        sum.log_loss += drawn[r].log_loss * drawn[r].log_loss;
        sum.output += drawn[r].output * drawn[r].output;
        sum.half_accuracy += drawn[r].half_accuracy;
        sum.half_log_loss += drawn[r].half_log_loss;
    }
    return (struct kl_trajectory_error){ sqrt(sum.accuracy) / (double)n, sqrt(sum.log_loss) / (double)n,
                                         sqrt(sum.output / (double)n), sum.half_accuracy / (double)n,
                                         sum.half_log_loss / (double)n };
}

size_t kl_head_trajectory_error_pairs(struct kl_json_pair pairs[KL_DRAWN_PAIRS], size_t trajectories,
                                      const struct kl_trajectory_error *drawn, size_t n)
{
    if (!trajectories) return 0;
    pairs[0] = (struct kl_json_pair){ "trajectories", KL_JSON_COUNT, NULL, (double)trajectories };
    if (!drawn) return 1;
    const struct kl_trajectory_error e = of_mean(drawn, n);
    pairs[1] = (struct kl_json_pair){ "trajectories_accuracy_error", KL_JSON_NUMBER, NULL, e.accuracy };
    pairs[2] = (struct kl_json_pair){ "trajectories_log_loss_error", KL_JSON_NUMBER, NULL, e.log_loss };
    pairs[3] = (struct kl_json_pair){ "trajectories_output_error", KL_JSON_NUMBER, NULL, e.output };
    pairs[4] =
        (struct kl_json_pair){ "half_trajectories_accuracy", KL_JSON_NUMBER, NULL, e.half_accuracy };
    pairs[5] =
        (struct kl_json_pair){ "half_trajectories_log_loss", KL_JSON_NUMBER, NULL, e.half_log_loss };
    return KL_DRAWN_PAIRS;
}

void kl_head_trajectory_error_write(FILE *to, size_t trajectories,
                                    const struct kl_trajectory_error *drawn, size_t n)
{
    if (!trajectories) return;
    fprintf(to, "  noise by %zu trajector%s a sample", trajectories, trajectories == 1 ? "y" : "ies");
    if (drawn) {
        const struct kl_trajectory_error e = of_mean(drawn, n);
        fprintf(to,
                ": standard error of accuracy %.4f, log loss %.4f, outputs %.4f; by half of them: "
                "accuracy %.4f, log loss %.4f",
                e.accuracy, e.log_loss, e.output, e.half_accuracy, e.half_log_loss);
    }
    fputc('\n', to);
}

int kl_head_trajectory_error_save(struct kl_writer *w, size_t trajectories,
                                  const struct kl_trajectory_error *drawn, size_t n,
                                  struct kl_error *err)
{
    struct kl_json_pair pairs[KL_DRAWN_PAIRS];
    const size_t n_pairs = kl_head_trajectory_error_pairs(pairs, trajectories, drawn, n);
    int code =
        n_pairs ? kl_store_writer_integer(w, "", pairs[0].name, (int64_t)trajectories, err) : KL_OK;
    for (size_t i = 1; i < n_pairs && !code; i++)
        code = kl_store_writer_number(w, "", pairs[i].name, pairs[i].number, err);
    return code;
}
