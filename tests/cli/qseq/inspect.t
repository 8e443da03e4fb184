# files of the fuzz corpus (tests/fuzz/corpus/recordings.py), one trap each; all are told, also behind one that is refused
$ cd "$ROOT/tests/fuzz/edf" && qseq inspect two gap duplicate
$ cd "$ROOT/tests/fuzz/edf" && qseq inspect rates inverted unit latin1 malformed minus-one gap-in-c no-records
$ cd "$ROOT/tests/fuzz/edf" && qseq inspect bad-comma plain bad-truncated
$ cd "$ROOT/tests/fuzz/edf" && qseq inspect bad-equal
$ cd "$ROOT/tests/fuzz/edf" && qseq inspect bad-pointer -q
$ cd "$ROOT/tests/fuzz/edf" && qseq inspect bdf -q

$ cd "$ROOT/tests/fuzz/edf" && qseq inspect gap --json
$ cd "$ROOT/tests/fuzz/edf" && qseq inspect bad-gdf plain --json | jq -c '[.file, .format, .refused]'
+ exit ${PIPESTATUS[0]}

# what is no recording, or none at all
$ qseq inspect absent.edf
$ qseq inspect .
$ qseq inspect
$ qseq inspect "$ROOT/LICENSE"
$ qseq inspect -o a.h5 x
