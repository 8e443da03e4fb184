# A head trained on real digits: summary, history, up to date, key.
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 300 -o f.h5 > log
$ qtrain f.h5 --epochs 3 --batch-size 32 -o head.h5 --history h.jsonl |
+ sed -E 's/accuracy 0\.[0-9]+ \(best epoch [0-9]\)/accuracy A/; s/[+-]0\.[0-9]+/D/'
> head.h5: 3 epochs, val accuracy A, # s, # s/epoch
>   circuit - twin   D (one seed; several --replicas give an interval)
>   circuit - frozen D (one seed; several --replicas give an interval)
>   circuit - none   D (one seed; several --replicas give an interval)
>   controls: # s; parameters: circuit 12, twin 12

# again: nothing to do, and the history is written from the file
$ rm h.jsonl; qtrain f.h5 --epochs 3 --batch-size 32 -o head.h5 --history h.jsonl; wc -l < h.jsonl
> head.h5: up to date: 3 epochs, val accuracy 0.2667 (best epoch 3), # s, # s/epoch
>   circuit - twin   -0.1000 (one seed; several --replicas give an interval)
>   circuit - frozen -0.0333 (one seed; several --replicas give an interval)
>   circuit - none   -0.6000 (one seed; several --replicas give an interval)
>   controls: # s; parameters: circuit 12, twin 12
> 3

$ head -n 1 h.jsonl | sed -E 's/[0-9]+\.[0-9e-]+/#/g'
> {"replica":0,"epoch":1,"train_loss":#,"train_accuracy":#,"val_loss":#,"val_accuracy":#,"learning_rate":#,"gradient_norm":{"reduce.0":#,"reduce.1":#,"reduce.2":#,"circuit.0":#,"circuit.1":#,"circuit.2":#,"head.0":#,"head.1":#}}

# the threads change nothing; the seed, and every option of the result, change the key
$ qtrain f.h5 --epochs 3 --batch-size 32 -o two.h5 --no-provenance -j 2 -q > log
+ qtrain f.h5 --epochs 3 --batch-size 32 -o one.h5 --no-provenance -j 1 -q > log; cmp one.h5 two.h5

$ for o in "" "--seed 1" "--lr 0.01" "--dropout 0" "--replica 1" "-j 1" "--progress none"
+ do qtrain f.h5 --key $o -o x.h5; done | sort | uniq -c | awk '{print $1}' | sort -n | xargs
> 1 1 1 1 3
# a reference's names in YAML; the command line wins
$ printf 'n_qubits: 3\nn_layers: 2\ndiff_method: parameter-shift\nlearning_rate: 0.002\nepochs: 1\n' > run.yaml
+ qtrain f.h5 -c run.yaml --layers 1 -o y.h5 --print-config |
+ grep -E 'qubits|layers|diff|^lr|epochs'
> qubits: 3
> layers: 1
> epochs: 1
> lr: 0.002
> diff-method: "parameter-shift"

$ qtrain f.h5 --check-gradients |
+ sed -E 's/: [0-9.e-]+ (standard errors )?\(/: # \1(/; s/largest gradient .*/largest gradient #/'
> 64 samples, 70186 parameters, double precision, largest gradient #
> adjoint - parameter-shift: # (bound 1e-10)
> adjoint - central differences: # (bound 1e-07)
> parameter-shift - central differences: # (bound 1e-07)
> adjoint - mean of 400 spsa directions: # standard errors (bound 5)
> core circuit, 154 entries - central differences of the loss: # (bound 1e-07)
$ qtrain f.h5 --check-gradients --json | jq -c 'select(.loss_differences < .differences_bound) | .samples, .parameters, .entries, .agree, length' | xargs
> 64 70186 154 true 15

# epochs that end while the loss still falls are said; not where they were enough, nor of a few to try
$ for e in 9 50 1000; do qtrain f.h5 --no-controls --epochs $e -f -o few.h5 2>&1 > log | sed -E 's/[0-9]+ %/# %/'; done
> qtrain: not trained to its end: # % of what the training loss fell by came with the last tenth of the 50 epochs; give more --epochs

# where the time of a step goes: its parts are all of it, each is there, and nothing is written
$ qtrain f.h5 --profile --json >p.json; jq '[.reduction, .core_forward, .classifier, .classifier_back, .core_back, .reduction_back, .sums, .update] | (add / $p[0].step_seconds | . > 0.999 and . < 1.001), (map(. > 0) | all)' --slurpfile p p.json p.json
> true
> true
$ qtrain f.h5 --profile --core none | sed -E 's/[0-9.]+ (us|ms|%)/#/g; s/ +#/ #/g; s/mean of [0-9]+/mean of N/'
> a step of 64 samples, core none, one thread: #, mean of N
>   classifier and loss # #
>   back through the classifier # #
>   gradients of the weights # #
>   update # #
> their features took #, once (extract-features)
$ qtrain f.h5 --profile -o x.h5; qtrain f.h5 --profile --device cuda; qtrain f.h5 --profile --check-gradients
! qtrain: --profile: trains nothing to be kept; leave -o out
! qtrain: --profile: is of the CPU's steps; give --device cpu
! qtrain: --profile: found --check-gradients beside it; give one
? 2
