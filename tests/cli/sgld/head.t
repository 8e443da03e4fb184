# A head's posterior on its own features; its evidence; kept draws as heads, and as one ensemble.
~ /not tell all classes apart/d
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 -q -o test.h5
+ qtrain test.h5 --epochs 3 --reduction 16 -q -o head.h5 >/dev/null
+ echo "parameters: tail
+ rungs: 5
+ warmup: 6
+ draws: 8
+ chains: 2
+ leapfrogs: 3
+ keep: 4" > short.yaml

$ sgld head test.h5 --head head.h5 -c short.yaml -o c.h5 2>/dev/null | sed -E 's/-?[0-9]+\.[0-9]+/#/g; s/[0-9]+ effective/# effective/'

# The same bytes from one thread, and from a run that was shorter.
$ sgld head test.h5 --head head.h5 -c short.yaml --no-provenance -q -o a.h5 2>/dev/null; sgld head test.h5 --head head.h5 -c short.yaml --no-provenance -j 1 -q -o b.h5 2>/dev/null; sgld head test.h5 --head head.h5 -c short.yaml --draws 4 --no-provenance -q -o short.h5 2>/dev/null

$ sgld head test.h5 --head head.h5 -c short.yaml --no-provenance --extend short.h5 -q -o grown.h5 2>/dev/null; for f in b grown; do cmp a.h5 $f.h5 && echo same; done

# Circuit against twin against none; the numbers are in the file.
$ sgld head test.h5 --head head.h5 -c short.yaml --compare --sampler mala -o e.h5 --json 2>/dev/null | jq -c '[.parameters, .records, .ln_bayes_twin == .ln_z_circuit - .ln_z_twin, (.ln_bayes_none_error > 0), (.ln_z_none < 0), (.cautions | length > 0)]'

$ sgld head test.h5 --head head.h5 -c short.yaml --compare --parameters all --key | wc -c

$ cache show e.h5 | grep -oE '(evidence/[a-z_]+|ln_bayes_[a-z_]+)' | sort -u

# A draw is a head.
$ sgld export c.h5 --draw 3 -o d.h5

$ qeval d.h5 test.h5 -o r.h5 | sed -E 's/-?[0-9]\.[0-9]+/#/g'

$ qeval d.h5 test.h5 --split val -o v.h5 | sed -E 's/-?[0-9]\.[0-9]+/#/g'

$ qconvert d.h5 -o d.npz

# All draws as one head; the ensemble of one draw is that draw.
$ qeval c.h5 test.h5 --split val -o rc.h5 | sed -E 's/-?[0-9]\.[0-9]+/#/g'

$ sgld head test.h5 --head head.h5 -c short.yaml --chains 1 --keep 8 -q -o one.h5 2>/dev/null; sgld export one.h5 --draw 0 -q -o one-head.h5

$ for f in one one-head; do qeval $f.h5 test.h5 --json -o r-$f.h5 2>/dev/null | jq -c '[.accuracy, .log_loss, .ece]'; done | uniq | wc -l

$ qeval one.h5 test.h5 --json -o r-one.h5 -f 2>/dev/null | jq -c '[.ensemble, .replicas, .controls]'

# What does not go.
$ sgld export c.h5 --draw 4 -o x.h5

$ qeval c.h5 test.h5 --shots 10 -o x.h5

$ sgld sample -p classic --test-mode -q -o synth.h5 2>/dev/null; sgld export synth.h5 --draw 0 -o x.h5

$ sgld head test.h5 -o x.h5

$ sgld head test.h5 --head head.h5 --betas 1,2 -o x.h5

$ sgld head test.h5 --head head.h5 --betas 0,n,3 -o x.h5

$ sgld head test.h5 --head head.h5 --parameters head --compare -o x.h5

$ sgld head test.h5 --head test.h5 -o x.h5

$ extract-features $D/train-images-idx3-ubyte --resize 28 --limit 200 -q -o other.h5; sgld head other.h5 --head head.h5 -c short.yaml -o x.h5 2>&1 >/dev/null | head -1
