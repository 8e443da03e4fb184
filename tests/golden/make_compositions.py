#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the table of lib/base/unicode.c: each combining mark, and the pairs of letters without and with it, of Unicode's
canonical compositions as Python's unicodedata has them. Writes tests/golden/compositions.json: texts decomposed and composed."""
import json
import unicodedata

marks = {}
for code in range(0x110000):
    parts = unicodedata.decomposition(chr(code)).split()
    if len(parts) == 2 and not parts[0].startswith("<"):
        letter, mark = (chr(int(p, 16)) for p in parts)
        if unicodedata.normalize("NFC", letter + mark) == chr(code):
            marks.setdefault(mark, []).append(letter + chr(code))
for mark, pairs in sorted(marks.items()):
    lines, line = [], ""
    for pair in pairs:
        if sum(1 + (unicodedata.combining(c) == 0) for c in line + pair) > 64:
            lines.append(line)
            line = ""
        line += pair
    print(f"    {{ 0x{ord(mark):x}, " + "\n".join(f'"{text}"' for text in lines + [line]) + " },")

words = ["Zèbre", "Über", "naïve", "Ångström", "ệ", "ậ", "ǘ", "Ωμέγα", "йод", "ёж", "が", "パン", "한국어", "각", "가", "q̣̇", "1", "é́"]
with open("tests/golden/compositions.json", "w") as f:
    json.dump([[unicodedata.normalize(form, w) for form in ("NFD", "NFC")] for w in words], f, ensure_ascii=True, indent=0)
    f.write("\n")
