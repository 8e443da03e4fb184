# A circuit by name: drawn, exported, counted.
$ circuit show --qubits 3 --layers 1
> ry-ring on angle-y: 3 qubits, 1 layer, 3 weights, 9 gates; measured: z
>
>  0: -RY(x0)-RY(w0)-*---X-
>  1: -RY(x1)-RY(w1)-X-*-|-
>  2: -RY(x2)-RY(w2)---X-*-

# folded at a width
$ circuit show --qubits 2 --layers 2 --ansatz real-amplitudes --width 24
> real-amplitudes on angle-y: 2 qubits, 2 layers, 6 weights, 10 gates; measured: z
>
>  0: -RY(x0)-RY(w0)-*-
>  1: -RY(x1)-RY(w1)-X-
>
>  0: -RY(w2)-*-RY(w4)-
>  1: -RY(w3)-X-RY(w5)-

$ circuit qasm --qubits 2 --layers 1 --embedding iqp
> OPENQASM 3.0;
> include "stdgates.inc";
> input float[64] x_0;
> input float[64] x_1;
> input float[64] w_0;
> input float[64] w_1;
> qubit[2] q;
> h q[0];
> rz(x_0) q[0];
> h q[1];
> rz(x_1) q[1];
> @ketline.with_next
> cx q[0], q[1];
> @ketline.with_next
> rz(x_0 * x_1) q[1];
> cx q[0], q[1];
> ry(w_0) q[0];
> ry(w_1) q[1];
> cx q[0], q[1];
> cx q[1], q[0];

$ circuit stats --qubits 5 --layers 2 --ansatz strongly-entangling | head -8
> qubits                5
> inputs                5
> weights               30
> outputs               5
> gates                 25
> gates_on_two_or_more  10
> depth                 11
> real_amplitudes       no

# Depths of PennyLane's graph of the same gates.
$ d() { circuit stats --ansatz strongly-entangling --embedding angle-x --samples 100 "$@" | awk '$1 == "depth" { print $2 }'; }
+ d --qubits 12 --layers 3; d --qubits 6 --layers 2; d --qubits 6 --layers 5; d --qubits 4 --layers 3; d --qubits 6 --layers 2 --reupload
> 26
> 12
> 26
> 14
> 13

# a circuit without weights reaches one state: all fidelities in the last of 75 bins
$ circuit stats --qubits 1 --layers 0 --json | jq -c '[.expressibility, .entanglement] | map(. * 1e5 | round / 1e5)'
> [4.31749,0]

# the circuit of a head
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 100 -o f.h5 > log
+ qtrain -q f.h5 --ansatz brick --epochs 1 -o h.h5 > log; circuit show h.h5 > one
+ circuit show --ansatz brick > two; cmp one two

# what a page cannot hold is not drawn too small to be seen, but cut off
$ circuit draw --qubits 20 --layers 1000 --ansatz strongly-entangling -o l.png | sed 's/columns: [0-9]*/columns: #/'; circuit draw --qubits 2 --layers 50 -o m.png
> l.png: written, the first columns: # of 40020 gates
> m.png: written
$ for l in 50 200 1000; do circuit draw --qubits 20 --layers $l -q -o l.svg; [ $(wc -c < l.svg) -lt 4000000 ] && echo $l; done; rm l.svg
> 50
> 200
> 1000

$ circuit draw --ansatz efficient-su2 -o c.svg; circuit draw --ansatz efficient-su2 -o c.svg
+ head -n 1 c.svg | cut -c1-5
> c.svg: written
> c.svg: up to date
> <?xml

$ circuit draw
! circuit: draw: found output '', expected -o FILE.svg, FILE.pdf or FILE.png
? 2

$ circuit qasm --embedding amplitude
! circuit: OpenQASM has no gate for an amplitude embedding
? 2

$ circuit see
! circuit: found 'see', expected show|draw|qasm|stats|plateau (see --help)
? 2

$ circuit show h.h5 g.h5
! circuit: 2 inputs, expected one head at most; 'g.h5' is too many; see --help
? 2

$ circuit show f.h5
! circuit: f.h5: holds 'features', expected 'head', which comes from qtrain
? 65

# OpenQASM in place of a name: seen, trained, read back
$ circuit qasm --layers 1 --ansatz brick > c.qasm; circuit qasm --circuit-file c.qasm > again.qasm; grep -c . again.qasm
> 29

