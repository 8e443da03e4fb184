# Features of another making than those the head was trained on.
~ /not tell all classes apart/d
$ D=$DATA/digits/test-images-idx3-ubyte; extract-features $D --resize 28 --limit 96 -q -o f.h5
+ extract-features $D --resize 28 --limit 96 --mean 0.5,0.5,0.5 -q -o mean.h5
+ extract-features $D --resize 28 --limit 96 --tap layer4 -q -o tap.h5
+ qtrain f.h5 --epochs 1 -q -o h.h5

$ qeval h.h5 mean.h5 -o r.h5 | sed -E 's:[+-]?[0-9]\.[0-9]+:#:g'
> r.h5: accuracy # [#, #], log loss #, ECE # on 96 samples
>   circuit - twin   # (one seed; several --replicas give an interval); 1 control lost a class
>   circuit - frozen # (one seed; several --replicas give an interval); 1 control lost a class
>   circuit - none   # (one seed; several --replicas give an interval); 1 control lost a class
! qeval: mean.h5: preprocess is grey, 28 x 28 (bilinear, antialias), /255, minus (0.5,0.5,0.5), divided by (0.229,0.224,0.225), but h.h5 was trained on grey, 28 x 28 (bilinear, antialias), /255, minus (0.485,0.456,0.406), divided by (0.229,0.224,0.225); unless that is meant, extract these with the same options
! qeval: mean.h5: h.h5 was trained on features of the same images (ROOT/data/digits/test-images-idx3-ubyte); unless these are others of them, this is not the accuracy on new ones

# images of that size already: --resize changes nothing, and nothing is said; of another size, a word
$ printf '\0\0\10\3\0\0\0\10\0\0\0\34\0\0\0\34' > i; head -c 6272 $DATA/digits/test-images-idx3-ubyte >> i; printf '\0\0\10\1\0\0\0\10\0\1\0\1\0\1\0\1' > l
+ extract-features i --labels l -q -o plain.h5; extract-features i --labels l --resize 28 -q -o idle.h5
+ extract-features i --labels l --resize 28 --std 1,1,1 -q -o std.h5; extract-features i --labels l --resize 29 -q -o large.h5
+ qtrain plain.h5 --epochs 1 -q -o ph.h5; qtrain idle.h5 --epochs 1 -q -o ih.h5
+ qeval ph.h5 idle.h5 --json -o r.h5 | jq .preprocess_differs; qeval ih.h5 plain.h5 --json -o r.h5 | jq .preprocess_differs
+ for f in std large f; do qeval ph.h5 $f.h5 --json -o r.h5 2> log | jq .preprocess_differs; done
> false
> false
> true
> true
! qeval: idle.h5: ph.h5 was trained on features of the same images (i); unless these are others of them, this is not the accuracy on new ones
! qeval: plain.h5: ih.h5 was trained on features of the same images (i); unless these are others of them, this is not the accuracy on new ones
$ for f in f mean; do qeval h.h5 $f.h5 --json -q -o j-$f.h5 | jq -c '[.preprocess_differs, .trained_on_these]'; done
> [false,true]
> [true,false]
$ for f in f mean; do figures j-$f.h5 --report p-$f.html -q; sed -n 's:^<p>accuracy.*samples; \(.*\)<.p>:\1:p' p-$f.html; done
> the head was trained on these samples
> their preprocessing is not that of training
$ qeval h.h5 f.h5 --split val --json -q -o v.h5 | jq .trained_on_these; figures v.h5 --report v.html -q; grep 'samples;' v.html
> false
? 1
$ qeval h.h5 tap.h5 -o r.h5
! qeval: tap.h5: tap is layer4, h.h5 was trained on avgpool; extract anew
? 65

# Without validation, the training accuracy is told.
$ qtrain f.h5 --epochs 2 --val-fraction 0 -o n.h5 | sed -E 's/[+-]?[0-9]\.[0-9]+/#/g'
> n.h5: 2 epochs, no validation, train accuracy # (best epoch 2), # s, # s/epoch
>   controls: # s; parameters: circuit 12, twin 12; no validation samples to compare on
$ cache show n.h5 | grep -A 2 '^  epoch ' | sed -E 's/[+-]?[0-9]\.[0-9]+/#/g'
>   epoch   training loss     training accuracy
>       1          #                #
>       2          #                #

# Several heads: means, and the interval of the mean.
$ qtrain f.h5 --epochs 2 --replicas 3 -q -o three.h5; qeval three.h5 f.h5 --json -o three-r.h5 >r.json
+ cache show three-r.h5 | sed -n 's/^accuracy  *//p' >shown; jq '.accuracy * 1e4 | round' r.json >told
+ awk 'NR == FNR { shown = $1; next } { print shown * 1e4 == $1 ? "the same" : shown " and " $1 }' shown told
> the same
! qeval: f.h5: three.h5 was trained on these; --split val takes those that it has not seen
$ jq '.accuracy_low < .accuracy and .accuracy < .accuracy_high' r.json
> true
$ qeval three.h5 f.h5 --compare h.h5 -o c.h5 | sed -E 's/[0-9]+ (right|only)/# \1/g; s/p = .*/p/' | tail -1
> McNemar, first heads: # right only here, # only in h.h5 (accuracy 0.0938), p
! qeval: f.h5: three.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: h.h5 was trained on these; --split val takes those that it has not seen

# Nothing is drawn without measurements; and --val-fraction 0 keeps none to judge by.
$ qeval n.h5 f.h5 --seed 3 -f -o r.h5 2>&1 >log | grep -v 'tell all classes'
> qeval: --seed changes nothing: without --shots and trajectories nothing is drawn
> qeval: f.h5: n.h5 was trained on these; none were kept for validation (--val-fraction 0)
$ qeval n.h5 f.h5 --split val -f -o r.h5
! qeval: n.h5: --split val: it was trained with --val-fraction 0, on all samples; leave --split out
? 65
