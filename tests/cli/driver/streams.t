# What `-` means, argument by argument: README.md says so in two sentences.
$ D=$DATA/digits; extract-features -q $D/train-images-idx3-ubyte --resize 28 --limit 100 --no-provenance -o f.h5
+ extract-features -q $D/test-images-idx3-ubyte --resize 28 --limit 50 --no-provenance -o t.h5
+ qtrain -q f.h5 --epochs 2 --no-provenance -o h.h5; qeval -q h.h5 t.h5 --no-provenance -o r.h5

# Results to standard output: the very bytes of the file, and no word among them; the summary is on standard error.
$ extract-features $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 100 --no-provenance -o - 2>log | cmp - f.h5
$ qtrain f.h5 --epochs 2 --no-provenance -o - 2>log | cmp - h.h5; grep -c "val accuracy" log
> 1
$ qeval h.h5 t.h5 --no-provenance -o - --json 2>log | cmp - r.h5; grep "^{" log | jq .replicas
> 1
$ qeval -q h.h5 t.h5 --no-provenance -o - | cmp - r.h5
$ for i in 0 1; do extract-features -q $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 100 --shard $i/2 --no-provenance -o s$i.h5; done
+ cache merge s0.h5 s1.h5 --no-provenance -o - | cmp - f.h5
$ circuit qasm h.h5 -o - | head -n 1
> OPENQASM 3.0;
$ figures h.h5 -o -
! figures: -o -: figures go to a folder or a file; name one
? 2
$ circuit draw h.h5 -o -
! circuit: draw: found output '-', expected -o FILE.svg, FILE.pdf or FILE.png
? 2
$ qconvert h.h5 -o -
! qconvert: -o -: weights go to a file; give NAME.safetensors, NAME.npz or NAME.py
? 2
$ qconvert h.h5 -q -o h.npz; qconvert h.npz --features f.h5 --no-provenance -q -o w.h5; qconvert h.npz --features f.h5 --no-provenance -o - | cmp - w.h5
$ for t in figures circuit cache qconvert; do $t --help | grep -e --output; done; qtrain --help -v | grep -e --output
>   -o, --output PATH       a folder, or FIGURE.png, .svg or .pdf for one figure
>   -o, --output FILE       draw: FILE.svg, FILE.pdf or FILE.png; the others print
>   -o, --output FILE       merge: the whole; - is standard output
>   -o, --output FILE       the result; - is standard output, for a head only
>   -o, --output FILE       write the result here; - is standard output

# Files of ours from standard input: features, heads, reports.
$ qtrain - --epochs 2 --no-provenance -q -o x.h5 < f.h5; cmp x.h5 h.h5
$ qeval - t.h5 --no-provenance -q -o x1.h5 < h.h5; cmp x1.h5 r.h5
$ qeval h.h5 - --no-provenance -q -o x2.h5 < t.h5; cmp x2.h5 r.h5
$ qeval h.h5 t.h5 --compare - -q -o x3.h5 < h.h5; cache verify x3.h5
> x3.h5: whole
$ figures - --figure curves -q -o c.svg < h.h5; head -c 5 c.svg; echo
> <?xml
$ circuit qasm - < h.h5 | head -n 1
> OPENQASM 3.0;
$ cache verify - < r.h5; cache show - < r.h5 | sed -nE '2s/[0-9.]+ KB/SIZE/p'; cache diff h.h5 - < h.h5; cache log - < r.h5
+ cache merge - s1.h5 --no-provenance -o - < s0.h5 | cmp - f.h5
> -: whole
> report, SIZE, written by qeval 0.2.0
> the keys are equal, the contents too
! cache: standard input: no provenance; it was written with --no-provenance
$ qtrain f.h5 --epochs 2 -q -o g.h5; qeval g.h5 t.h5 -q -o - | cache show - | grep after
> after      1 earlier stage; cache log - draws them
$ cat h.h5 | qeval - t.h5 --no-provenance -q -o - | cache verify -
> -: whole

# There is one standard input.
$ qeval - - -o y.h5 < h.h5
! qeval: -: standard input can be one input only; name a file for the other
? 2
$ qeval - t.h5 --compare - -o y.h5 < h.h5
! qeval: -: standard input can be one input only; name a file for the other
? 2
$ cache diff - - < h.h5
! cache: -: standard input can be one input only; name a file for the other
? 2

# Images, weights, labels and configurations are files with names.
$ extract-features - --resize 28 -o y.h5 < $DATA/digits/test-images-idx3-ubyte
! extract-features: -: standard input is not taken here; give a file's name
? 2
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --labels - -o y.h5
! extract-features: -: standard input is not taken here; give a file's name
? 2
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --weights - -o y.h5
! extract-features: -: standard input is not taken here; give a file's name
? 2
$ echo 'epochs: 1' | qtrain f.h5 --config - -o y.h5
! qtrain: -: cannot be opened: No such file or directory
? 66
$ circuit qasm --circuit-file - < /dev/null
! circuit: -: cannot be opened: No such file or directory
? 66
$ cache show - < /dev/null
! cache: standard input: is empty; what writes to it has failed
? 65
$ cache list - < h.h5
! cache: -: cannot be opened: No such file or directory
? 66

# The history alone on standard output; the summary then goes to standard error.
$ qtrain f.h5 --epochs 2 -o y.h5 --history - 2>words | jq -c '[.replica, .epoch]'; grep -c "^y.h5: " words; ls y.h5
> [0,1]
> [0,2]
> 1
> y.h5
$ qtrain f.h5 --epochs 2 -o y.h5 --history - 2>words | wc -l; cat words
> 2
> qtrain: only 10 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
> y.h5: up to date: 2 epochs, val accuracy 0.1000 (best epoch 2), # s, # s/epoch
>   circuit - twin   -0.1000 (one seed; several --replicas give an interval)
>   circuit - frozen +0.0000 (one seed; several --replicas give an interval)
>   circuit - none   -0.1000 (one seed; several --replicas give an interval)
>   controls: # s; parameters: circuit 12, twin 12
$ qtrain f.h5 --epochs 2 -o y.h5 --history - --key
> HEX64
$ qtrain f.h5 --epochs 2 -o - --history h.jsonl
! qtrain: --history: cannot be made while the head goes to standard output; name a file with -o
? 2
$ qtrain f.h5 --epochs 2 -o - --mlflow runs
! qtrain: --mlflow: cannot be made while the head goes to standard output; name a file with -o
? 2
$ qtrain f.h5 --epochs 2 -o y.h5 --mlflow -; ls -- -
! qtrain: --mlflow: found '-', expected a folder
! ls: cannot access '-': No such file or directory
? 2
