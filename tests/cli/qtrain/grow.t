# Circuits that begin as the identity (--mirror, --init) and circuits that grow (--grow): what is
# refused; threads, kills and sweeps change no bit.
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 300 -o f.h5 > log
$ qtrain f.h5 --init identity -o x.h5
! qtrain: --init identity: no layer undoes another here; give --mirror 2, with a number of layers that is a multiple of 4
? 2
$ qtrain f.h5 --mirror 2 --layers 4 --init identity --reupload -o x.h5
! qtrain: --init identity: with --reupload embeddings stand between the layers, which then do not undo each other
? 2
$ qtrain f.h5 --mirror 1 --layers 4 -o x.h5
! qtrain: mirror: found 1, expected 2 or more layers: the entanglers of one layer and its mirror image meet and cancel
? 2
$ qtrain f.h5 --mirror 2 --layers 6 -o x.h5
! qtrain: mirror 2: found 6 layers, expected a multiple of 4: blocks of 2 layers and their mirror image
? 2
$ qtrain f.h5 --mirror 2 --ansatz qcnn --layers 2 -o x.h5
! qtrain: mirror: the layers of ansatz qcnn differ; none mirrors another
? 2
$ qtrain f.h5 --grow 1 --ansatz qcnn --layers 2 -o x.h5
! qtrain: --grow: ansatz qcnn cannot grow layer by layer
? 2
$ qtrain f.h5 --grow 5 --layers 4 --epochs 15 -o x.h5
! qtrain: --grow 5: the last of 4 layers join after epoch 15; found 15 epochs, give more, or a smaller --grow
? 2
$ qtrain f.h5 --grow 1 --layers 4 --mirror 2 --epochs 1 --no-controls --progress none -o x.h5 > log; rm x.h5
! qtrain: --grow: the circuit begins with all of its 4 layers: it changes nothing
$ qsweep f.h5 --grid "grow=5,6" --layers 4 --epochs 16 -o x.h5
! qsweep: --grow 6: the last of 4 layers join after epoch 18; found 16 epochs, give more, or a smaller --grow
? 2
$ qsweep f.h5 --grid "init=normal,uniform" --core frozen -o x.h5
! qsweep: --grid: init: changes nothing without --core circuit
? 2

# an old head knows of none of these; a new one is built from its configuration
$ qtrain -q f.h5 --layers 4 --mirror 2 --init identity --epochs 2 --no-controls -o m.h5; circuit stats m.h5 | head -4
> qubits                4
> inputs                4
> weights               16
> outputs               4
$ qeval -q m.h5 f.h5 -o r.h5; circuit qasm m.h5 | head -3
> OPENQASM 3.0;
> include "stdgates.inc";
> input float[64] x_0;

# growing, with controls: the head and the frozen circuit grow, the others do not
$ grown() { qtrain -q f.h5 --layers 3 --grow 2 --epochs 6 --replicas 2 --no-provenance "$@"; }
+ grown -j 1 -o a.h5; grown -j 3 -o b.h5; cmp a.h5 b.h5
+ h5dump -d history/gradient_norm a.h5 | grep -ci nan
+ h5dump -d controls/frozen/history/gradient_norm a.h5 | grep -ci nan
+ grown -o g.h5 --history - | sed -n 's/,"train_loss.*circuit/ circuit/; s/:[0-9.e-]*//g; 1p; 3p; 5p'
> 8
> 0
> {"replica","epoch" circuit.0","head.0","head.1"}}
> {"replica","epoch" circuit.1","head.0","head.1"}}
> {"replica","epoch" circuit.2","head.0","head.1"}}
$ qtrain -q f.h5 --layers 30 --grow 13 --epochs 400 --no-controls --no-provenance -o whole.h5
$ qtrain -q f.h5 --layers 30 --grow 13 --epochs 400 --no-controls --no-provenance --progress none --checkpoint-every 1 -o k.h5 2>err &
+ until [ -e .k.h5.checkpoint ]; do sleep 0.01; done; kill -TERM $!; wait $! 2> log; echo $?
+ qtrain -q f.h5 --layers 30 --grow 13 --epochs 400 --no-controls --no-provenance -o k.h5; cmp whole.h5 k.h5
> 143
$ qsweep -q f.h5 --grid "layers=3,2" --grow 2 --epochs 6 --replicas 2 -o s.h5; qtrain -q f.h5 --layers 3 --grow 2 --epochs 6 --replicas 2 --no-controls -o alone.h5
+ for g in params last optimizer history replicas; do h5diff alone.h5 s-heads/layers=3.h5 /$g /$g || echo $g differs; done
