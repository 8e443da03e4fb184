/* SPDX-License-Identifier: MIT
   Circuits by trajectories draw noise of their own for every batch, replica and part of a batch: copies
   of what threads share. */
#include "head/head_int.h"

const struct kl_head_model *kl_head_drawing(struct kl_drawing_model *own,
                                            const struct kl_head_model *model, struct kl_estimator *e,
                                            const struct kl_draws *draws, size_t from)
{
    if (!model->circuit || !model->circuit->trajectories) return model;
    own->model = *model;
    own->circuit = *model->circuit;
    own->model.circuit = &own->circuit;
    own->circuit.draws = *draws;
    own->circuit.draws.sample += from;
    if (e) e->circuit = &own->circuit;
    if (!e || !e->shots.n) return &own->model;
    own->measured = *e->measured;
    own->probabilities = *e->measured->probabilities;
    own->probabilities.draws = own->circuit.draws;
    own->measured.probabilities = &own->probabilities;
    if (e->measured->readings) {
        own->readings = *e->measured->readings;
        own->readings.draws = own->circuit.draws;
        own->measured.readings = &own->readings;
    }
    e->measured = &own->measured;
    return &own->model;
}
