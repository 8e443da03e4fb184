/* SPDX-License-Identifier: MIT
   chain: Markov chains over a ladder of inverse temperatures, as a file that grows.

   One chain is (beta, chain number). It depends on no other: its random numbers are Philox under a key made of
   the seed, the bits of beta and the chain's number, with counters (block of parameters, purpose, step). So a
   longer run, more chains and temperatures between others change nothing of what there is; a run goes on
   from any file of the same key with fewer of them (--extend), and a checkpoint is such a file. Only replica
   exchange couples the rungs of a ladder. */
#ifndef KL_SAMPLING_CHAIN_H
#define KL_SAMPLING_CHAIN_H

#include "sampling/model/model.h"

enum kl_sampling_sampler { KL_SAMPLING_LANGEVIN, KL_SAMPLING_PSGLD, KL_SAMPLING_SGHMC, KL_SAMPLING_SGNHT, KL_SAMPLING_MALA, KL_SAMPLING_HMC };
#define KL_SAMPLING_SAMPLERS "sgld|psgld|sghmc|sgnht|mala|hmc" /* sgld with all records a step is ULA */
/* gibbs: target exp(-beta L - |w|^2 / 2 sigma^2), step eta = lr / beta; tempered: exp(-beta (L + |w|^2 / 2 sigma^2)),
   of the reference's classic code, and at beta 0 a walk with step lr. */
enum kl_sampling_convention { KL_SAMPLING_GIBBS, KL_SAMPLING_TEMPERED };
enum kl_sampling_start { KL_SAMPLING_PRIOR, KL_SAMPLING_INIT }; /* exact prior draw; uniform by 1/sqrt(fan_in) */

#endif
