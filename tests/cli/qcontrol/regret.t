# A family where adapting pays (a detuning that the network is not told of, little amplitude), and one where nothing does.
$ qcontrol train --n-segments 20 --hidden-dim 64 -b 16 -i 600 --detuning-range=-2,2 --limit 3 --gamma-deph-range 0,0.01 --gamma-relax-range 0,0.01 --inner-lr 0.1 --task-features none -q -o hidden.h5; qcontrol regret --progress none hidden.h5 --tasks 20 --starts 4 --scales 3 -k 5 -o regret.h5 | tail -2 | head -1
> gain against the family's variance: 0.00765 + 0.0227 x, R2 0.999
! qcontrol: hidden.h5: not trained to its end: in the last 6 of 60 epochs the adapted loss fell by 5 %; give more --iterations

$ qcontrol train --n-segments 20 --hidden-dim 32 -b 16 -i 200 -q -o rates.h5; qcontrol regret --progress none rates.h5 --tasks 20 --starts 4 --scales 0 -k 5 | tail -1
> 20 tasks, # s; it does not pay: the best fixed pulse is better

# The rows of the table; the file; threads change no byte of it.
$ qcontrol regret --progress none rates.h5 --tasks 20 --starts 4 --scales 0 -k 5 | sed -n '2,7p' | cut -c3-36 | sed 's/ *$//'
> each task's optimum
> policy, 5 steps
> policy, not adapted
> network trained on the mean
> best fixed pulse, 5 steps
> best fixed pulse

$ for j in 1 2; do qcontrol regret --progress none rates.h5 --tasks 20 --starts 4 --scales 0 -k 5 -j $j --no-provenance -q -o $j.h5; done; cmp 1.h5 2.h5 && echo same
> same

$ qcontrol regret --progress none hidden.h5 --tasks 20 --starts 4 --scales 3 -k 5 -o regret.h5
> regret.h5: up to date
> 20 tasks, loss                          mean      worst      regret (95 %, paired over tasks)
>   each task's optimum                  0.003195   0.005457           0 (0 to 0)
>   policy, 5 steps                      0.003392   0.005506    0.000197 (1.82e-05 to 0.000377)
>   policy, not adapted                   0.03669      0.145      0.0335 (0.0157 to 0.0513)
>   network trained on the mean           0.01865    0.04469      0.0155 (0.00915 to 0.0218)
>   best fixed pulse, 5 steps            0.005041   0.009719     0.00185 (0.0011 to 0.0026)
>   best fixed pulse                      0.01078    0.04353     0.00758 (0.00264 to 0.0125)
> gradients: 57600 of the training (the policy's, and the network's on the mean), 103810 of the optima (20 to 400 iterations of each start)
> gain of K steps: 0.0332 (1 - exp(-1.33 K)), R2 1.000
> gain against the family's variance: 0.00765 + 0.0227 x, R2 0.999
> regret.h5: 20 tasks, # s; adapting pays: less loss than the best fixed pulse, than it adapted, and than a network on the mean loss
! qcontrol: hidden.h5: not trained to its end: in the last 6 of 60 epochs the adapted loss fell by 5 %; give more --iterations

# Fewer steps than the policy's are fewer, more are followed, but its own are judged.
$ for k in 1 4 7; do qcontrol regret --progress none rates.h5 --tasks 4 --starts 2 --scales 0 -k $k -o k$k.h5 | grep -oE '(policy|pulse), [0-9] steps?'; cache show k$k.h5 | grep -oE 'losses/policy.*|inner_steps [0-9]' | tr -s ' '; done
> policy, 1 step
> pulse, 1 step
> inner_steps 1
> losses/policy float64 4 x 2
> policy, 4 steps
> pulse, 4 steps
> inner_steps 4
> losses/policy float64 4 x 5
> policy, 5 steps
> pulse, 5 steps
> inner_steps 5
> losses/policy float64 4 x 8

$ qcontrol regret --progress none
! qcontrol: 0 inputs, expected POLICY.h5; see qcontrol regret --help
? 2

$ qcontrol regret --progress none regret.h5
! qcontrol: regret.h5: holds 'regret', expected 'policy', which comes from qcontrol train
? 65

# Numbers drawn by their logarithm stay above 0 however wide the family: no variance, gain or slope is NaN. A line over variance is told where it explains half.
$ qcontrol train --n-segments 10 --hidden-dim 8 -b 8 -i 20 --task-dist-type log_uniform -q -o log.h5; qcontrol regret --progress none log.h5 --tasks 8 --starts 2 --scales 3 -k 2 | grep "family's variance" | sed 's/R2, 0\.[0-4][0-9]*, /R2, X, /'
> gain against the family's variance: no line, as its R2, X, is below 0.5

# A signal ends it in the midst of the optima, and no file is left.
$ qcontrol regret --progress none log.h5 --gradients 100000000 --tasks 4096 --starts 400 -k 2 -q -o late.h5 & pid=$!
+ sleep 0.7; pkill -TERM -P $pid || kill -TERM $pid; wait $pid; echo $?; [ ! -e late.h5 ] && echo 0
> 143
> 0

# Both counts of gradients: 20 iterations of 8 tasks of 5 steps and the last, and what the optima took. An imported policy needs the first.
$ qcontrol regret --progress none log.h5 --tasks 8 --starts 2 --scales 0 -k 2 -o both.h5 | grep -o '^gradients: [0-9]* of the training'
> gradients: 960 of the training
$ qcontrol import $ROOT/tests/golden/weights/maml.pt -q -o pol.h5; qcontrol regret --progress none pol.h5
! qcontrol: pol.h5: an imported policy, which does not say how many gradients its training took; give --gradients N
? 2
$ qcontrol regret --progress none pol.h5 --gradients 640 --tasks 8 --starts 2 --scales 0 -k 2 | grep -o '^gradients: [0-9]* of the training'
> gradients: 640 of the training

# The network on the mean is trained one way; where the policy was trained another way, that is said.
$ qcontrol train --n-segments 10 --hidden-dim 8 -b 8 -i 20 --optimizer sgd --precision double -q -o sgd.h5; qcontrol regret --progress none sgd.h5 --tasks 8 --starts 2 --scales 0 -k 2 2>&1 >/dev/null
> qcontrol: the network on the mean is trained by Adam (0.9, 0.999) at a constant rate, in single precision, from a constant pulse; the policy had optimizer sgd, precision double
