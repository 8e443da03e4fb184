OPENQASM 3.0;
qubit q;
rx(0.5) q;
// no line behind this one