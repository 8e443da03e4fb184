/* SPDX-License-Identifier: MIT
   What lies in a folder, as text: one line a file, "path digest", in name order. */
#ifndef KL_TESTS_SNAPSHOT_H
#define KL_TESTS_SNAPSHOT_H

/* The whole file, ended by a zero, malloc'ed; an absent one reads as "". */
char *read_text(const char *path);
/* malloc'ed. With varies: of an .h5 file the digest of its content, once all of it verifies; of other
   files no digest, because a time may be in them. */
char *snapshot(const char *folder, bool varies);
/* Takes out the lines of paths that begin and end so; true: there were some. */
bool take_out(char *text, const char *beginning, const char *ending);
/* Every line of text is a line of a or of b, and every line that a and b share is there. */
bool mixed(const char *text, const char *a, const char *b);

#endif
