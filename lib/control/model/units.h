/* SPDX-License-Identifier: MIT
   units: numbers with their units, of models and of options beside them, and lists of them (notation.c).
 */
#ifndef KL_CONTROL_UNITS_H
#define KL_CONTROL_UNITS_H

#include "control/model/model.h"

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

/* An item of a list "x=3,y=2" or "detuning=1 MHz amplitude=0.05"; name "": a number alone.
   at, length: of it in the text, for messages. */
struct kl_control_pair {
    char name[2 * KL_CONTROL_NAME + 8];
    bool range;
    double low;        /* of a range LOW:HIGH */
    double value;      /* before any unit; of a range its HIGH */
    char quantity[64]; /* number and unit as they stand; "": there is no unit */
    const char *at;
    int length;
};
/* The next of text (NULL: none), which moves behind it. 1; 0: there is none; -1: it is none of these. */
int kl_control_pair_next(struct kl_control_pair *pair, const char **text);
enum { KL_CONTROL_NO_UNIT = -1 };
/* Its value in the system's unit of time; without a unit it is that already. quantity: an enum
   kl_control_quantity, or KL_CONTROL_NO_UNIT of a factor. KL_EUSAGE: a unit of something else,
   or of a system that has none. */
int kl_control_pair_value(double *value, const struct kl_control_pair *pair, int quantity,
                          const struct kl_control_system *system, const char *option,
                          struct kl_error *err);

#endif
