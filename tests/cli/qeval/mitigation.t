# Noise taken back: readout by the inverse of its matrices, gates by extrapolation.
~ /not tell all classes apart/d
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 -q -o f.h5
+ qtrain f.h5 --epochs 3 --no-controls -q -o exact.h5; qtrain f.h5 --epochs 1 --core twin -q -o twin.h5 >/dev/null
+ qtrain f.h5 --epochs 1 --observables XXII,ZIII --no-controls -q -o pairs.h5
~ s/[0-9]\.[0-9]{4}/#/g

$ N="--noise depolarizing=0.01,readout-0=0.02,readout-1=0.06"; qeval exact.h5 f.h5 $N --mitigate-readout --zne 1,3,5 -o a.h5
+ qeval exact.h5 f.h5 $N --zne 1,3 --extrapolate linear --shots 50 -o b.h5
> a.h5: accuracy # [#, #], log loss #, ECE # on 360 samples, noise depolarizing=0.01,readout-0=0.02,readout-1=0.06
>   mitigated (readout, ZNE 1,3,5 richardson): outputs are off by #; without it by #, accuracy #, log loss #
>   no controls: trained with --no-controls
> b.h5: accuracy # [#, #], log loss #, ECE # on 360 samples, noise depolarizing=0.01,readout-0=0.02,readout-1=0.06, 50 shots
>   mitigated (ZNE 1,3 linear): outputs are off by #; without it by #, accuracy #, log loss #
>   no controls: trained with --no-controls
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen

# errors of the readout alone are taken back wholly, and then the accuracy is that without noise
$ qeval exact.h5 f.h5 --noise readout-0=0.1,readout-1=0.2 --mitigate-readout --json -o r.h5 >r.json; qeval exact.h5 f.h5 --json -o e.h5 >e.json
+ jq -c '[.mitigation, .output_error < 1e-6, .unmitigated_output_error > 0.01]' r.json; jq .accuracy r.json e.json | uniq | wc -l
> ["readout",true,true]
> 1
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen

# what is extrapolated is nearer than what was not, by far
$ qeval exact.h5 f.h5 --noise depolarizing=0.002 --zne 1,3,5 --json -o z.h5 | jq '.output_error * 20 < .unmitigated_output_error'
> true
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen

# no mitigation, the numbers without it: those of qeval without the options
$ qeval exact.h5 f.h5 --noise depolarizing=0.03 --json -o p.h5 >p.json; qeval exact.h5 f.h5 --noise depolarizing=0.03 --zne 1,3 --json -o m.h5 >m.json
+ jq -n '[inputs] | .[0].accuracy == .[1].unmitigated_accuracy and .[0].log_loss == .[1].unmitigated_log_loss' p.json m.json
+ cache show m.h5 | grep -E '^mitig|not mitig|off by|unmit.*float'
> true
> mitigation           ZNE 1,3 richardson
> outputs off by       #
>   not mitigated      #
>   replicas/unmitigated_accuracy        float64  1
>   replicas/unmitigated_log_loss        float64  1
>   replicas/unmitigated_output_error    float64  1
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: exact.h5 was trained on these; --split val takes those that it has not seen

# in the key; the same for any number of threads
$ for o in "" "--mitigate-readout" "--zne 1,3" "--zne 1,5" "--zne 1,3,5" "--zne 1,3,5 --extrapolate richardson" "--zne 1,3,5 --extrapolate linear"
+ do qeval exact.h5 f.h5 --noise readout=0.1 $o --key -o x.h5; done | sort -u | wc -l
> 6

$ for t in 1 3; do qeval -q exact.h5 f.h5 --noise readout=0.1,depolarizing=0.01 --zne 1,3 --mitigate-readout --shots 20 --threads $t --no-provenance -o t$t.h5; done
+ cmp t1.h5 t3.h5 && echo same
> same

$ qeval exact.h5 f.h5 --zne 1,3 -o x.h5
! qeval: --zne, --mitigate-readout: there is no noise to take back; give --noise
? 2

$ qeval exact.h5 f.h5 --noise readout=0.5 --mitigate-readout -o x.h5
! qeval: noise: readout = 0.5 is the probability of reading the wrong bit: is it a fidelity, or per cent?
! qeval: readout errors of qubit 0: found 0.5 and 0.5, whose sum is 1: what is read says nothing about the qubit, so they cannot be taken back
? 2

