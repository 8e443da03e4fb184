input angle[32] _x; input float input_1; input float theta; input array[angle, 3] phi;
qubit[1] a; qubit _b;
rx(_x*input_1 - 3*phi[2] + theta) a[0]; cx a[0], _b;
