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

# Few images are one step an epoch: that a single epoch's loss was once lower is noise, and does not silence that more epochs would help.
$ python3 - $DATA/digits/train <<'P'
+ import struct, sys
+ images, labels = (open(f'{sys.argv[1]}-{kind}-ubyte', 'rb').read() for kind in ('images-idx3', 'labels-idx1'))
+ few = [i for i in range(100, len(labels) - 8) if labels[8 + i] < 4][:61]
+ size = (len(images) - 16) // (len(labels) - 8)
+ open('few-images-idx3-ubyte', 'wb').write(images[:4] + struct.pack('>I', 61) + images[8:16] + b''.join(images[16 + i * size:][:size] for i in few))
+ open('few-labels-idx1-ubyte', 'wb').write(labels[:4] + struct.pack('>I', 61) + bytes(labels[8 + i] for i in few))
+ P
+ extract-features few-images-idx3-ubyte --resize 28 -q -o few.h5; qtrain few.h5 --no-controls -o few-h.h5 2>&1 >log | grep "to its end"
> qtrain: not trained to its end: 10 % of what the training loss fell by came with the last tenth of the 50 epochs; give more --epochs
