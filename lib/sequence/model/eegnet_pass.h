/* SPDX-License-Identifier: MIT
   Private to lib/sequence/model: what one pass of an EEGNet keeps. Signals are blocks of 16,
   [block][t][16]: "of a window" says that each window has its own. */
#ifndef KL_SEQUENCE_EEGNET_PASS_H
#define KL_SEQUENCE_EEGNET_PASS_H

#include "sequence/model/eegnet.h"

/* Lanes of a norm's output v scale + shift, and of the way back. */
struct kl_eegnet_lanes {
    kl_real *scale, *shift, *centre, *means, *squares, *back; /* means, squares: of a window */
};
#define kl_eegnet_pass KL_NAME(kl_eegnet_pass)
struct kl_eegnet_pass {
    const struct kl_sequence_net *net;
    const struct kl_eegnet *e;
    const kl_real *params;
    const struct kl_sequence_batch *batch;
    struct kl_sequence_result *result;
    /* filters by lanes (block, tap, 16), and with their taps reversed; spatial (channels, lanes), within
       their largest norm; pointwise (inputs, outputs) and (outputs, inputs); classes (K, block, last,
       16) */
    kl_real *temporal, *temporal_back, *spatial, *depth, *depth_back, *point, *point_back, *classes;
    double *norms, *factor, *total; /* (outputs): of spatial filters; how they shrink; their sums */
    /* of a window: the spatial filters' outputs with pads, the temporal ones', pooled with pads, the
       depthwise ones', the pointwise ones', pooled again; gradients by the outputs of both norms */
    kl_real *mixed, *filtered, *pooled, *again, *points, *last, *by_filtered, *by_points;
    /* of one window */
    kl_real *turned, *scratch, *by_mixed, *by_window, *by_again, *by_pooled, *d;
    double *map, *level;
    struct kl_eegnet_lanes lanes[2];
    struct kl_sequence_norm first, second, third;
    struct kl_eegnet_lags lags;
    double *d_temporal, *d_filter, *d_spatial, *d_depth, *d_point, *d_classes, *d_bias;
    size_t mixed_rows, pooled_rows;
};
/* Dropout at place 0 or 1 of the values (blocks, rows, 16) of window i. */
#define kl_sequence_eegnet_drop KL_NAME(kl_sequence_eegnet_drop)
void kl_sequence_eegnet_drop(kl_real *values, const struct kl_eegnet_pass *p, int place, size_t i,
                             size_t block, size_t rows);
/* Gradients, after the passes forwards and through the last pool. (eegnet_back.c) */
#define kl_sequence_eegnet_back KL_NAME(kl_sequence_eegnet_back)
void kl_sequence_eegnet_back(struct kl_eegnet_pass *p);
/* sums (2, 16) of block b to the norm's. */
#define kl_sequence_eegnet_collect KL_NAME(kl_sequence_eegnet_collect)
void kl_sequence_eegnet_collect(struct kl_sequence_norm *norm, const kl_real *sums, size_t b);

#endif
