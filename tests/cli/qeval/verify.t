# Published numbers against finished files.
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 -q -o test.h5
+ qtrain test.h5 --epochs 2 --no-controls -q -o head.h5 >/dev/null; qeval head.h5 test.h5 -q -o report.h5
+ a=$(h5dump -d /replicas/accuracy report.h5 | sed -n 's/.*(0): //p')
+ sha=$(sha256sum $D/test-images-idx3-ubyte | cut -c -64); cat >claims.json <<EOF
+ {"schema": 1, "data": "$sha", "claims": [
+  {"claim": "the accuracy", "phase": "digits", "file": "report.h5", "attribute": "accuracy", "expected": $a, "tolerance": 1e-6, "source": "here"},
+  {"claim": "the same from the table", "phase": "digits", "file": "report.h5", "dataset": "replicas/accuracy", "index": [0], "low": $a, "high": $a},
+  {"claim": "a number too high", "phase": "digits", "file": "report.h5", "attribute": "accuracy", "low": 1.5, "high": 2},
+  {"claim": "what was not made", "file": "absent.h5", "attribute": "accuracy", "low": 0, "high": 1},
+  {"claim": "what the file has not", "file": "report.h5", "dataset": "absent", "index": [0], "low": 0, "high": 1},
+  {"claim": "beyond the end", "file": "report.h5", "dataset": "replicas/accuracy", "index": [1], "low": 0, "high": 1},
+  {"claim": "a text", "file": "report.h5", "attribute": "controls", "low": 0, "high": 1}]}
+ EOF
+ qeval --verify claims.json | sed 's/0\.[0-9]*/ACC/g'; exit ${PIPESTATUS[0]}
> pass     the accuracy                                 ACC in [ACC, ACC]  (here)
> pass     the same from the table                      ACC in [ACC, ACC]
> not run  what was not made                            there is no absent.h5 yet
> not run  what the file has not                        report.h5 has no dataset absent
> not run  beyond the end                               report.h5: dataset replicas/accuracy has no number at this index (1 axes)
> not run  a text                                       report.h5: attribute controls of the root is a text, expected a number
> FAIL     a number too high                            ACC not in [1.5, 2]
> claims.json: 2 passed, 1 failed, 4 not run
! qeval: 1 of 7 claims not met
? 1

$ qeval --verify claims.json --json | jq -c '.counts, .phases, (.claims[0] | [.verdict, .file, (.key | length)])'
> {"pass":2,"fail":1,"not_run":4}
> {"digits":{"pass":2,"fail":1,"not_run":0},"":{"pass":0,"fail":0,"not_run":4}}
> ["pass","report.h5",64]
! qeval: 1 of 7 claims not met

# what came from other data, or is of another version, was not run; all met: status 0, with --strict only if all were run
$ sed -i 's/"data": "../"data": "zz/' claims.json; qeval --verify claims.json | head -1
> not run  the accuracy                                 report.h5 does not come from the data of the claims (zz52193fc4dc...)

# so was what was made with other options, in any stage before it; a number may be written as any
$ of() { printf '{"schema":1,"options":{"report.h5":{%s}},"claims":[{"claim":"a","file":"report.h5","attribute":"accuracy","low":0,"high":1}]}' "$1" >of.json; qeval --verify of.json; }
+ of '"qtrain":{"epochs":2.0,"seed":0,"core":"circuit"},"extract-features":{"resize":28}'; of '"qtrain":{"epochs":2,"seed":7}'
+ of '"qtrain":{"core":"twin"}'; of '"qtrain":{"ancilla":1}'; of '"qgan":{}'; of '"qtrain":3'; sed -i 's/report/x/2' of.json; qeval --verify of.json
> pass     a                                            0.1 in [0, 1]
> of.json: 1 passed, 0 failed, 0 not run
> not run  a                                            report.h5: qtrain had 0 for --seed, the claims are of 7
> of.json: 0 passed, 0 failed, 1 not run
> not run  a                                            report.h5: qtrain had "circuit" for --core, the claims are of "twin"
> of.json: 0 passed, 0 failed, 1 not run
> not run  a                                            report.h5: qtrain had nothing for --ancilla, the claims are of 1
> of.json: 0 passed, 0 failed, 1 not run
> not run  a                                            report.h5 has no record of a qgan
> of.json: 0 passed, 0 failed, 1 not run
! qeval: of.json: 'options': 'report.h5': expected {tool: {option: value}}
! qeval: of.json: 'options': no claim is on the file 'report.h5'
? 65

