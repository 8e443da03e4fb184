# A pulse from many starts: a file under a key, checked gradients, mistakes in one line.
# (What is in use is said before: systems.t.)
~ /^qcontrol: (system|jump|H|control|modulus|pulse|target|spread|       )  ?/d
$ qcontrol optimize -g x --starts 8 --segments 20 --limit 3.141592653589793 -o x.h5 --json | jq -r '[.status, (.loss * 1e5 | round), .starts] | join(" ")'
> computed 4142 8

$ qcontrol optimize -g x --starts 8 --segments 20 --limit 3.141592653589793 -o x.h5
> x.h5: up to date: x of qubit, loss 0.0414214 (average x), F_avg 0.958579, F_e 0.937868; 8 starts, 0 % trapped; the projected gradient vanishes after 99 iterations; # s

# Threads are not in the key and change no byte.
$ qcontrol optimize -g x --starts 8 --segments 20 --limit 3.141592653589793 -o y.h5 --no-provenance -j 1 -q; qcontrol optimize -g x --starts 8 --segments 20 --limit 3.141592653589793 -o z.h5 --no-provenance -j 2 -q; cmp y.h5 z.h5 && echo same
> same

$ cache show x.h5 | grep -E '^(system  *qubit|gate|nominal F_avg)'
> system     qubit
> gate       x
> nominal F_avg        0.958579
> system  qubit: 2 levels, time in no unit

$ qcontrol optimize --check-gradients --functions splines --count 8 --spread detuning=0.3 --ensemble cvar | sed 's/[0-9.]*e-[0-9]*/X/g'
> gradient off by X of its largest component; there is no Hessian product

$ qcontrol optimize --set gamma=1 -o e.h5
! qcontrol: --set: system qubit has no 'gamma'; it has gamma_phi, gamma_down, gamma_up, detuning, and the times T1, T2, Tphi
? 2

$ qcontrol optimize --set gamma_phi=-1 -o e.h5
! qcontrol: --set: gamma_phi is a rate; found -1, expected 0 or more
? 2

$ qcontrol optimize --set gamma_phi=nan -o e.h5
! qcontrol: --set: found 'gamma_phi=nan', expected NAME=NUMBER
? 2

$ qcontrol optimize --limit 0 -o e.h5
! qcontrol: --limit: found 0, expected more than 0
? 2

$ qcontrol optimize -g cz -o e.h5
! qcontrol: target: 'cz' is a gate of 4 levels, the system computes with 2; gates of several qubits stand between commas: h,i
? 2

$ qcontrol optimize -m newton --system two-qubits -o e.h5
! qcontrol: Newton's method needs Hessian products, which there are for one qubit whose jumps are Z, |0><1|, |1><0|, and a mean; use lbfgs
? 2

$ ls e.h5
! ls: cannot access 'e.h5': No such file or directory
? 2

# Where a start is dear the best four of all go on after 20 iterations: within 1 % of what all find.
$ o="--system transmon -S 6 -T 6 --limit 1 --spread detuning=0.01 -s 8"
+ qcontrol optimize $o -o race.h5 2>/dev/null | sed 's/.*; 8/8/; s/ after.*//'; h5dump -d starts/stop race.h5 | grep -o '\<7\>' | wc -l
+ qcontrol optimize $o --finalists all --json -o all.h5 2>/dev/null | jq -c '[.finalists, .loss]' >all; qcontrol optimize $o --json -o race.h5 2>/dev/null | jq -c --slurpfile all all '[.finalists, .loss < 1.01 * $all[0][1]], $all[0][0]'
> 8 starts, the best 4 to their ends, 0 % trapped; the loss no longer falls
> 4
> [4,true]
> 8

# Searches that are as they were have the keys that they had, those with all starts and the older stop too.
$ for o in '' '--system transmon --spread detuning=0.01 --finalists all --stall 1e-9' '--system two-qubits -m lbfgs --stall 1e-9'; do qcontrol optimize $o --key | cut -c -16; done
> f33d23030ee8e345
> 86d793b4da7a990e
> a6dead8bd81c030f

$ qcontrol optimize --finalists 0 -o e.h5
! qcontrol: --finalists: found '0', expected a whole number from 1, or all
? 2

# A forecast: how long a search takes at most.
$ qcontrol optimize -m krotov -s 10000 -n -o e.h5 | grep here | sed 's/most .*/most #/'
> here it would take at most #

# Units wherever a number has one; they are the numbers of the system's unit, under the same key.
$ for o in "-T 30" "-T 30ns" "-T '0.03 us' --low-pass '0 us' --slew '0 1/ns'"; do eval qcontrol optimize --system transmon $o --key | cut -c -12; done | uniq | wc -l
> 1
$ qcontrol optimize --system transmon -T '30 MHz' -o e.h5; qcontrol optimize -T '30 ns' -o e.h5; qcontrol optimize --system transmon -T '-3 ns' -o e.h5
! qcontrol: --duration: found the unit 'MHz', expected one of s, ms, us, ns or ps
! qcontrol: --duration: found '30 ns', but system qubit has no unit of time: give numbers without units, or --system transmon --levels 2, a qubit in ns
! qcontrol: --duration: found '-3 ns', -3 without the unit, expected 0 to 1000000000
? 2

