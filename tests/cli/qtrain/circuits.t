# Circuits by name: every ansatz and embedding trains, is read back, and is drawn.
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 100 -o f.h5 > log
$ for a in ry-ring basic-entangler strongly-entangling simplified-two-design real-amplitudes efficient-su2 brick qcnn
+ do qtrain -q f.h5 --ansatz $a --layers 1 --epochs 1 -o $a.h5 > log &&
+ qeval -q $a.h5 f.h5 -o r.h5 -f > log && figures -q $a.h5 --figure circuit -o fig-$a > log &&
+ head -c 4 fig-$a/circuit.png | tail -c 3; echo " $a"; done
> PNG ry-ring
> PNG basic-entangler
> PNG strongly-entangling
> PNG simplified-two-design
> PNG real-amplitudes
> PNG efficient-su2
> PNG brick
> PNG qcnn

$ for e in angle-x angle-y angle-z basis iqp iqp-2 zz amplitude
+ do qtrain f.h5 --embedding $e --ansatz efficient-su2 --entanglement full --layers 1 --observables zz --check-gradients |
+ grep -c "bound"; done | uniq -c | xargs
> 8 5

$ qtrain f.h5 --embedding amplitude --observables probs --qubits 3 --check-gradients | grep -c bound
> 5

# the key follows each of them
$ for o in "" "--ansatz brick" "--embedding iqp" "--entanglement star" "--observables x" "--reupload"
+ do qtrain f.h5 --key $o -o x.h5; done | sort -u | wc -l
> 6

$ qtrain f.h5 --ansatz qcnn --qubits 6 -o x.h5
! qtrain: ansatz qcnn: found 6 qubits and 3 layers, expected a multiple of 2^layers
? 2

$ qtrain f.h5 --observables ZZ,XIYI -o x.h5
! qtrain: observables: found 'ZZ' of 2 letters, expected 4, one a qubit (or z: <Z> of each)
? 2

$ qtrain f.h5 --observables ZZAI -o x.h5
! qtrain: observables: found 'A' in 'ZZAI', expected I, X, Y or Z
? 2

$ qtrain f.h5 --ansatz brick --entanglement full -o x.h5
! qtrain: entanglement full: ansatz brick has its own
? 2
