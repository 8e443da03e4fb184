# Heads trained on measured outputs, and by simultaneous perturbation: what is said, keys, refusals, the
# same bytes for any number of threads and replicas and after a stop.
~ /not tell all classes apart/d
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 300 -o f.h5
$ qtrain f.h5 --epochs 2 --no-controls --shots 100 -o s.h5 > log
+ cache show s.h5 | grep -oE '(diff-method|shots) "[^"]*"'
> diff-method "parameter-shift"
> shots "100"
! qtrain: gradients by parameter-shift, from 100 measurements an evaluation

# the method that shots choose is the one that can be named; shots, seed and the numbers of spsa are in the key
$ K="qtrain f.h5 -o x.h5 --key"
+ for o in "--shots 100" "--shots 100 --diff-method parameter-shift" "--shots 100 --spsa-step 0.1"; do $K $o; done | sort -u | wc -l
+ for o in "" "--shots 100" "--shots 101" "--shots 100 --seed 1" "--diff-method parameter-shift" "--diff-method spsa" \
+     "--shots 100 --diff-method spsa" "--spsa-step 0.2" "--spsa-directions 2"; do $K $o; done | sort -u | wc -l
> 1
> 9

$ qtrain --shots 100 --print-config | grep -E 'shots|diff'
> diff-method: "parameter-shift"
> shots: "100"

$ qtrain f.h5 --shots 100 --diff-method adjoint -o x.h5
! qtrain: --diff-method adjoint: it differentiates exact expectation values, not measurements; with --shots take parameter-shift or spsa
? 2

$ printf 'diff_method: finite-diff\n' > run.yaml; qtrain f.h5 -c run.yaml --shots 100 -o x.h5
! qtrain: --diff-method finite-diff: its step is too small for measurements, whose noise it would divide by 2e-5; with --shots take parameter-shift or spsa
? 2

$ qtrain f.h5 --shots 0 -o x.h5
! qtrain: --shots: found '0', expected a whole number from 1 to 1000000000
? 2

$ qtrain f.h5 --shots 10 --qubits 13 --layers 1 -q -o x.h5 2>&1 | grep -v gradients; ls x.h5
> qtrain: --shots: found a circuit of 13 qubits, expected at most 12: measurements are drawn from the probabilities of all basis states
! ls: cannot access 'x.h5': No such file or directory
? 2

# strings that are not of Z, probabilities, controlled rotations, amplitudes, noise, spsa: each trains
$ printf 'OPENQASM 3.0;\ninclude "stdgates.inc";\ninput float x0;\ninput float w0;\nqubit[2] q;\nry(x0) q[0];\ncry(w0) q[0], q[1];\n' > c.qasm
$ for o in "--observables ZZII,XIYI --ansatz strongly-entangling" "--observables 0.5*ZZII+XIII,fidelity(0+1-)" "--observables probs(0,2)" "--observables probs" "--circuit-file c.qasm" \
+     "--embedding amplitude --ansatz qcnn" "--noise amplitude-damping=0.01,readout=0.02" "--diff-method spsa --embedding amplitude" "--diff-method spsa --spsa-directions 3"
+ do qtrain -q f.h5 --epochs 1 --shots 20 $o --no-controls --no-provenance --threads 1 -f -o a.h5 2>/dev/null
+   qtrain -q f.h5 --epochs 1 --shots 20 $o --no-controls --no-provenance --threads 3 -f -o b.h5 2>/dev/null; cmp a.h5 b.h5 && echo same; done | uniq -c | xargs
> 9 same

# controls beside it; a replica alone is the replica among others; without shots the shift rules share a step too
$ O="-q f.h5 --epochs 2 --shots 50 --no-provenance"
+ qtrain $O --threads 1 -o a.h5 2>/dev/null; qtrain $O --threads 4 -o b.h5 2>/dev/null; cmp a.h5 b.h5
+ qtrain -q f.h5 --epochs 2 --diff-method parameter-shift --no-provenance --no-controls --threads 1 -o c.h5
+ qtrain -q f.h5 --epochs 2 --diff-method parameter-shift --no-provenance --no-controls --threads 4 -o d.h5; cmp c.h5 d.h5
$ O="-q f.h5 --epochs 2 --shots 50 --no-provenance"; qtrain $O --no-controls --replicas 2 -o two.h5 2>/dev/null; qtrain $O --no-controls --replica 1 -o one.h5 2>/dev/null
+ h5dump -d /params/vqc.weight -s 1,0 -c 1,12 two.h5 | grep '^ *(' | sed 's/.*: //' > two; h5dump -d /params/vqc.weight one.h5 | grep '^ *(' | sed 's/.*: //' > one
+ cmp one two && wc -l < one | sed 's/[1-9][0-9]*/some/'
> some

# a sweep's heads are those trained alone
$ qsweep -q f.h5 --grid "shots=20,200" --epochs 2 --no-provenance -o s2.h5
+ qtrain -q f.h5 --epochs 2 --no-provenance --no-controls --shots 20 -o one.h5 -f 2>/dev/null
+ cmp one.h5 s2-heads/shots=20.h5

# qeval says what a head was trained with, and judges it exactly unless told otherwise
$ qeval s.h5 f.h5 -o r.h5 | grep -o 'on 300.*'; qeval s.h5 f.h5 --shots 7 -o q.h5 | grep -o 'on 300.*'; qeval s.h5 f.h5 --json -o j.h5 | jq -c '[.shots, .trained_shots]'
> on 300 samples, trained with 100 shots
> on 300 samples, 7 shots, trained with 100 shots
> [0,100]
! qeval: f.h5: s.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: s.h5 was trained on these; --split val takes those that it has not seen
! qeval: f.h5: s.h5 was trained on these; --split val takes those that it has not seen
