# What was understood is said, in the model's unit of time.
~ s/^(t.h5: x of transmon), .*/\1, .../
$ cp $ROOT/examples/control/*.yaml . && qcontrol optimize --model transmon.yaml -S 4 -s 1 -i 2 -o t.h5
> t.h5: x of transmon, ...
! qcontrol: model   transmon: 3 levels, time in ns
! qcontrol:         the first 2 levels compute
! qcontrol: pulse   12 ns
! qcontrol: H       detuning = 0 rad/ns (0 MHz, 2 pi applied) times n
! qcontrol: H       anharmonicity = -1.884955592 rad/ns (-300 MHz, 2 pi applied) times n * (n - 1) / 2
! qcontrol: jump    gamma_phi = 3.333333333e-05 1/ns, operator sqrt(2 gamma_phi) times n
! qcontrol: jump    gamma_down = 4.999969221e-05 1/ns, operator sqrt(gamma_down) times a
! qcontrol: jump    gamma_up = 3.077906131e-10 1/ns, operator sqrt(gamma_up) times ad
! qcontrol: control x times (a + a^+) / 2, |x| at most 0.6283185307 rad/ns (100 MHz, 2 pi applied)
! qcontrol: control y times i * (a^+ - a) / 2, |y| at most 0.6283185307 rad/ns (100 MHz, 2 pi applied)
! qcontrol: target  gate x, 1 - fidelity average
! qcontrol: target  gate x, 1 - fidelity leakage
! qcontrol: pulse   T 12 ns (of the model), 4 segments
! qcontrol: sought  gate x, 1 - fidelity average

# The key says what is in the file, not where it is; another anharmonicity is another key.
$ mkdir else && cp transmon.yaml else/m.yaml && sed 's/-300 MHz/-0.3 GHz/' transmon.yaml >same.yaml && sed 's/-300/-310/' transmon.yaml >other.yaml
$ for m in transmon else/m same other; do qcontrol optimize --model $m.yaml -S 4 --key -q; done | uniq -c | sed -E 's/[0-9a-f]{64}/KEY/'
>       3 KEY
>       1 KEY

# Up to date, though the file has moved.
$ rm transmon.yaml && qcontrol optimize --model else/m.yaml -S 4 -s 1 -i 2 -o t.h5 -q

# A gate from a file counts by what is in it.
$ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }" >u.npy && for v in '\0\0\0\0\0\0\0\0' '\0\0\0\0\0\0\xf0\x3f' '\0\0\0\0\0\0\xf0\x3f' '\0\0\0\0\0\0\0\0'; do printf "$v"; done >>u.npy
$ qcontrol optimize -g u.npy -S 20 -s 1 -i 1 -o u.h5 2>&1 | sed -n 's/^qcontrol: target/target/p; s/^\(u.h5[^,]*\),.*/\1/p'
> target  gate u.npy (C order)
> target  gate matrix, 1 - fidelity average
> u.h5: matrix of qubit
$ cp u.npy v.npy; for g in u v; do qcontrol optimize -g $g.npy --key -q; done | uniq | wc -l
> 1

# Mistakes.
$ qcontrol optimize --model else/m.yaml --controls 2 -o x.h5
! qcontrol: --controls: the model has its own; expected --model without it
? 2
$ qcontrol optimize --model else/m.yaml --jump up -o x.h5
! qcontrol: --jump: the model has its own jumps; expected --model without it
? 2
$ qcontrol optimize --model gone.yaml -o x.h5
! qcontrol: gone.yaml: cannot be opened: No such file or directory
? 66
$ qcontrol optimize --model else/m.yaml --gate cz -o x.h5
! qcontrol: target: 'cz' is a gate of 4 levels, the system computes with 2; gates of several qubits stand between commas: h,i
? 2
$ sed 's/300 MHz/300/' else/m.yaml >bad.yaml; qcontrol optimize --model bad.yaml -o x.h5
! qcontrol: bad.yaml:9: hamiltonian 2: value: found '-300' without a unit, expected one of Hz, kHz, MHz, GHz (2 pi is applied), rad/s, rad/us or rad/ns (it is not)
? 65
$ sed 's/Tphi: 30 us/T2: 50 us/' else/m.yaml >bad.yaml; qcontrol optimize --model bad.yaml -o x.h5
! qcontrol: bad.yaml:11: decay 1: T2 is 50000 and T1 20000, expected T2 of at most 2 T1 = 40000: relaxation alone limits it
? 65
$ sed 's/limit/limt/' else/m.yaml >bad.yaml; qcontrol optimize --model bad.yaml -o x.h5
! qcontrol: bad.yaml:13: controls 1: found no such key as 'limt'; did you mean limit?
? 65
$ sed 's/i \* (a^+ - a)/(a^+ - a)/' else/m.yaml >bad.yaml; qcontrol optimize --model bad.yaml -o x.h5
! qcontrol: bad.yaml:14: controls 2: operator: the operator is not Hermitian: entries (1, 2) and (2, 1) deviate by 1.41; i times it is
? 65
$ sed 's/i \* (a^+ - a)/a^+ - a/' else/m.yaml >bad.yaml; qcontrol optimize --model bad.yaml -o x.h5
! qcontrol: bad.yaml:14: controls 2: operator: the operator is not Hermitian: entries (1, 2) and (2, 1) deviate by 2.12; nor does it lead one way, as a complex control's, a or sm1
? 65
$ qcontrol optimize --model '{}' -o x.h5
! qcontrol: a model in JSON: no name, or no unit of time
? 65

