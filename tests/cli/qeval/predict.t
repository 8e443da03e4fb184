# Classes of samples without labels: means over heads or draws, as a file and as CSV.
$ W=$DATA/wine/wine.csv; for part in train test; do extract-features $W --label cultivar --split $part -q -o $part.h5; done; qtrain -q train.h5 --epochs 300 --replicas 3 -o head.h5
+ (head -1 $W; sed -n '5,9p;150,154p' $W) | cut -d, -f1-13 >new.csv; extract-features new.csv --label none --like train.h5 -o new.h5
> new.h5: 10 rows of 13 columns (alcohol, malic_acid, ash, alcalinity_of_ash, ...); no classes; scale: standard, of 142 rows (7d2373fb5938)
$ qeval --predict head.h5 new.h5 -o p.h5 --csv p.csv && cut -d, -f1,2 p.csv | tr '\n' ' '; head -1 p.csv
> p.h5: 10 samples of 3 classes, by the mean of 3 heads, which agree on 10: 1 5, 2 0, 3 5
> index,prediction 0,1 1,1 2,1 3,1 4,1 5,3 6,3 7,3 8,3 9,3 index,prediction,p 1,p 2,p 3,sd 1,sd 2,sd 3
$ qeval --predict head.h5 new.h5 -o p.h5 --csv - | cmp - p.csv; qeval --predict head.h5 new.h5 -o q.h5 --json | jq -c '[.samples, .classes, .heads, .agree, .status]'
> [10,3,3,10,"computed"]
# Rows of probabilities add up to 1, the largest is the prediction; deviations are between heads.
$ awk -F, 'NR > 1 { best = 3; for (k = 4; k <= 5; k++) if ($k > $best) best = k; bad += ($3 + $4 + $5 - 1)^2 > 1e-10 || best - 2 != $2 || $6 <= 0 } END { print NR - 1, bad + 0 }' p.csv
> 10 0
# Labels that are there change nothing; one head says what its report says.
$ qeval --predict --replica 1 head.h5 test.h5 -q -o one.h5; qeval -q --replica 1 head.h5 test.h5 -o report.h5
+ numbers() { h5dump -y -w 1 -d $2 $1 | sed -n '/DATA {/,/}/p' | tr -cd '0-9.\n-' | grep .; }; for d in predictions probabilities; do cmp <(numbers one.h5 $d) <(numbers report.h5 $d) && echo same $d; done
> same predictions
> same probabilities
$ sgld head train.h5 --head head.h5 --keep 20 -q -o chains.h5 2>/dev/null; qeval --predict chains.h5 new.h5 -o c.h5 2>said; cache show c.h5 | grep -E '^ +(deviations|probabilities)'; grep -o 'chains.h5: R-hat is above' said
> c.h5: 10 samples of 3 classes, by the mean of 40 draws, which agree on 8: 1 5, 2 0, 3 5
>   deviations                           float32  10 x 3
>   probabilities                        float32  10 x 3
> chains.h5: R-hat is above
# What rows are called is no part of the content.
$ printf 'id,a,b,y\nr-1,1,2,u\nr-2,2,3,v\nr-3,1.5,2,u\n"r,4",2,4,v\nr5,1,2.5,u\nr6,3,3,v\n' >ids.csv; extract-features ids.csv --label y --id id -q -o i.h5; extract-features ids.csv --label y --ignore id -q -o j.h5
+ for f in i j; do cache show --json $f.h5 | jq -r .content; done | uniq | wc -l; qtrain i.h5 --epochs 2 --val-fraction 0 --no-controls --qubits 2 -q -o small.h5 2>log; tail -n 3 ids.csv | cut -d, -f 1-3 | sed '1s/.*/id,a,b/' >rest.csv
+ extract-features rest.csv --label none --id id --like i.h5 -q -o rest.h5; qeval --predict small.h5 rest.h5 -q -o rest-p.h5 --csv - 2>log | cut -d, -f 1,2; extract-features ids.csv --label y --id name -o x.h5
> 1
> index,name
> 0,r5
> 1,r6
! extract-features: --id: ids.csv has no column 'name'; found 4: id, a, b, y
? 2
# Refused in a line.
$ qeval head.h5 new.h5 -o x.h5
! qeval: new.h5: has no labels; extract the features again with labels (--labels, of a table --label); qeval --predict needs none
? 65
$ qeval --predict head.h5 new.h5 -o x.h5 --csv - --json
! qeval: --csv - and --json: both are for the screen; give --csv FILE
? 2
$ for text in mine index,prediction,truth index,name,prediction,mine; do echo $text >mine.txt; qeval --predict head.h5 new.h5 -o x.h5 --csv mine.txt; cat mine.txt; done
> mine
> index,prediction,truth
> index,name,prediction,mine
! qeval: mine.txt: was not written by ketline; give another name, or --force to replace it
! qeval: mine.txt: was not written by ketline; give another name, or --force to replace it
! qeval: mine.txt: was not written by ketline; give another name, or --force to replace it
$ extract-features new.csv --label none -q -o other.h5; qeval --predict head.h5 other.h5 -o x.h5
! qeval: other.h5: scaling is standard, of 10 rows (404a0763ad0c), head.h5 was trained on standard, of 142 rows (7d2373fb5938); --like FEATURES.h5 of extract-features takes it from those that trained
? 65
$ qeval --predict new.h5 head.h5 -o x.h5
! qeval: new.h5: holds 'features', expected 'head', which comes from qtrain
? 65

# Images of a folder have their names, in the features and beside what is predicted of them, as they are now.
$ mkdir -p set/cat set/dog new; for i in 1 2 3 4; do cp $CORPUS/jpeg/420 set/cat/$i.jpg; cp $CORPUS/png/rgb set/dog/$i.png; done; cp set/dog/1.png 'new/a, b.png'; cp set/cat/2.jpg new
+ o="--resize 28 --channels grey -q"; extract-features set $o -o s.h5 2>log; qtrain s.h5 --epochs 2 --no-controls -q -o pets.h5 2>log; extract-features new --labels none $o -o n.h5
+ p() { qeval --predict pets.h5 n.h5 -q -o p.h5 --csv p.csv 2>log; cut -d, -f 1,2 p.csv; }; p; mv new/2.jpg new/0.jpg; extract-features new --labels none $o -f -o n.h5; p
+ h5dump -d aside/names s.h5 | grep -o '[a-z]*/[0-9]\.[a-z]*' | tr '\n' ' '; cache verify p.h5
> index,name
> 0,2.jpg
> 1,"a
> index,name
> 0,0.jpg
> 1,"a
> cat/1.jpg cat/2.jpg cat/3.jpg cat/4.jpg dog/1.png dog/2.png dog/3.png dog/4.png p.h5: whole
