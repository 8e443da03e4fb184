# Texts as other programs save them: with a mark of byte order, ends of lines of Windows, in UTF-16; tables parted by semicolons or
# tabs, with commas in their numbers. Each is read as the plain one is.
$ cat > plain.sh <<'EOF'
+ { printf '\357\273\277'; sed 's/$/\r/' "$1"; } > mark."$1"; iconv -f UTF-8 -t UTF-16LE "$1" | { printf '\377\376'; cat; } > wide."$1"
+ EOF
+ printf '# a comment\nqubits: 3\nlayers: 2\nreupload: True\nlearn_scale: no\ncircuit_file: null\n' > c.yaml; printf 'OPENQASM 3.0;\ninput float x;\ninput float w;\nqubit[2] q;\nrx(x) q[0];\n@ketline.with_next\nry(w) q[1];\ncx q[0], q[1];\n' > c.qasm
+ printf '{"all": {"t1": 1e-4, "gate-time": 35e-9}}' > n.json
+ printf 'Sample_size,Beta,EMA_BCE_Train,EMA_BCE_Test,EMA_0-1_Train,EMA_0-1_Test\n8000,0,2.0,2.0,0.5,0.5\n8000,500,0.7,0.72,0.17,0.18\n8000,2000,0.3,0.4,0.07,0.1\n8000,8000,0.1,0.3,0.02,0.06\n' > l.csv
+ sed 's/,/;/g;s/\./,/g' l.csv > semicolon.l.csv; sed 's/,/\t/g' l.csv > tab.l.csv; sed 's/,/\t/g;s/\./,/g' l.csv > both.l.csv
+ for f in c.yaml c.qasm n.json l.csv; do sh plain.sh $f; done; sh plain.sh semicolon.l.csv
$ for k in '' mark. wide.; do circuit show --config ${k}c.yaml | cksum; circuit show --circuit-file ${k}c.qasm | tail -n +2 | cksum; done | sort | uniq -c | awk '{ print $1 }'
> 3
> 3
$ for k in '' mark. wide. semicolon. tab. both. mark.semicolon. wide.semicolon.; do sgld bounds ${k}l.csv --loss bbce --scale raw -q --json | jq -c .rungs | cksum; done | uniq -c | awk '{ print $1 }'
> 8
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 64 -q -o f.h5; qtrain f.h5 -e 1 --no-controls -q -o h.h5; for k in '' mark. wide.; do qeval h.h5 f.h5 -q --noise ${k}n.json --json -f -o r.h5 | jq -e .log_loss; done | uniq -c | awk '{ print $1 }'
> 3
$ sed 's/8000;500/8000;5.00,0/' semicolon.l.csv > bad.csv; sgld bounds bad.csv
! sgld: bad.csv: line 3, column Beta: found '5.00,0', expected a number
? 65
$ printf '\377\376a' > odd.yaml; circuit show --config odd.yaml
! circuit: odd.yaml: begins as a text in UTF-16 and is none; save it as UTF-8
? 65