# One qubit has Newton's method (with L-BFGS there is no Hessian to be off) and its figures' data, whatever combinations of X, Y, Z its
# controls are; with a jump of another kind it is a system as any.
$ printf 'time-unit: us\nqubits: 1\nduration: 1 us\nhamiltonian:\n  - {name: d, operator: Z + 0.1 * X, value: 0.1 MHz}\njumps:\n  - {operator: Z, rate: 0.01 1/us}\ncontrols:\n  - {name: x, operator: 0.5 * X, limit: 1 MHz}\n  - {name: y, operator: 0.5 * Y + 0.02 * Z, limit: 1 MHz}\n' >half.yaml
$ qcontrol optimize --model half.yaml -S 8 -s 2 -o half.h5 -q && cache show half.h5 | grep -cE ' (path|filter)/'
> 4
$ sed 's/operator: Z, rate/operator: X, rate/' half.yaml >any.yaml && qcontrol optimize --model any.yaml -S 8 -s 2 -o any.h5 -q && cache show any.h5 | grep -cE ' (path|filter)/'
> 0
? 1
$ qcontrol optimize --model any.yaml -S 8 -s 2 -m newton -o any.h5
! qcontrol: model   model: 1 qubit, time in us
! qcontrol: pulse   1 us
! qcontrol: H       d = 0.6283185307 rad/us (0.1 MHz, 2 pi applied) times Z + 0.1 * X
! qcontrol: jump    rate2 = 0.01 1/us, operator sqrt(rate2) times X
! qcontrol: control x times 0.5 * X, |x| at most 6.283185307 rad/us (1 MHz, 2 pi applied)
! qcontrol: control y times 0.5 * Y + 0.02 * Z, |y| at most 6.283185307 rad/us (1 MHz, 2 pi applied)
! qcontrol: pulse   T 1 us (of the model), 8 segments
! qcontrol: target  gate x, 1 - fidelity average
! qcontrol: Newton's method needs Hessian products, which there are for one qubit whose jumps are Z, |0><1|, |1><0|, and a mean; use lbfgs
? 2

