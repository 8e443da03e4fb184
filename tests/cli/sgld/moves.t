# Chains that move, and what is said of those that do not.
~ s/--epochs [0-9]+\)/--epochs N)/; s/ \([-0-9.e]+( at beta [0-9]+)?\):/ (X):/; s/[0-9.]+ \+- [0-9.e-]+ at/X +- X at/g; s/[0-9.]+ \+- none/X +- none/g; s/to [0-9]+ epochs at most/to N epochs at most/; s/warm-up of [0-9]+ of/warm-up of N of/
# A temperature between 0 and the profile's first one is warmed up and tuned as that one is.
$ sgld sample -B 0,.5,.9,1 -e 2000 -C 2 -q -o between.h5 2>/dev/null; sgld diagnose between.h5 --json 2>/dev/null | jq -c '[.temperatures[1:][] | (.acceptance - 0.57 | fabs < 0.12)]'; sgld sample --data images --groups 0/1 --train-size 20 -B 0,2,5 --epochs 1 -o i.h5 $DATA/digits --print-config | grep '^ *warmup'
> [true,true,true]
> warmup: "0,400,400"

# From a step that is far too large, in as many epochs as it takes, which is said; the longest is told.
$ sgld sample -B 0,3 -C 2 --sampler hmc --lr 1e9 --warmup 30 -e 600 --every 1 -o far.h5 --json 2>said | jq -c '[.ladder[1] | (.acceptance - 0.8 | fabs < 0.15), .warmup > 30, .warmup <= 1000]'; grep warm-up said
> [true,true,true]
> sgld: the warm-up of N of 4 chains was extended until the acceptance was near 0.8, to N epochs at most

# No step is accepted: there is no R-hat, no effective number, no error of such chains.
$ sgld sample -B 0,1,10 -e 800 --warmup 0 --lr 1e12 -C 1 --every 1 -o one.h5
> one.h5: fcn1 on synth, 1 chain of 193 parameters; mean training loss X +- X at beta 0, X +- none at beta 1, X +- none at beta 10; # s
! sgld: no proposal was accepted at beta 1, 10, in 1 of 1 chains: they never moved; take a smaller step, or a warm-up in which it is tuned
! sgld: the virial ratio, 1 at equilibrium, is off at beta 10 (X): not at equilibrium, or the step is too large
! sgld: one chain alone: R-hat needs two, for it compares them

$ sgld diagnose one.h5 --check | tail -2 | sed -E 's/0\.[0-9]{5}/#/; s/[01]\.[0-9]{4,5} +[01]\.[0-9]{4}$/# #/'; echo ${PIPESTATUS[0]}; sgld diagnose one.h5 --json 2>/dev/null | jq -c '[.temperatures[1] | .rhat, .ess_bulk, .ess_tail, .mcse, .autocorrelation_time]'
>         1     800    #     none   none   none   none   none  0.000  # #
>        10     800    #     none   none   none   none   none  0.000  # #
> 1
> [null,null,null,null,null]
! sgld: no proposal was accepted at beta 1, 10, in 1 of 1 chains: they never moved; take a smaller step, or a warm-up in which it is tuned
! sgld: the virial ratio, 1 at equilibrium, is off at beta 10 (X): not at equilibrium, or the step is too large
! sgld: one chain alone: R-hat needs two, for it compares them

$ sgld bounds one.h5 --json 2>said | jq -c '[.rungs[1:][] | .loss_mcse, .gamma_mcse, .bound_mcse, .bound_upper, .llc_mcse], .llc_none'; grep -c 'its mean has no error there' said
> [null,null,null,null,null,null,null,null,null,null]
> "the loss does not vary at the last temperature"
> 1

$ sgld sample -B 0,1,10 -e 200 --warmup 0 --lr 1e12 -C 4 --every 1 -q -o four.h5; sgld diagnose four.h5 2>/dev/null | tail -1 | grep -c 'none   none   none   none   none  0.000'
> 1

# A step that is not tuned, and one that hardly changes anything.
$ sgld sample -B 0,10 -C 2 -e 3000 --warmup 0 --no-tune --lr 0.55 --every 1 -o low.h5 2>&1 | grep -c 'the acceptance is low at beta 10'; sgld sample -B 0,10 -C 2 -e 40 --sampler sgld --lr 1e-30 --every 1 -o still.h5 >/dev/null
> 1
! sgld: the training loss does not vary at beta 10, in 2 of 2 chains: it says nothing of how they mix
! sgld: fewer than 400 effective draws at beta 0 (X): the standard errors are unreliable; sample longer (--epochs N)

$ sgld diagnose between.h5 --of train01 -q; sgld sample -B 0,1 -C 2 -e 400 --every 1 --warmup 100 -q -o test.h5 2>/dev/null; sgld diagnose test.h5 --json 2>/dev/null | jq -c '[.temperatures[].mcse > 0] | all'
> true

