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
