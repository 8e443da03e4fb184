# A policy is meta-learned from a family of tasks: a file under a key, from the tasks' laws alone.
# The kept network is told with its loss on tasks that neither training nor the choice of the epoch saw.
~ s/loss is [0-9.]+ \+- [0-9.e-]+ \(/loss is # (/; s/saw, [0-9.e-]+ on/saw, # on/
$ qcontrol train -i 60 --hidden-dim 16 --n-segments 10 --val-interval 20 -o p.h5 --json | jq -r '[.status, .epochs, .replicas, (.val_post < 0.05)] | map(tostring) | join(" ")'
> computed 3 1 true
! qcontrol: tasks   rates: dephasing 0.02 to 0.15, relaxation 0.01 to 0.08, detuning 0, factor of the controls 1, uniform; radians, or one, per unit of time
! qcontrol: pulse   T 1, 10 segments, controls at most 10; target pauli_x, 1 - fidelity average
! qcontrol: adapted, the loss is # (95 %) on 200 tasks that nothing saw, # on the 20 by which the epoch was chosen
$ qcontrol train -i 60 --hidden-dim 16 --n-segments 10 --val-interval 20 -o p.h5
> p.h5: up to date: 3 epochs, adapted loss 0.03389 (best epoch 3), # s
! qcontrol: adapted, the loss is # (95 %) on 200 tasks that nothing saw, # on the 20 by which the epoch was chosen
$ qcontrol train --history - -i 60 --hidden-dim 16 --n-segments 10 --val-interval 20 -o p.h5 | jq -r 'keys_unsorted | join(" ")' | uniq
> replica epoch train_loss adapted_loss val_pre val_post val_std adaptation_gain gradient_size
! qcontrol: adapted, the loss is # (95 %) on 200 tasks that nothing saw, # on the 20 by which the epoch was chosen
! p.h5: up to date: 3 epochs, adapted loss 0.03389 (best epoch 3), # s
$ cache show p.h5 | grep -E '^(segments|method|inner)'
> segments             10
> method               fomaml
> inner steps          5
> inner learning rate  0.01

# Threads change no bit, nor do replicas beside; a batch of 70 tasks is three parts.
$ small() { qcontrol train -q -i 40 --hidden-dim 16 --n-segments 10 --no-provenance "$@"; }
+ for m in fomaml maml reptile none; do
+ small --method $m -b 70 --threads 1 -o one.h5; small --method $m -b 70 --threads 2 -o two.h5; cmp one.h5 two.h5 && echo $m
+ done
+ numbers() { jq -c "select(.replica == $1) | del(.replica)"; }
+ small --replicas 3 --threads 2 -o three.h5 --history - | numbers 1 >a; small --replica 1 -o second.h5 --history - | numbers 0 >b; wc -l <a; cmp a b && echo alone
> fomaml
> maml
> reptile
> none
> 4
> alone

# A signal stops it between two steps; the same command goes on to the same bytes.
$ long() { qcontrol train -i 8000 --val-interval 5 --hidden-dim 16 --n-segments 10 --no-provenance --progress none "$@"; }
+ long -o whole.h5 >whole; long --checkpoint-every 1 -o part.h5 >part 2>&1 & pid=$!
+ until [ -e .part.h5.checkpoint ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
+ pkill -TERM -P $pid; wait $pid; echo $?
+ long -o part.h5 2>&1 | grep -c 'found .*checkpoint'; cmp whole.h5 part.h5 && echo same
> 143
> 1
> same
! qcontrol: tasks   rates: dephasing 0.02 to 0.15, relaxation 0.01 to 0.08, detuning 0, factor of the controls 1, uniform; radians, or one, per unit of time
! qcontrol: pulse   T 1, 10 segments, controls at most 10; target pauli_x, 1 - fidelity average
! qcontrol: adapted, the loss is # (95 %) on 200 tasks that nothing saw, # on the 20 by which the epoch was chosen

# The reference's configurations, whose keys are second names.
$ for c in psd rates guide-fast guide-original; do qcontrol train --config $ROOT/examples/control/$c.yaml -i 2 --val-interval 1 -q -o $c.h5 || echo failed; done
$ qcontrol train --config $ROOT/examples/control/guide-fast.yaml -i 2 --val-interval 1 -o guide.h5 2>&1 | sed 's/guide.h5: .*/done/'
> qcontrol: tasks   spectra: alpha 0.5 to 2, strength 0.001 to 0.01, corner 100 to 1000, detuning 0, factor of the controls 1, uniform; radians, or one, per unit of time
> qcontrol: pulse   T 1, 20 segments, controls at most 10; target pauli_x, 1 - fidelity average
> qcontrol: no effect here: n-support, n-query, log-interval, dt-training, use-rk4-training, integration-method, save-dir, robust-type, robust-iterations, robust-tasks-per-batch, gap-n-samples, gap-K-values, gap-variance-range
> qcontrol: adapted, the loss is # (95 %) on 200 tasks that nothing saw, # on the 20 by which the epoch was chosen
> qcontrol: not trained to its end: in the last 1 of 2 epochs the adapted loss fell by 65 %; give more --iterations
> done

# Families where adapting matters.
$ qcontrol train -q -i 4 --detuning-range=-0.5,0.5 --amplitude-range 0.9,1.1 --task-features shots --task-shots 50 --method maml --hidden-dim 8 -o s.h5 && cache show --json s.h5 | jq -r .kind
> policy
$ qcontrol train -q -i 4 --target-gate rotation --angle-range 1,3 --task-features none --last-layer --hidden-dim 8 -o r.h5 && cache show --json r.h5 | jq -r .kind
> policy

# Two qubits: the gate CZ, a network with layer norms, clipped inner steps.
$ pair() { qcontrol train -q --config $ROOT/examples/control/cz.yaml -i 60 --val-interval 20 -b 40 --hidden-dim 16 --no-provenance "$@"; }
+ pair --threads 1 -o one.h5; pair --threads 2 -o two.h5; cmp one.h5 two.h5 && pair -o two.h5 --history - | jq -s 'last.val_post < first.train_loss and last.val_post < 0.2'
> true
$ qcontrol regret two.h5 -o e.h5
! qcontrol: regret: a policy of 6 controls, expected one of a qubit's two
? 2
$ qcontrol train --num-qubits 2 --n-controls 6 --target-gate cz --method maml -o e.h5
! qcontrol: --method maml: goes with one qubit alone; give --method fomaml
? 2
$ qcontrol train --num-qubits 2 --n-controls 6 --target-gate cz --task-features shots -o e.h5
! qcontrol: --num-qubits 2: found experiments with shots, expected rates, and a network that is told them or nothing
? 2
$ qcontrol train --num-qubits 2 --target-gate cz -o e.h5
! qcontrol: --n-controls: found 2, expected 4 or 6
? 2

# What cannot be is said in one line.
$ qcontrol train -i 10
! qcontrol: no output; give -o POLICY.h5
? 2
$ qcontrol train in.h5 -o e.h5
! qcontrol: 1 input, expected none; 'in.h5' is too many; see qcontrol train --help
? 2
$ qcontrol train --gamma-deph-range 1 -o e.h5
! qcontrol: --gamma-deph-range: found '1', expected two numbers between a comma, as in 0.02,0.15
? 2
$ qcontrol train --gamma-deph-range=-1,1 -o e.h5
! qcontrol: --gamma-deph-range: found -1,1, expected two numbers, the first at least 0 and at most the second
? 2
$ qcontrol train --gamma-deph-range nan,1 -o e.h5
! qcontrol: --gamma-deph-range: found nan,1, expected two numbers, the first at least 0 and at most the second
? 2
$ qcontrol train --alpha-range 1,2 --gamma-deph-range 0,1 -o e.h5
! qcontrol: --gamma-deph-range, --gamma-relax-range: tasks are spectra here; take these out or give --tasks rates
? 2
$ qcontrol train --psd-model pink -o e.h5
! qcontrol: --model-types: found 'pink', expected one_over_f|lorentzian|double_exp
? 2
$ qcontrol train --model-types one_over_f,lorentzian --model-probs 1 -o e.h5
! qcontrol: --model-probs: found '1', expected a number that is not negative for each model
? 2
$ qcontrol train --angle-range 1,2 -o e.h5
! qcontrol: --angle-range: only the target rotation has an angle; give --target-gate rotation
? 2
$ qcontrol train --method maml --inner-clip 1 -o e.h5
! qcontrol: --inner-clip: goes with first order alone; give --method fomaml, or --inner-clip 0
? 2
$ qcontrol train --task-feature-dim 5 -o e.h5
! qcontrol: --task-feature-dim: found 5, expected 3: that many numbers tell a task of these options; 0: any
? 2
$ qcontrol train --num-qubits 2 -o e.h5
! qcontrol: --target-gate: two qubits (--num-qubits 2) and the gate cz go together
? 2
$ qcontrol train --sequence spam -o e.h5
! qcontrol: tasks   rates: dephasing 0.02 to 0.15, relaxation 0.01 to 0.08, detuning 0, factor of the controls 1, uniform; radians, or one, per unit of time
! qcontrol: pulse   T 1, 60 segments, controls at most 10; target pauli_x, 1 - fidelity average
! qcontrol: sequence: found 'spam', expected ramsey, echo or cpmg_N with N from 1 to 1000
? 2
$ qcontrol train --gamma-deph-range 0,1e11 --n-segments 4000 -o e.h5
! qcontrol: tasks   rates: dephasing 0 to 1e+11, relaxation 0.01 to 0.08, detuning 0, factor of the controls 1, uniform; radians, or one, per unit of time
! qcontrol: pulse   T 1, 4000 segments, controls at most 10; target pauli_x, 1 - fidelity average
! qcontrol: a segment of 0.00025: found a norm of 2.5e+07 by the family's rates, detunings and limit, expected at most 10000; give more segments, a shorter pulse or smaller ranges
? 2

# No policy is published whose validation loss is no number: it has one, or is refused.
$ qcontrol train --num-qubits 2 --target-gate cz --n-controls 6 --limit 0.001 --gate-time 1 --gamma-deph-range 5,5 --gamma-relax-range 0.001,0.001 --coupling-range 0.0001,0.0001 --iterations 2 --hidden-dim 16 --n-segments 2 -o nan.h5 >out 2>&1; grep -c 'loss nan (best' out; if [ -e nan.h5 ]; then echo said; else grep -c 'adapted validation loss nan, expected a number' out | sed s/1/said/; fi
> 0
> said

# With a unit of time rates, frequencies and times may have theirs: the numbers, and the key, are those without.
$ for o in "--detuning-range=-0.5,0.5 --limit 5" "--unit '1 us' --detuning-range='-0.5 rad/us,0.5 rad/us' --limit '5 rad/us'" "--unit '2 us' --detuning-range='-0.25,0.25 rad/us' --limit '2.5 rad/us' --gate-time '2 us'"; do eval qcontrol train $o --key | cut -c -12; done | uniq | wc -l
> 1
$ qcontrol train --detuning-range='-1,1 MHz' -o e.h5; qcontrol train --unit 20ns --gamma-deph-range '1,2 MHz' -o e.h5; qcontrol train --unit 5 -o e.h5
! qcontrol: --detuning-range: found '-1 MHz', but there is no unit of time; say it, as --unit '20 ns'
! qcontrol: --gamma-deph-range: found the unit 'MHz', expected one of 1/s, 1/ms, 1/us or 1/ns
! qcontrol: --unit: found '5' without a unit, expected one of s, ms, us, ns or ps
? 2

# Trained on the worst of its tasks, a policy loses less there, though more in the mean; a mean is what it was.
$ o="--detuning-range=-2,2 --limit 3 --n-segments 20 --hidden-dim 32 --gamma-deph-range 0,0.01 --gamma-relax-range 0,0.01 --task-features none --method none -k 0 -i 1000 -q --val-tasks 100"
+ for e in mean worst cvar; do qcontrol train $o --ensemble $e -o $e.h5; qcontrol regret $e.h5 --tasks 100 --starts 1 --scales 0 -k 1 --progress none 2>/dev/null | awk '/not adapted/ {print $4, $5}' >$e; done
+ paste -d ' ' mean worst cvar | awk '{print ($4 < 0.8 * $2), ($6 < 0.8 * $2), ($1 < $3)}'
+ [ $(qcontrol train $o --ensemble mean --key) = $(qcontrol train $o --key) ] && echo same
> 1 1 1
> same
$ qcontrol train --ensemble worst -b 33 -o e.h5
! qcontrol: --ensemble worst: found 33 tasks a batch, expected at most 32
? 2

# A unit does not lead out of an option's bounds.
$ qcontrol train --unit '20 ns' --limit '0 MHz' -o x.h5; qcontrol train --unit '20 ns' --gate-time '0 ns' -o x.h5
! qcontrol: --limit: found '0 MHz', 0 without the unit, expected 1e-06 to 1000000
! qcontrol: --gate-time: found '0 ns', 0 without the unit, expected 1e-09 to 1000000000
? 2
