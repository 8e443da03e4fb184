/* SPDX-License-Identifier: MIT
   What the wrappers ask. Each is named __wrap_CALL, and listed in tests/tests.mk. */
#ifndef KL_TESTS_FAULT_CALLS_H
#define KL_TESTS_FAULT_CALLS_H

#include <stdatomic.h>

#include "../faults.h"

/* Is it this call of that kind's turn to fail? */
bool fault_fails(int kind);
/* Is this kind armed? */
bool fault_counts(int kind);
/* Under FAULT_INTERRUPTED: nothing (errno is EINTR) or half is done; calls: how many there were. */
enum { FAULT_NOT, FAULT_NOTHING, FAULT_HALF };
int fault_interrupts(atomic_long *calls);
void *fault_no_memory(void);
int fault_no(int error); /* -1 with this errno */

#endif
