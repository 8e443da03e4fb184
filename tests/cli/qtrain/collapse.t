# Classes that a head does not tell apart: those of 1 and 2 are drawn from the same digits, in turns.
$ I=$DATA/digits; cp $I/train-images-idx3-ubyte x-images-idx3-ubyte; cp $I/test-images-idx3-ubyte y-images-idx3-ubyte
+ relabel() { head -c 8 $1; tail -c +9 $1 | od -An -v -tu1 -w1 | awk '{ printf "\\%03o", $1 < 5 ? 0 : 1 + NR % 2 }' | xargs -0 printf; }
+ relabel $I/train-labels-idx1-ubyte >x-labels-idx1-ubyte; relabel $I/test-labels-idx1-ubyte >y-labels-idx1-ubyte
+ extract-features x-images-idx3-ubyte --resize 28 -q -o x.h5; extract-features y-images-idx3-ubyte --resize 28 -q -o y.h5
~ s/takes '(1' for '2|2' for '1)'/takes ONE FOR THE OTHER/g; s/[01]\.[0-9]{4}/0.#/g; s/[+-]0\.#/#/g; s/best epoch [0-9]+/best epoch #/; s/[12] of 2 (twin|frozen|none)/# of 2 \1/g

# Said by the training and on other samples; kept with the file, in JSON, on the page.
$ qtrain x.h5 --epochs 20 --batch-size 32 --no-controls -o h.h5
> h.h5: 20 epochs, val accuracy 0.# (best epoch #), # s, # s/epoch
! qtrain: the head does not tell all classes apart: it takes ONE FOR THE OTHER (val accuracy 0.#); --dropout 0, more --epochs, or the best of several --replicas mostly mend it: docs/head.md, 'Lost classes'
$ cache show h.h5 | grep caution; cache log h.h5 | grep caution
> caution    the head does not tell all classes apart: it takes ONE FOR THE OTHER (val accuracy 0.#); --dropout 0, more --epochs, or the best of several --replicas mostly mend it: docs/head.md, 'Lost classes'
> | caution: the head does not tell all classes apart: it takes ONE FOR THE OTHER (val accuracy 0.#); --dropout 0, more --epochs, or the best of several --replicas mostly mend it: docs/head.md, 'Lost classes'
$ qeval h.h5 y.h5 --json -o r.h5 | jq -c '.collapsed, (.cautions | length)'
> 1
> 1
! qeval: the head does not tell all classes apart: it takes ONE FOR THE OTHER (accuracy 0.#); docs/head.md, 'Lost classes'
$ figures h.h5 r.h5 --report page.html -q -o figures; grep -c 'class="caution">[hr].h5: the head does not tell all classes apart: it takes' page.html
> 2

# Of several heads, and their controls; without samples kept for validation; as a point of a sweep.
$ qtrain x.h5 --epochs 3 --batch-size 32 --replicas 2 --json -o h.h5 2>&1 >h.json | grep -o '^qtrain: 2 of 2 heads do not tell\|^qtrain: controls that do not tell.*$'; jq .collapsed h.json
> qtrain: 2 of 2 heads do not tell
> qtrain: controls that do not tell all classes apart (docs/head.md, 'Lost classes'): # of 2 twin, # of 2 frozen, # of 2 none; part of the differences to them is that
> 2
$ qtrain x.h5 --epochs 20 --batch-size 32 --val-fraction 0 --no-controls -q -o h.h5; cache show h.h5 | grep -o '^caution.*train accuracy'
> caution    the head does not tell all classes apart: it takes ONE FOR THE OTHER (train accuracy
$ qsweep x.h5 --grid lr=1e-3,3e-3 --epochs 3 --batch-size 32 -q -o s.h5; for f in s.h5 s-heads/lr=1e-3.h5; do cache show $f | grep ^caution | cut -c 1-60; done
> caution    of the points trained now 2 have heads that do no
> caution    the head does not tell all classes apart: it take

# A head of a sweep keeps what qtrain says of it alone; one that comes from a store, or is there already, says it again.
$ qtrain x.h5 --lr 1e-3 --epochs 3 --batch-size 32 --no-controls -q -o alone.h5; for f in alone.h5 s-heads/lr=1e-3.h5; do cache show $f | grep ^caution >$(basename $f).said; done; diff alone.h5.said lr=1e-3.h5.said && wc -l <alone.h5.said
> 1
$ o="x.h5 --epochs 3 --batch-size 32 --no-controls --store store"; qtrain $o -q -o first.h5 2>/dev/null; qtrain $o --json -o second.h5 2>err | jq -c '.status, (.cautions | length)'; grep -c 'not tell all' err; qtrain $o --json -o second.h5 | jq -c '.status, (.cautions | length)'
> "fetched from the shared store"
> 1
> 1
> "up to date"
> 1
! qtrain: the head does not tell all classes apart: it takes '1' for '0', '2' for '0' (val accuracy 0.#); --dropout 0, more --epochs, or the best of several --replicas mostly mend it: docs/head.md, 'Lost classes'

# What is as it should be says nothing.
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 -q -o d.h5; extract-features $DATA/digits/train-images-idx3-ubyte --resize 28 -q -o e.h5
+ qtrain e.h5 --epochs 60 --batch-size 32 --dropout 0 --no-controls --json -o g.h5 | jq -c '.collapsed, .cautions'; qeval g.h5 d.h5 --json -o q.h5 | jq -c '.collapsed, .cautions'; cache show q.h5 | grep -c caution
> 0
> []
> 0
> []
> 0
? 1

# One head of several.
$ qtrain e.h5 --epochs 20 --batch-size 32 --replicas 3 --no-controls -q -o three.h5; for r in 0 1 2; do qeval three.h5 d.h5 --replica $r -q -o $r.h5; done 2>/dev/null; qeval three.h5 d.h5 -q -o all.h5
+ best=$(h5dump -y -w 0 -d history/val_accuracy three.h5 | awk -F, '/^ +[01][.0-9]*,/ { r++; for (i = 1; i <= NF; i++) if ($i + 0 > m[r]) m[r] = $i } END { k = 1; for (i = 2; i <= r; i++) if (m[i] > m[k]) k = i; print k - 1 }')
+ qeval three.h5 d.h5 --replica best -q -o best.h5; h5diff best.h5 $best.h5 /predictions; h5dump -a replica best.h5 | grep -c "(0): $best"
+ h5dump -y -d replicas/accuracy all.h5 | grep -c "$(h5dump -y -d replicas/accuracy best.h5 | grep -o '0\.[0-9]*')"
> 1
> 1
$ qeval three.h5 d.h5 --replica 3 -o r.h5
! qeval: three.h5: no replica 3; it holds 3, counted from 0
? 2
$ qeval three.h5 d.h5 --replica first -o r.h5
! qeval: --replica: found 'first', expected a number, from 0, or best
? 2
$ qtrain e.h5 --epochs 1 --val-fraction 0 --no-controls -q -o v.h5; qeval v.h5 d.h5 --replica best -o r.h5
! qeval: v.h5: --replica best: no samples were kept for validation; give a number
? 2
