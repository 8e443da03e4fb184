# A head and a report: their pages, and the way back to the images.
~ /not tell all classes apart/d
% need qeval
~ s/  [0-9a-f]{8}$//
$ for p in train test
+ do extract-features $DATA/digits/$p-images-idx3-ubyte --resize 28 --limit 300 -q -o $p.h5 --note "of $p"
+ done; qtrain train.h5 --epochs 12 --replicas 2 -q -o heads.h5 >log
+ qeval heads.h5 test.h5 -q -o report.h5 >log

$ cache log report.h5 | grep -v -e sha256 -e weights
> * qeval 0.2.0
> | qeval heads.h5 test.h5 -q -o report.h5
> | DATE, # s
> |
> |-- * qtrain 0.2.0
> |   | qtrain train.h5 --epochs 12 --replicas 2 -q -o heads.h5
> |   | DATE, # s
> |   |
> |   `-- * extract-features 0.2.0
> |         extract-features ROOT/data/digits/train-images-idx3-ubyte --resize 28 --limit 300 -q -o train.h5 --note 'of train'
> |         DATE, # s
> |         note: of train
> |         images: ROOT/data/digits/train-images-idx3-ubyte
> |         labels: ROOT/data/digits/train-labels-idx1-ubyte
> |
> `-- * extract-features 0.2.0
>       extract-features ROOT/data/digits/test-images-idx3-ubyte --resize 28 --limit 300 -q -o test.h5 --note 'of test'
>       DATE, # s
>       note: of test
>       images: ROOT/data/digits/test-images-idx3-ubyte
>       labels: ROOT/data/digits/test-labels-idx1-ubyte

$ cache show heads.h5 | grep -A 1 -e '^kind' -e '^head' -e '^after' -e '^classes' |
+ grep -v -e '^key' -e options
> heads.h5
> head, # bytes, written by qtrain 0.2.0
>
> --
> after      1 earlier stage; cache log heads.h5 draws them
> --
> classes    0, 1, 2, 3, 4, 5, 6, 7, 8, 9

$ cache show heads.h5 | grep -c '^  *[0-9]*  *[0-9]\.[0-9]\{4\}  *[01]\.[0-9]\{4\}$'
> 7

$ cache show heads.h5 |
+ sed -n 's/^best validation accuracy of each head:\( [01]\.[0-9]\{4\}\)\{2\}$/two heads/p'
> two heads

$ cache show report.h5 | sed -n "s/[01]\.[0-9]\{4\}/X/g; /^heads' accuracy/p"
> heads' accuracy      X +- X (standard deviation) of 2: X X

# An escape sequence in a note does not reach the terminal.
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 64 -q -o n.h5 --note $'\e[31mred'
+ cache log n.h5 | grep note; cache show n.h5 | grep note
>   extract-features ROOT/data/digits/test-images-idx3-ubyte --resize 28 --limit 64 -q -o n.h5 --note '?[31mred'
>   note: ?[31mred
> by         extract-features ROOT/data/digits/test-images-idx3-ubyte --resize 28 --limit 64 -q -o n.h5 --note '?[31mred'
> note       ?[31mred

# a page names the run as the drawing does; the shipped weights' path has no way back in it
$ for f in heads report; do cache show $f.h5 | sed -n 's/.*; run //p'; cache log $f.h5 | sed -n '1s/.*  //p'; done | uniq | wc -l
+ cache log train.h5 | grep weights | grep -c '/\.\./'
> 2
> 0
? 1

# Why two reports differ: which head each is of, by the name that it had.
$ qtrain train.h5 --epochs 2 -q -o other.h5; qeval other.h5 train.h5 -q -o of-other.h5
+ cache diff report.h5 of-other.h5 | sed -E 's/[0-9a-f]{12}\.{3}/#.../g'; qeval other.h5 test.h5 --no-provenance -q -o bare.h5
+ cache diff report.h5 bare.h5 | sed -E 's/[0-9a-f]{12}\.{3}/#.../g'
> inputs.features.0: #... (test.h5) -> #... (train.h5)
> inputs.head.0: #... (heads.h5) -> #... (other.h5)
> inputs.head.0: #... (heads.h5) -> #...
