# One folder of images parted into those that train and those that test, as tables are: by --seed, of each class its share.
$ cat >png.py <<'P'
+ import random, struct, zlib, pathlib
+ def chunk(name, data):
+     return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
+ draw = random.Random(1)
+ for kind, n, most in ('dark', 20, 120), ('light', 10, 255):
+     pathlib.Path('photos', kind).mkdir(parents=True)
+     for i in range(n):
+         rows = b''.join(b'\0' + bytes(most - draw.randrange(90) for _ in range(8)) for _ in range(8))
+         pathlib.Path('photos', kind, f'{i:02}.png').write_bytes(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 8, 8, 8, 0, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
+ P
+ python3 png.py; for part in train test; do extract-features photos --resize 28 --split $part -o $part.h5; done; extract-features photos --resize 28 --split test -o test.h5
+ qtrain train.h5 --epochs 5 -q -o head.h5 2>log; qeval head.h5 test.h5 2>log | awk '{ print $1, $2 }'
> train.h5: 24 x 512 float32, # s (# images/s); classes 0 dark, 1 light
> test.h5: 6 x 512 float32, # s (# images/s); classes 0 dark, 1 light
> test.h5: up to date: 6 x 512 float32, # s (# images/s); classes 0 dark, 1 light
> head heads
> head.h5 1

# The other part is judged in silence; parted by another seed or share, with a caution; the page of a part says by what.
$ part() { extract-features photos --resize 28 -q "$@" -o p.h5; qeval head.h5 p.h5 -o p-report.h5 2>&1 | grep 'same images'; }; part --split test; part --split test --seed 1; part --split test --test-fraction 0.3; part; for f in test p; do cache show $f.h5 | grep -o 'split "test.*'; done
> qeval: p.h5: head.h5 was trained on features of the same images (photos), parted by another --seed: some of these are among those, and this is not the accuracy on new ones; make --split train and --split test with one --seed
> qeval: p.h5: head.h5 was trained on features of the same images (photos), parted by another --test-fraction: some of these are among those, and this is not the accuracy on new ones; make --split train and --split test with one --test-fraction
> qeval: p.h5: head.h5 was trained on features of the same images (photos); unless these are others of them, this is not the accuracy on new ones
> split "test"  test-fraction 0.2  seed 0
? 1

# Names, labels and features are those of the whole folder; the parts share no image, and have all of them; the part's rows are those of a table of the same classes.
$ numbers() { h5dump -A 0 -y -d $1 $2 | sed -n '/DATA {/,/}/p' | tr -cs '0-9' '\n' | grep .; }
+ (numbers index train.h5; numbers index test.h5) | sort -n | cmp - <(seq 0 29) && numbers labels test.h5 | sort | uniq -c
+ (echo x,kind; for i in $(seq 30); do echo $((i * i % 17)),$([ $i -le 20 ] && echo dark || echo light); done) >t.csv; extract-features t.csv --label kind --split test -q -o rows.h5; cmp <(numbers index rows.h5) <(numbers index test.h5) && echo 'the same rows'
+ mkdir chosen; h5dump -A 0 -y -w 0 -d aside/names test.h5 | grep -o '[a-z]*/[0-9]*.png' | while read f; do mkdir -p chosen/${f%/*}; cp photos/$f chosen/$f; done
+ extract-features chosen --resize 28 -q -o own.h5; for d in features labels aside/names aside/pixels; do h5diff own.h5 test.h5 $d || echo $d differs; done
>       4 0
>       2 1
> the same rows

# Files that are read in their order give the same part; in shards, too; other seeds and shares are other parts, under other keys.
$ D=$DATA/digits; for k in images-idx3 labels-idx1; do gzip -c $D/train-$k-ubyte >g-$k-ubyte.gz; done; e() { extract-features "$@" --resize 28 --split test; }
+ e $D/train-images-idx3-ubyte -q -o plain.h5; e g-images-idx3-ubyte.gz -j 3 -q -o packed.h5; h5diff plain.h5 packed.h5 features && h5diff plain.h5 packed.h5 index && h5diff plain.h5 packed.h5 labels && echo equal
+ for s in 0 1; do e $D/train-images-idx3-ubyte --shard $s/2 -q -o s$s.h5; done; cache merge s1.h5 s0.h5 -o m.h5 && cmp <(h5dump -d index -d features m.h5 | tail -n +2) <(h5dump -d index -d features plain.h5 | tail -n +2) && e $D/train-images-idx3-ubyte -o m.h5
+ for o in "" "--seed 1" "--test-fraction 0.3" "--limit 900"; do e $D/train-images-idx3-ubyte $o --key; done | sort -u | wc -l; e $D/train-images-idx3-ubyte --limit 900 -o l.h5
> equal
> m.h5: merged from 2 shards
> m.h5: up to date
> 4
> l.h5: 180 x 512 float32, # s (# images/s)

# What says nothing is refused.
$ bad() { extract-features "$@" --resize 28 -o bad.h5; }; bad photos --seed 3; bad photos --test-fraction 0.1; bad photos --split test --labels none; bad photos --split test --test-fraction 0.001; ls bad.h5
+ /usr/bin/python3 -c 'import h5py, numpy; h5py.File("bare.h5", "w")["images"] = numpy.zeros((40, 8, 8, 3), "u1")'; bad bare.h5 --split test
! extract-features: --seed: changes nothing without --split train or test
! extract-features: --test-fraction: changes nothing without --split train or test
! extract-features: --split test: takes of each class its share, and there are none
! extract-features: validation split: 30 samples at fraction 0.001 leave 30 to train and 0 to validate
! ls: cannot access 'bad.h5': No such file or directory
! extract-features: bare.h5: no labels; --labels DATASET or FILE.h5:DATASET names them
! extract-features: --split test: takes of each class its share, and bare.h5 has no labels; name them by --labels
? 2
