# Images that the shipped weights were trained on, in a file and in part; others; what reads the features says so.
% need $SHARED/data/mnist/train-images-idx3-ubyte.gz
$ M=$SHARED/data/mnist; extract-features $M/train-images-idx3-ubyte.gz --limit 1000 -q -o train.h5; cache show train.h5 | grep ^caution; extract-features $M/t10k-images-idx3-ubyte.gz --limit 1000 -q -o test.h5; cache show test.h5 | grep ^caution
> caution    the weights were trained on all 1000 of these images: accuracies on them are higher than on new ones
? 1
$ qtrain train.h5 --epochs 1 --no-controls -q -o h.h5; cache show h.h5 | grep -o '^caution .* its backbone was trained on 1000 of these images'
> caution    train.h5: its backbone was trained on 1000 of these images
$ qeval h.h5 train.h5 --split val --json -o r.h5 2>/dev/null | jq -r '.cautions[0]' | cut -d ';' -f 1; qeval h.h5 test.h5 --json -o r.h5 2>/dev/null | jq '[.cautions[] | select(test("backbone"))] | length'
> train.h5: its backbone was trained on 1000 of these images: accuracies on them, validation samples too, are higher than on new ones
> 0
$ for i in 0 1 2; do extract-features $SHARED/data/mnist/train-images-idx3-ubyte.gz --limit 600 --shard $i/3 -q -o $i.h5; done; cache merge 0.h5 1.h5 2.h5 -o all.h5; qtrain all.h5 --epochs 1 --no-controls -q -o h.h5; cache show h.h5 | grep -o '^caution .* its backbone was trained on 5[0-9]* of these images'
> all.h5: merged from 3 shards
> caution    all.h5: its backbone was trained on 556 of these images
$ printf '\0\0\10\3\0\0\0\310\0\0\0\34\0\0\0\34' >h-idx3-ubyte; zcat $SHARED/data/mnist/train-images-idx3-ubyte.gz | tail -c +17 | head -c 78400 >>h-idx3-ubyte; zcat $SHARED/data/mnist/t10k-images-idx3-ubyte.gz | tail -c +17 | head -c 78400 >>h-idx3-ubyte; extract-features h-idx3-ubyte --labels none -o s.h5 | cut -d , -f 1
> s.h5: 200 x 512 float32
! extract-features: the weights were trained on some 100 of these images: accuracies on them are higher than on new ones
