# SPDX-License-Identifier: MIT
"""CSVs with ladders of temperatures: the reference's, and tables of several."""
from corpus.frame import put

HEAD = "Sample_size,Beta,BCE_Train,BCE_Test,0-1_Train,0-1_Test,EMA_BCE_Train,EMA_BCE_Test,EMA_0-1_Train,EMA_0-1_Test"
ROWS = ["8000,0,0,0,0,0,2.0,2.0,0.5,0.5", "8000,500,0,0,0,0,0.7,0.72,0.17,0.18", "8000,2000,0,0,0,0,0.3,0.4,0.07,0.1"]
SUMMARY = 'Summary:,"Device: cuda\nLoss: ""bbce"", 2 layers"'
TABLE = "set,labels,seed,n,beta,train_loss,test_loss,train01,test01,loss,scale,l_max"
OF_TABLE = ["a,true,1,100,0,0.5,0.5,0.5,0.5,savage,unit,", "a,true,1,100,10,0.2,0.2,0.1,0.2,savage,unit,"]


def text(rows, end="\n"):
    return (end.join(rows) + end).encode()


def changed(old, new, rows=ROWS):
    return text([HEAD] + [r.replace(old, new) for r in rows])


def table(old, new):
    return text([TABLE] + [r.replace(old, new) for r in OF_TABLE])


def make_ladders():
    whole = [HEAD] + ROWS + ["", SUMMARY]
    files = {
        "reference": text(whole), "crlf": text(whole, "\r\n"), "bom": b"\xef\xbb\xbf" + text([HEAD] + ROWS),
        "unit": text([HEAD] + [r.replace("2.0,2.0", ".5,.5") for r in ROWS] +
                     ["", 'Summary:,"loss=bbce scale=unit l_max=3 chance=0.9 m=77; more"']),
        "several": text([TABLE] + OF_TABLE + ["b,random,2,100,0,1.5,1.5,.5,.5,bbce,raw,2",
                                              "b,random,2,100,5,1.4,1.5,.5,.5,bbce,raw,2"]),
        "classes": text([TABLE + ",data"] + [r + ",mnist 10 classes" for r in OF_TABLE]),
        "rising": text([HEAD, ROWS[0], "8000,500,0,0,0,0,3.9,0.72,0.17,0.18", ROWS[2]]),
        "huge-beta": text([HEAD] + ROWS + ["8000,1e290,0,0,0,0,0.1,0.1,0,0"]),
        "quoted": text([HEAD, '"8000","0",0,0,0,0,"2.0",2.0,0.5,0.5'] + ROWS[1:]),
        "bad-column": text([HEAD.replace(",EMA_BCE_Train", "")] + ROWS),
        "bad-nan": changed("0.7,", "nan,", ROWS[:2]), "bad-empty-field": changed("0.7,", ",", ROWS[:2]),
        "bad-order": text([HEAD, ROWS[0], ROWS[2], ROWS[1]]), "bad-twice": text([HEAD, ROWS[0], ROWS[1], ROWS[1]]),
        "bad-no-prior": text([HEAD] + ROWS[1:]), "bad-one": text([HEAD, ROWS[0]]), "bad-n": changed("8000", "0"),
        "bad-n-changes": text([HEAD] + ROWS[:2] + [ROWS[2].replace("8000", "4000")]),
        "bad-range": changed("0.7,", "7,", ROWS[:2]), "bad-error": changed("0.17", "1.7", ROWS[:2]),
        "bad-quote": text([HEAD] + ROWS + ["", 'Summary:,"open']), "bad-empty": b"",
        "bad-zero": (HEAD + "\n" + ROWS[0]).encode() + b"\0" + ROWS[1].encode(),
        "bad-columns": text([",".join("abc" * 30)]), "bad-scale": table("unit", "log"),
        "bad-loss": table("savage", "\x1b[2J"), "bad-l-max": table("savage,unit,", "bbce,unit,0.1"),
        "bad-hex": changed("0.7,", "0x1p-1,", ROWS[:2]), "bad-hdf5": b"\x89HDF\r\n\x1a\n" + bytes(range(1, 120)),
        "bad-lfs": text(["version https://git-lfs.github.com/spec/v1", "oid sha256:" + "0" * 64, "size 5"]),
    }
    for name, data in files.items():
        put("sampling_csv", name, data)
