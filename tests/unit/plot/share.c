/* SPDX-License-Identifier: MIT
   Places of the samples' figure: as many of each class as there are, in turn; a last round is spread. */
#include "plot/plot.h"
#include "tests/unit/check.h"

enum { MOST = 20 };

static void expect(size_t c, const size_t have[MOST], size_t places, const size_t wanted[MOST])
{
    size_t quota[MOST] = { 0 };
    kl_plot_share_places(quota, have, c, places);
    for (size_t k = 0; k < c; k++)
        CHECK(quota[k] == wanted[k], "class %zu of %zu, %zu places: found %zu, expected %zu", k, c,
              places, quota[k], wanted[k]);
}

int main(void)
{
    expect(3, (size_t[MOST]){ 50, 50, 50 }, 12, (size_t[MOST]){ 4, 4, 4 });
    expect(3, (size_t[MOST]){ 50, 1, 50 }, 12, (size_t[MOST]){ 5, 1, 6 });
    expect(3, (size_t[MOST]){ 0, 2, 0 }, 12, (size_t[MOST]){ 0, 2, 0 });
    expect(10, (size_t[MOST]){ 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 }, 12,
           (size_t[MOST]){ 1, 1, 1, 1, 2, 1, 1, 1, 1, 2 });
    expect(6, (size_t[MOST]){ 9, 9, 9, 9, 9, 9 }, 3, (size_t[MOST]){ 0, 1, 0, 1, 0, 1 });
    expect(2, (size_t[MOST]){ 5, 5 }, 0, (size_t[MOST]){ 0, 0 });
    expect(0, (size_t[MOST]){ 0 }, 5, (size_t[MOST]){ 0 });
    return failures != 0;
}
