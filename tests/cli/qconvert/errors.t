# What does not fit is told in one line, and what stands there is left alone.
$ D=$DATA/digits; extract-features $D/train-images-idx3-ubyte --resize 28 --limit 100 -q -o f.h5
+ qtrain f.h5 --epochs 1 --reduction 8 -q -o h.h5; qconvert h.h5 -q -o h.npz; qconvert h.h5 -q -o h.safetensors
+ echo notes >notes.npz; cp h.safetensors other.npz; sha256sum notes.npz other.npz h.h5 >before

$ qconvert h.h5 -o notes.npz
! qconvert: notes.npz: was not written by ketline; give another name, or --force to replace it
? 2
$ qconvert h.h5 -o other.npz
! qconvert: other.npz: was not written by ketline; give another name, or --force to replace it
? 2
$ ln -s h.h5 link.npz; qconvert h.h5 -o link.npz --force
! qconvert: link.npz: is an input; give another name
? 2
$ qconvert h.npz --features f.h5 -o f.h5
! qconvert: f.h5: is an input; give another name
? 2
$ qconvert h.npz --features f.h5 -o h.npz
! qconvert: h.npz: --features makes a head; give it a name such as head.h5
? 2
$ qconvert h.safetensors --features f.h5 -o other.npz.h5 -q; qconvert h.h5 -o other.npz.h5
! qconvert: other.npz.h5: ends in none of .safetensors, .npz and .py; a head from weights needs --features FEATURES.h5
? 2
$ qconvert h.h5 -o x.npz --key
! qconvert: --key and --dry-run: weights for other programs have no key; these go with --features
? 2
$ sha256sum --quiet -c before; rm link.npz other.npz.h5; qconvert h.h5 -o notes.npz --force
> notes.npz: 9 tensors, 4402 values

$ qconvert h.h5 --replica 3 -o x.npz
! qconvert: h.h5: no replica 3; it holds 1, counted from 0
? 2
$ qconvert h.h5 --all-replicas --replica 1 -o x.npz; ls x.npz
! qconvert: --replica 1: --all-replicas takes all; leave one of them out
! ls: cannot access 'x.npz': No such file or directory
? 2
$ qconvert f.h5 -o x.npz
! qconvert: f.h5: holds 'features', expected 'head', which comes from qtrain
? 65
$ qconvert absent.npz --features f.h5 -o x.h5
! qconvert: absent.npz: cannot open the weights: No such file or directory
? 66
$ qconvert f.h5 --features f.h5 -o x.h5
! qconvert: f.h5: neither a .safetensors file, nor an .npz archive of NumPy, nor a .pth archive of torch.save
? 65
$ qconvert h.npz --features f.h5 --reduction 9 -o x.h5
! qconvert: h.npz: was made with --reduction 8, 9 is taken
! qconvert: h.npz: tensor reduce.0.weight has shape [8, 512], expected [9, 512]; check --qubits, --reduction, --classifier and the features
? 65
$ qconvert h.npz --features f.h5 --layers 4 -o x.h5
! qconvert: h.npz: was made with --layers 3, 4 is taken
! qconvert: h.npz: tensor vqc.weight has shape [12], expected [16] or [4, 4]; check --qubits, --layers and --ansatz
? 65
$ qconvert h.npz --features f.h5 --map vqc=q -o x.h5
! qconvert: h.npz: no tensor q.weight, expected one of shape [12]; it holds reduce.0.weight, reduce.0.bias, reduce.1.weight, reduce.1.bias, vqc.weight, head.0.weight, head.0.bias, head.1.weight, head.1.bias: say which with --map vqc.weight=NAME
? 65
$ qconvert h.npz --features f.h5 --map vqc.weights=q -o x.h5
! qconvert: --map: vqc.weights: no tensor or layer of this head, which has reduce.0.weight to head.1.bias
? 2
$ qconvert h.npz --features f.h5 --classifier none -o x.h5
! qconvert: h.npz: was made with --classifier 16, none is taken
! qconvert: h.npz: tensor head.0.weight has shape [16, 4], expected [10, 4]; check --qubits, --reduction, --classifier and the features
? 65

# What is no number, by the file's name of it, alone and as one of several.
$ n=$(od -An -tu8 -N8 h.safetensors); at=$(head -c $((8 + n)) h.safetensors | tail -c +9 | jq '."vqc.weight".data_offsets[0]')
+ sed 's/"vqc.weight"/"abc.weight"/' h.safetensors >nan.safetensors
+ printf '\0\0\300\177' | dd of=nan.safetensors bs=1 seek=$((8 + n + at + 12)) conv=notrunc status=none
+ for map in abc.weight abc.weight+head.0.bias; do qconvert nan.safetensors --features f.h5 --map vqc.weight=$map -o x.h5; done
! qconvert: nan.safetensors: tensor abc.weight: value 3 is not finite in float32
! qconvert: nan.safetensors: tensor abc.weight: value 3 is not finite in float32
? 65

