# A head judged under the noise it was trained with, under another, under none; with shots.
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 -q -o f.h5
+ qtrain f.h5 --epochs 3 --no-controls -q -o exact.h5; qtrain f.h5 --epochs 3 --noise depolarizing=0.02 --no-controls -q -o noisy.h5
~ s/[0-9]\.[0-9]{4}/#/g

$ qeval exact.h5 f.h5 -o a.h5; qeval noisy.h5 f.h5 -o b.h5
> a.h5: accuracy # [#, #], log loss #, ECE # on 360 samples
>   no controls: trained with --no-controls
> b.h5: accuracy # [#, #], log loss #, ECE # on 360 samples, noise depolarizing=0.02
>   no controls: trained with --no-controls
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: noisy.h5 was trained on these; --split val takes those that it has not seen

$ qeval exact.h5 f.h5 --noise readout=0.1,phase-flip=0.01 -o c.h5; qeval noisy.h5 f.h5 --noise none -o d.h5
+ qeval noisy.h5 f.h5 --noise $DATA/noise/example.json --shots 100 -o e.h5; qeval exact.h5 f.h5 --shots 20 -o g.h5
> c.h5: accuracy # [#, #], log loss #, ECE # on 360 samples, noise phase-flip=0.01,readout=0.1
>   no controls: trained with --no-controls
> d.h5: accuracy # [#, #], log loss #, ECE # on 360 samples
>   no controls: trained with --no-controls
> e.h5: accuracy # [#, #], log loss #, ECE # on 360 samples, noise example (7 qubits), 100 shots
>   no controls: trained with --no-controls
> g.h5: accuracy # [#, #], log loss #, ECE # on 360 samples, 20 shots
>   no controls: trained with --no-controls
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: noisy.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: noisy.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen

$ qeval noisy.h5 f.h5 --json -o j.h5 | jq -c '[.noise, .shots]'; cache show e.h5 | grep -oE '^noise .*|shots "100"'
> ["depolarizing=0.02",0]
> shots "100"
> noise                example (7 qubits)
! qeval: f.h5: noisy.h5 was trained on these; --split val takes those that it has not seen

# keys: noise and shots are in them, the seed with shots alone
$ qeval exact.h5 f.h5 --noise readout=0.1,phase-flip=0.01 -o c.h5; qeval exact.h5 f.h5 --seed 1 -o a.h5
> c.h5: up to date
> a.h5: up to date

$ for o in "" "--noise none" "--noise readout=0.1" "--shots 5" "--shots 6" "--shots 5 --seed 1"
+ do qeval noisy.h5 f.h5 $o --key -o x.h5; done | sort -u | wc -l
> 6

$ qeval -q exact.h5 f.h5 --shots 50 --threads 1 --no-provenance -o t1.h5
+ qeval -q exact.h5 f.h5 --shots 50 --threads 3 --no-provenance -o t3.h5; cmp t1.h5 t3.h5 && echo same
> same

$ qeval exact.h5 f.h5 --shots 0 -o x.h5
! qeval: --shots: found '0', expected a whole number from 1 to 1000000000
? 2

$ qeval exact.h5 f.h5 --noise deplarizing=1 -o x.h5 2>&1 | cut -c 1-60
> qeval: --noise: found 'deplarizing', expected one of readout
