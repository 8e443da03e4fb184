# OpenQASM 3 of other programs: what is taken for an input, and what is refused with what to do about it.

# An input's name begins with x or input, behind any _; numbers follow the declarations, not the names.
$ printf 'input float x_1; input float x_0; input angle[32] _x_2_; input float input_0; input float theta; input float X;\n' >names.qasm
+ printf 'qubit q; qubit r; rx(x_0) q; ry(x_1) q; rz(_x_2_) q; rx(input_0) r; ry(theta) r; rz(X) r;\n' >>names.qasm
+ circuit show --circuit-file names.qasm
> OpenQASM, names.qasm: 2 qubits, 2 weights, 6 gates; measured: z
>
>  0: -RX(x1)-RY(x0)-RZ(x2)-
>  1: -RX(x3)-RY(w0)-RZ(w1)-
! circuit: inputs are numbered as they are declared, not as they are called: 'x_1' is input 0, 'x_0', declared behind it, input 1 (Qiskit declares single parameters by the alphabet; of a ParameterVector it keeps the order)
$ printf 'input float x_weight; input float xray; input array[float[64], 2] inputs; input float data; qubit q; rx(data) q;' >more.qasm
+ circuit stats --circuit-file more.qasm --samples 100 | sed -n '2,3p'
> inputs                4
> weights               1