# Draws that are none are refused before they are waited for.
$ sgld sample -e 20 --every 100 -o no.h5
! sgld: beta 0: 20 epochs with a draw each 100 have none; more epochs, or draws more often
? 2

$ sgld sample -e 200 --every 10 --keep 30 -o no.h5
! sgld: weights of each 30 draws are kept: of 20 there are none
? 2

$ sgld sample -e 200 --every 10 --test-every 201 -o no.h5
! sgld: a test each 201 epochs: in 200 there is none
? 2

# The least loss of the learning coefficient does not depend on how long the chains were.
$ for e in 300 3000; do sgld sample -B 0,30,300 -C 2 -e $e --warmup 1500 -q -o llc$e.h5 2>/dev/null; sgld bounds llc$e.h5 --json 2>/dev/null | jq -c '[(.least_loss * 1e5 | round), (.rungs[2] | .llc_mcse > 0, .llc > 25 and .llc < 40), .wbic_interpolated, .wbic_error > 0]'; done; sgld bounds llc300.h5 2>&1 >/dev/null | grep -c 'only as the weights grow'
> [1849,true,true,true,true]
> [1849,true,true,true,true]
> 1

# Where none was sought that is said, and one can be given.
$ sgld sample -p classic --test-mode -q -o classic.h5 2>/dev/null; sgld bounds classic.h5 2>/dev/null | grep local; sgld bounds classic.h5 --least-loss 0.018 2>/dev/null | grep -c 'local learning coefficient at 10: [0-9.]*, beta (E L - L\*), L\* = 0.018$'
> local learning coefficient: none; the file has no minimum of the loss; sgld sample and head seek one with mala or hmc, tuned
> 1

# Keys of chains whose step is not tuned are what they were, of others they are not.
$ [ $(sgld sample -p classic --test-mode --key) = 5a341e5b4fbe34956b8187f6c7cb42a2931e468f0f80eef7223cf0987cde2a79 ] && [ $(sgld sample --sampler sgld -B 0,5 --lr 0.01 -e 40 --key) = ea3e533539aa9d0236888a58d11e462ad32d516d80cc6f5bd2bb51f57366e5c2 ] && echo kept; [ "$(sgld sample --sampler mala -B 0,5 -e 40 --key)" = "$(sgld sample --sampler mala -B 0,5 -e 40 --no-tune --key)" ] || echo others
> kept
> others

# A byte that changed among kept weights: whoever opens the file refuses it, also where these are not read.
$ sgld sample -B 0,1 -C 2 -e 60 --warmup 60 --every 1 --keep 1 -q -o kept.h5 2>/dev/null; cp kept.h5 bad.h5; size=$(stat -c %s bad.h5); printf '\x5a\xa5' | dd of=bad.h5 bs=1 seek=$((size / 2)) conv=notrunc status=none; cache verify bad.h5
+ for command in 'diagnose bad.h5' 'bounds bad.h5' 'bounds kept.h5 --calibrate-on bad.h5' 'sample -B 0,1 -C 2 -e 80 --warmup 60 --every 1 --keep 1 --extend bad.h5 -o more.h5'; do sgld $command; echo $?; done; figures bad.h5 -o pictures; ls more.h5 pictures
> 65
> 65
> 65
> 65
! cache: bad.h5: dataset kept/weights: block 0 (rows 0 to 1) is damaged: other digest than when it was published; make it again
! cache: 1 of 1 file is not whole
! sgld: bad.h5: dataset kept/weights: block 0 (rows 0 to 1) is damaged: other digest than when it was published; make it again
! sgld: bad.h5: dataset kept/weights: block 0 (rows 0 to 1) is damaged: other digest than when it was published; make it again
! sgld: bad.h5: dataset kept/weights: block 0 (rows 0 to 1) is damaged: other digest than when it was published; make it again
! sgld: bad.h5: dataset kept/weights: block 0 (rows 0 to 1) is damaged: other digest than when it was published; make it again
! figures: bad.h5: dataset kept/weights: block 0 (rows 0 to 1) is damaged: other digest than when it was published; make it again
! ls: cannot access 'more.h5': No such file or directory
! ls: cannot access 'pictures': No such file or directory
? 2
# A thermostat holds the virial ratio at 1 whatever the step: the mean loss, which falls with beta, tells.
$ sgld sample --data synth -B 0,10 --sampler sgnht --lr 1 -e 2000 -C 2 -j 1 -o nht.h5 2>&1 | grep -o 'the mean loss rises from beta 0 to 10'
> the mean loss rises from beta 0 to 10
$ sgld diagnose nht.h5 2>/dev/null | awk 'NR == 4 { print ($(NF - 1) > .95 && $(NF - 1) < 1.05) }'
> 1
