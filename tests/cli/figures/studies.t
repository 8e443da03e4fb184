# A page of several studies begins with what each of them found, in a line; inputs are no study.
~ s/[0-9]+\.[0-9]+(e-[0-9]+)?/X/g
$ W=$DATA/wine/wine.csv; for part in train test; do extract-features $W --label cultivar --split $part -q -o $part.h5; done; qtrain train.h5 --epochs 20 -q -o head.h5 2>log; qeval head.h5 test.h5 -q -o report.h5 2>log
+ qsweep train.h5 --grid "lr=1e-3,1e-2" --epochs 5 -q -o sweep.h5 2>log; qcontrol optimize -g x --starts 2 --segments 8 -q -o x.h5 2>log; sgld head train.h5 --head head.h5 --parameters head --rungs 2 --warmup 5 --draws 20 --chains 2 -q -o chains.h5 2>log
+ lead() { figures "$@" -q --report page.html 2>log; sed -n 's/.*<title>\(.*\)<\/title>/\1/p; s/^<h1>\(.*\)<\/h1>/\1/p; s/<p\( class="lead"\)\?>\([a-z]*.h5: .*\)<\/p>/\1 \2/p' page.html | grep -v caution; }
+ lead train.h5 head.h5 report.h5 sweep.h5 x.h5 chains.h5; echo; lead train.h5 head.h5; echo; lead train.h5
> Evaluation of heads; Pulse for a quantum gate; Chains on a ladder of temperatures
> Evaluation of heads; Pulse for a quantum gate; Chains on a ladder of temperatures
>  class="lead" report.h5: accuracy X (95 % X to X) on 36 samples
>  sweep.h5: 2 points of 1 head; best: lr=1e-2, val accuracy X
>  class="lead" x.h5: x of qubit, loss X (average x), F_avg X; 2 starts, 0 % trapped
>  class="lead" chains.h5: hmc, 2 temperatures up to beta 128
>
> Trained heads: head.h5
> Trained heads
>  class="lead" head.h5: 1 head, 20 epochs, val accuracy X
>
> Features: train.h5
> Features
>  class="lead" train.h5: 142 x 13 float32

# No result is left out: of each kind the first few have their lines, all others their names; what a tool told of its file stands there.
$ for k in 1 2 3 4 5 6 7 8; do qcontrol optimize -g x --starts 1 --segments 8 --seed $k -q -o p$k.h5; done 2>log; figures p?.h5 -q --report page.html 2>log; sed -n 's/.*<p[^>]*>\(p[1-8].h5\|and.*\)\(: x of\|<\/p>\).*/\1/p' page.html
+ qseq generate people -q --people 1 --channels 8 --trials 8 -o people; qseq windows -q people/*.edf -o w.h5; for m in csp-lda mdm; do qseq fit w.h5 -q -m $m --split loro --fold all -o $m.h5; done 2>log; qseq compare csp-lda.h5 mdm.h5 -q -o one.h5 2>log
+ head -c 25000 $ROOT/tests/golden/nist_e.bin >e.bin; tournament --nist e.bin --packed --bits 1000 --permutations 0 --progress none -o nist.h5 2>log | tail -n 1 >told; qeval --predict head.h5 test.h5 -o named.h5 2>log >>told
+ figures report.h5 named.h5 nist.h5 one.h5 -q --report page.html 2>log; while read -r line; do grep -qF ">$line</p>" page.html && echo "as told: $line"; done <told; grep -c '>Tables here are of report.h5<' page.html
+ /usr/bin/python3 -c "
+ import h5py; f = h5py.File('one.h5'); a, b = f['mean'][()]; n = h5py.File('w.h5')['x'].shape[0]
+ print(f'>one.h5: accuracy csp-lda {a:.4f}, mdm {b:.4f}, on {n} windows of 1 person</p>' in open('page.html').read())"
> p1.h5
> p2.h5
> p3.h5
> p4.h5
> p5.h5
> p6.h5
> and 2 more of kind pulse: p7.h5, p8.h5
> as told: nist.h5: 1 device, # s; no test of SP 800-22 fails
> as told: named.h5: 36 samples of 3 classes: 1 0, 2 26, 3 10
> 1
> True