# A configuration that is damaged is not taken for options.
$ sed 's/"qubits\\":4/"qubits\\":0/; s/\\"qubits\\":4/\\"qubits\\":0/' h.safetensors >bad.safetensors
+ qconvert bad.safetensors --features f.h5 -o x.h5
! qconvert: bad.safetensors: its config: circuit: found 0 qubits, expected 1 to 20
? 65
$ sed 's/"dropout\\":0/"dropout\\":4/; s/\\"dropout\\":0/\\"dropout\\":4/' h.safetensors >bad.safetensors
+ qconvert bad.safetensors --features f.h5 -o x.h5
! qconvert: bad.safetensors: its config: dropout 4.2: must lie in [0, 1)
? 65

$ qtrain f.h5 --epochs 1 --reduction 8 --qubits 2 --shots 10 --no-controls -q -o shots.h5; qconvert shots.h5 -q -o shots.safetensors
+ sed 's/"shots\\":\\"10/"shots\\":\\"1x/' shots.safetensors >bad.safetensors; qconvert bad.safetensors --features f.h5 -o x.h5
! qconvert: bad.safetensors: its config: --shots: found '1x', expected a whole number from 1 to 1000000000
? 65
$ qconvert h.npz --features f.h5 --shots 0 -o x.h5
! qconvert: --shots: found '0', expected a whole number from 1 to 1000000000
? 2
# Classes of which there are more or fewer than the features have; and what names none, which is told.
$ sed 's/\\",\\"9/xxxxxx/' h.safetensors >nine.safetensors; sed 's/\[\\"0/{\\"0/' h.safetensors >odd.safetensors; cmp -s h.safetensors nine.safetensors; cmp -s h.safetensors odd.safetensors
+ sed 's/\[\\"0\\"/[    0/' h.safetensors >mixed.safetensors; cmp -s h.safetensors mixed.safetensors; for w in nine odd mixed; do qconvert $w.safetensors --features f.h5 -o $w.h5; done
> odd.h5: head for 512 features and 10 classes, from odd.safetensors
> mixed.h5: head for 512 features and 10 classes, from mixed.safetensors
! qconvert: nine.safetensors: names 9 classes, the features have 10
! qconvert: odd.safetensors: class_names is no list of texts: classes are not compared
! qconvert: mixed.safetensors: class_names is no list of texts: classes are not compared

# More tensors than needed are told.
$ qtrain f.h5 --epochs 1 --reduction 8,8 -q -o deep.h5; qconvert deep.h5 -q -o deep.npz
+ qconvert deep.npz --features f.h5 --reduction 8 --map reduce.1=reduce.2 -o x.h5
> x.h5: head for 512 features and 10 classes, from deep.npz
! qconvert: deep.npz: was made with --reduction 8,8, 8 is taken
! qconvert: deep.npz: 2 tensors are not used, the first is reduce.1.weight

# Names that another program gave.
$ qconvert $ROOT/tests/golden/weights/strong.npz --features f.h5 --qubits 3 --layers 2 --map reduce.0=fc1 -o y.h5
+ ls y.h5
! qconvert: ROOT/tests/golden/weights/strong.npz: tensor fc1.weight has shape [6, 8], expected [128, 512] for reduce.0.weight; check --qubits, --reduction, --classifier and the features
! ls: cannot access 'y.h5': No such file or directory
? 2

# Of a head that was trained elsewhere there is no history to draw.
$ qconvert h.npz --features f.h5 -q -o n.h5; figures n.h5 -o figures
> figures: 1 figure in 2 files, 2 written
$ qeval n.h5 f.h5 --split val -o v.h5
! qeval: n.h5: --split val: the weights come from elsewhere, and what they were trained on is not known; leave --split out
? 65

# Options of the other direction.
$ qconvert h.h5 --qubits 6 -o y.npz
! qconvert: --qubits: makes a head of weights, with --features; leave it out
? 2
$ qconvert h.h5 --map vqc.weight=q -o y.npz
! qconvert: --map: makes a head of weights, with --features; leave it out
? 2
$ qconvert h.npz --features f.h5 --replica 3 -o x.h5
! qconvert: --replica: is of weights that are written; --features makes heads of all
? 2
