# What is refused, and how.
$ qtrain
? 2

$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 60 -o f.h5 > log
$ qtrain f.h5
? 2

$ qtrain none.h5 -o head.h5
? 66

$ qtrain $DATA/digits/README.md -o head.h5
? 65

$ qtrain f.h5 -o head.h5 --qubits 21
? 2

$ qtrain f.h5 -o head.h5 --reduction 128,x
? 2

$ qtrain f.h5 -o head.h5 --epoch 3
? 2

# a head is no feature cache
$ qtrain -q f.h5 -o head.h5 --epochs 1 > log; qtrain head.h5 -o again.h5
? 65

$ qtrain f.h5 -o no/such/folder/head.h5 --epochs 1 > log
? 74
