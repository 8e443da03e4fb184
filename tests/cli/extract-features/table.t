# Tables of numbers as features: columns by name, split and scale, classes; what is no table is refused with its line.
~ s/(log loss|ECE) (0\.0[0-9]?)[0-9]+/\1 \2#/g
$ W=$DATA/wine/wine.csv; for part in train test; do extract-features $W --label cultivar --split $part -o $part.h5; done
> train.h5: 142 rows of 13 columns (alcohol, malic_acid, ash, alcalinity_of_ash, ...); classes 1: 47, 2: 57, 3: 38; scale: standard, of 142 rows (7d2373fb5938)
> test.h5: 36 rows of 13 columns (alcohol, malic_acid, ash, alcalinity_of_ash, ...); classes 1: 12, 2: 14, 3: 10; scale: standard, of 142 rows (7d2373fb5938)
$ extract-features $DATA/wine/wine.csv --label cultivar --split test -o test.h5; cache show train.h5 | grep -E '^(backbone|columns|scaling|classes)'
> test.h5: up to date: 36 rows of 13 columns (alcohol, malic_acid, ash, alcalinity_of_ash, ...); classes 1: 12, 2: 14, 3: 10; scale: standard, of 142 rows (7d2373fb5938)
> backbone   none: a table
> columns    13: alcohol, malic_acid, ash, alcalinity_of_ash, ... (48e60c38968d)
> scaling    standard, of 142 rows (7d2373fb5938)
> classes    1, 2, 3
$ qtrain train.h5 --epochs 300 -q -o head.h5 2>/dev/null; qeval head.h5 test.h5 -o report.h5 | head -1
> report.h5: accuracy 1.0000 [0.9036, 1.0000], log loss 0.03#, ECE 0.03# on 36 samples
# One mistake in 36 is no lost class, even where the median makes none.
$ qtrain train.h5 --epochs 300 --replicas 3 --no-controls -q -o three.h5; qeval three.h5 test.h5 -o three-report.h5 | grep -o '^.*heads'; cache show test.h5 | grep ^options
> three-report.h5: accuracy 0.9907 +- 0.0160 (standard deviation over 3 heads
> options    scale "standard"  split "test"  test-fraction 0.2  seed 0
$ qsweep train.h5 --grid "lr=1e-3,1e-2" --epochs 5 -q -o s.h5 2>/dev/null; cache show s.h5 | grep -c ^lr=
> 2

# The parts share no row, and have all of them.
$ for part in train test; do h5dump -A 0 -y -d /index $part.h5 | sed -n '/DATA {/,/}/p'; done | tr -cs '0-9' '\n' | grep . | sort -n | uniq | wc -l
> 178

# What a head was trained on, it needs.
$ extract-features $DATA/wine/wine.csv --label 14 --columns alcohol,hue -q -o two.h5; qeval head.h5 two.h5 -o x.h5
! qeval: two.h5: columns is 2: alcohol, hue (56ccd189258e), head.h5 was trained on 13: alcohol, malic_acid, ash, alcalinity_of_ash, ... (48e60c38968d); --like FEATURES.h5 of extract-features takes it from those that trained
? 65
$ extract-features $DATA/wine/wine.csv --label cultivar -q -o whole.h5; qeval head.h5 whole.h5 -o x.h5
! qeval: whole.h5: scaling is standard, of 178 rows (e52b3ad5220a), head.h5 was trained on standard, of 142 rows (7d2373fb5938); --like FEATURES.h5 of extract-features takes it from those that trained
? 65
$ (head -1 $DATA/wine/wine.csv; sed -n 60,80p $DATA/wine/wine.csv) | awk -F, 'BEGIN { OFS = "," } { print $14, $13, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 }' >turned.csv
+ extract-features turned.csv --label cultivar --like train.h5 -o turned.h5 && qeval head.h5 turned.h5 -o x.h5 2>/dev/null | head -1
> turned.h5: 21 rows of 13 columns (alcohol, malic_acid, ash, alcalinity_of_ash, ...); classes 1: 1, 2: 20, 3: 0; scale: standard, of 142 rows (7d2373fb5938)
> x.h5: accuracy 1.0000 [0.8454, 1.0000], log loss 0.02#, ECE 0.02# on 21 samples
$ extract-features turned.csv --label none --like train.h5 -o bare.h5; qeval head.h5 bare.h5 -o x.h5
> bare.h5: 21 rows of 13 columns (alcohol, malic_acid, ash, alcalinity_of_ash, ...); no classes; scale: standard, of 142 rows (7d2373fb5938)
! extract-features: turned.csv: left out, as train.h5 has none of that name: cultivar
! qeval: bare.h5: has no labels; extract the features again with labels (--labels, of a table --label); qeval --predict needs none
? 65

# Other tables: tabs, words for classes, no names; a decimal comma.
$ printf 'a\tb\tkind\n1\t2\tyes\n3\t4\tno\n5\t6\tno\n7\t9\tyes\n' >t.tsv; extract-features t.tsv --label kind --scale none -o t.h5; h5dump -A 0 -d /features t.h5 | grep '([0-9]'
> t.h5: 4 rows of 2 columns (a, b); classes no: 2, yes: 2; scale: none
>    (0,0): 1, 2,
>    (1,0): 3, 4,
>    (2,0): 5, 6,
>    (3,0): 7, 9
$ printf '5.1,3.5,setosa\n4.9,3,setosa\n6.2,2.8,virginica\n5.9,3,virginica\n' >i.csv; extract-features i.csv --label 3 -o i.h5; cache show i.h5 | grep ^classes
> i.h5: 4 rows of 2 columns; classes setosa: 2, virginica: 2; scale: standard, of 4 rows (174bd9e783ea)
> classes    setosa, virginica
! extract-features: i.csv: its first line names no columns: they are called 1 to 3
$ printf 'x;y;c\n1,5;2;0\n2,5;2;1\n0,5;2;0\n3;2;1\n' >d.csv; extract-features d.csv --label c -o d.h5; h5dump -A 0 -d /features -y d.h5 | sed -n '/DATA {/,/}/p' | tr -d ' \n'; echo
> d.h5: 4 rows of 2 columns (x, y); classes 0: 2, 1: 2; scale: standard, of 4 rows (62e83bb145a4)
> DATA{-0.390567,0,0.650945,0,-1.43208,0,1.1717,0}
! extract-features: d.csv: 1 of 2 columns do not vary in the rows that train, and are 0
! extract-features: d.csv: a comma is the decimal sign of its numbers

# One line for each that is refused.
$ bad() { extract-features "$@" -o bad.h5; }; W=$DATA/wine/wine.csv
+ bad $W --label vintage; bad $W --label cultivar --ignore colour; bad $W --label cultivar --columns cultivar,hue; bad $W --label alcohol; bad $W; bad $W --label cultivar --seed 3
+ bad $W --label none --split test; bad $W --label cultivar --like whole.h5 --scale none; bad absent.csv --label c; bad t.tsv --label kind --like train.h5; bad $W $W --label cultivar; bad /dev/null --label c
+ printf 'a,b,c\n1,2,0\n1,,1\n' >m.csv; bad m.csv --label c; printf 'a,b,c\n1,2,0\n1,NaN,1\n' >m.csv; bad m.csv --label c; printf 'a,b,c\n1,2,0\n1,red,1\n' >m.csv; bad m.csv --label c
+ printf 'a,b,c\n1,2,0\n1,2\n' >m.csv; bad m.csv --label c; printf 'a,a,c\n1,2,0\n1,2,1\n' >m.csv; bad m.csv --label c; printf 'a,b,c\n' >m.csv; bad m.csv --label c
+ sed 's/,1$/,9/' turned.csv >other.csv; bad i.csv --label 3 --like train.h5; sed '2s/^[0-9]*/7/' turned.csv >other.csv; bad other.csv --label cultivar --like train.h5; ls bad.h5
! extract-features: --label: ROOT/data/wine/wine.csv has no column 'vintage'; found 14: alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids, nonflavanoid_phenols, proanthocyanins, color_intensity, ...
! extract-features: --ignore: ROOT/data/wine/wine.csv has no column 'colour'; found 14: alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids, nonflavanoid_phenols, proanthocyanins, color_intensity, ...
! extract-features: --columns: 'cultivar' is the column of the classes
! extract-features: ROOT/data/wine/wine.csv: the label 'alcohol' has 126 values in 178 rows, expected two rows or more a class (numbers to be predicted, regression, are not supported)
! extract-features: ROOT/data/wine/wine.csv: not an IDX file, a folder of PNG or JPEG files or an HDF5 file; a table or array of numbers takes --label COLUMN
! extract-features: --seed: changes nothing without --split train or test
! extract-features: --split test: takes of each class its share, and there are none
! extract-features: --scale: --like says it
! extract-features: absent.csv: cannot be opened: No such file or directory
! extract-features: --like: t.tsv has no column 'alcohol'; found 3: a, b, kind
! extract-features: 2 inputs, expected TABLE; 'ROOT/data/wine/wine.csv' is too many; see extract-features --label --help
! extract-features: /dev/null: is a pipe or a device, expected a file; write what it gives to one
! extract-features: m.csv: line 3, column b: found '', which is no value; 1 of 2 rows lacks a value (b 1): --missing drop leaves such rows out, --ignore a column
! extract-features: m.csv: line 3, column b: found 'NaN', which is no value; 1 of 2 rows lacks a value (b 1): --missing drop leaves such rows out, --ignore a column
! extract-features: m.csv: line 3, column b: found 'red', expected a number; no numbers (b 1): words are to be numbers before; --ignore leaves a column out
! extract-features: m.csv: line 3: found 2 columns, expected 3
! extract-features: m.csv: two columns are called 'a'
! extract-features: m.csv: found one line, expected names of columns and rows
! extract-features: --like: i.csv has no column 'alcohol'; found 3, which its first line does not name: 1, 2, 3
! extract-features: other.csv: row 1 (from 1): the class '7' does not occur in train.h5
! ls: cannot access 'bad.h5': No such file or directory
? 2

# Keys: options, the part and its seed, the file; not where it stands.
$ W=$DATA/wine/wine.csv; k() { extract-features "$@" --key; }; cp $W copy.csv; [ $(k $W --label cultivar) = $(k copy.csv --label cultivar) ] && for o in "--ignore hue" "--split test" "--split test --seed 1" "--split test --test-fraction 0.3" "--scale none" "--like train.h5"; do k $W --label cultivar $o; done | sort -u | wc -l
> 6
$ extract-features $DATA/wine/wine.csv --label cultivar --json -o j.h5 | jq -c 'del(.key, .scaling)'
> {"output":"j.h5","status":"computed","rows":178,"columns":13,"classes":3,"fitted_rows":178,"cautions":[]}

# What is taken for what is said: a comma in numbers, a column that counts, classes that are told apart by little, copies, the same table.
$ printf '\357\273\277name;log P;Klasse\r\nCHEMBL0;0,1257;inactive\r\nC1;1,5;active\r\nC2;2,5;active\r\nC3;0,25;inactive\r\n' >g.csv; extract-features g.csv --label Klasse --ignore name -o g.h5
> g.h5: 4 rows of 1 column (log P); classes active: 2, inactive: 2; scale: standard, of 4 rows (253737466259)
! extract-features: g.csv: a comma is the decimal sign of its numbers
$ printf 'a;b;c\n1,234;2;x\n2,345;1;y\n1,999;0;x\n2,000;3;y\n' >g.csv; extract-features g.csv --label c -o g.h5 >out
! extract-features: g.csv: 4 numbers have a comma, which is read as a decimal sign: 1,234 is 1.234
$ (echo idx,a,c; for i in 1 2 3 4 5 6; do echo $i,$((i * 7 % 5)),$((i > 3)); done) >g.csv; extract-features g.csv --label c -o g.h5 >out
! extract-features: g.csv: column idx counts the rows; if it is no measurement, leave it out: --ignore 'idx'
$ printf 'a,c\n1,x\n2,x\n4,y\n3,X\n1,y\n9,y\n' >g.csv; extract-features g.csv --label c -o g.h5 >out; printf 'a,c\n1,x\n2,x\n' >g.csv; extract-features g.csv --label c -o g.h5 >out
! extract-features: g.csv: class 'X' has one row: it cannot both be trained on and judged by
! extract-features: g.csv: 'X' and 'x' are two classes
! extract-features: g.csv: all rows are of one class, 'x'
$ (echo a,b,c; for i in 1 2 3 4 5 6 7 8 9 10; do echo $((i % 3)),$((i * 7 % 2)),$((i % 2)); done) >g.csv; extract-features g.csv --label c --split test -o g.h5 >out
! extract-features: g.csv: 2 of 2 rows that test are equal to one that trains
$ W=$DATA/wine/wine.csv; extract-features $W --label cultivar --scale none --split train -q -o n.h5; qtrain n.h5 --epochs 3 -q -o n-head.h5 2>/dev/null
+ for s in 0 1; do extract-features $W --label cultivar --scale none --split test --seed $s -q -o n-test.h5; qeval n-head.h5 n-test.h5 -o n-report.h5 2>&1 | grep -c 'same table'; done
> 0
> 1
$ printf '"TPSA, A",hue,c\n1,2,x\n2,2,y\n1,3,x\n3,3,y\n' >g.csv; extract-features g.csv --label c --columns '"TPSA, A"' -o g.h5; extract-features g.csv --label d -o bad.h5
> g.h5: 4 rows of 1 column (TPSA, A); classes x: 2, y: 2; scale: standard, of 4 rows (9825d2f74350)
! extract-features: --label: g.csv has no column 'd'; found 3: "TPSA, A", hue, c
? 2
$ bad() { extract-features g.csv --label c -o bad.h5; }; printf 'a;c\n1,5;x\n2.5;y\n' >g.csv; bad; printf 'a,c\n1,1\n2,1.0\n3,2\n4,2\n5,1\n6,2\n' >g.csv; bad; gzip -c $DATA/wine/wine.csv >g.csv; bad
+ printf 'a,\265,c\n1,2,x\n' >g.csv; bad; printf 'a b c\n1 2 3\n' >g.csv; bad; printf 'a,c\n1,x\n2,\n' >g.csv; bad
! extract-features: g.csv: line 3, column a: found '2.5', after numbers with a comma for a decimal sign; expected one for all
! extract-features: g.csv: the classes '1' and '1.0' are one number, expected one spelling
! extract-features: g.csv: compressed by gzip; gunzip it before
! extract-features: g.csv: line 1: found bytes that are no UTF-8; convert it before: iconv -f latin1 -t utf-8
! extract-features: --label: g.csv has no column 'c'; found 1, which its first line does not name: 1; no comma, semicolon or tab parts its lines
! extract-features: g.csv: line 3, column c: found '', which is no value; 1 of 2 rows lacks a value (c 1): --missing drop leaves such rows out, --ignore a column
? 65

# Gaps and words are counted in the one line, over all rows and in each column.
$ bad() { extract-features q.csv -o bad.h5 "$@"; }; printf 'u,metal,v,phase\n1,tin,,a\n2,iron,3,b\n,tin,,a\nNA,gold,4,b\n5,tin,6,\n7,iron,8,a\n' >q.csv; bad --label phase; bad --label phase --ignore metal; bad --columns u --label none; printf 'u,metal,phase\n1,tin,a\n2,iron,b\n' >q.csv; bad --label phase
+ (awk 'BEGIN { for (j = 1; j <= 40; j++) printf "a_longer_name_%d,", j; print "phase" }'; seq -s, 40 | sed 's/$/,b/'; for i in 1 2 3; do yes , | head -40 | tr -d '\n'; echo a; done) >q.csv; bad --label phase
! extract-features: q.csv: line 2, column metal: found 'tin', expected a number; 4 of 6 rows lack a value (u 2, v 2, phase 1): --missing drop leaves such rows out, --ignore a column; no numbers (metal 6): words are to be numbers before; --ignore leaves a column out
! extract-features: q.csv: line 2, column v: found '', which is no value; 4 of 6 rows lack a value (u 2, v 2, phase 1): --missing drop leaves such rows out, --ignore a column
! extract-features: q.csv: line 4, column u: found '', which is no value; 2 of 6 rows lack a value (u 2): --missing drop leaves such rows out, --ignore a column
! extract-features: q.csv: line 2, column metal: found 'tin', expected a number; no numbers (metal 2): words are to be numbers before; --ignore leaves a column out
! extract-features: q.csv: line 3, column a_longer_name_1: found '', which is no value; 3 of 4 rows lack a value (a_longer_name_1 3, a_longer_name_2 3, a_longer_name_3 3, a_longer_name_4 3, a_longer_name_5 3, a_longer_name_6 3, a_longer_name_7 3, a_longer_name_8 3, and 32 more): --missing drop leaves such rows out, --ignore a column
? 65

# --missing drop: the table without rows that have a gap, which is said; rows keep their numbers; another key; gaps in columns that are not taken are none.
$ printf 'u,metal,v,phase\n1,tin,2,a\n2,iron,3,b\n,tin,1,a\n3,gold,NA,b\n5,tin,6,\n7,iron,8,a\n4,,1,b\n' >q.csv; awk -F, '!/NA/ && $1 != "" && $4 != ""' q.csv >whole.csv; wc -l <whole.csv; take() { extract-features "$@" --label phase --ignore metal; }; take whole.csv -q -o whole.h5
+ take q.csv --missing drop -o drop.h5; for d in features labels scaling/mean; do h5diff drop.h5 whole.h5 /$d || echo $d; done; h5dump -y -d index drop.h5 | grep -oE '^ *[0-9].*'; cache show drop.h5 | grep -o 'missing "drop"'; [ "$(take whole.csv --key)" != "$(take whole.csv --missing drop --key)" ] && echo another key
+ extract-features q.csv --label phase --columns v --missing drop -o v.h5; extract-features q.csv --label phase --missing drop -o bad.h5; printf 'u,c\n1,\n2,\n' >none.csv; extract-features none.csv --label c --missing drop -o bad.h5
+ extract-features q.csv --label phase --like drop.h5 --missing drop -q -o like.h5; h5diff like.h5 drop.h5 /features && echo the same rows; /usr/bin/python3 -c "import numpy as np; np.save('x.npy', np.eye(4)), np.save('y.npy', [0, 1, 0, 1])"; extract-features x.npy --label y.npy --missing drop -o bad.h5
> 5
> drop.h5: 4 rows of 2 columns (u, v); classes a: 2, b: 2; scale: standard, of 4 rows (ac05d6b6de79)
>       0, 1, 5, 6
> missing "drop"
> another key
> v.h5: 5 rows of 1 column (v); classes a: 3, b: 2; scale: standard, of 5 rows (9c041413cab8)
> the same rows
! extract-features: q.csv: 3 rows are left out, where values are missing (u 1, v 1, phase 1)
! extract-features: q.csv: 2 rows are left out, where values are missing (v 1, phase 1)
! extract-features: q.csv: line 2, column metal: found 'tin', expected a number; no numbers (metal 6): words are to be numbers before; --ignore leaves a column out
! extract-features: none.csv: each of 2 rows lacks a value: none is left
! extract-features: --missing: x.npy is an array; save the rows that are whole
? 2
