/* SPDX-License-Identifier: MIT
   Private to the room. */
#ifndef KL_CLAIMS_INT_H
#define KL_CLAIMS_INT_H

#include "claims/claims.h"

#endif
