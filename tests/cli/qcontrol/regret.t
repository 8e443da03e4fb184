# A family where adapting pays (a detuning that the network is not told of, little amplitude), and one where nothing does.
$ qcontrol train --n-segments 20 --hidden-dim 64 -b 16 -n 600 --detuning-range=-2,2 --limit 3 --gamma-deph-range 0,0.01 --gamma-relax-range 0,0.01 --inner-lr 0.1 --task-features none -q -o hidden.h5; qcontrol regret hidden.h5 --tasks 20 --starts 4 --scales 3 -k 5 -o regret.h5 | tail -2 | head -1
> adapting pays: less loss than the best fixed pulse, than it adapted, and than a network on the mean loss

$ qcontrol train --n-segments 20 --hidden-dim 32 -b 16 -n 200 -q -o rates.h5; qcontrol regret rates.h5 --tasks 20 --starts 4 --scales 0 -k 5 | tail -1
> it does not pay: the best fixed pulse is as good

# The rows of the table; the file; threads change no byte of it.
$ qcontrol regret rates.h5 --tasks 20 --starts 4 --scales 0 -k 5 | sed -n '2,7p' | cut -c3-36 | sed 's/ *$//'
> each task's optimum
> policy, 5 steps
> policy, not adapted
> network trained on the mean
> best fixed pulse, 5 steps
> best fixed pulse

$ for j in 1 2; do qcontrol regret rates.h5 --tasks 20 --starts 4 --scales 0 -k 5 -j $j --no-provenance -q -o $j.h5; done; cmp 1.h5 2.h5 && echo same
> same

$ qcontrol regret hidden.h5 --tasks 20 --starts 4 --scales 3 -k 5 -o regret.h5
> regret.h5: up to date

$ qcontrol regret
! qcontrol: 0 inputs, expected one policy; see --help
? 2

$ qcontrol regret regret.h5
! qcontrol: regret.h5: holds 'regret', expected 'policy', which comes from qcontrol train
? 65

# Numbers drawn by their logarithm stay above 0 however wide the family: no variance, gain or slope is NaN.
$ qcontrol train --n-segments 10 --hidden-dim 8 -b 8 -n 20 --task-dist-type log_uniform -q -o log.h5; qcontrol regret log.h5 --tasks 8 --starts 2 --scales 3 -k 2 | grep "family's variance" | grep -c nan
> 0
