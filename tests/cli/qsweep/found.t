# A sweep's heads keep what was found of them, as those of qtrain do: a folder of them is sorted by accuracy; keys and contents are the same.
$ extract-features $DATA/digits/train-images-idx3-ubyte --resize 28 --limit 200 -q -o f.h5; qsweep f.h5 --grid "lr=1e-3,1e-2,3e-2 layers=1,2" --epochs 20 --reduction 8 --replicas 2 -q -o s.h5 2>log; cache list s-heads --columns val_accuracy,lr,layers >listed; wc -l <listed
+ sed 1d listed | awk '{ printf "%.4f lr=%s layers=%s\n", $1, $2, $3 }' >own; cache show s.h5 | sed -nE 's/^lr=([^ ]*) layers=([12]) +[0-9]+ +[0-9]+ +([0-9.]+).*/\3 lr=\1 layers=\2/p' | awk '{ sub(/lr=.*e-.*/, sprintf("lr=%g", substr($2, 4)), $2); print }' >table; sort own | cmp - <(sort table) && echo 'as in the table'
+ qtrain f.h5 --lr 1e-2 --layers 2 --epochs 20 --reduction 8 --replicas 2 --no-controls -q -o one.h5 2>log; of() { cache show --json $1 | jq -r '.key, .content'; }; cmp <(of one.h5) <(of s-heads/lr=1e-2_layers=2.h5) && cache list s-heads --json --columns val_accuracy,best_epoch | jq -c 'select(.path | test("1e-2_layers=2")) | [.val_accuracy, .best_epoch]' | cmp - <(cache list . --json --columns val_accuracy,best_epoch | jq -c 'select(.path == "./one.h5") | [.val_accuracy, .best_epoch]') && echo 'as by qtrain'
+ qtrain f.h5 --lr 1e-2 --layers 2 --epochs 20 --reduction 8 --replicas 2 --no-controls -o s-heads/lr=1e-2_layers=2.h5 2>log | cut -d' ' -f 2-6
> 7
> as in the table
> as by qtrain
> up to date: 2 heads,
! cache: 1 file without val_accuracy

# With --test what each head scored there is a column as well, as qeval has it, for its folder and for one above; another sweep of the same heads on other samples has its own values, which is said; keys are those of the sweep without it.
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 200 -q -o t.h5; cp -r s-heads before; s() { qsweep f.h5 --grid "lr=1e-3,1e-2,3e-2 layers=1,2" --epochs 20 --reduction 8 --replicas 2 -q --heads s-heads "$@" 2>log || cat log; }; s -f --test t.h5 -o s.h5
+ keys() { cache list --json $1 | jq -r .key | sort; }; cmp <(keys before) <(keys s-heads) && echo the same keys; rm -r before; cache list s-heads/ --json --columns test_accuracy,lr >listed; wc -l <listed
+ for h in s-heads/*.h5; do qeval $h t.h5 -q --json -o r.h5 -f 2>/dev/null | jq .accuracy; done >own; jq -s 'sort_by(.path)[] | .test_accuracy' listed | paste own - | awk '($1 - $2) ^ 2 > 1e-12 { print } END { print NR }'
> the same keys
> 6
> 6
$ mkdir both; mv s.h5 s-heads both; cache list both --columns test_accuracy,lr,layers | awk '/-heads/ { print $1 }' | cmp - <(jq -r .test_accuracy listed | sort -rn | xargs printf '%.4f\n') && echo in its order; extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 20 -q -o few.h5
+ qsweep f.h5 --grid "lr=1e-3,1e-2,3e-2 layers=1,2" --epochs 20 --reduction 8 --replicas 2 -q --heads both/s-heads --test few.h5 -o both/t.h5 2>log; cache list both --columns test_accuracy | awk '/-heads/ { print $1 }' | cmp - <(jq -r .test_accuracy listed | sort -rn | xargs printf '%.4f\n') && echo still those
> in its order
> still those
! cache: 6 files: several sweeps measured other values; the first one's are shown

# A sweep's own row has the options of its best point, whose numbers these are, and none of the defaults; options by their second names; a column of nothing is said.
$ extract-features $DATA/wine/wine.csv --label cultivar -q -o w.h5; qsweep w.h5 --grid "learning_rate=1e-3,2e-2 layers=1,2" --epochs 10 --reduction 8 --folds 3 -q -o own.h5 2>log; best=$(cache list own.h5 --json | jq -r .found.best); echo "${best#lr=}" | grep -oE '^(2e-2|1e-3) layers=[12]$' >/dev/null && echo a point
+ cache list . --json --columns val_accuracy,lr,layers,learning_rate,n_layers,fold | jq -r 'select(.path == "./own.h5") | "lr=\(.lr) layers=\(.layers) \(.fold)", "lr=\(.learning_rate) layers=\(.n_layers)"'; echo $best | sed 's/2e-2/0.02/; s/1e-3/0.001/'
+ cache list own.h5 --columns val_accuracy,learning_rat,seed | wc -l; cache show own.h5 | grep -oE '(lr|layers|fold) \([^)]*\)'
> a point
> lr=0.02 layers=1 null
> lr=0.02 layers=1
> lr=0.02 layers=1
> 2
> fold (of folds)
> layers (of the grid)
> lr (of the grid)
! cache: 5 files without val_accuracy
! cache: none of these files has learning_rat; cache show --json FILE names what it has