# T1, T2 and Tphi stand for rates.
$ for o in 'T1=80us T2=100us' 'Tphi=100us' 'T2=30us'; do qcontrol optimize --system transmon --set "$o" -s 1 -i 1 -S 1 -f -o t.h5 2>&1 | grep -o 'gamma_\(phi\|down\) = [^,]*'; done
> gamma_phi = 3.75e-06 1/ns (1 in 266667 ns)
> gamma_down = 1.25e-05 1/ns (1 in 80000 ns)
> gamma_phi = 1e-05 1/ns (1 in 100000 ns)
> gamma_down = 5e-05 1/ns (1 in 20000 ns)
> gamma_phi = 8.333333333e-06 1/ns (1 in 120000 ns)
> gamma_down = 5e-05 1/ns (1 in 20000 ns)
$ qcontrol optimize --system transmon --set 'T1=80us T2=170us' -o e.h5; qcontrol optimize --set 'T1=1 gamma_down=0.1' -o e.h5; qcontrol optimize --set 'T1=0' -o e.h5; qcontrol optimize --set 'T1=2 gamma_up=1' -o e.h5
! qcontrol: --set: T2 is 170000 ns and T1 80000 ns, expected T2 of at most 2 T1: relaxation alone limits it
! qcontrol: --set: gamma_down is given twice
! qcontrol: --set: T1 is a time; found 0, expected more than 0
! qcontrol: --set: T1 is 2, expected at most 1: 1/T1 is the sum of both rates
? 2

# A table of one's own as the first start, or what export wrote, is the pulse that it holds.
$ qcontrol optimize -S 6 -s 4 -q -o x.h5; qcontrol export x.h5 -q -o x.csv; awk -F, '/^time/{print "y,x"} /^[0-9]/{print $3","$2}' x.csv >own.csv
+ for f in x.h5 x.csv own.csv; do qcontrol optimize -S 6 -s 1 -i 1 --start $f -q -f -o y.h5; h5diff -d 1e-9 x.h5 y.h5 controls || echo $f; done
+ qcontrol optimize -S 6 --start own.csv --key >1; sed -i s/y,x/x,y/ own.csv; qcontrol optimize -S 6 --start own.csv --key | cmp -s - 1 || echo another key; sed -i s/x,y/y,x/ own.csv
> another key
$ for f in own x; do qcontrol optimize -S 5 --start $f.csv -o z.h5; qcontrol optimize -S 6 --system two-qubits --start $f.csv -o z.h5; done; qcontrol optimize -S 6 -T 2 --start x.csv -o z.h5
! qcontrol: --start own.csv: found 6 segments of 2 controls of qubit, expected 5 of 2 of qubit; -S gives their number
! qcontrol: own.csv: line 1: found the column 'y', expected time and the controls of two-qubits (x1, y1, x2, y2, z1, z2), each once
! qcontrol: --start x.csv: found 6 segments of 2 controls of qubit, expected 5 of 2 of qubit; -S gives their number
! qcontrol: x.csv: conventions: outputs: found 2, expected 6, one a control
! qcontrol: --start x.csv: its samples last 1, expected 2
? 2
$ printf 'time,x,y\n0,1,1\n0.4,1,1\n' >t.csv; printf 'x,y\n1,a\n' >a.csv; for n in 2 1; do qcontrol optimize -S $n --start $(echo a t | cut -d ' ' -f $n).csv -o z.h5; done; qcontrol optimize -S 1 --start no.csv -o z.h5
! qcontrol: t.csv: line 3: found the time 0.4, expected 0.5: 2 segments last 1
! qcontrol: a.csv: line 2, column y: found 'a', expected a number
! qcontrol: no.csv: cannot be opened: No such file or directory
? 66
$ qcontrol optimize -S 6 --limit 1 --start own.csv -s 1 -i 1 -o z.h5 2>&1 | grep -o 'own.csv: .*'
> own.csv: 3 of its numbers lie beyond the limits, and are cut there

# a start in another unit is refused, though only one of its controls shows it
$ (echo x,y; for i in 1 2 3 4; do echo 100000000,0; done) >hz.csv; qcontrol optimize -S 4 --start hz.csv -o z.h5
! qcontrol: --start hz.csv: 4 of 8 numbers lie beyond the limits, more than ten times: codes of a generator, or of another unit? expected radians per unit of time
? 65

# What other programs call otherwise, and start from.
$ qcontrol optimize --T1 80us -o n.h5; qcontrol optimize --robust -o n.h5; printf '\x93NUMPY%100s' >u.npy; qcontrol optimize --start u.npy -o n.h5
! qcontrol: --T1: no such option; here it is --set T1=80us
! qcontrol: --robust: no such option; here it is --spread
! qcontrol: u.npy: not an HDF5 file (its first eight bytes are others); expected 'pulse', which comes from qcontrol optimize; or a table, .csv or .tsv
? 65
$ printf 'I,Q\n1,2\n' >iq.csv; qcontrol optimize --system transmon --start iq.csv -S 1 -o n.h5
! qcontrol: iq.csv: line 1: found the column 'I', expected time and the controls of transmon (x, y), each once
? 65
