# What is refused, and how.
$ qtrain
! qtrain: 0 inputs, expected one feature cache; see --help
? 2

$ extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 60 -o f.h5 > log
$ qtrain f.h5
! qtrain: no output; give -o HEAD.h5
? 2

$ qtrain none.h5 -o head.h5
! qtrain: none.h5: cannot be opened: No such file or directory
? 66

$ qtrain $DATA/digits/README.md -o head.h5
! qtrain: ROOT/data/digits/README.md: not an HDF5 file (its first eight bytes are others)
? 65

$ qtrain f.h5 -o head.h5 --qubits 21
! qtrain: --qubits: found 21, expected a number from 1 to 20
? 2

$ qtrain f.h5 -o head.h5 --reduction 128,x
! qtrain: --reduction: "128,x" is no list of widths from 1 to 65536; write it as 128,32
? 2

$ qtrain f.h5 -o head.h5 --epoch 3
! qtrain: --epoch: no such option; did you mean --epochs? (--help lists them)
? 2

# a head is no feature cache
$ qtrain -q f.h5 -o head.h5 --epochs 1 > log; qtrain head.h5 -o again.h5
! qtrain: head.h5: holds 'head', expected 'features'
? 65

$ qtrain f.h5 -o no/such/folder/head.h5 --epochs 1 > log
! qtrain: no/such/folder/head.h5: cannot create a file in its folder: No such file or directory
? 74