$ qtrain -q f.h5 --circuit-file c.qasm --epochs 1 -o q.h5 > log; rm c.qasm; circuit qasm q.h5 | cmp - again.qasm; qeval -q q.h5 f.h5 -o r.h5 > log; figures -q q.h5 --figure circuit -o q.svg > log

$ printf 'qubit[2] q;\ncx q[0], q[2];\n' > bad.qasm; circuit show --circuit-file bad.qasm
! circuit: bad.qasm: OpenQASM, line 2, column 12: found '2', expected a whole number from 0 to 1
? 65

$ circuit show --circuit-file again.qasm --layers 2
! circuit: a circuit in OpenQASM has its own qubits, layers, ansatz, entanglement, mirror, embedding, reupload and learn-scale; leave these out
? 2

$ circuit show --circuit-file none.qasm
! circuit: none.qasm: cannot be opened: No such file or directory
? 66

# A head's circuit is drawn as circuit draw draws it, noise included in what is said of it.
$ qtrain -q f.h5 --noise depolarizing=0.01 --epochs 1 --no-controls -o n.h5 > log; figures -q n.h5 --figure circuit -o n1.svg
+ circuit draw -q n.h5 -o n2.svg; cmp <(sed /^.desc/d n1.svg) <(sed /^.desc/d n2.svg); circuit draw -q -o n3.svg; cmp -s n1.svg n3.svg || echo differs
> differs

# Options of a circuit beside a head are not ignored.
$ for o in '--qubits 3' '--qubits 4' '--mirror 2' --reupload '--observables x' '--circuit-file c.qasm' '--ansatz ry-ring'; do circuit show h.h5 $o; done
! circuit: a head has its own qubits, layers, ansatz, entanglement, mirror, embedding, reupload, learn-scale and observables; leave these and --circuit-file out
! circuit: a head has its own qubits, layers, ansatz, entanglement, mirror, embedding, reupload, learn-scale and observables; leave these and --circuit-file out
! circuit: a head has its own qubits, layers, ansatz, entanglement, mirror, embedding, reupload, learn-scale and observables; leave these and --circuit-file out
! circuit: a head has its own qubits, layers, ansatz, entanglement, mirror, embedding, reupload, learn-scale and observables; leave these and --circuit-file out
! circuit: a head has its own qubits, layers, ansatz, entanglement, mirror, embedding, reupload, learn-scale and observables; leave these and --circuit-file out
! circuit: a head has its own qubits, layers, ansatz, entanglement, mirror, embedding, reupload, learn-scale and observables; leave these and --circuit-file out
! circuit: a head has its own qubits, layers, ansatz, entanglement, mirror, embedding, reupload, learn-scale and observables; leave these and --circuit-file out
? 2
$ echo 'layers: 2' >c.yaml; circuit stats h.h5 --config c.yaml
! circuit: a head has its own qubits, layers, ansatz, entanglement, mirror, embedding, reupload, learn-scale and observables; leave these and --circuit-file out
? 2
$ circuit show h.h5 --width 80 | cmp - <(circuit show h.h5 --width=80); circuit stats h.h5 --samples 100 --json | grep -c .
> 1
$ printf 'qubits: 3\n' >run.yaml; circuit qasm --circuit-file run.yaml
! circuit: run.yaml: OpenQASM, line 1, column 1: 'qubits' is no gate or statement that is read here
? 65

# A meter ends each wire that is measured, a box with an arc: of four wires all, or two.
$ for o in z XIII,IZII; do circuit draw --layers 0 --observables $o -q -o m.svg; grep -c ' C ' m.svg; done
> 28
> 26

# JSON is there for what has numbers to tell.
$ for c in show qasm draw; do circuit $c --json -o json.svg; echo $?; done; [ ! -e json.svg ]
> 2
> 2
> 2
! circuit: show: has no JSON; --json belongs to stats, and to plateau
! circuit: qasm: has no JSON; --json belongs to stats, and to plateau
! circuit: draw: has no JSON; --json belongs to stats, and to plateau

# Options of another command.
$ circuit show --samples 1000
! circuit: --samples: belongs to stats
? 2
$ circuit qasm --seed 4
! circuit: --seed: belongs to stats
? 2
$ circuit stats --width 40
! circuit: --width: belongs to show
? 2