# Units beside a model are those of its file: 2 pi is applied, and a bare number is in its unit of time.
$ qcontrol optimize --model half.yaml -S 4 -s 1 --set 'd=0.2 MHz, rate2=20 1/ms' --limit 'x=500 kHz y=3.5 rad/us' --spread 'd=0.1MHz amplitude=0.1' --members 3 -o a.h5 -q
$ qcontrol optimize --model half.yaml -S 4 -s 1 --set 'd=1.2566370614359172 rate2=0.02' --limit 'x=3.141592653589793,y=3.5' --spread d=0.6283185307179586,amplitude=0.1 --members 3 -o b.h5 -q
$ for f in a b; do h5dump -d members/params -d limits -m '%.10g' $f.h5 | sed 1d | md5sum; done | uniq | wc -l
> 1
$ qcontrol budget a.h5 --sigma 'd=100 kHz skew_y=10 ns' | grep -E '^(d|skew_y) ' | cut -c 1-25
> d                   0.628
> skew_y               0.01
! qcontrol: a.h5: made for an ensemble; the budget is of its nominal task
$ qcontrol optimize --model half.yaml --set 'rate2=1 MHz' -o x.h5 2>&1 | tail -n 1
> qcontrol: --set: rate2: found the unit 'MHz', expected one of 1/s, 1/ms, 1/us or 1/ns
$ qcontrol optimize --model half.yaml --limit '3 us' -o x.h5 2>&1 | tail -n 1
> qcontrol: --limit: found the unit 'us', expected one of Hz, kHz, MHz, GHz (2 pi is applied), rad/s, rad/us or rad/ns (it is not)
$ qcontrol optimize --model half.yaml --spread 'amplitude=1 MHz' -o x.h5 2>&1 | tail -n 1
> qcontrol: --spread: found 'amplitude=1 MHz', expected a factor, which has no unit
$ qcontrol optimize --model half.yaml --spread 'd=1 MHz us' -o x.h5 2>&1 | tail -n 1
> qcontrol: --spread: found 'us', expected NAME=NUMBER
$ qcontrol optimize --spread 'detuning=1 MHz' -o x.h5
! qcontrol: --spread: found 'detuning=1 MHz', but system qubit has no unit of time: give numbers without units, or --system transmon --levels 2, a qubit in ns
? 2
$ qcontrol budget a.h5 --sigma 'skew_y=1 MHz' 2>&1 | tail -n 1
> qcontrol: --sigma: skew_y: found the unit 'MHz', expected one of s, ms, us, ns or ps
$ qcontrol export a.h5 -r 4 --skew 'x=1 GHz' -o x.csv
! qcontrol: --skew: x: found the unit 'GHz', expected one of s, ms, us, ns or ps
? 2
$ qcontrol export a.h5 -r 4 --amplitude '1 ns' -o x.csv
! qcontrol: --amplitude: found '1 ns', expected a factor, which has no unit
? 2

# Numbers without a unit that are no likely ones in the system's: a caution each; of 12 ns ten times is 120, of 100 MHz 6.28 rad/ns.
$ o="--starts 1 -S 4 -i 1 -f -o bare.h5"; c() { qcontrol optimize $o "$@" 2>&1 | grep 'with a unit'; }; c --system transmon --limit 40 --duration 30 --set T1=80; cache show bare.h5 | grep -c 'with a unit'
+ c --system transmon --set T1=119; c --system transmon --limit 6.3; for ok in T1=121 'T1=80 us' 'T1=80 ns'; do c --system transmon --set "$ok"; done; c --system transmon --limit 6.2; c --system transmon --limit '6.37 GHz'; c --limit 400 --set T1=1
> qcontrol: --limit 40 is 6366 MHz, 63.7 times the system's own of 100 MHz; with a unit: --limit '40 MHz'
> qcontrol: T1 = 80 ns is short beside the pulse of 30 ns; with a unit: --set 'T1=80 us'
> 2
> qcontrol: T1 = 119 ns is short beside the pulse of 12 ns; with a unit: --set 'T1=119 us'
> qcontrol: --limit 6.3 is 1003 MHz, 10 times the system's own of 100 MHz; with a unit: --limit '6.3 MHz'
? 1

# What was given is named with its unit, and what to give.
$ for o in "--spread detuning=-2:2MHz" --set=T2=100us --set=T3=5us; do qcontrol optimize --system transmon $o -o no.h5; done
+ qcontrol optimize --system transmon --limit '40 MHz' --set T1=80 --starts 1 -o mhz.h5 2>&1 | grep -E -- '--limit|gamma_down'
> qcontrol: jump    gamma_down = 0.0125 1/ns (1 in 80 ns), operator sqrt(gamma_down) times a
> qcontrol: control x times (a + a^+) / 2, |x| at most 0.2513274123 rad/ns (40 MHz) (--limit)
> qcontrol: control y times i (a^+ - a) / 2, |y| at most 0.2513274123 rad/ns (40 MHz) (--limit)
! qcontrol: --spread: found 'detuning=-2:2MHz', expected one size: --spread 'detuning=2MHz' --law uniform spreads so far to both sides of the value that --set gives
! qcontrol: --set: T2 is 100000 ns and T1 20000 ns, the system's own, expected T2 of at most 2 T1: relaxation alone limits it; give T1 as well
! qcontrol: --set: system transmon has no 'T3'; it has gamma_phi, gamma_down, gamma_up, detuning, anharmonicity, and the times T1, T2, Tphi

