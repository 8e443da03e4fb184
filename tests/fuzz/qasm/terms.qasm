input array[float, 4] x; input array[float, 4] w; qubit q;
rx(x[0]+x[1]+x[2]+x[3]+w[0]+w[1]+w[2]+w[3]-x[0]*x[1]-x[1]*x[2]+1.0/3-pi+(2*(w[0]-(1+2)))) q;
