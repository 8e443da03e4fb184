# Policies of any system: a transmon of three levels whose detuning is drawn, as docs/control.md has it.
~ /^qcontrol: (model  |system  |jump  |H  |control [a-z]|pulse  |target  |       )/d
~ s/loss is [0-9.e-]+ \+- [0-9.e-]+ \(/loss is # (/; s/saw, [0-9.e-]+ on/saw, # on/
$ line=$(grep -m 1 '^    qcontrol train --system' $ROOT/docs/control.md); eval "$line --progress none --json" | jq -c '[.status, .epochs, .val_post < 0.0004]'
> ["computed",30,true]
! qcontrol: range   detuning, -0.1256637061 to 0.1256637061 rad/ns (-20 to 20 MHz)
! qcontrol: tasks   uniform within the ranges
! qcontrol: adapted, the loss is # (95 %) on 200 tasks that nothing saw, # on the 20 by which the epoch was chosen
$ cache show transmon.h5 | sed -n '/^in use/,/jump/p; /^range/p'
> in use
> system  transmon: 3 levels, the first 2 compute, time in ns
> jump    gamma_phi = 3.333333333e-05 1/ns (1 in 30000 ns), operator sqrt(2 gamma_phi) times n (default)
> range   detuning, -0.1256637061 to 0.1256637061 rad/ns (-20 to 20 MHz)

# Does it pay? The network is near each task's optimum, and far below the best fixed pulse.
$ qcontrol regret transmon.h5 --tasks 6 --starts 1 --scales 3 --progress none -o regret.h5 2>/dev/null >table; grep -oE "(network|adapting) pays|each task's optimum|best fixed pulse, 5 steps" table | sort
+ value() { grep -m 1 "$1" table | awk '{ print $(NF - 5) }'; }
+ echo $(value optimum) $(value 'policy, 5') $(value 'best fixed pulse  ') | awk '{ print ($2 < 1.1 * $1), ($3 > 3 * $2) }'; h5dump -a tasks/columns regret.h5 | grep -o '"detuning"'
> adapting pays
> best fixed pulse, 5 steps
> each task's optimum
> 1 1
> "detuning"

# The same losses by other ways: the fixed pulse, and a search, at a task's detuning.
$ numbers() { h5dump -m %.17g -y -w 60 -d $1 regret.h5 | grep -E '^ *[-0-9]' | tr -d ' ' | sed 's/,$//'; }
+ (echo x,y; numbers fixed_pulse) >fixed.csv; numbers tasks >at; numbers losses/fixed_pulse | tr , '\n' >fixed; numbers losses/optimum | tr , '\n' >optimum
+ for t in 1 4; do d=$(sed -n ${t}p at); loss() { qcontrol optimize --system transmon --set detuning=$d -S 12 -s 1 --seed $t "$@" --force -o o.h5 --json 2>/dev/null | jq .loss; }
+ paste -d ' ' <(loss --start fixed.csv --until 1) <(sed -n ${t}p fixed) <(loss) <(sed -n ${t}p optimum) | awk '{ print ($1 / $2 - 1 < 1e-9 && $2 / $1 - 1 < 1e-9), ($3 / $4 < 1.01 && $4 / $3 < 1.01) }'; done
> 1 1
> 1 1

# Neither threads nor the order of ranges change a bit of what is learned; a default that is given has its key.
$ small() { qcontrol train -q --progress none --system transmon -S 4 --hidden-dim 8 -k 1 -b 40 -i 20 --no-provenance "$@"; }
+ small --range 'detuning=-5:5 MHz amplitude=0.9:1.1' -j 1 -o one.h5; small --range 'detuning=-5:5 MHz amplitude=0.9:1.1' -j 2 -o two.h5; cmp one.h5 two.h5 && echo same
+ small --range amplitude=0.9:1.1 --range 'detuning=-5:5 MHz' -o three.h5; h5diff one.h5 three.h5 params params && echo same
+ for o in "-T 12" "-T '12 ns' --levels 3" "--n-segments 4 --limit 0.5 --gate-time 12" "--limit 0.5 --duration 12"; do eval small --range detuning=-1:1 --key $o; done | cut -c -12 | uniq -c | awk '{ print $1 }'
+ for j in 1 2; do qcontrol regret one.h5 --tasks 4 --starts 1 --scales 0 --progress none -q --no-provenance -j $j -o r$j.h5; done; cmp r1.h5 r2.h5 && echo same
> same
> same
> 1
> 1
> 2
> same

# A model of a file is kept whole: a policy is judged where the file is gone, and its key does not say where it was.
$ cp $ROOT/examples/control/*.yaml . && mkdir else && cp transmon.yaml else/m.yaml
$ of() { qcontrol train -q --progress none --model "$@" --range 'detuning=-20:20 MHz' --range amplitude=0.9:1.1 -S 6 --hidden-dim 8 -i 20; }
+ of transmon.yaml -o m.h5; [ $(of transmon.yaml --key) = $(of else/m.yaml --key) ] && echo one key; rm transmon.yaml
+ qcontrol regret m.h5 --tasks 3 --starts 1 --scales 2 --progress none 2>/dev/null | grep -c 'each task'; cache show m.h5 | sed -n '/^H/p; /^range/p'
> one key
> 1
> H       detuning = 0 rad/ns
> H       anharmonicity = -1.884955592 rad/ns (-300 MHz)
> range   detuning, -0.1256637061 to 0.1256637061 rad/ns (-20 to 20 MHz)
> range   amplitude, 0.9 to 1.1

# Two qubits of their own rates; one whose limit is of the modulus; one without parameters, too long for an attribute.
$ qcontrol train -q --progress none --model pair.yaml -g h,i --range 'J=1:1.5 MHz' -S 4 --hidden-dim 8 -i 10 -b 4 --method reptile -o pair.h5; qcontrol regret pair.h5 --tasks 3 --starts 1 --scales 0 --progress none 2>/dev/null | grep -c 'each task'
> 1
$ sed 's/^controls:.*/controls:/; s/, limit: 100 MHz//; s/^targets:/modulus:\n  - {of: x + i y, limit: 80 MHz}\ntargets:/' else/m.yaml >disc.yaml; qcontrol train -q --progress none --model disc.yaml --range 'detuning=-5:5 MHz' -S 6 --hidden-dim 8 -i 10 -o disc.h5
+ qcontrol regret disc.h5 --tasks 3 --starts 2 --scales 0 --progress none -q -o d.h5 2>/dev/null; h5dump -m %.17g -y -w 60 -d fixed_pulse d.h5 | grep -E '^ *[-0-9]' | tr -d ' ' | awk -F, '{ r = sqrt($1 * $1 + $2 * $2); if (r > m) m = r } END { print (m > 0.1), (m < 0.50265482457437) }'
> 1 1
$ awk 'BEGIN { printf "name: dense\ntime-unit: 1\nlevels: 8\nduration: 1\ncontrols:\n"; for (k = 0; k < 4; k++) { printf "  - {name: u%d, limit: 3, operator: \"", k; for (i = 0; i < 8; i++) for (j = i; j < 8; j++) { v = 1.5 + sin(1 + i + 8 * j + 64 * k); if (i == j) printf "%s%.6f * |%d><%d|", i + j ? " + " : "", v, i, i; else printf " + %.6f * (|%d><%d| + |%d><%d|)", v, i, j, j, i } printf "\"}\n" } print "targets:\n  - {gate: \"x,x,x\"}" }' >dense.yaml
$ qcontrol train -q --progress none --model dense.yaml --range amplitude=0.9:1.1 -S 2 --hidden-dim 4 -i 1 -b 2 -k 1 --val-tasks 1 --ensemble worst --start zero -o dense.h5; cache show dense.h5 | grep -oE ' model "sha256:|^  model .*|^range.*' | tr -s ' '
>  model "sha256:
>  model uint8 95158
> range amplitude, 0.9 to 1.1
$ qcontrol train --model dense.yaml -o e.h5; qcontrol train --model dense.yaml --range J=1:2 -o e.h5
! qcontrol: --range: found none, expected at least one NAME=LOW:HIGH, of this model amplitude=LOW:HIGH
! qcontrol: --range: system dense has no 'J'; it has none
? 2

# What cannot be is said in one line, by --dry-run too, and nothing is written.
$ t() { qcontrol train --system transmon --progress none -o e.h5 "$@" 2>&1 | tail -1; }
+ t; t --range detunig=-1:1; t --range detuning=1; t --range detuning=1:1; t --range 'detuning=-5:5 us'; t --range gamma_phi=-1:1; t --range amplitude=0:1; t --range 'amplitude=0.9:1.1 MHz'
+ t --range detuning=-1:1 --range detuning=0:1; t --range detuning=-1:1 --set detuning=0; t --range gamma_down=0:1e-4 --set T1=80us; t --range gamma_phi=0:1 --task-dist-type log_uniform
+ t --range detuning=-1e9:1e9; t --range detuning=-1e9:1e9 --dry-run; t --range detuning=-1:1 --n-controls 4; ls e.h5
> qcontrol: --range: found none, expected at least one NAME=LOW:HIGH
> qcontrol: --range: system transmon has no 'detunig'; it has gamma_phi, gamma_down, gamma_up, detuning, anharmonicity; did you mean detuning?
> qcontrol: --range: found 'detuning=1', expected NAME=LOW:HIGH, a unit behind both, as detuning=-5:5 MHz
> qcontrol: --range: found 'detuning=1:1', expected the lesser one first
> qcontrol: --range: detuning: found the unit 'us', expected one of Hz, kHz, MHz, GHz (2 pi is applied), rad/s, rad/us or rad/ns (it is not)
> qcontrol: --range: gamma_phi is a rate; found 'gamma_phi=-1:1', expected 0 or more
> qcontrol: --range: amplitude is a factor; found 'amplitude=0:1', expected more than 0
> qcontrol: --range: found 'amplitude=0.9:1.1 MHz', expected a factor, which has no unit
> qcontrol: --range: detuning is given twice
> qcontrol: --range: detuning is given by --set as well; expected one of them
> qcontrol: --range: gamma_down is given by --set as well; expected one of them
> qcontrol: --task-dist-type log_uniform: the range of gamma_phi begins at 0, expected more than 0
> qcontrol: a segment of 0.2 turns the state by 4e+08: more segments or a shorter pulse
> qcontrol: a segment of 0.2 turns the state by 4e+08: more segments or a shorter pulse
> qcontrol: system transmon: the number of controls can not be chosen
! ls: cannot access 'e.h5': No such file or directory
? 2
$ t() { qcontrol train "$@" --dry-run -o e.h5 2>&1 | tail -1; }; s="--system transmon --range detuning=-1:1"
+ t $s --method maml; t $s --detuning-range 0,1; t $s --unit '1 ns'; t $s --task-features shots; t $s --model disc.yaml; t $s --start constant; t $s --limit 3us; t $s --duration '0 ns'
+ t --range detuning=-1:1; t --gate x; t --start pulse; t --fidelity leakage; t --model none.yaml; t --model disc.yaml --range amplitude=0.9:1.1 --levels 3
> qcontrol: --method maml: its second derivatives are not there of --system and --model; give --method fomaml
> qcontrol: --detuning-range: not of --system and --model; their tasks are --gate, --set and --range NAME=LOW:HIGH
> qcontrol: --unit: not of --system and --model; their tasks are --gate, --set and --range NAME=LOW:HIGH
> qcontrol: --task-features shots: not of --system and --model; expected given or none
> qcontrol: --system transmon: and --model disc.yaml, expected one of them
> qcontrol: --start constant: not of --system and --model; expected pulse or zero
> qcontrol: --limit: found the unit 'us', expected one of Hz, kHz, MHz, GHz (2 pi is applied), rad/s, rad/us or rad/ns (it is not)
> qcontrol: --duration: found '0 ns', 0 without the unit, expected 1e-09 to 1000000000
> qcontrol: --range: goes with --system or --model alone
> qcontrol: --gate: goes with --system or --model alone
> qcontrol: --start pulse: goes with --system or --model alone
> qcontrol: --fidelity leakage: goes with --system or --model alone; expected average or state
> qcontrol: none.yaml: cannot be opened: No such file or directory
> qcontrol: --levels: the model has its own; expected --model without it

# Told nothing, of rates by their logarithm, from no pulse, trained on the worst.
$ qcontrol train -q --progress none --system qubit --range gamma_phi=0.001:0.1 --range detuning=-1:1 --task-dist-type log_uniform --task-features none --start zero --ensemble worst -S 6 --hidden-dim 8 -i 20 -o w.h5; qcontrol regret w.h5 --tasks 4 --starts 2 --scales 2 --progress none 2>/dev/null | grep "family's variance" | sed 's/.*nan.*/nan/; s/ [0-9-].*//'
> gain against the family's variance:

# what is of rates alone is refused where no range is one
$ for o in "--diversity-scale 0.5" "--task-dist-type gaussian"; do qcontrol train --system transmon --range amplitude=0.9:1.1 $o -o x.h5; done; ls x.h5
! qcontrol: --diversity-scale: is of rates, and no --range is one
! qcontrol: --task-dist-type: is of rates, and no --range is one
! ls: cannot access 'x.h5': No such file or directory
? 2
