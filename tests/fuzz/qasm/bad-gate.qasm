qubit[2] q;
  foo q[0];