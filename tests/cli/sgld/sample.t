# Chains on a ladder: a file under a key; threads, interruptions and the way there change no byte.
~ s/--epochs [0-9]+\)/--epochs N)/; s/ \([-0-9.e]+( at beta [0-9]+)?\):/ (X):/; s/warm-up of [0-9]+ of/warm-up of N of/; s/to [0-9]+ epochs at most/to N epochs at most/; s/ [0-9.]+ \+- [0-9.e-]+ at/ X +- X at/g
$ sgld sample -p classic --test-mode -o a.h5 | sed 's/0\.[0-9]*/X/g; s/X +- X/X/g; s/[0-9]e-[0-9]*/X/g'
> a.h5: fcn1 on synth, 2 chains of 3001 parameters; mean training loss X at beta 0, X at beta 1, X at beta 10; X s
! sgld: the virial ratio, 1 at equilibrium, is off at beta 1, 10 (X): not at equilibrium, or the step is too large
! sgld: nothing is known of beta 0, 1, 10: fewer than four draws, or one that is no number
$ sgld sample -p classic --test-mode -o a.h5
> a.h5: up to date: fcn1 on synth, 2 chains of 3001 parameters; mean training loss X +- X at beta 0, X +- X at beta 1, X +- X at beta 10; # s
! sgld: the virial ratio, 1 at equilibrium, is off at beta 1, 10 (X): not at equilibrium, or the step is too large
! sgld: nothing is known of beta 0, 1, 10: fewer than four draws, or one that is no number
$ sgld sample -p classic --test-mode -o a.h5 --json | jq -c '[.status]'
> ["up to date"]
! sgld: the virial ratio, 1 at equilibrium, is off at beta 1, 10 (X): not at equilibrium, or the step is too large
! sgld: nothing is known of beta 0, 1, 10: fewer than four draws, or one that is no number
$ sgld sample -p classic --test-mode -o b.h5 --no-provenance -j 1 -q; sgld sample -p classic --test-mode -o c.h5 --no-provenance -j 2 -q; cmp b.h5 c.h5 && echo same
> same
# What the profile says and what is said by hand are one key.
$ [ "$(sgld sample -p classic --test-mode --key)" = "$(sgld sample -p classic -B 0,1,10 -C 2 --warmup 9,19,49 --lr 0.01,0.01,0.1 --key)" ]; echo $?
> 0
# More chains, temperatures between, from a smaller run: the bytes of one run.
$ sgld sample -p classic -B 1,10 -C 2 --warmup 20 -q --no-provenance -o small.h5; sgld sample -p classic -B 1,5,10 -C 3 --warmup 20 -q --no-provenance -o whole.h5
$ sgld sample -p classic -B 1,5,10 -C 3 --warmup 20 -q --no-provenance --extend small.h5 -o grown.h5; cmp whole.h5 grown.h5 && echo same
> same
# and from a shorter one
$ sgld sample -B 1,10 -C 2 --warmup 40 --epochs 60 --anneal 20 --every 5 -q --no-provenance -o short.h5 2>/dev/null; sgld sample -B 1,10 -C 2 --warmup 40 --epochs 100 --anneal 20 --every 5 -q --no-provenance -o long.h5 2>/dev/null
$ sgld sample -B 1,10 -C 2 --warmup 40 --epochs 100 --anneal 20 --every 5 -q --no-provenance --extend short.h5 -o grown.h5 -f; cmp long.h5 grown.h5 && echo same
> same
# from another run
$ sgld sample -p classic -B 1,5,10 -C 3 --warmup 20 --seed 1 --extend small.h5 -o other.h5
! sgld: --extend small.h5: is of another run (parts.seed: "0" -> "1"); give the options and inputs it was made with
? 65
$ sgld sample -p classic -B 1,5,10 -C 3 --warmup 20 --data-seed 1 --extend small.h5 -o other.h5
! sgld: --extend small.h5: is of another run (options.data-seed: 0 -> 1); give the options and inputs it was made with
? 65
$ sgld sample -p classic -B 1,5,10 -C 3 --warmup 20 --width 7 --extend small.h5 -o other.h5
! sgld: --extend small.h5: is of another run (options.width: 500 -> 7); give the options and inputs it was made with
? 65
$ sgld sample -p classic -B 1,5,10 --extend $DATA/digits/train-labels-idx1-ubyte -o other.h5
! sgld: ROOT/data/digits/train-labels-idx1-ubyte: not an HDF5 file (its first eight bytes are others); expected 'chains', which comes from sgld sample
? 65
# Images: a folder, its groups, a network that fits them.
$ sgld sample --data images --groups 01234/56789 --train-size 60 --test-mode $DATA/digits -o d.h5 --json | jq -c '[.ladder[] | .beta], [.ladder[] | .train01 >= 0 and .train01 <= 1]'
> [0,3,10]
> [true,true,true]
! sgld: R-hat is above 1.01 at beta 3, 10 (X): the chains have not met; sample longer (--epochs N), or warm up longer (--warmup 80)
! sgld: fewer than 400 effective draws at beta 0, 3, 10 (X): the standard errors are unreliable; sample longer (--epochs N)
! sgld: the warm-up of N of 6 chains was extended until the acceptance was near 0.57, to N epochs at most
$ cache show d.h5 | grep -E '^(sampler|parameters|records|chains  |beta|0 |3 |10 )' | sed 's/[0-9.]* +- [0-9.]*/X/g'
> sampler              mala
> parameters           2113
> records              120
> records a step       120
> chains               2
> beta  first step  draws    virial ratio            norm
> 0            0.1     20  X  X
> 3            0.1     20  X  X
> 10           0.1     20  X  X
# A predicted time, without a file.
$ sgld sample --dry-run -p classic -o new.h5 --json | jq -c '[.hit, .estimated_seconds > 0]'; ls new.h5
> [false,true]
! ls: cannot access 'new.h5': No such file or directory
? 2
# What is wrong, in one line.
$ sgld sample
! sgld: no output; give -o CHAINS.h5
? 2
$ sgld sample -B 1,-3 -o e.h5
! sgld: --betas: found -3, expected 0 or more
? 2
$ sgld sample -p classic -B 1,2,3 --epochs 1,2 -o e.h5
! sgld: --epochs: found 2 numbers, expected one, or one for each of 3 betas
? 2
$ sgld sample -p classic --labels perhaps -o e.h5
! sgld: --labels: found 'perhaps', expected true, random or a probability from 0 to 1
? 2
$ sgld sample -p paper --data images $DATA/digits -o e.h5
! sgld: --profile paper: it has no data images; --profile sound takes any
? 2
$ sgld sample --data images -o e.h5
! sgld: --data images: no images; give the folder that holds them
? 2
$ sgld sample --data images $DATA/noise -o e.h5
! sgld: ROOT/data/noise: no training images, expected train-images-idx3-ubyte (IDX, also .gz), data_batch_1.bin, train.h5 or a folder train; or give both parts as two inputs
? 66
$ sgld sample --data images --groups 0/1,12 $DATA/digits -o e.h5
! sgld: groups: found class 12, expected 0 to 9; the labels have no other
? 2
$ sgld sample --data images --groups 0/x $DATA/digits -o e.h5
! sgld: groups: found 'x', expected classes, as 01234/56789 or 0,12/3
? 2
$ sgld sample --data images --groups 0/1 --train-size 500 $DATA/digits -o e.h5
! sgld: ROOT/data/digits/train-images-idx3-ubyte: found 142 records of group 0, expected 500; give a smaller --train-size
? 65
$ sgld sample --data mnist $DATA/digits -o e.h5
! sgld: ROOT/data/digits/train-images-idx3-ubyte: found images of 8 x 8, expected 28 x 28 of --data mnist; --data images takes any
? 65
$ sgld sample $DATA/digits -o e.h5
! sgld: --data synth: found an input, expected none; it is drawn from its seed. Feature caches go with --data features, images with images, mnist, ...
? 2
# A table's features, those that train and those that test, which are of one kind; logistic and linear regression.
$ extract-features $DATA/wine/wine.csv --label cultivar --split train -q -o train.h5; extract-features $DATA/wine/wine.csv --label cultivar --split test -q -o test.h5
$ for loss in bbce ce square; do sgld sample train.h5 test.h5 --data features --model linear --loss $loss -B 30 -o $loss.h5 -q --json 2>&1 | jq -c '.ladder[1] | .train01 < 0.4 and .test01 < 0.4'; done
> true
> true
> true
# what a caution names is enough
$ o="train.h5 test.h5 --data features --model linear -B 0,30"; n=$(sgld sample $o -e 300 -o short.h5 2>&1 >log | grep -o -- '--epochs [0-9]*' | tail -1); [ "${n#* }" -gt 450 ] && sgld sample $o $n -o long.h5 2>&1 >log | grep -c 'R-hat\|effective'
> 0
? 1
$ cache log bbce.h5 | grep -c 'extract-features .* train.h5'
> 1
$ extract-features $DATA/wine/wine.csv --label cultivar --columns alcohol,hue -q -o two.h5
$ sgld sample train.h5 two.h5 --data features -o e.h5
! sgld: two.h5: columns is 2: alcohol, hue (56ccd189258e), train.h5 has 13: alcohol, malic_acid, ash, alcalinity_of_ash, ... (48e60c38968d); --like FEATURES.h5 of extract-features takes it from those that trained
? 65
$ sgld sample train.h5 --data features -o e.h5
! sgld: --data features: found 1 input, expected TRAIN.h5 TEST.h5, two feature caches of extract-features
? 2
$ sgld sample train.h5 test.h5 -o e.h5
! sgld: --data synth: found an input, expected none; it is drawn from its seed. Feature caches go with --data features, images with images, mnist, ...
? 2
$ sgld sample train.h5 train.h5 --data features --dry-run -o e.h5 | head -1
> miss: the target does not exist
! sgld: train.h5: the test part is the training part: test errors say nothing new
! sgld: --data features: 1200 epochs are a first look; for a law that can be reported give --epochs 10000 --warmup 1600
$ head -c 5000 $DATA/digits/train-images-idx3-ubyte > train-images-idx3-ubyte; cp $DATA/digits/train-labels-idx1-ubyte $DATA/digits/test-* .; sgld sample --data images . -o e.h5
! sgld: ./train-images-idx3-ubyte: 4984 bytes after the header, expected 91968 (1437 items of 64); cut short: copy or download it again
? 65
$ sgld sample --data images --model lenet5 $DATA/digits -o e.h5
! sgld: net 'lenet5': found images of 8x8, expected 28x28
? 2
$ sgld sample --loss ce -o e.h5
! sgld: loss: ce is for three classes or more, found 2; expected bce, which it then is
? 2
$ sgld sample --sampler mala --batch-size 10 -o e.h5
! sgld: batch 10: mala and hmc take all 50 records a step; batches go with --sampler sgld, psgld, sghmc, sgnht
? 2
$ sgld sample a b c -o e.h5
! sgld: 3 inputs, expected [DIR | TRAIN TEST]; 'c' is too many; see sgld sample --help
? 2
$ ls e.h5
! ls: cannot access 'e.h5': No such file or directory
? 2

# Every sampler goes with its defaults, but for a step.
$ for s in sgld psgld sghmc sgnht mala hmc; do sgld sample -q --sampler $s -B 0,5 --lr 0.01 -e 40 --warmup 20 -o $s.h5 2>/dev/null; echo $s $?; done
> sgld 0
> psgld 0
> sghmc 0
> sgnht 0
> mala 0
> hmc 0

$ sgld sample --model logistic a.h5 -o c.h5
! sgld: --model: found 'logistic', expected one of linear|fcn1|fcn2|fcn3|lenet5|cnn4|vgg16|vgg16-frozen|vgg16-plain; did you mean linear with --loss bce?
? 2
