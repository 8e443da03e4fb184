/* SPDX-License-Identifier: MIT
   Parts of the line that tells what a file has (headline.c): each adds to what stands in the text,
   and leaves it as it is where the file lacks what it tells. */
#ifndef KL_PAGE_HEADLINE_INT_H
#define KL_PAGE_HEADLINE_INT_H

#include "plot/page/page_int.h"

/* Rows of a dataset; 0: there is none. */
size_t kl_plot_headline_rows(const struct kl_file *file, const char *name);
/* An attribute of the file itself. NaN: there is none. */
double kl_plot_headline_number(const struct kl_file *file, const char *name);
/* The same of a count. 0: there is none, or the number is none, which a file of another maker may have.
 */
size_t kl_plot_headline_count(const struct kl_file *file, const char *name);
void kl_plot_headline_add(char text[KL_HEADLINE], const char *form, ...)
    __attribute__((format(printf, 2, 3)));
/* ", 3 devices", if n is not 0. */
void kl_plot_headline_counted(char text[KL_HEADLINE], const char *before, size_t n, const char *what);
/* "accuracy 0.9728 (95 % 0.9496 to 0.9848)"; kl_plot_page_interval_of says of what. */
void kl_plot_headline_accuracy(char text[KL_HEADLINE], const struct kl_file *file, const char *name,
                               const char *title);
/* An attribute's text, at most 80 bytes of it. KL_EIO, KL_ENOMEM. */
int kl_plot_headline_text(char text[KL_HEADLINE], const struct kl_file *file, const char *name,
                          const char *before, struct kl_error *err);

/* What a report's numbers are of, ", 100 shots, noise depolarizing=0.01", and what speaks against taking
   them for those of new samples, "; the head was trained on these samples". */
int kl_plot_headline_means(char text[KL_HEADLINE], const struct kl_file *file, struct kl_error *err);
void kl_plot_headline_cautions(char text[KL_HEADLINE], const struct kl_file *file);

/* ---- headline_devices.c ---- */
int kl_plot_headline_of_classifier(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err);
int kl_plot_headline_of_device_report(char text[KL_HEADLINE], struct kl_file *file,
                                      struct kl_error *err);
int kl_plot_headline_of_gan(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err);
int kl_plot_headline_of_tournament(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err);

/* ---- headline_pulses.c ---- */
int kl_plot_headline_of_pulse(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err);
int kl_plot_headline_of_policy(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err);
int kl_plot_headline_of_regret(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err);

/* ---- headline_sequence.c ---- */
int kl_plot_headline_of_windows(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err);
int kl_plot_headline_of_sequence_model(char text[KL_HEADLINE], struct kl_file *file,
                                       struct kl_error *err);
int kl_plot_headline_of_sequence_report(char text[KL_HEADLINE], struct kl_file *file,
                                        struct kl_error *err);

/* ---- headline_sampling.c ---- */
int kl_plot_headline_of_chains(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err);
int kl_plot_headline_of_bounds(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err);

#endif
