# Chains on a ladder: a file under a key; threads, interruptions and the way there change no byte.
$ sgld sample -p classic --test-mode -o a.h5 | sed 's/0\.[0-9]*/X/g; s/X +- X/X/g; s/[0-9]e-[0-9]*/X/g'
$ sgld sample -p classic --test-mode -o a.h5
$ sgld sample -p classic --test-mode -o a.h5 --json | jq -c '[.status]'
$ sgld sample -p classic --test-mode -o b.h5 --no-provenance -j 1 -q; sgld sample -p classic --test-mode -o c.h5 --no-provenance -j 2 -q; cmp b.h5 c.h5 && echo same
# What the profile says and what is said by hand are one key.
$ [ "$(sgld sample -p classic --test-mode --key)" = "$(sgld sample -p classic -B 1,10 -c 2 --warmup 19,49 --lr 0.01,0.1 --key)" ]; echo $?
# More chains, temperatures between, from a smaller run: the bytes of one run.
$ sgld sample -p classic -B 1,10 -c 2 --warmup 20 -q --no-provenance -o small.h5; sgld sample -p classic -B 1,5,10 -c 3 --warmup 20 -q --no-provenance -o whole.h5
$ sgld sample -p classic -B 1,5,10 -c 3 --warmup 20 -q --no-provenance --extend small.h5 -o grown.h5; cmp whole.h5 grown.h5 && echo same
# and from a shorter one
$ sgld sample -B 1,10 -c 2 --warmup 40 --epochs 60 --anneal 20 --every 5 -q --no-provenance -o short.h5 2>/dev/null; sgld sample -B 1,10 -c 2 --warmup 40 --epochs 100 --anneal 20 --every 5 -q --no-provenance -o long.h5 2>/dev/null
$ sgld sample -B 1,10 -c 2 --warmup 40 --epochs 100 --anneal 20 --every 5 -q --no-provenance --extend short.h5 -o grown.h5 -f; cmp long.h5 grown.h5 && echo same
# from another run
$ sgld sample -p classic -B 1,5,10 -c 3 --warmup 20 --seed 1 --extend small.h5 -o other.h5
$ sgld sample -p classic -B 1,5,10 -c 3 --warmup 20 --data-seed 1 --extend small.h5 -o other.h5
$ sgld sample -p classic -B 1,5,10 -c 3 --warmup 20 --width 7 --extend small.h5 -o other.h5
$ sgld sample -p classic -B 1,5,10 --extend $DATA/digits/train-labels-idx1-ubyte -o other.h5
# Images: a folder, its groups, a network that fits them.
$ sgld sample --data images --groups 01234/56789 --train-size 60 --test-mode $DATA/digits -o d.h5 --json | jq -c '[.ladder[] | .beta], [.ladder[] | .train01 >= 0 and .train01 <= 1]'
$ cache show d.h5 | grep -vE '^(key|content|size|created|file|by|seconds|wrote)'
# A predicted time, without a file.
$ sgld sample --dry-run -p classic -o new.h5 --json | jq -c '[.hit, .estimated_seconds > 0]'; ls new.h5
# What is wrong, in one line.
$ sgld sample
$ sgld sample -B 1,-3 -o e.h5
$ sgld sample -p classic -B 1,2,3 --epochs 1,2 -o e.h5
$ sgld sample -p classic --labels perhaps -o e.h5
$ sgld sample -p paper --data images $DATA/digits -o e.h5
$ sgld sample --data images -o e.h5
$ sgld sample --data images $DATA/noise -o e.h5
$ sgld sample --data images --groups 0/12 $DATA/digits -o e.h5
$ sgld sample --data images --groups 0/x $DATA/digits -o e.h5
$ sgld sample --data images --groups 0/1 --train-size 500 $DATA/digits -o e.h5
$ sgld sample --data mnist $DATA/digits -o e.h5
$ sgld sample $DATA/digits -o e.h5
$ head -c 5000 $DATA/digits/train-images-idx3-ubyte > train-images-idx3-ubyte; cp $DATA/digits/train-labels-idx1-ubyte $DATA/digits/test-* .; sgld sample --data images . -o e.h5
$ sgld sample --data images --model lenet5 $DATA/digits -o e.h5
$ sgld sample --loss ce -o e.h5
$ sgld sample --sampler mala --batch-size 10 -o e.h5
$ sgld sample a b c -o e.h5
$ ls e.h5
