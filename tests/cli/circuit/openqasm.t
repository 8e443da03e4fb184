# OpenQASM 3 of other programs: what is taken for an input, and what is refused with what to do about it.

# An input's name begins with x or input, behind any _; numbers follow the declarations, not the names.
$ printf 'input float x_1; input float x_0; input angle[32] _x_2_; input float input_0; input float theta; input float X;\n' >names.qasm
+ printf 'qubit q; qubit r; rx(x_0) q; ry(x_1) q; rz(_x_2_) q; rx(input_0) r; ry(theta) r; rz(X) r;\n' >>names.qasm
+ circuit show --circuit-file names.qasm
> OpenQASM, names.qasm: 2 qubits, 2 weights, 6 gates; measured: z
>
>  0: -RX(x1)-RY(x0)-RZ(x2)-
>  1: -RX(x3)-RY(w0)-RZ(w1)-
$ printf 'input float x_weight; input float xray; input array[float[64], 2] inputs; input float data; qubit q; rx(data) q;' >more.qasm
+ circuit stats --circuit-file more.qasm --samples 100 | sed -n '2,3p'
> inputs                4
> weights               1

# What Qiskit writes of a circuit that measures, the same without bits, and one with a gate of its own.
$ printf 'OPENQASM 3.0;\ninclude "stdgates.inc";\nbit[2] meas;\nqubit[2] q;\nh q[0];\nbarrier q[0], q[1];\nmeas[0] = measure q[0];\n' >m.qasm
+ circuit show --circuit-file m.qasm; grep -v '^bit' m.qasm >n.qasm; circuit show --circuit-file n.qasm; grep -v measure n.qasm >o.qasm; circuit show -q --circuit-file o.qasm
>  0: -H-
>  1: ---
! circuit: m.qasm: OpenQASM, line 3, column 1: 'bit' is not read: --observables says what is measured; take bit and measure out
! circuit: n.qasm: OpenQASM, line 6, column 11: 'measure' is not read: --observables says what is measured; take bit and measure out
$ printf 'OPENQASM 3.0;\ngate rzz(p0) a, b {\n  cx a, b;\n}\nqubit[2] q;\n' >g.qasm; circuit show --circuit-file g.qasm
! circuit: g.qasm: OpenQASM, line 2, column 1: 'gate' is not read: definitions and modifiers of gates have to be written out, in Qiskit with transpile(c, basis_gates=['rx', 'ry', 'rz', 'h', 'cx'], optimization_level=1)
? 65
$ printf 'OPENQASM 3.0;\ninput float[64] _\316\270_0_;\n' >t.qasm; circuit show --circuit-file t.qasm
! circuit: t.qasm: OpenQASM, line 2, column 18: found a letter that is not ASCII, expected ';'; names are of A-Z, a-z, 0-9 and _, as in pi: rename it
? 65

# OpenQASM 2, with its header and without
$ printf 'OPENQASM 2.0;\nqreg q[2];\n' >2.qasm; circuit show --circuit-file 2.qasm; sed 1d 2.qasm >q.qasm; circuit show --circuit-file q.qasm
! circuit: 2.qasm: OpenQASM, line 1, column 10: found version 2, expected OPENQASM 3; convert it, in Qiskit with qasm3.dumps(qasm2.load(FILE))
! circuit: q.qasm: OpenQASM, line 1, column 1: 'qreg' is not read: it is OpenQASM 2; write 'qubit[2] q;' for 'qreg q[2];'
? 65

