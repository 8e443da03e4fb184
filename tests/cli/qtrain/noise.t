# Heads trained under noise: part of the key, of the configuration and of what is shown; refusals in words.
~ /not tell all classes apart/d
$ D=$DATA/digits; extract-features -q $D/train-images-idx3-ubyte --resize 28 --limit 100 -o f.h5 > log
+ K="qtrain f.h5 --epochs 1 -o x.h5 --key"
+ for o in "" "--noise depolarizing=0.01" "--noise depolarizing=0.02" "--noise readout=0.01" "--noise $DATA/noise/example.json"
+ do $K $o; done | sort -u | wc -l
> 5

# the same noise, however it is written, is the same key; none is that of no option
$ cp $DATA/noise/example.json renamed.json; qtrain f.h5 --key -o x.h5 > plain
+ for o in none "depolarizing=0.010,readout=0.02" "readout=2e-2,depolarizing=0.01" $DATA/noise/example.json renamed.json
+ do qtrain f.h5 --key --noise $o -o x.h5; done | uniq -c | sed -E 's/ *([0-9]+) .*/\1/' | xargs
+ qtrain f.h5 --noise none --key -o x.h5 | diff - plain
> 1 2 2

$ qtrain -q f.h5 --epochs 1 --noise readout=0.02,depolarizing=1e-2 -o n.h5; cache show n.h5 | grep -o 'noise "[^"]*"'
> noise "depolarizing=0.01,readout=0.02"

# and in whichever unit: seconds, written units, IBM's properties
$ printf '{"all":{"t1":"120.1us","gate_time":{"value":35.5,"unit":"ns"}}}' > units.json; P() { printf '{"name":"%s","unit":"%s","value":%s}' "$@"; }
+ Q="[$(P T1 us 120.1),$(P T2 us 240.2),$(P prob_meas1_prep0 '' 0.01),$(P prob_meas0_prep1 '' 0.03)]"
+ printf '{"backend_name":"d","qubits":[%s,%s,%s,%s,%s],"gates":[{"gate":"sx","qubits":[0],"parameters":[%s,%s]}]}' \
+     "$Q" "$Q" "$Q" "$Q" "${Q/120.1/50}" "$(P gate_error '' 0)" "$(P gate_length ns 35.5)" > ibm.json
+ O='{"t1":120.1e-6,"t2":240.2e-6,"gate-time":35.5e-9,"depolarizing":0.0,"readout-0":0.01,"readout-1":0.03}'
+ printf '{"name":"d","qubits":[%s,%s,%s,%s]}' "$O" "$O" "$O" "$O" > own.json
+ for o in t1=120.1e-6,gate-time=35.5e-9 t1=120.1us,gate-time=35.5ns gate_time=0.0355µs,t1=0.1201ms units.json own.json ibm.json,qubits=3,2,1,0
+ do qtrain f.h5 --key --noise $o -o x.h5; done | uniq -c | sed -E 's/ *([0-9]+) .*/\1/' | xargs
> 4 2

# what a calibration comes to, and what can hardly be meant, is said when it is trained with
$ qtrain -q f.h5 --epochs 1 --no-controls --noise ibm.json -o i.h5; qtrain f.h5 --epochs 1 --no-controls --noise ibm.json --force -o i.h5 | wc -l
+ qeval i.h5 f.h5 --json -o r.h5 | jq .noise
+ qtrain f.h5 --epochs 1 --no-controls --noise t1=120.1,gate-time=35.5 -o u.h5 | wc -l
> 1
> "d (5 qubits)"
> 1
! qtrain: noise: the circuit's 4 wires are qubits 0, 1, 2, 3 of the 5 in ibm.json; FILE.json,qubits=... takes others
! qtrain: noise: qubits 1, 2, 3: no length or error of a gate on one qubit; the others' mean is taken
! qtrain: noise: no gate on two qubits in ibm.json: those on one stand for them
! qtrain: noise: gates on one wire have the length and error of sx in ibm.json
! qtrain: only 10 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qeval: f.h5: i.h5 was trained on these; --split val takes those that it has not seen
! qtrain: noise: a gate takes 0.296 of t1: are t1 = 120.1 and gate-time = 35.5 seconds? a unit can be written, as in t1=120us,gate-time=35ns
! qtrain: only 10 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction

