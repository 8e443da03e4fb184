# Learnable scales of inputs: weights behind the ansatz's, which begin at 1 and train; a frozen circuit's stay.
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 100 -o f.h5
$ circuit show --qubits 2 --layers 2 --learn-scale --reupload
> ry-ring on angle-y: 2 qubits, 2 layers, 8 weights, 12 gates; measured: z
>
>  0: -RY(w4x0)-RY(w0)-*-X-RY(w6x0)-RY(w2)-*-X-
>  1: -RY(w5x1)-RY(w1)-X-*-RY(w7x1)-RY(w3)-X-*-
$ circuit qasm --qubits 2 --layers 1 --learn-scale >c.qasm; grep x_ c.qasm; circuit qasm --circuit-file c.qasm | cmp - c.qasm
> input float[64] x_0;
> input float[64] x_1;
> ry(w_2 * x_0) q[0];
> ry(w_3 * x_1) q[1];
$ circuit stats --learn-scale --samples 100 | sed -n 2,4p
> inputs                4
> weights               16
> outputs               4

$ for c in circuit frozen; do qtrain f.h5 --learn-scale --reduction 16 --core $c --epochs 1 --no-controls --no-provenance -q -o $c.h5; done
+ qtrain f.h5 --learn-scale --reduction 16 --lr 0 --epochs 1 --no-controls --no-provenance -q -o still.h5
+ for c in still frozen circuit; do h5dump -m "%.6f" -d params/vqc.weight -s 0,12 -c 1,4 $c.h5 | grep -o '): [0-9.]*' | sort | uniq -c | awk -v c=$c '$3 == "1.000000" { print c, $1 }'; done
> still 4
> frozen 4
$ qtrain f.h5 --learn-scale --reupload --embedding iqp --observables 'probs(0,2)' --noise depolarizing=0.01 --reduction 16 --check-gradients | grep -c bound
> 5

# Without a change of the scales the circuit is what it is without them; the key tells them apart.
$ qtrain f.h5 --reduction 16 --lr 0 --epochs 1 --no-controls --no-provenance -q -o none.h5
+ for h in still none; do qeval -q $h.h5 f.h5 -o r.h5 -f --no-provenance; h5dump -d probabilities r.h5 | tail -n +2 | sha256sum; done | uniq | wc -l
> 1
$ for o in "" --learn-scale; do qtrain f.h5 $o --key -o x.h5; done | sort -u | wc -l
> 2

# Out and in again; an OpenQASM circuit's scales begin at 1 as well.
$ qconvert circuit.h5 -q -o w.npz; qconvert w.npz --features f.h5 -q -o back.h5
+ for h in circuit back; do qeval -q $h.h5 f.h5 -o r.h5 -f --no-provenance; h5dump -d probabilities r.h5 | tail -n +2 | sha256sum; done | uniq | wc -l
> 1
$ qtrain f.h5 --circuit-file c.qasm --reduction 16 --lr 0 --epochs 1 --no-controls --no-provenance -q -o q.h5
+ h5dump -m "%.6f" -d params/vqc.weight -s 0,2 -c 1,2 q.h5 | grep -o '): [0-9.]*'
> ): 1.000000
> ): 1.000000

$ for e in basis zz amplitude; do circuit show --learn-scale --embedding $e; done
! circuit: learn-scale: found embedding 'basis', expected angle-x, angle-y, angle-z, iqp or iqp-2
! circuit: learn-scale: found embedding 'zz', expected angle-x, angle-y, angle-z, iqp or iqp-2
! circuit: learn-scale: found embedding 'amplitude', expected angle-x, angle-y, angle-z, iqp or iqp-2
? 2
$ qtrain f.h5 --learn-scale --optimizer qng -o x.h5
! qtrain: natural gradient: weight 12 is a learnable scale of inputs, which its metric tensor leaves out; leave --learn-scale out, or choose another --optimizer
? 2
$ qtrain f.h5 --learn-scale --optimizer rotosolve --epochs 1 -o x.h5
! qtrain: only 10 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qtrain: --optimizer rotosolve: weight 12 is a learnable scale, in which outputs have another frequency for every sample; leave --learn-scale out, or choose another optimizer
? 2
$ qtrain f.h5 --learn-scale --grow 1 --epochs 5 -o x.h5
! qtrain: --grow: learnable scales stand behind the weights of all layers, which then do not join one after another; leave --learn-scale or --grow out
? 2
