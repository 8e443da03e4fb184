# 14 channels: six bits of x, f(x), six bits of y, g(y); every pair is a person of its own
$ qseq forrelation -n 40 -T 30 -o a.h5 | sed 's/; [0-9.]* s$//'
$ qseq forrelation -n 40 -T 30 -o a.h5
$ cache show a.h5 | sed -n '/^  /p'; cache verify a.h5
$ qseq forrelation -n 400 -b 4 --seed 2 --json -o b.h5 | jq -c '[.pairs, .bits, .steps, .phi_high > 0.5, (.phi_low | fabs) < 0.02]'

# the reference's first pairs: a mean tells the label, which is said and kept with the file
$ qseq forrelation -n 40 --reference -o c.h5 | sed 's/; [0-9.]* s$//'
$ cache show c.h5 | grep -i caution -A 2

# what cannot be
$ qseq forrelation
$ qseq forrelation pairs -o d.h5
$ qseq forrelation -b 1 -o d.h5
$ qseq forrelation --device cpu -o d.h5