# A circuit without inputs is seen and counted, but no head can be trained of it; nor of one without weights.
$ printf 'qubit[2] q;\nh q[0];\ncx q[0], q[1];\n' >bell.qasm; circuit show --circuit-file bell.qasm; circuit qasm --circuit-file bell.qasm
+ circuit stats --circuit-file bell.qasm --samples 100 | sed -n '2,3p'
> OpenQASM, bell.qasm: 2 qubits, 0 weights, 2 gates; measured: z
>
>  0: -H-*-
>  1: ---X-
> OPENQASM 3.0;
> include "stdgates.inc";
> qubit[2] q;
> h q[0];
> cx q[0], q[1];
> inputs                0
> weights               0
$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 100 -o f.h5 > log
+ qtrain f.h5 --circuit-file bell.qasm -o h.h5; echo $?; qtrain f.h5 --circuit-file bell.qasm --core twin -o h.h5; ls h.h5 2>&- | wc -l
> 2
> 0
! qtrain: bell.qasm: the circuit has no inputs, expected at least one: a parameter whose name begins with x or input, such as 'input float[64] x_0;'
! qtrain: bell.qasm: the circuit has no inputs, expected at least one: a parameter whose name begins with x or input, such as 'input float[64] x_0;'
$ printf 'input float x; qubit[2] q; rx(x) q[0];' >x.qasm; qtrain f.h5 --circuit-file x.qasm -o h.h5
! qtrain: the circuit has no weights that could be trained; give --layers 1 or more, or another --circuit-file
? 2
$ printf 'qasm: qubit q; h q;\n' >q.yaml; qtrain f.h5 -c q.yaml -o h.h5
! qtrain: qasm: the circuit has no inputs, expected at least one: a parameter whose name begins with x or input, such as 'input float[64] x_0;'
? 2
# what is declared and in no gate counts, and is said; an index of an array and a factor are uses
$ printf 'input float x; input float x_1; input float a; input array[float, 3] w; qubit[2] q; rx(a*x) q[0]; ry(w[1]) q[1];' >unused.qasm
+ qtrain f.h5 --circuit-file unused.qasm --epochs 1 -q -o u.h5; qtrain f.h5 --circuit-file unused.qasm --epochs 1 -f -o u.h5 > log
+ printf 'input float x; input float x_1; input float a; qubit q; rx(a*x*x_1) q;' >used.qasm; qtrain f.h5 --circuit-file used.qasm --epochs 1 -f -o u.h5 > log
! qtrain: no gate uses 1 of the circuit's 2 inputs and 2 of its 4 weights: they count as parameters and change nothing; take them out of the OpenQASM
! qtrain: 10 validation samples choose the epoch and are the accuracy: too few to tell heads apart; give more samples, or a larger --val-fraction
! qtrain: 10 validation samples choose the epoch and are the accuracy: too few to tell heads apart; give more samples, or a larger --val-fraction

# one qubit and one value at a time; no functions
$ for g in 'h q' 'cx q, q[1]' 'rx(sin(x)) q[0]' 'rx(w) q[0]' 'rx(y) q[0]'
+ do echo "qubit[2] q; input float x; input array[float, 3] w; $g;" >g.qasm; circuit show --circuit-file g.qasm; done
! circuit: g.qasm: OpenQASM, line 1, column 55: 'q' is a register of 2 qubits: write the gate once for each, as q[0]
! circuit: g.qasm: OpenQASM, line 1, column 56: 'q' is a register of 2 qubits: write the gate once for each, as q[0]
! circuit: g.qasm: OpenQASM, line 1, column 56: 'sin' is a function: angles are sums of numbers, parameters and their products
! circuit: g.qasm: OpenQASM, line 1, column 56: 'w' is an array of 3 values: name one, as w[0]
! circuit: g.qasm: OpenQASM, line 1, column 56: 'y' is no parameter
? 65

# A call is one gate, whatever it is made of: counted once, written as it was read; so is a row of them that the text says is one.
$ printf 'OPENQASM 3.0;\ninput float x; input float w;\nqubit[2] q;\nswap q[0], q[1];\ncp(x + w) q[0], q[1];\nu(x + 1, w, 0.5 - x) q[0];\nu(x, w, 0.5) q[1];\ny q[0];\nid q[1];\ncrx(2*x*w - w) q[1], q[0];\nrzz(w) q[0], q[1];\n' >one.qasm
+ circuit stats --circuit-file one.qasm --samples 100 | sed -n '5,7p'; circuit qasm --circuit-file one.qasm | sed 1,5d | tee two.qasm
+ circuit show --circuit-file one.qasm | head -1
> gates                 8
> gates_on_two_or_more  4
> depth                 6
> swap q[0], q[1];
> cp(x_0 + w_0) q[0], q[1];
> u3(x_0 + 1, w_0, 0.5 - x_0) q[0];
> u3(x_0, w_0, 0.5) q[1];
> y q[0];
> id q[1];
> crx(2 * w_0 * x_0 - w_0) q[1], q[0];
> @ketline.with_next
> cx q[0], q[1];
> @ketline.with_next
> rz(w_0) q[1];
> cx q[0], q[1];
> OpenQASM, one.qasm: 2 qubits, 1 weight, 8 gates; measured: z
$ (printf 'input float x_0; input float w_0; qubit[2] q;\n'; cat two.qasm) >three.qasm; circuit qasm --circuit-file three.qasm | sed 1,5d | cmp - two.qasm
+ circuit stats --circuit-file three.qasm --samples 100 | sed -n '5,7p'
> gates                 8
> gates_on_two_or_more  4
> depth                 6
$ circuit stats --embedding zz --qubits 3 --layers 1 --samples 100 | sed -n '5,7p'
> gates                 24
> gates_on_two_or_more  9
> depth                 14
