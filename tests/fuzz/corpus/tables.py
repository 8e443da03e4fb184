# SPDX-License-Identifier: MIT
"""Tables of numbers with a column of classes."""
from corpus.frame import put

HEAD, ROWS = "a,b,class", ["1,2,x", "3,4.5,y", "-1e3,.5,x"]


def text(rows, end="\n"):
    return (end.join(rows) + end).encode()


def make_tables():
    whole = [HEAD] + ROWS
    files = {
        "named": text(whole), "crlf": text(whole, "\r\n"), "bom": b"\xef\xbb\xbf" + text(whole),
        "utf16": text(whole).decode().encode("utf-16"), "tabs": text([r.replace(",", "\t") for r in whole]),
        "bare": text(ROWS), "numbers": text(["1,2,3", "4,5,6"]), "first": text(["class,a,b", "x,1,2", "y,3,4"]),
        "semicolons": text(["a;b;class", "1,5;2;x", "2,5;2;y"]), "empty-lines": text(["", HEAD, "", ROWS[0], "", ROWS[1]]),
        "quoted": text(['"a","b","cl""ass"', '"1","2","x, y"', '3,4,"two', 'lines"']), "spaces": text([HEAD, " 1 , 2 , x", "3,4,y"]),
        "wide": text([",".join(f"c{i}" for i in range(300)), ",".join("1" for i in range(300)), ",".join("2" for i in range(300))]),
        "bad-missing": text([HEAD, "1,2,y", ",2,x"]), "bad-na": text([HEAD, "1,2,y", "NA,2,x"]), "bad-inf": text([HEAD, "1,2,y", "inf,2,x"]),
        "bad-word": text([HEAD, "1,2,x", "red,1,x"]), "bad-short": text([HEAD, "1,2,x", "1,2"]), "bad-twice": text(["a,a,class", "1,2,x"]),
        "bad-one": text([HEAD]), "bad-empty": b"", "bad-zero": b"a,b\n1,\0\n", "bad-quote": text([HEAD, '1,"2,x']),
        "long-class": text([HEAD, "1,2," + "x" * 80]), "bad-huge": text([HEAD, "1,2,y", "1e999,2,x"]),
    }
    for name, data in files.items():
        put("table", name, data)
