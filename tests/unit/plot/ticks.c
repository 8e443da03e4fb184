/* SPDX-License-Identifier: MIT
   Numbers along an axis are right however large or small, and no axis has more than there is room for.
 */
#include <math.h>

#include "tests/unit/plot/words.h"

#define MINUS "\xe2\x88\x92"
#define TIMES  \
    "\xc3\x97" \
    "10"

static void expect(double value, double step, double most, const char *text)
{
    char found[KL_TICK];
    kl_plot_tick_text(found, value, step, most);
    CHECK(strcmp(found, text) == 0, "%g: found '%s', expected '%s'", value, found, text);
}

static size_t lines;
void cairo_line_to(cairo_t *cr, double x, double y)
{
    (void)cr, (void)x, (void)y;
    lines++;
}

/* How many texts and ticks an axis from y0 to y1 has. */
static void expect_axis(struct kl_axes axes, size_t most_texts, size_t most_lines)
{
    cairo_surface_t *surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR, NULL);
    cairo_t *cr = cairo_create(surface);
    n_drawn_texts = lines = 0;
    kl_plot_axes_draw(cr, &axes, "", "");
    CHECK(n_drawn_texts <= most_texts, "%zu texts", n_drawn_texts);
    CHECK(lines <= most_lines, "%zu ticks", lines);
    for (size_t i = 0; i < n_drawn_texts; i++)
        CHECK(strlen(drawn_texts[i].text) < 24, "'%s'", drawn_texts[i].text);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
}

/* However short, and wherever its ends lie: an axis of logarithms has numbers on it. */
static void expect_numbers(void)
{
    for (double low = -3.9; low < 4; low += 0.13)
        for (double span = 0.02; span < 9; span *= 1.7)
            for (int which = 0; which < 2; which++) {
                struct kl_axes axes = { .width = 122, .height = 60 + 50 * (span < 1), .x1 = 1, .y1 = 1 };
                size_t numbers = 0;
                if (which) axes.log_x = true, axes.x0 = low, axes.x1 = low + span, axes.bare_y = true;
                else axes.log_y = true, axes.y0 = low, axes.y1 = low + span, axes.no_x_numbers = true;
                expect_axis(axes, 60, 200);
                for (size_t i = 0; i < n_drawn_texts; i++)
                    numbers += strpbrk(drawn_texts[i].text, "0123456789") != NULL;
                CHECK(numbers > 0, "no number from %g to %g", low, low + span);
            }
}

/* Numbers below an axis, of whatever length, stand apart. */
static void expect_apart(void)
{
    for (double most = 0.7; most < 9e7; most *= 1.9)
        for (double width = 60; width < 450; width *= 1.6) {
            const struct kl_axes axes = {
                .width = width, .height = 60, .x1 = most, .y1 = 1, .bare_y = true
            };
            expect_axis(axes, 60, 200);
            for (size_t i = 1; i < n_drawn_texts && *drawn_texts[i].text; i++)
                CHECK(drawn_texts[i].x > drawn_texts[i - 1].right + 3, "'%s' meets '%s' of %g on %g",
                      drawn_texts[i - 1].text, drawn_texts[i].text, most, width);
        }
}

int main(void)
{
    const struct kl_axes axes = { .width = 195, .height = 140, .x1 = 1, .y1 = 1 };
    struct kl_axes changed = axes;
    expect(0.25, 0.05, 1, "0.25");
    expect(-2, 1, 4, MINUS "2");
    expect(1e-12, 1, 4, "0");
    expect(500000, 500000, 1e6, "500000");
    expect(500000, 500000, 2e6, "0.5" TIMES "\xe2\x81\xb6");
    expect(-2e300, 5e299, 2.1e300, MINUS "2.0" TIMES "\xc2\xb3\xe2\x81\xb0\xe2\x81\xb0");
    expect(2e-5, 1e-5, 5e-5, "2" TIMES "\xe2\x81\xbb\xe2\x81\xb5");
    expect(0, 1e-5, 5e-5, "0");
    expect(0.0002, 0.0001, 0.0004, "0.0002");
    expect_axis(axes, 20, 20);
    changed.y0 = -1e300, changed.y1 = 1e300;
    expect_axis(changed, 20, 20);
    changed.y0 = 1e300, changed.y1 = nextafter(1e300, INFINITY);
    expect_axis(changed, 10, 10);
    changed = axes;
    changed.log_y = true, changed.y0 = -300, changed.y1 = 300;
    expect_axis(changed, 40, 40);
    expect_numbers();
    expect_apart();
    return failures != 0;
}
