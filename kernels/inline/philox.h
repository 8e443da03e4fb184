/* SPDX-License-Identifier: MIT
   Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"),
   host and device. Counter-based: four words from (key, counter), no state to keep. */
#ifndef KL_PHILOX_H
#define KL_PHILOX_H

#include <stdint.h>

#ifdef __CUDACC__
#define KL_PHILOX_INLINE static __host__ __device__ inline
#else
#define KL_PHILOX_INLINE static inline
#endif

enum { KL_PHILOX_ROUNDS = 10 };
#define KL_PHILOX_M0 0xD2511F53u
#define KL_PHILOX_M1 0xCD9E8D57u
#define KL_PHILOX_W0 0x9E3779B9u
#define KL_PHILOX_W1 0xBB67AE85u

KL_PHILOX_INLINE void kl_philox_round(uint32_t *c0, uint32_t *c1, uint32_t *c2, uint32_t *c3,
                                      uint32_t k0, uint32_t k1)
{
    uint64_t p0 = (uint64_t)KL_PHILOX_M0 * *c0, p1 = (uint64_t)KL_PHILOX_M1 * *c2;
    uint32_t from1 = *c1, from3 = *c3;
    *c0 = (uint32_t)(p1 >> 32) ^ from1 ^ k0;
    *c1 = (uint32_t)p1;
    *c2 = (uint32_t)(p0 >> 32) ^ from3 ^ k1;
    *c3 = (uint32_t)p0;
}

/* Purposes of random numbers, all over the project: a new purpose is a new number here. */
enum kl_purpose {
    KL_RANDOM_SPLIT = 1,
    KL_RANDOM_SHUFFLE = 2,
    KL_RANDOM_INIT = 3,
    KL_RANDOM_DROPOUT = 4, /* + 256 * layer */
    KL_RANDOM_SHOTS = 5,   /* of qeval; keys of streams of their own, as all numbers of shots */
    KL_RANDOM_EXPRESSIBILITY = 7,
    KL_RANDOM_PLATEAU = 8,
    KL_RANDOM_BOOTSTRAP = 9,
    KL_RANDOM_TRAINING_SHOTS = 20,
    KL_RANDOM_VALIDATION_SHOTS = 21,
    KL_RANDOM_DIRECTIONS = 22, /* of simultaneous perturbations */
    KL_RANDOM_SPSA = 23,
    KL_RANDOM_STEP_SHOTS = 24,   /* of a step outside its gradient; + 256 * evaluation */
    KL_RANDOM_TRAJECTORIES = 30, /* of qeval, and within a sample's own stream */
    KL_RANDOM_TRAINING_TRAJECTORIES = 31,
    KL_RANDOM_VALIDATION_TRAJECTORIES = 32,
    KL_RANDOM_LABELS = 40,    /* of a pair's rows, permuted; step: permutation, replica: pair */
    KL_RANDOM_ROWS = 41,      /* drawn with replacement; step: resample, replica: device */
    KL_RANDOM_SELF = 42,      /* two samples of one source; step: sample, replica: device */
    KL_RANDOM_DEVICES = 43,   /* laws of synthetic ones */
    KL_RANDOM_SYNTHETIC = 44, /* their bits; step: row, replica: device */
    KL_RANDOM_CLASSES = 45,   /* of the devices, permuted; step: permutation */
    KL_RANDOM_POWER = 46,     /* bits of the power curves; step: row, replica: device */
    KL_RANDOM_ORDER = 47,     /* of symbols, permuted; step: permutation */
    KL_RANDOM_HASH = 48,      /* of an extractor */
    KL_RANDOM_LATENT = 50,    /* of generators */
    KL_RANDOM_GAN_SHOTS = 51,
    KL_RANDOM_NOISE = 60,        /* of a pulse; step: trajectory, replica: process */
    KL_RANDOM_STARTS = 61,       /* of pulses; step: start */
    KL_RANDOM_TASKS = 62,        /* of meta-learning; + 256 * set; step: task */
    KL_RANDOM_CONTROL_SHOTS = 63, /* of their experiments, likewise */
    KL_RANDOM_BENCH_TASKS = 64,   /* step: task */
    KL_RANDOM_LANGEVIN = 70,      /* noise of a step, momenta of HMC; the key is a chain's own */
    KL_RANDOM_CHAIN_START = 71,
    KL_RANDOM_CHAIN_BATCHES = 72, /* permutation of an epoch */
    KL_RANDOM_ACCEPT = 73,        /* of MALA, HMC; step: proposal */
    KL_RANDOM_SWAP = 74,          /* of replica exchange; step: round */
    KL_RANDOM_COMPANION = 75,     /* + the purposes above: the Gaussian beside a run */
    KL_RANDOM_RANDOM_LABELS = 76, /* key: the data's seed; step: 0 training, 1 test */
    KL_RANDOM_PERMUTED_DATA = 77, /* likewise */
    KL_RANDOM_PRIOR_DRAWS = 78,   /* beta 0 */
    KL_RANDOM_SEQUENCE_START = 80, /* of a net on windows; step: tensor */
    KL_RANDOM_SEQUENCE_DROPOUT = 81, /* + 256 * place; step, replica of the training; index: block of values */
    KL_RANDOM_SEQUENCE_ORDER = 82, /* key of a replica's order of windows */
    KL_RANDOM_PEOPLE = 83,         /* synthetic ones; + 256 * what; step: run, replica: person */
    KL_RANDOM_FORRELATION = 84,    /* step: pair */
    KL_RANDOM_SWEEP_POINTS = 86,   /* of --random; index: point, step: axis, replica: attempt */
    KL_RANDOM_SEQUENCE_FLIPS = 85 + 256 /* signs of people's differences */
};

/* out[0..3] from counter (index, purpose, step, replica) and key = seed. */
KL_PHILOX_INLINE void kl_philox(uint32_t out[4], uint64_t seed, uint32_t index, uint32_t purpose,
                                uint32_t step, uint32_t replica)
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    out[0] = index, out[1] = purpose, out[2] = step, out[3] = replica;
    for (int round = 0; round < KL_PHILOX_ROUNDS; round++, k0 += KL_PHILOX_W0, k1 += KL_PHILOX_W1)
        kl_philox_round(&out[0], &out[1], &out[2], &out[3], k0, k1);
}

/* A word as a number in (0, 1): the middle of its 2^-32 cell, so never 0 or 1. */
KL_PHILOX_INLINE double kl_philox_unit(uint32_t word)
{
    return ((double)word + 0.5) * 0x1p-32;
}

#endif
