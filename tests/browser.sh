#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Pages of `figures --report` in a real browser, on a screen and in a frame of a phone's width: the console is silent, nothing stands
# beyond the page's edge or over its neighbour, every picture is drawn, facts are folded until they are asked for; printed they are not.
set -u
cd "$(dirname "$0")/.." || exit 70
browser=$(command -v chromium chromium-browser google-chrome | head -n 1)
[ -n "$browser" ] && command -v pdftotext >/dev/null || { echo "skipped: no chromium, or no pdftotext (poppler-utils)"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/browser.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "$*"; failed=1; }
run() { timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" "$@"; }
extract-features data/digits/test-images-idx3-ubyte --resize 28 -q -o "$work/test.h5" &&
    qtrain "$work/test.h5" --epochs 20 --replicas 2 -q -o "$work/head.h5" && qeval "$work/head.h5" "$work/test.h5" -q -o "$work/report.h5" &&
    figures -q "$work/head.h5" "$work/report.h5" "$work/test.h5" --report "$work/run.html" &&
    qcontrol optimize -g x --limit 10 --starts 2 -q -o "$work/pulse.h5" 2>/dev/null && figures -q "$work/pulse.h5" --report "$work/pulse.html" || exit 1

# Within the page: what is amiss becomes its title. Wide tables have a bar of their own to be moved by.
cat >"$work/look.js" <<'END'
window.onload = () => {
    const wrong = [], width = innerWidth, at = e => e.getBoundingClientRect();
    for (const e of document.querySelectorAll('h1,h2,h3,p,li,figure,img,summary,nav')) {
        if (e.closest('.wide') || e.closest('details:not([open])') && e.tagName != 'SUMMARY') continue;
        if (at(e).right > width + 1) wrong.push(e.tagName + ' beyond the edge: ' + e.textContent.slice(0, 40));
        const next = e.nextElementSibling;
        if (next && at(next).height && at(next).top < at(e).bottom - 1 && at(next).left < at(e).right - 1)
            wrong.push(e.tagName + ' under ' + next.tagName + ': ' + e.textContent.slice(0, 40));
    }
    for (const i of document.images) if (!i.naturalWidth) wrong.push('no picture: ' + i.alt);
    if (document.querySelector('details[open]')) wrong.push('not folded');
    if (!/^What was found/.test(document.querySelector('h2').textContent)) wrong.push('begins with ' + document.querySelector('h2').textContent);
    top.postMessage(wrong.length ? 'WRONG ' + wrong.join('; ') : 'RIGHT ' + document.images.length + (matchMedia('(max-width:40rem)').matches ? ' narrow' : ' broad'), '*');
};
END
for page in run pulse; do
    for width in 1100 390; do
        { sed '/<\/body>/,$d' "$work/$page.html"; echo '<script>'; cat "$work/look.js"; echo '</script></body></html>'; } >"$work/looked.html"
        echo "<title></title><script>onmessage = e => document.title = e.data</script><iframe src=looked.html width=$width height=900></iframe>" >"$work/frame.html"
        title=$(run --window-size=1300,1000 --virtual-time-budget=5000 --enable-logging=stderr --dump-dom "file://$work/frame.html" 2>"$work/log" | sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' | head -n 1)
        case $width:$title in 1100:'RIGHT '[1-9]*broad | 390:'RIGHT '[1-9]*narrow) ;; *) fail "$page.html, width $width: ${title:-no answer}" ;; esac
        grep 'CONSOLE' "$work/log" && fail "$page.html: the console is not silent"
    done
    run --print-to-pdf="$work/$page.pdf" "file://$work/$page.html" 2>/dev/null
    pdftotext -q "$work/$page.pdf" - | grep -q "$(case $page in run) echo learn-scale ;; *) echo 'average gate fidelity' ;; esac)" ||
        fail "$page.html: printed, what is folded is not there"
done
exit $failed
