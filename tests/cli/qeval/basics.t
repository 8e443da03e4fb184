# A head judged on the digits; compared with another; wrong features refused.
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 -q -o test.h5; extract-features $D/test-images-idx3-ubyte --resize 28 --tap layer4 -q -o wide.h5; qtrain test.h5 --epochs 3 -q -o a.h5 >/dev/null; qtrain test.h5 --epochs 3 --replica 1 --replicas 2 -q -o b.h5 >/dev/null

$ qeval a.h5 test.h5 -o r.h5 | sed -E 's/[0-9]\.[0-9]+/#/g'

$ qeval a.h5 test.h5 -o r.h5

$ qeval a.h5 test.h5 --split val -o v.h5 | sed -E 's/[0-9]\.[0-9]+/#/g'

$ qeval a.h5 test.h5 --compare b.h5 -o c.h5 | sed -E 's/[0-9]\.[0-9]+/#/g; s/[0-9]+ (right|only)/# \1/g; s/exact|chi-squared/TEST/'

$ qeval test.h5 a.h5 -o x.h5
? 65

$ qeval a.h5 -o x.h5
? 2

$ qeval a.h5 absent.h5 -o x.h5
? 66

$ qeval a.h5 test.h5 --json -o j.h5 | jq -r '.samples, .replicas'
