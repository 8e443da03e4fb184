# What rates and uncertainties add to a pulse's loss, by derivatives and by other routes.
$ qcontrol optimize -g i -S 6 -s 1 -i 1 --start-size 0 --set "gamma_phi=0.01 gamma_down=0.004" -q -o idle.h5
$ qcontrol budget idle.h5 --sigma "detuning=0.02 amplitude=0.01" | sed -E 's/-?[0-9.]+e-(0[7-9]|[1-9][0-9])/ ~0/g'
> idle.h5: i of qubit (average i), T 1: loss 0.00464143, with errors 0.00490481
> term                 size      slope  curvature       part      alone     if off     filter    average
> gamma_phi            0.01      0.329          -    0.00329    0.00332    0.00331    0.00333          -
> gamma_down          0.004      0.331          -    0.00132    0.00133    0.00132          -          -
> gamma_up                -      0.331          -          -          -          -          -          -
> detuning             0.02          0       1.32   0.000263   0.000267   0.000263   0.000267   0.000263
> amplitude            0.01          0          0          0          0          0          -   ~0
> skew_x                  -          0    ~0          -          -          -          -          -
> skew_y                  -          0    ~0          -          -          -          -          -
> the pulse's own                                           0
> adds up: 0.00487978 by its parts, 0.00490481 exact
$ qcontrol budget idle.h5 --sigma detuning=0.02 --check -q; echo $?
> 0
# Beyond second order, and only --check makes it an exit status.
$ qcontrol budget idle.h5 --sigma detuning=2 | tail -3
> the pulse's own                                           0
> does not add up: 2.63947 by its parts, 0.333888 exact; -2.31, more than 10 % of the budget, is due to terms together or beyond second order
> detuning: 2.63 by derivatives, 0.333 by another route (alone)
$ qcontrol budget idle.h5 --sigma detuning=2 -q; echo $?
> 0
$ qcontrol budget idle.h5 --sigma detuning=2 -q --check
? 1
$ qcontrol budget idle.h5 --sigma detuning=0.02 --json | jq -c '[.adds_up, .routes_agree, (.terms[] | select(.size > 0) | .name)]'
> [true,true,"gamma_phi","gamma_down","detuning"]
$ qcontrol budget idle.h5 --sigma flux=1
! qcontrol: --sigma: found 'flux=1', expected NAME=NUMBER, a name of detuning amplitude skew_x skew_y
? 2
$ qcontrol budget idle.h5 --sigma "detuning=1 amplitude=x"
! qcontrol: --sigma: found 'amplitude=x', expected NAME=NUMBER, a name of detuning amplitude skew_x skew_y
? 2
# Beyond what second order can say; no number; a name twice.
$ qcontrol budget idle.h5 --sigma 'skew_x=1e300'
! qcontrol: --sigma: found 'skew_x=1e300', expected at most 1 for a pulse of T 1
? 2
$ qcontrol budget idle.h5 --sigma 'detuning=1e5'
! qcontrol: --sigma: found 'detuning=1e5', expected at most 10 for a pulse of T 1
? 2
$ qcontrol budget idle.h5 --sigma 'detuning='
! qcontrol: --sigma: found 'detuning=', expected NAME=NUMBER, a name of detuning amplitude skew_x skew_y
? 2
$ qcontrol budget idle.h5 --sigma 'detuning=0 detuning=1'
! qcontrol: --sigma: found detuning twice, expected it once
? 2
$ qcontrol budget idle.h5 --sigma 'skew_x=1' -q
$ qcontrol budget
! qcontrol: 0 inputs, expected PULSE.h5; see qcontrol budget --help
? 2
$ qcontrol budget absent.h5
! qcontrol: absent.h5: cannot be opened: No such file or directory
? 66
