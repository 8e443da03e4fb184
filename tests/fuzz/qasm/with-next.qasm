input float x; input float w; qubit[2] q;
@ketline.with_next
rzz(x + w) q[0], q[1];
@ketline.with_next
swap q[0], q[1];
u(x + 1, w, x) q[0];
id q[1];
