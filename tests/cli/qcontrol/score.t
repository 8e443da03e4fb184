# A pulse on another device: values of the model, and amplitudes, that it was not made for, against closed formulas. The loss is
# 1 - F_avg = 2 (1 - F_e) / 3 of a qubit.
$ expect() { jq -r "$1" | awk -v e="$2" '{ n++; if (!(($1 - e) ^ 2 < 1e-24)) print $1, e } END { print n + 0, "as by the formula" }'; }; declare -f expect >expect

# A pi pulse that is detuned, H = u X + d Z: F_e = u^2 sin^2(w T) / w^2, w^2 = u^2 + d^2; too large by 3 % is another u.
$ . ./expect; { echo x,y; yes 1.5707963267948966,0 | head -4; } >pi.csv; qcontrol optimize --set 'gamma_phi=0 gamma_down=0' -S 4 --start pi.csv -s 1 -q -o pi.h5
+ rabi() { awk -v u=$1 -v d=$2 'BEGIN { w = sqrt(u * u + d * d); printf "%.17g", 2 / 3 * (1 - (u * sin(w) / w) ^ 2) }'; }
+ qcontrol score pi.h5 --json --set detuning=0.3 2>log | expect .set,.all "$(rabi 1.5707963267948966 0.3)"; qcontrol score pi.h5 --json --amplitude 0.03 | expect .amplitude,.all "$(rabi 1.6179202165987306 0)"
+ qcontrol score pi.h5 --json --set detuning=0.3 --amplitude 0.03 2>log | expect .all "$(rabi 1.6179202165987306 0.3)"; cat log; qcontrol export pi.h5 -q -o pi.npy; qcontrol score pi.npy -p pi.h5 --json --set detuning=-0.3 2>log | expect .set,.all "$(rabi 1.5707963267948966 0.3)"
> 2 as by the formula
> 2 as by the formula
> 1 as by the formula
> qcontrol: H       detuning = 0.3 times Z, made for 0
> 2 as by the formula

# A qubit that waits for T and decays: F_e = (1 + exp(-T/T1) + 2 exp(-T/T2)) / 4. T1 over the file's gamma_down, whose dephasing stays.
$ . ./expect; printf 'time-unit: us\nqubits: 1\nduration: 2 us\nhamiltonian:\n  - {name: detuning, operator: Z, value: 0 MHz}\njumps:\n  - {name: gamma_phi, operator: sqrt(0.5) * Z, rate: 0.01 1/us}\n  - {name: gamma_down, operator: sm1, rate: 0.005 1/us}\ncontrols:\n  - {name: x, operator: X, limit: 1 MHz}\ntargets:\n  - {gate: i}\n' >wait.yaml; printf 'x\n0\n0\n' >zero.csv
+ qcontrol optimize --model wait.yaml -S 2 --start zero.csv -s 1 -q -o wait.h5; decay() { awk -v a=$1 -v b=$2 'BEGIN { printf "%.17g", 2 / 3 * (1 - (1 + exp(-2 / a) + 2 * exp(-2 / b)) / 4) }'; }; s() { qcontrol score wait.h5 --json "$@" 2>>said; }
+ s | expect .designed "$(decay 200 80)"; s --set 'T1=50us T2=30us' | expect .set,.all "$(decay 50 30)"; s --set T1=50us | expect .set "$(decay 50 50)"; s --set 'T1=50us' --set 'gamma_phi=0 1/us' | expect .set "$(decay 50 100)"
+ s --set 'detuning=0.01 MHz gamma_phi=0 gamma_down=0' | expect .set "$(awk 'BEGIN { printf "%.17g", 2 / 3 * sin(2 * 0.02 * atan2(0, -1)) ^ 2 }')"; tail -n 3 said
> 1 as by the formula
> 2 as by the formula
> 1 as by the formula
> 1 as by the formula
> 1 as by the formula
> qcontrol: H       detuning = 0.06283185307 rad/us (0.01 MHz), made for 0
> qcontrol: jump    gamma_phi = 0 1/us, made for 0.01
> qcontrol: jump    gamma_down = 0 1/us, made for 0.005

# Samples of a transmon, by a unit: of two levels it is a qubit, H = u X / 2 + d n, and a pulse of pi has F_e = u^2 sin^2(w T / 2) / w^2.
$ . ./expect; { echo x,y; yes 0.2617993877991494,0 | head -4; } >t.csv; qcontrol optimize --system transmon --levels 2 --set 'gamma_phi=0 gamma_down=0' -S 4 --start t.csv -s 1 -q -o t.h5; qcontrol export t.h5 --rate '1 GS/s' -q -o samples.csv
+ qcontrol score samples.csv --pulse t.h5 --json --set 'detuning=3 MHz' 2>log | expect .set,.all "$(awk 'BEGIN { p = atan2(0, -1); u = p / 12; d = 2 * p * 0.003; w = sqrt(u * u + d * d); printf "%.17g", 2 / 3 * (1 - (u * sin(6 * w) / w) ^ 2) }')"; cat log
> 2 as by the formula
> qcontrol: H       detuning = 0.01884955592 rad/ns (3 MHz) times n, made for 0

# Of an ensemble the law is moved, as lookup has it; --set again goes over what stands in the file; --tolerate judges.
$ qcontrol optimize -g x --set 'detuning=0.1 gamma_phi=0.01' --spread 'detuning=0.2 amplitude=0.05' -S 8 -s 2 --store pulses -q -o e.h5; qcontrol score e.h5 --set detuning=-0.2 --json 2>log | jq .set >set; qcontrol lookup --store pulses --set 'detuning=-0.2 gamma_phi=0.01' --spread 'detuning=0.2 amplitude=0.05' -S 8 --json 2>log | jq .loss | paste set - | awk '{ print ($1 - $2) ^ 2 < 1e-24 }'
+ qcontrol score e.h5 --set detuning=-0.2 --tolerate 1e-3 -q 2>&1 | grep -o 'alone set by .*'
> 1
> alone set by 0.00325; most is of set: optimize --set makes a pulse for it

$ qcontrol score pi.csv; qcontrol score pi.h5 --set T3=1; qcontrol score pi.h5 --set 'T1=5 gamma_down=1'; qcontrol score none.h5
! qcontrol: score: pi.csv is no pulse; of samples, give --pulse PULSE.h5, that they are of
! qcontrol: --set: system qubit has no 'T3'; it has gamma_phi, gamma_down, gamma_up, detuning, and the times T1, T2, Tphi
! qcontrol: --set: gamma_down is given twice
! qcontrol: none.h5: cannot be opened: No such file or directory
? 66
