# Samples whose accuracy would mean something else: labels from 1, and copies among those that judge.
$ idx() { printf '\0\0\10\3\0\0\0\310\0\0\0\10\0\0\0\10'; for i in $(seq $1); do tail -c +17 $DATA/digits/train-images-idx3-ubyte | head -c $((200 / $1 * 64)); done; }
+ label() { printf '\0\0\10\1\0\0\0\310'; for i in $(seq 100); do printf '\1\2'; done; }
+ for c in 1 4; do idx $c > $c-images-idx3-ubyte; label > $c-labels-idx1-ubyte; extract-features $c-images-idx3-ubyte --resize 28 -q -o $c.h5; done
+ qtrain 1.h5 --epochs 20 --core none --val-fraction 0.2 -o h.h5 2>&1 >log | grep 'no sample'
> qtrain: 1 of 3 classes has no sample (first: '0'): the head has an output for it; labels from 1?
$ qtrain 4.h5 --epochs 1 --core none --val-fraction 0.2 -f -o h.h5 2>&1 >log | grep copies
> qtrain: 40 of 40 validation samples have the very features of training samples: val accuracy is flattered; take the copies out
$ cache show h.h5 --json | jq -r '.provenance[-1].cautions[]?' | grep -c 'very features'; qsweep 4.h5 --core none --val-fraction 0.2 --epochs 1 --grid lr=1e-3,2e-3 -o s.h5 2>&1 >log | grep -c 'very features'
> 1
> 1
