# Weights of heads out and in: the same predictions, from either format.
~ /not tell all classes apart/d
$ D=$DATA/digits; extract-features $D/train-images-idx3-ubyte --resize 28 --limit 200 -q -o f.h5
+ qtrain f.h5 --epochs 2 --replicas 2 --ansatz strongly-entangling --qubits 3 --layers 2 --reduction 16 -q -o h.h5
+ qtrain f.h5 --epochs 2 --replica 1 --ansatz strongly-entangling --qubits 3 --layers 2 --reduction 16 -q -o one.h5

$ qconvert h.h5 --all-replicas -o h.safetensors && qconvert h.h5 --all-replicas -o h.npz
> h.safetensors: 9 tensors, 17022 values
> h.npz: 9 tensors, 17022 values
$ qconvert h.h5 --all-replicas -o h.npz
> h.npz: up to date
$ qconvert h.h5 --all-replicas --print-config -o h.npz >h.yaml; qconvert h.h5 -c h.yaml
> h.npz: up to date

# The options come from the file; the probabilities are the same to the bit.
$ for w in h.npz h.safetensors; do qconvert $w --features f.h5 -o $w.h5; done
> h.npz.h5: head for 512 features and 10 classes, from h.npz
> h.safetensors.h5: head for 512 features and 10 classes, from h.safetensors
$ for w in h h.npz h.safetensors; do qeval $w.h5 f.h5 -q -o r.$w.h5; h5dump -d probabilities r.$w.h5 |
+ tail -n +2 | sha256sum; done | uniq -c | awk '{ print $1 }'
> 3

# What stands in the circuit's place goes out and in alike.
$ for core in twin frozen none; do qtrain f.h5 --epochs 1 --core $core --reduction 8 -q -o c.h5
+ qconvert c.h5 -q -o c.npz; qconvert c.npz --features f.h5 -q -o d.h5
+ for w in c d; do qeval $w.h5 f.h5 -q -o r.$w.h5; h5dump -d probabilities r.$w.h5 | tail -n +2 | sha256sum; done |
+ uniq -c | awk -v c=$core '{ print c, $1 }'; done
> twin 2
> frozen 2
> none 2

# So does the noise that a head was trained with.
$ qtrain f.h5 --epochs 1 --reduction 8 --qubits 2 --noise depolarizing=0.2,readout=0.1 --no-controls -q -o c.h5
+ qconvert c.h5 -q -o c.npz; qconvert c.npz --features f.h5 -q -o d.h5; qconvert c.npz --features f.h5 --noise none -q -o e.h5
+ for w in c d e; do qeval $w.h5 f.h5 -q -o r.$w.h5; h5dump -d probabilities r.$w.h5 | tail -n +2 | sha256sum; done |
+ uniq -c | awk '{ print $1 }'
> 2
> 1

# And that it was trained with shots, which alone is said of it; in the key of such a head only.
$ qtrain f.h5 --epochs 1 --reduction 8 --qubits 2 --shots 10 --no-controls -q -o c.h5; qconvert c.h5 -q -o c.npz
+ qconvert c.npz --features f.h5 -q -o d.h5; qeval d.h5 f.h5 -f -o r.h5 2>&- | grep -o 'trained with.*'; cache show d.h5 | grep -o 'shots ".*"'
> trained with 10 shots
> shots "10"
$ cache show h.npz.h5 | grep -c shots
> 0
? 1

# One of several is that one alone.
$ qconvert h.h5 --replica 1 -o second.npz -q && qconvert one.h5 -o alone.npz -q
+ for w in second alone; do qconvert $w.npz --features f.h5 -q -o $w.h5; h5dump -y -d params/vqc.weight $w.h5 >$w.txt; done
+ cmp <(tail -n +2 second.txt) <(tail -n +2 alone.txt) && echo same
> same

# Again: nothing to do; another option makes another key.
$ qconvert h.npz --features f.h5 -o h.npz.h5
> h.npz.h5: up to date
$ qconvert h.npz --features f.h5 -o h.npz.h5 --dry-run --embedding angle-x | grep -v ^key
> miss: the target has another key
>   options.embedding: "angle-y" -> "angle-x"
> the run that wrote the target took # s
$ qconvert h.npz --features f.h5 -o h.npz.h5 --embedding angle-x --json | jq -r .status
> computed
! qconvert: h.npz: was made with --embedding angle-y, angle-x is taken
$ cache log h.safetensors.h5 | grep -c 'weights: h.safetensors'
> 1

# Into and out of pipes.
$ qconvert h.npz --features f.h5 -o - | qeval - f.h5 -o p.h5 | sed -E 's/[0-9]\.[0-9]+/#/g'
> p.h5: accuracy # +- # (standard deviation over 2 heads; 95 % over samples # to #), on 200 samples
>   no controls: the weights come from elsewhere
$ qconvert - -o stdin.npz <h.h5
> stdin.npz: 9 tensors, 8511 values

# Which features it was trained on goes with the weights: others are told, of another tap refused.
$ D=$DATA/digits/train-images-idx3-ubyte; extract-features $D --resize 28 --limit 200 --mean 0.5,0.5,0.5 -q -o mean.h5
+ extract-features $D --resize 28 --limit 200 --tap layer3 -q -o tap.h5; grep -ao 'tap[^,}]*' h.safetensors | tail -1
+ for w in h.npz h.safetensors; do qconvert $w --features mean.h5 -f -o m.h5 2>&1 >log | cut -d , -f 1,4-5; done
> tap\":\"avgpool\"
> qconvert: mean.h5: preprocess is grey, /255, minus (0.5
> qconvert: mean.h5: preprocess is grey, /255, minus (0.5
$ cache show m.h5 | grep -c 'mean.h5: preprocess is'
> 1
$ qconvert h.npz --features tap.h5 -f -o m.h5
! qconvert: tap.h5: tap is layer3, h.npz was trained on avgpool; extract anew
? 65

# A circuit of an OpenQASM text comes back as it went, without a line.
$ circuit qasm --qubits 2 --layers 1 > c.qasm; qtrain f.h5 --epochs 1 --reduction 8 --circuit-file c.qasm --observables 'ZI,IZ' --noise depolarizing=0.10 --no-controls -q -o c.h5
+ qconvert c.h5 -q -o c.npz; qconvert c.npz --features f.h5 -f -o d.h5; qconvert c.npz --features f.h5 --dropout 0.5 -q -f -o e.h5
> d.h5: head for 512 features and 10 classes, from c.npz
