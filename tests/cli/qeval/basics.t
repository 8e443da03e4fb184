# A head judged on the digits; compared with another; wrong features refused.
~ /not tell all classes apart/d
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 -q -o test.h5
+ extract-features $D/test-images-idx3-ubyte --resize 28 --tap layer4 -q -o wide.h5
+ qtrain test.h5 --epochs 3 -q -o a.h5 >/dev/null
+ qtrain test.h5 --epochs 3 --replica 1 --replicas 2 -q -o b.h5 >/dev/null

$ qeval a.h5 test.h5 -o r.h5 | sed -E 's/[+-]?[0-9]\.[0-9]+/#/g'
> r.h5: accuracy # [#, #], log loss #, ECE # on 360 samples
>   circuit - twin   # (one seed; several --replicas give an interval); 1 control lost a class
>   circuit - frozen # (one seed; several --replicas give an interval); 1 control lost a class
>   circuit - none   # (one seed; several --replicas give an interval); 1 control lost a class
! qeval: test.h5: a.h5 was trained on these; --split val takes those that it has not seen

# Progress is told of what takes longer than two seconds, and is not in the key.
$ qeval a.h5 test.h5 --progress json -o r.h5
> r.h5: up to date: accuracy 0.1778 [0.1417, 0.2206], log loss 2.2796, ECE 0.0633 on 360 samples
>   circuit - twin   -0.1639 (one seed; several --replicas give an interval); 1 control lost a class
>   circuit - frozen -0.0250 (one seed; several --replicas give an interval); 1 control lost a class
>   circuit - none   -0.4389 (one seed; several --replicas give an interval); 1 control lost a class
! qeval: test.h5: a.h5 was trained on these; --split val takes those that it has not seen

$ qeval a.h5 test.h5 --split val -o v.h5 | sed -E 's/[+-]?[0-9]\.[0-9]+/#/g'
> v.h5: accuracy # [#, #], log loss #, ECE # on 36 samples
>   circuit - twin   # (one seed; several --replicas give an interval)
>   circuit - frozen # (one seed; several --replicas give an interval)
>   circuit - none   # (one seed; several --replicas give an interval)

$ qeval a.h5 test.h5 --compare b.h5 -o c.h5 |
+ sed -E 's/[+-]?[0-9]\.[0-9]+/#/g; s/[0-9]+ (right|only)/# \1/g; s/exact|chi-squared/TEST/'
> c.h5: accuracy # [#, #], log loss #, ECE # on 360 samples
>   circuit - twin   # (one seed; several --replicas give an interval); 1 control lost a class
>   circuit - frozen # (one seed; several --replicas give an interval); 1 control lost a class
>   circuit - none   # (one seed; several --replicas give an interval); 1 control lost a class
> McNemar: # right only here, # only in b.h5 (accuracy #), p = # (TEST)
! qeval: test.h5: a.h5 was trained on these; --split val takes those that it has not seen
! qeval: test.h5: b.h5 was trained on these; --split val takes those that it has not seen

$ qeval test.h5 a.h5 -o x.h5
! qeval: test.h5: holds 'features', expected 'head', which comes from qtrain
? 65

$ qeval a.h5 -o x.h5
! qeval: 1 input, expected HEAD.h5|CHAINS.h5... FEATURES.h5; see --help
? 2

$ qeval a.h5 absent.h5 -o x.h5
! qeval: absent.h5: cannot be opened: No such file or directory
? 66

$ qeval a.h5 test.h5 --json -o j.h5 | jq -r '.samples, .replicas'
> 360
> 1
! qeval: test.h5: a.h5 was trained on these; --split val takes those that it has not seen

# The samples that a head was trained on are no test of it.
$ qeval a.h5 test.h5 -o seen.h5 >log; qeval a.h5 test.h5 --split val -o kept.h5 >log; qeval a.h5 test.h5 -o quiet.h5 -q
! qeval: test.h5: a.h5 was trained on these; --split val takes those that it has not seen

# A signal ends an evaluation at once, for nothing of it is kept.
$ qeval a.h5 test.h5 --shots 100000000 -o stopped.h5 >log 2>&1 & p=$!; sleep 1; s=$SECONDS; kill -TERM $p; wait $p 2>>log
+ echo $? $((SECONDS - s < 10)); ls -A | grep stopped
> 143 1
? 1