$ qeval twin.h5 f.h5 --noise readout=0.1 --mitigate-readout -o x.h5
! qeval: twin.h5: --zne, --mitigate-readout: the head has no circuit
? 2

$ for z in 1 3,1 1,2 1,1 1,101 1,3, a "1, 3" ""; do qeval exact.h5 f.h5 --noise readout=0.1 --zne "$z" -o x.h5; done
! qeval: --zne: found '1', expected 2 to 8 odd numbers up to 99 in rising order, as in 1,3,5
! qeval: --zne: found '3,1', expected 2 to 8 odd numbers up to 99 in rising order, as in 1,3,5
! qeval: --zne: found '1,2', expected 2 to 8 odd numbers up to 99 in rising order, as in 1,3,5
! qeval: --zne: found '1,1', expected 2 to 8 odd numbers up to 99 in rising order, as in 1,3,5
! qeval: --zne: found '1,101', expected 2 to 8 odd numbers up to 99 in rising order, as in 1,3,5
! qeval: --zne: found '1,3,', expected 2 to 8 odd numbers up to 99 in rising order, as in 1,3,5
! qeval: --zne: found 'a', expected 2 to 8 odd numbers up to 99 in rising order, as in 1,3,5
! qeval: --zne: found '1, 3', expected 2 to 8 odd numbers up to 99 in rising order, as in 1,3,5
! qeval: --zne: found '', expected 2 to 8 odd numbers up to 99 in rising order, as in 1,3,5
? 2

$ qeval exact.h5 f.h5 --noise readout=0.1 --extrapolate linear -o x.h5
! qeval: --extrapolate without --zne LIST
? 2

# strings of several letters that are measured alone: only errors that do not differ can be taken back
$ qeval pairs.h5 f.h5 --noise readout=0.1 --mitigate-readout --shots 10 -q -o ok.h5; qeval pairs.h5 f.h5 --noise readout-0=0.1 --mitigate-readout -q -o ok2.h5
+ qeval pairs.h5 f.h5 --noise readout-0=0.1 --mitigate-readout --shots 10 -o x.h5
! qeval: shots of a string of several letters, not all Z, under readout errors that differ (qubit 0: 0.1 and 0) are not mitigated; leave --shots out, or observe strings of Z
? 2

# sums, marginals and fidelities too: exactly, and measured
$ qtrain f.h5 --epochs 1 --observables "0.5*ZZII-XIIY,probs(0,2),fidelity(0+1-)" --no-controls -q -o sums.h5
+ qeval sums.h5 f.h5 --noise readout-0=0.1,readout-1=0.2 --mitigate-readout --json -o s.h5 | jq -c '[.output_error < 1e-6, .unmitigated_output_error > 0.01]'
+ qtrain f.h5 --epochs 1 --observables "0.5*ZZII-IIIZ,probs(0,2),fidelity(0010)" --no-controls -q -o bits.h5
+ qeval bits.h5 f.h5 --noise readout-0=0.1,readout-1=0.2 --mitigate-readout --shots 100000 --json -o s.h5 | jq -c '[.output_error < 0.005, .unmitigated_output_error > 0.01]'
> [true,true]
> [true,true]
! qeval: f.h5: sums.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: bits.h5 was trained on these; --split val takes those that it has not seen

$ qeval sums.h5 f.h5 --noise readout=0.1 --mitigate-readout --shots 10 -o x.h5
! qeval: shots of a fidelity with no basis state are one outcome alone, from which readout errors are not taken back; leave --shots out, or observe strings
? 2

# noise of which there is nothing to take back
$ qeval exact.h5 f.h5 --noise depolarizing=0.01 --mitigate-readout -o x.h5
! qeval: --mitigate-readout: the noise has no readout errors; leave it out
? 2
$ qeval exact.h5 f.h5 --noise readout=0.01 --zne 1,3 -o x.h5
! qeval: --zne: the noise has readout errors alone, which folded gates do not make stronger; take --mitigate-readout
? 2

# a head without a circuit has neither noise nor measurements
$ qeval twin.h5 f.h5 --noise readout=0.1 --shots 10 --json -o tw.h5 | jq -c '[.noise, .shots]'
> ["none",0]
! qeval: twin.h5 has no circuit: --noise and --shots change nothing
! qeval: f.h5: twin.h5 was trained on these; --split val takes those that it has not seen
