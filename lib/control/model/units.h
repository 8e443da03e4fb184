/* SPDX-License-Identifier: MIT
   units: numbers with their units, of models and of options beside them (units.c). */
#ifndef KL_CONTROL_UNITS_H
#define KL_CONTROL_UNITS_H

#include "base/base.h"

enum kl_control_quantity {
    KL_CONTROL_FREQUENCY,  /* to radians a unit of time: 5 GHz is 2 pi times 5, 31.4 rad/ns is 31.4 */
    KL_CONTROL_RATE,       /* 0.05 1/us */
    KL_CONTROL_TIME,       /* 20 us */
    KL_CONTROL_HERTZ,      /* cycles a second */
    KL_CONTROL_TEMPERATURE /* K */
};
enum { KL_CONTROL_UNITLESS = 99 };
/* A unit of time as a power of ten, seconds: "ns" -9; "1", numbers have no units: KL_CONTROL_UNITLESS.
 */
bool kl_control_time_unit(int *power, const char *name);
/* text: a number and its unit. unit: the model's unit of time. KL_EDATA: no number, no unit or one of
   something else, not finite. */
int kl_control_units_read(double *value, const char *text, enum kl_control_quantity quantity, int unit,
                          const char *where, struct kl_error *err);
/* Is it a frequency to which 2 pi is applied? */
bool kl_control_units_turns(const char *text);

#endif