# gradients under every channel, and under a calibration with every gate of some ansaetze
$ for n in depolarizing=0.05 amplitude-damping=0.05 phase-damping=0.05 bit-flip=0.05 phase-flip=0.05 readout=0.05 \
+     t1=50e-6,t2=70e-6,gate-time=35e-9,gate-time-2=3e-7,excited=0.01 $DATA/noise/example.json
+ do qtrain f.h5 --noise $n --batch-size 8 --check-gradients | grep -c bound; done | uniq -c | xargs
> 8 5

$ for a in "strongly-entangling --embedding iqp" "efficient-su2 --embedding amplitude --observables probs" "qcnn --layers 2 --reupload"
+ do qtrain f.h5 --noise $DATA/noise/example.json --ansatz $a --batch-size 8 --check-gradients | grep -c bound; done | uniq -c | xargs
> 3 5

$ qtrain -q f.h5 --epochs 2 --noise depolarizing=0.01 --threads 1 --no-provenance -o a.h5
+ qtrain -q f.h5 --epochs 2 --noise depolarizing=0.01 --threads 3 --no-provenance -o b.h5; cmp a.h5 b.h5 && echo same
> same

$ printf '{"qubits":[{"bit-flip":0.1},{},{}]}' > three.json; qtrain f.h5 --noise three.json -o x.h5
! qtrain: noise: it describes 3 qubits, the circuit has 4; add the others to its list 'qubits'
? 2

$ printf '{"qubits":[{"bit-flip":1.5}]}' > bad.json; qtrain f.h5 --noise bad.json -o x.h5
! qtrain: bad.json: qubit 0: bit-flip: found 1.5, expected a number from 0 to 1
? 65

$ qtrain f.h5 --noise absent.json -o x.h5
! qtrain: absent.json: cannot be opened: No such file or directory
? 66

$ qtrain f.h5 --noise 0.01 -o x.h5
! qtrain: --noise: found '0.01', expected NAME=NUMBER as in depolarizing=0.01 or t1=120us, a file FILE.json, or none
? 2

$ ls x.h5
! ls: cannot access 'x.h5': No such file or directory
? 2

# What one gate is tells in the key where channels stand behind gates of several rotations, or of none; nowhere else
$ printf 'input float x; input float w; qubit[2] q; rx(x) q[0]; ry(w) q[1]; cx q[0], q[1];' >plain.qasm
+ for g in 'swap q[0], q[1]' 'rx(x + w) q[0]' 'u(w, 0, 0) q[0]' 'id q[0]'; do (cat plain.qasm; echo "$g;") >$(echo $g | tr -d '(), []').qasm; done
+ of() { qtrain -q f.h5 --epochs 1 --no-controls "$@" -o k.h5 -f; qeval -q k.h5 f.h5 -o r.h5 -f; qeval -q k.h5 f.h5 --noise none -o e.h5 -f
+        echo $(for h in k r e; do cache diff k0.h5 $h.h5 | grep -c '^parts.channels: '; done); }
+ qtrain -q f.h5 --epochs 1 --no-controls -o k0.h5
+ for n in none depolarizing=0.01 readout=0.01; do for c in "--embedding iqp" "--embedding zz" "--circuit-file plain.qasm"; do of $c --noise $n; done; done
+ for q in swap*.qasm rx*.qasm u*.qasm id*.qasm; do of --circuit-file $q --noise t1=1e-4,gate-time=1e-7; done
+ cache diff k0.h5 k.h5 | grep channels
> 0 0 0
> 0 0 0
> 0 0 0
> 0 0 0
> 1 1 0
> 0 0 0
> 0 0 0
> 0 0 0
> 0 0 0
> 1 1 0
> 1 1 0
> 1 1 0
> 1 1 0
> parts.channels: (none) -> "once a gate"