$ printf '{"schema":1,"claims":[{"claim":"a","file":"report.h5","attribute":"accuracy","low":0,"high":1}]}' >met.json; qeval --verify met.json --strict
> pass     a                                            0.1 in [0, 1]
> met.json: 1 passed, 0 failed, 0 not run

$ printf '{"schema":1,"claims":[{"claim":"a","file":"no.h5","attribute":"accuracy","low":0,"high":1}]}' >open.json; qeval --verify open.json; qeval --verify open.json --strict
> not run  a                                            there is no no.h5 yet
> open.json: 0 passed, 0 failed, 1 not run
> not run  a                                            there is no no.h5 yet
> open.json: 0 passed, 0 failed, 1 not run
! qeval: 1 of 1 claims not run (--strict)
? 1

# a damaged file is an error, not a verdict
$ cp report.h5 whole.h5; printf damaged! | dd of=report.h5 bs=1 seek=9000 conv=notrunc status=none; qeval --verify met.json
! qeval: report.h5: damaged: its metadata have another digest than when it was published; make it again
? 65

$ for c in '[]' '{"claims":[]}' '{"schema":1,"claims":[]}' '{"schema":1,"claims":[3]}' '{"schema":1,"claims":[{"claim":"a"}]}' '{"schema":1,"claims":[{"claim":"a","file":"f","attribut":"x"}]}' '{"schema":1,"claims":[{"claim":"a","file":"f","low":0,"high":1}]}' '{"schema":1,"claims":[{"claim":"a","file":"f","attribute":"x","low":0}]}' '{"schema":1,"claims":[{"claim":"a","file":"f","attribute":"x","low":1,"high":0}]}' '{"schema":1,"claims":[{"claim":"a","file":"f","attribute":"x","expected":1,"tolerance":-1}]}' '{"schema":1,"claims":[{"claim":"a","file":"f","attribute":"x","index":[0],"low":0,"high":1}]}' '{"schema":2,"claims":[3]}' '{"schema":1,"data":"12","claims":[3]}' 'x'; do
+ echo "$c" >bad.json; qeval --verify bad.json; echo $?; done
> 65
> 65
> 65
> 65
> 65
> 65
> 65
> 65
> 65
> 65
> 65
> 65
> 65
> 65
! qeval: bad.json: expected an object with a list 'claims'
! qeval: bad.json: 'schema': expected 1
! qeval: bad.json: holds no claim
! qeval: bad.json: claim 1: expected an object
! qeval: bad.json: claim 1: 'file' is missing
! qeval: bad.json: claim 1: found 'attribut'; known are claim, phase, file, dataset, index, attribute, low, expected, tolerance, high, source
! qeval: bad.json: claim 1: names neither a 'dataset' nor an 'attribute'
! qeval: bad.json: claim 1: expected numbers 'expected' and 'tolerance' (0 or more), or 'low' and 'high' (not below it)
! qeval: bad.json: claim 1: expected numbers 'expected' and 'tolerance' (0 or more), or 'low' and 'high' (not below it)
! qeval: bad.json: claim 1: expected numbers 'expected' and 'tolerance' (0 or more), or 'low' and 'high' (not below it)
! qeval: bad.json: claim 1: 'index': expected a list of at most 5 numbers, with a dataset
! qeval: bad.json: 'schema': expected 1
! qeval: bad.json: 'data': expected 64 hex digits, the SHA-256 of the input
! qeval: bad.json: not JSON: '[' or '{' expected near 'x'

$ qeval --verify
! qeval: 0 inputs, expected CLAIMS.json; see qeval --verify --help
? 2

$ qeval --verify nowhere.json
! qeval: nowhere.json: cannot be opened: No such file or directory
? 66