# What Qiskit writes: definitions, Greek names, powers, measurements at the end, which are passed over with a line. -q takes the line away.
$ cat > vqc.qasm <<'EOF'
+ OPENQASM 3.0;
+ include "stdgates.inc";
+ input float[64] _x_0_;
+ input float[64] _x_1_;
+ input float[64] _θ_0_;
+ input float[64] _θ_1_;
+ gate rzz(p0) _gate_q_0, _gate_q_1 {
+   cx _gate_q_0, _gate_q_1;
+   rz(p0) _gate_q_1;
+   cx _gate_q_0, _gate_q_1;
+ }
+ gate RealAmplitudes(_θ_0_, _θ_1_) _gate_q_0, _gate_q_1 {
+   ry(_θ_0_) _gate_q_0;
+   ry(_θ_1_) _gate_q_1;
+   cx _gate_q_0, _gate_q_1;
+ }
+ bit[2] meas;
+ qubit[2] q;
+ h q[0];
+ p(2*_x_0_**2) q[1];
+ rzz((-pi + _x_0_)*(-pi + _x_1_)*2) q[0], q[1];
+ RealAmplitudes(_θ_0_, _θ_1_) q[0], q[1];
+ barrier q[0], q[1];
+ meas[0] = measure q[0];
+ meas[1] = measure q[1];
+ EOF
+ circuit show --circuit-file vqc.qasm; circuit stats -q --circuit-file vqc.qasm --samples 100 | head -1
> OpenQASM, vqc.qasm: 2 qubits, 2 weights, 8 gates; measured: z
>
>  0: -H----------*-----------------------------------------------*-RY(w0)-*-
>  1: -RZ(2 x0x0)-X-RZ(19.7)-RZ(-6.28 x1)-RZ(-6.28 x0)-RZ(2 x0x1)-X-RY(w1)-X-
> qubits                2
! circuit: the text's measurements, all at its end, are passed over: --observables says what is measured
$ printf '\n x q[0];' | cat vqc.qasm - > behind.qasm; circuit show --circuit-file behind.qasm; printf 'qubit q; if (true) x q;' > if.qasm; circuit show --circuit-file if.qasm
! circuit: behind.qasm: OpenQASM, line 27, column 2: 'x' on a qubit behind its measurement, which is not read: what is measured at the end alone can be passed over
! circuit: if.qasm: OpenQASM, line 1, column 10: 'if' is not read: a circuit has no statements that depend on what was measured; take them out
? 65
# registers, loops, controls, version 2
$ printf 'OPENQASM 3.0;\nconst int n = 3;\ninput array[float[64], n] w;\nqubit[n] q;\nh q;\nfor int i in [0:n - 2] { ctrl @ ry(w[i]) q[i], q[i + 1]; }\n' > loop.qasm; circuit show --circuit-file loop.qasm
> OpenQASM, loop.qasm: 3 qubits, 3 weights, 5 gates; measured: z
>
>  0: -H-*-------------
>  1: -H-RY(w0)-*------
>  2: -H--------RY(w1)-
$ printf 'OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[2];\ncreg c[2];\nu2(0,pi) q[0];\nrx(pi/2) q[1];\ncu1(1/2) q[0],q[1];\nmeasure q -> c;\n' >2.qasm; circuit show --circuit-file 2.qasm
> OpenQASM, 2.qasm: 2 qubits, 0 weights, 3 gates; measured: z
>
>  0: -Rot(3.14,1.57,0)-RZ(0.25)-Z(-0.25)-
>  1: -RX(1.57)---------RZ(0.25)-Z--------
! circuit: the text's measurements, all at its end, are passed over: --observables says what is measured
# Numbers behind names say nothing of the order; Qiskit exchanges the parameters of some circuits that are one gate.
$ printf 'OPENQASM 3.0;\ninput float[64] w1;\ninput float[64] w10;\ninput float[64] w2;\ninput float[64] x;\nqubit[2] q;\nrx(x) q[0];\nry(w1) q[0];\nry(w10) q[1];\nrz(w2) q[1];\n' > order.qasm; circuit show --circuit-file order.qasm
> OpenQASM, order.qasm: 2 qubits, 3 weights, 4 gates; measured: z
>
>  0: -RX(x0)-RY(w0)-
>  1: -RY(w1)-RZ(w2)-
! circuit: weights are numbered as they are declared, not as they are called: 'w10' is weight 1, 'w2', declared behind it, weight 2 (Qiskit declares single parameters by the alphabet; of a ParameterVector it keeps the order)
$ printf 'OPENQASM 3.0;\ninput float[64] _β_0_;\ninput float[64] _γ_0_;\ngate QAOA(_β_0_, _γ_0_) a, b {\n  rzz(_γ_0_) a, b;\n  rx(_β_0_) a;\n}\nqubit[2] q;\nQAOA(_γ_0_, _β_0_) q[0], q[1];\n' > qaoa.qasm; circuit show --circuit-file qaoa.qasm
> OpenQASM, qaoa.qasm: 2 qubits, 2 weights, 2 gates; measured: z
>
>  0: -Z(w0)-RX(w1)-
>  1: -Z------------
! circuit: gate QAOA has its parameter '_β_0_' as number 1, and is given it as number 2: it is read as it is written; Qiskit exchanges parameters so in some circuits that are one gate: decompose() takes the gate apart
# What a call cannot be, by its place; in a definition the place is the definition's.
$ for g in 'foo q' 'rx(w) q' 'g(1) q' 'g q[0], q[1]' 'rx(sin(w[0])) q' 'rx(w[0]**3) q' 'ctrl @ id q[0], q[1]' 'cx q, q' 'cx q[0:1], q' 'rx(0) $0'
+ do echo "qubit[3] q; input array[float, 3] w; gate g(a) q { rx(a) q; ry(b) q; } $g;" >g.qasm; circuit show --circuit-file g.qasm; done
! circuit: g.qasm: OpenQASM, line 1, column 72: 'foo' is no gate or statement that is read here; a gate needs a definition, or is written out, in Qiskit with transpile(c, basis_gates=['rx', 'ry', 'rz', 'h', 'cx'], optimization_level=1)
! circuit: g.qasm: OpenQASM, line 1, column 75: 'w' is an array of 3 values: name one, as w[0]
! circuit: g.qasm: OpenQASM, line 1, column 64: 'b' is no parameter of this gate
! circuit: g.qasm: OpenQASM, line 1, column 72: 'g' takes 1 angle and 1 qubit, found 0 and 2
! circuit: g.qasm: OpenQASM, line 1, column 75: 'sin' of a parameter: angles are sums of numbers, parameters and their products; give the head what it gives, or have it written as a number
! circuit: g.qasm: OpenQASM, line 1, column 82: a product of more than two inputs or of two weights: an angle is a sum of numbers times a weight times one or two inputs, or a part of these
! circuit: g.qasm: OpenQASM, line 1, column 72: 'id' under one control more is not read: have it written out, in Qiskit with transpile(c, basis_gates=['rx', 'ry', 'rz', 'h', 'cx'], optimization_level=1)
! circuit: g.qasm: OpenQASM, line 1, column 78: cx on the same qubit twice
! circuit: g.qasm: OpenQASM, line 1, column 83: 3 qubits, expected 2 as of the register before
! circuit: g.qasm: OpenQASM, line 1, column 78: a qubit of a device: transpile has laid the circuit out, where outputs may have changed places; give it optimization_level=1, and no device
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
! qtrain: only 10 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qtrain: only 10 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction

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
