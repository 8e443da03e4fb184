# Nothing that decides a result is unsaid: rates, levels, units, limits and law in use, given or not.
~ s/^([a-z0-9]+\.h5: [^(]*\([^)]*\)).*/\1 .../
$ qcontrol optimize -g x --set gamma_down=0.2 -S 4 -s 1 -i 1 -o a.h5
> a.h5: x of qubit, loss 0.518699 (average x) ...
! qcontrol: system  qubit: 2 levels, time in no unit
! qcontrol: jump    gamma_phi = 0.085, operator sqrt(gamma_phi/2) times Z (default)
! qcontrol: jump    gamma_down = 0.2, operator sqrt(gamma_down) times |0><1|
! qcontrol: jump    gamma_up = 0, operator sqrt(gamma_up) times |1><0| (default)
! qcontrol: H       detuning = 0 times Z (default)
! qcontrol: control x times X, |x| at most 3.141592654 (default)
! qcontrol: control y times Y, |y| at most 3.141592654 (default)
! qcontrol: pulse   T 1 (default), 4 segments
! qcontrol: target  gate x, 1 - fidelity average
# The same by the file, later.
$ cache show a.h5 | sed -n '/^in use/,$p'
> in use
> system  qubit: 2 levels, time in no unit
> jump    gamma_phi = 0.085, operator sqrt(gamma_phi/2) times Z (default)
> jump    gamma_down = 0.2, operator sqrt(gamma_down) times |0><1|
> jump    gamma_up = 0, operator sqrt(gamma_up) times |1><0| (default)
> H       detuning = 0 times Z (default)
> control x times X, |x| at most 3.141592654 (default)
> control y times Y, |y| at most 3.141592654 (default)
> pulse   T 1 (default), 4 segments
> target  gate x, 1 - fidelity average
# Relaxation that runs up: the rate that is given is the one to |1>.
$ qcontrol optimize -g x --jump up --set 'gamma_down=0.2' -S 4 -s 1 -i 1 -o u.h5 2>&1 | grep -E 'jump'
> qcontrol: jump    gamma_phi = 0.085, operator sqrt(gamma_phi/2) times Z (default)
> qcontrol: jump    gamma_down = 0, operator sqrt(gamma_down) times |0><1| (default)
> qcontrol: jump    gamma_up = 0.2, operator sqrt(gamma_up) times |1><0|
> qcontrol: jump    relaxation runs up: down and up are exchanged, in --set and --spread too
$ qcontrol optimize --system transmon --jump up --spread 'gamma_down=1e-6' --levels 5 -S 4 -s 1 -i 1 -o l.h5 2>&1 | grep -E 'system|jump|spread'
> qcontrol: system  transmon: 5 levels, the first 2 compute, time in ns
> qcontrol: jump    gamma_phi = 3.333333333e-05 1/ns (1 in 30000 ns), operator sqrt(2 gamma_phi) times n (default)
> qcontrol: jump    gamma_down = 0 1/ns, operator sqrt(gamma_down) times a (default)
> qcontrol: jump    gamma_up = 5e-05 1/ns (1 in 20000 ns), operator sqrt(gamma_up) times a^+ (default)
> qcontrol: jump    relaxation runs up: down and up are exchanged, in --set and --spread too
> qcontrol: spread  gamma_up, normal of deviation 1e-06 1/ns: 3 members
$ for l in 2 4 8; do qcontrol optimize --system transmon --levels $l -S 4 -s 1 -i 1 -q -o l$l.h5; h5dump -H -d transfer l$l.h5 | grep -o 'SIMPLE { ( [0-9]*'; done
> SIMPLE { ( 4
> SIMPLE { ( 16
> SIMPLE { ( 64
$ qcontrol optimize --system transmon --levels 1 -o x.h5
! qcontrol: --levels: found '1', expected a whole number from 2 to 16
? 2
$ qcontrol optimize --levels 3 -o x.h5
! qcontrol: system qubit: levels can not be chosen
? 2
$ cp $ROOT/examples/control/transmon.yaml . && qcontrol optimize --system transmon --model transmon.yaml -o x.h5
! qcontrol: --system transmon: and --model transmon.yaml, expected one of them
? 2
$ qcontrol lookup --system qubit --model transmon.yaml --store .
! qcontrol: --system qubit: and --model transmon.yaml, expected one of them
? 2
$ qcontrol optimize --model transmon.yaml --levels 3 -o x.h5
! qcontrol: --levels: the model has its own; expected --model without it
? 2
# A model's own lines, then what options changed.
$ qcontrol optimize --model transmon.yaml --set 'detuning=2 MHz' --limit 'x+iy=50 MHz' -S 4 -s 1 -i 1 -o m.h5 2>&1 | sed -n '/target.*leakage/,$p'
> qcontrol: target  gate x, 1 - fidelity leakage
> qcontrol: H       detuning = 0.01256637061 rad/ns (2 MHz) (--set)
> qcontrol: control x
> qcontrol: control y
> qcontrol: modulus |x + i y| at most 0.3141592654 rad/ns (50 MHz) (--limit)
> qcontrol: pulse   T 12 ns (of the model), 4 segments
> qcontrol: sought  gate x, 1 - fidelity average
> m.h5: x of transmon, loss 0.232538 (average x) ...
# Limits: one-sided, and of the modulus of a pair.
$ qcontrol optimize -g x --limit 'x=0:3 y=-1:2' -S 8 -s 2 -o r.h5 2>&1 | grep control; h5dump -d lower_limits -d upper_limits r.h5 | grep '(0)'; qcontrol export r.h5 -o r.json -q; jq -c '.samples | map([min, max]) | .[0][0] >= 0, .[0][1] <= 3 + 1e-14, .[1][0] >= -1, .[1][1] <= 2' r.json
> qcontrol: system  qubit: 2 levels, time in no unit
> qcontrol: jump    gamma_phi = 0.085, operator sqrt(gamma_phi/2) times Z (default)
> qcontrol: jump    gamma_down = 0.045, operator sqrt(gamma_down) times |0><1| (default)
> qcontrol: jump    gamma_up = 0, operator sqrt(gamma_up) times |1><0| (default)
> qcontrol: H       detuning = 0 times Z (default)
> qcontrol: control x times X, from 0 to 3 (--limit)
> qcontrol: control y times Y, from -1 to 2 (--limit)
> qcontrol: pulse   T 1 (default), 8 segments
> qcontrol: target  gate x, 1 - fidelity average
>    (0): 0, -1
>    (0): 3, 2
> true
> true
> true
> true
$ qcontrol optimize -g h --limit x+iy=2 -S 8 -s 4 -q -o d.h5; qcontrol export d.h5 -o d.json -q; jq '[.samples | transpose[] | .[0] * .[0] + .[1] * .[1]] | max | sqrt | . <= 2 and . > 1.9' d.json
> true
$ qcontrol optimize --limit x=3:1 -o x.h5; qcontrol optimize --limit 'x+iy=0:1' -o x.h5; qcontrol optimize --limit 'x+iy=1 x=1' -o x.h5; qcontrol optimize --limit 'x+ij=1' -o x.h5; qcontrol optimize --spread detuning=0:1 -o x.h5
! qcontrol: --limit: found 'x=3:1', expected the lesser one first
! qcontrol: --limit: found 'x+iy=0:1', expected one limit of the modulus
! qcontrol: --limit: x is one of a pair; expected the pair's, as x+iy=1
! qcontrol: --limit: system qubit has no 'x+ij'; it has x, y
! qcontrol: --spread: found 'detuning=0:1', expected one size: --spread 'detuning=0.5' --law uniform spreads so far to both sides of the value that --set gives
? 2
$ qcontrol optimize --limit x=1:2 --zero-ends -o x.h5; qcontrol optimize --limit x+iy=1 --constant x -o x.h5; qcontrol optimize --limit x+iy=1 -m krotov -q -o x.h5
! qcontrol: --zero-ends: x lies between 1 and 2, which are not 0
! qcontrol: --constant: a control whose modulus with another is limited can not be constant
! qcontrol: Krotov's method takes piecewise controls and the mean of an ensemble, without --energy; use lbfgs
? 2
# Complex controls are split in two quadratures; levels of two oscillators.
$ printf 'name: pair\ntime-unit: ns\nlevels: [3, 3]\nduration: 20 ns\nhamiltonian:\n  - {name: J, operator: a1 * ad2 + ad1 * a2, value: 5 MHz}\n  - {name: A, operator: n1 * (n1 - 1) / 2 + n2 * (n2 - 1) / 2, value: -300 MHz}\ndecay:\n  - {qubit: 2, T1: 20 us}\ncontrols:\n  - {name: e, operator: a1, limit: 50 MHz}\n  - {name: f, operator: sqrt(0.5) * (a2 + ad2), limit: [0 MHz, 50 MHz]}\n  - {name: z, operator: n1, limit: 20 MHz}\ntargets:\n  - {gate: cz}\n' >pair.yaml; qcontrol optimize --model pair.yaml -S 4 -s 1 -i 1 -o p.h5
> p.h5: cz of pair, loss 0.669035 (average cz) ...
! qcontrol: model   pair: 3 x 3 levels, time in ns
! qcontrol:         the 4 states of the lowest levels compute; they stand first
! qcontrol: pulse   20 ns
! qcontrol: H       J = 0.03141592654 rad/ns (5 MHz, 2 pi applied) times a1 * ad2 + ad1 * a2
! qcontrol: H       A = -1.884955592 rad/ns (-300 MHz, 2 pi applied) times n1 * (n1 - 1) / 2 + n2 * (n2 - 1) / 2
! qcontrol: jump    gphi2 = 0 1/ns, operator sqrt(2 gphi2) times n2
! qcontrol: jump    gdown2 = 5e-05 1/ns, operator sqrt(gdown2) times a2
! qcontrol: jump    gup2 = 0 1/ns, operator sqrt(gup2) times ad2
! qcontrol: control e times a1 is complex, e = e_x - i e_y; |e| at most 0.3141592654 rad/ns (50 MHz, 2 pi applied)
! qcontrol:         split in e_x times A + A^+ and e_y times i (A^+ - A), A = a1
! qcontrol: control f times sqrt(0.5) * (a2 + ad2), f from 0 to 0.3141592654 rad/ns (0 MHz to 50 MHz, 2 pi applied)
! qcontrol: control z times n1, |z| at most 0.1256637061 rad/ns (20 MHz, 2 pi applied)
! qcontrol: target  gate cz, 1 - fidelity average
! qcontrol: pulse   T 20 ns (of the model), 4 segments
$ cache show p.h5 | sed -n '/^in use/,$p'
> in use
> system  pair: 9 levels, the first 4 compute, time in ns
> H       J = 0.03141592654 rad/ns (5 MHz)
> H       A = -1.884955592 rad/ns (-300 MHz)
> jump    gphi2 = 0 1/ns
> jump    gdown2 = 5e-05 1/ns (1 in 20000 ns)
> jump    gup2 = 0 1/ns
> control e_x
> control e_y
> control f, from 0 to 0.3141592654 rad/ns
> control z, |z| at most 0.1256637061 rad/ns (20 MHz)
> modulus |e_x + i e_y| at most 0.3141592654 rad/ns (50 MHz)
> pulse   T 20 ns (of the model), 4 segments
> target  gate cz, 1 - fidelity average
# Samples of each pair have a modulus of at most 1.
$ qcontrol optimize --model pair.yaml -S 4 -s 1 -i 1 --start-size 5 -q -o p.h5; qcontrol export p.h5 -o p.qasm -q; sed -n '/wave_e_x/,/}/p' p.qasm | grep -oE '[-0-9.e]+ [-+] [0-9.e-]+im' | tr -d 'im ' | sed 's/\(.\)\([-+]\)/\1 \2/' | awk '{ m = $1 * $1 + $2 * $2; if (m > s) s = m } END { print (s <= 1), (s > 0.9) }'
> 1 1
# A model that is longer than an attribute stands in a dataset, its digest in the key.
$ awk 'BEGIN { printf "name: dense\ntime-unit: 1\nlevels: 8\nduration: 1\ncontrols:\n"; for (k = 0; k < 4; k++) { printf "  - {name: u%d, limit: 3, operator: \"", k; for (i = 0; i < 8; i++) for (j = i; j < 8; j++) { v = 1.5 + sin(1 + i + 8 * j + 64 * k); if (i == j) printf "%s%.6f * |%d><%d|", i + j ? " + " : "", v, i, i; else printf " + %.6f * (|%d><%d| + |%d><%d|)", v, i, j, j, i } printf "\"}\n" } print "targets:\n  - {gate: \"x,x,x\"}" }' >dense.yaml; qcontrol optimize --model dense.yaml -S 4 -s 1 -i 2 -q -o dense.h5 && cache show dense.h5 | grep -oE ' model "sha256:|^  model .*|^system  dense.*' | tr -s ' '; qcontrol export dense.h5 -q -o dense.csv && qcontrol score dense.csv -p dense.h5 --json | jq '.increase | fabs < 1e-12'
>  model "sha256:
>  model uint8 95158
> system dense: 8 levels, time in no unit
> true
$ qcontrol optimize --model dense.yaml -S 4 -s 1 -i 2 -o dense.h5; sed 's/limit: 3/limit: 2/' dense.yaml >other.yaml; for m in dense other; do qcontrol optimize --model $m.yaml -S 4 -s 1 -i 2 --key -q; done | uniq | wc -l
> dense.h5: up to date: x,x,x of dense, loss 0.772816 (average x,x,x) ...
> 2
# Nine levels from files are no two oscillators until levels says so; a system without parameters names none.
$ printf 'name: t\ntime-unit: ns\nlevels: 9\nduration: 20 ns\ncontrols:\n  - {name: x, operator: a+ad, limit: 50 MHz}\ntargets:\n  - {gate: cz, fidelity: average}\n' >nine.yaml; qcontrol optimize --model nine.yaml -o x.h5
! qcontrol: nine.yaml:8: targets 1: target: 'cz' is a gate of 4 levels, the system computes with 9; gates of several qubits stand between commas: h,i; of two oscillators, levels: [3, 3], the lowest levels of each compute
? 65
$ sed 's/levels: 9/levels: 4/' nine.yaml >four.yaml; qcontrol optimize --model four.yaml --spread x=0.1 -q -o x.h5
! qcontrol: --spread: system t has no 'x'; it has none
? 2
