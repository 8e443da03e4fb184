# --dry-run refuses what the run would refuse, by the same line and with the same status, and leaves nothing.
$ extract-features -q $DATA/wine/wine.csv --label cultivar -o f.h5; qtrain -q f.h5 --epochs 2 --no-controls --qubits 2 -o head.h5 2>log
+ qseq generate people --people 3 -q -o people; qseq windows -q people/*.edf -o w.h5; qseq windows -q people/*.edf --channels C3,C4 -o two.h5
+ qseq train -q w.h5 --split loso --fold 1 --epochs 1 -o net.h5

$ cat >commands <<end
+ qtrain f.h5 --epochs 1 -o none/x.h5
+ qtrain f.h5 --epochs 1 -o f.h5
+ qtrain f.h5 --epochs 1 --val-fraction 0.001 -o x.h5
+ qeval head.h5 f.h5 --replica 7 -o x.h5
+ qeval head.h5 f.h5 -o w.h5
+ sgld head f.h5 --head head.h5 --draws 4 -o x.h5
+ extract-features $DATA/wine/wine.csv --label colour -o x.h5
+ qseq train w.h5 --split loso --fold 9 -o x.h5
+ qseq fit w.h5 --split loso --fold 9 -o x.h5
+ qseq eval net.h5 two.h5 -o x.h5
+ qseq predict net.h5 two.h5 -o x.h5
+ qcontrol optimize -g x -o none/x.h5
+ end
+ : >said >told; ls -A >before; while read -r command; do
+ $command --dry-run >log 2>said; a=$?; $command >log 2>told; b=$?; tail -1 said; [ $a,"$(cat said)" = $b,"$(tail -1 told)" ] || echo "the run: $b $(cat told)"
+ done <commands; ls -A | diff before -
> qtrain: none/x.h5: its folder does not exist; make it first
> qtrain: f.h5: is an input; give another name
> qtrain: validation split: 178 samples at fraction 0.001 leave 178 to train and 0 to validate
> qeval: head.h5: no replica 7; it holds 1, counted from 0
> qeval: w.h5: holds a file of kind 'windows', which one of kind 'report' would replace; give another name, or --force to replace it
> sgld: weights of each 10 draws are kept: of 4 there are none
> extract-features: --label: ROOT/data/wine/wine.csv has no column 'colour'; found 14: alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids, nonflavanoid_phenols, proanthocyanins, color_intensity, ...
> qseq: --fold: found 9, expected 0 to 2
> qseq: --fold: found 9, expected 0 to 2
> qseq: two.h5: 2 channels, expected 64 as in net.h5
> qseq: two.h5: 2 channels, expected 64 as in net.h5
> qcontrol: none/x.h5: its folder does not exist; make it first
