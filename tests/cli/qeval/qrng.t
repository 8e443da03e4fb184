# Classifiers of devices, judged. Rows of 20 bits: device 1 has more ones, device 3 equal pairs.
$ awk 'function rnd() { x = x * 16807 % 2147483647; return x / 2147483647 } BEGIN { x = 7; for (d = 1; d <= 3; d++) for (r = 0; r < 60; r++) { s = ""; for (j = 0; j < 10; j++) {
+ a = rnd() < (d == 1 ? 0.8 : 0.5); b = d == 3 ? a : rnd() < (d == 1 ? 0.8 : 0.5); s = s a b } print s, d } }' >rows.txt
+ qtrain --qrng rows.txt --symbol-bits 2 --model pairs --null 19 -q -o c.h5

$ qeval --qrng c.h5 rows.txt --symbol-bits 2 -o r.h5
> 3 devices, 180 rows of 20 bits; holdout, 4 splits, 36 test rows in each
> model      accuracy  95 % interval     log-loss  calibration  log10 p <=   recall of each device
> pairs      0.9306  0.8499 to 1.0000    0.1636       0.0654        -11.2  0.917 0.875 1.000
> logistic   0.6042  0.5729 to 0.6354    0.9154       0.1743         -2.7  0.833 0.542 0.438
> limit      0.9469  (standard error 0.0090) of any classifier, if symbols of 2 bits are independent
> commonest  0.3333  by always naming the device of most test rows; log10 p is against this, split by split
> pairs less logistic: +0.3264 (95 % +0.2326 to +0.4202)
> shuffled labels: pairs 0.3450 (sd 0.0743) over 19 runs, p = 0.05 for the first split
> a row tells 1.391 (standard error 0.030) of the 1.585 bits that name its device, if symbols of 2 bits are independent
$ qeval --qrng c.h5 rows.txt --symbol-bits 2 -o r.h5
> r.h5: up to date
> 3 devices, 180 rows of 20 bits; holdout, 4 splits, 36 test rows in each
> model      accuracy  95 % interval     log-loss  calibration  log10 p <=   recall of each device
> pairs      0.9306  0.8499 to 1.0000    0.1636       0.0654        -11.2  0.917 0.875 1.000
> logistic   0.6042  0.5729 to 0.6354    0.9154       0.1743         -2.7  0.833 0.542 0.438
> limit      0.9469  (standard error 0.0090) of any classifier, if symbols of 2 bits are independent
> commonest  0.3333  by always naming the device of most test rows; log10 p is against this, split by split
> pairs less logistic: +0.3264 (95 % +0.2326 to +0.4202)
> shuffled labels: pairs 0.3450 (sd 0.0743) over 19 runs, p = 0.05 for the first split
> a row tells 1.391 (standard error 0.030) of the 1.585 bits that name its device, if symbols of 2 bits are independent
$ qeval --qrng c.h5 rows.txt --symbol-bits 2 --force --json -o r.h5 | jq -c 'del(.key) | map_values(if type == "number" then . * 1e6 | round / 1e6 else . end)'
> {"output":"r.h5","status":"computed","protocol":"holdout","splits":4,"test_rows":36,"accuracy_sd":0.035861,"accuracy_low":0.849857,"accuracy_high":1,"log_loss":0.163563,"log10_p":-11.175414,"pairs":0.930556,"logistic":0.604167,"limit":0.946886,"symbol_bits":2,"dependence_log10_p":-0.447165,"dependence_device":"","null_p":0.05,"cautions":[]}
$ h5ls -r r.h5 | grep -vE 'digests|provenance|Group' | tr -s ' '
> /device_names Dataset {3}
> /labels Dataset {180}
> /logistic/accuracy Dataset {4}
> /logistic/calibration Dataset {4, 10, 3}
> /logistic/collapsed Dataset {4}
> /logistic/confusion Dataset {4, 3, 3}
> /logistic/expected_calibration_error Dataset {4}
> /logistic/log10_p Dataset {4}
> /logistic/log_loss Dataset {4}
> /logistic/per_class Dataset {4, 3, 3}
> /logistic/predictions Dataset {4, 180}
> /logistic/probabilities Dataset {4, 180, 3}
> /logistic/wilson Dataset {4, 2}
> /null/accuracy Dataset {19}
> /pairs/accuracy Dataset {4}
> /pairs/calibration Dataset {4, 10, 3}
> /pairs/collapsed Dataset {4}
> /pairs/confusion Dataset {4, 3, 3}
> /pairs/expected_calibration_error Dataset {4}
> /pairs/log10_p Dataset {4}
> /pairs/log_loss Dataset {4}
> /pairs/per_class Dataset {4, 3, 3}
> /pairs/predictions Dataset {4, 180}
> /pairs/probabilities Dataset {4, 180, 3}
> /pairs/wilson Dataset {4, 2}

# Networks; the reference protocol says what its headline is.
$ qtrain --qrng rows.txt --symbol-bits 2 --epochs 8 --features pairs --protocol folds -q -o c.h5; qeval --qrng c.h5 rows.txt --symbol-bits 2 --json -o r.h5 | jq -c '[.splits, .test_rows, .protocol, (.network > 0.5), (.limit > .network)]'
> [20,36,"folds",true,true]
$ qtrain --qrng rows.txt --symbol-bits 2 --epochs 8 --reference -q -o c.h5; qeval --qrng c.h5 rows.txt --symbol-bits 2 -o r.h5 -f | sed -E 's/[0-9]+\.[0-9]+/N/g' | tail -n 4
> a row tells N (standard error N) of the N bits that name its device, if symbols of 2 bits are independent
> chosen by its own test rows: best epoch N (sd N), last epoch N (sd N): the choice is worth +N
> best epochs of 4 runs: least N, median N, best N, +N more than the mean; 1 at N or above
> the study's "95 % interval" is mean -+ 1 sd of these runs (N): N to N

# The limit is of symbols as they are declared. Single bits depend on each other here: then no classifier is bound by it.
$ qtrain --qrng rows.txt --model pairs -q -o bits.h5; qeval --qrng bits.h5 rows.txt -o b.h5 | sed -n '5p;$p' && qeval --qrng bits.h5 rows.txt --json -f -o b.h5 | jq -c '[(.limit * 1e6 | round / 1e6), .symbol_bits, (.dependence_log10_p * 1e4 | round / 1e4), .dependence_device]'
> limit      0.6463  (standard error 0.0218) of any classifier, if symbols of 1 bit are independent
> but they depend on each other (p 10^-66.1 after Holm, device 3): a classifier may exceed the limit, and a row tell more
> [0.646323,1,-66.0955,"3"]
$ figures b.h5 --report b.html -q && grep -o 'limit [^<]*' b.html | sort -u; figures r.h5 --report r.html -q && grep -o 'limit [^<]*' r.html | sort -u
> limit 0.6463 of any classifier, if symbols of 1 bit were independent, which they are not
> limit of any classifier, if symbols are independent
> limit 0.9469 of any classifier, if symbols of 2 bits are independent
> limit of any classifier, if symbols are independent
# Without pairs, without a limit.
$ awk '{ print substr($1, 2), $2 }' rows.txt >odd.txt; qtrain --qrng odd.txt --model ones -q -o o.h5; qeval --qrng o.h5 odd.txt -o or.h5 | sed -n '5,7p'
> pairs      none: rows of 19 bits are no pairs of bits
> limit      0.6443  (standard error 0.0206) of any classifier, if symbols of 1 bit are independent
> commonest  0.3333  by always naming the device of most test rows; log10 p is against this, split by split
$ awk '{ print substr($1, 1, 1), $2 }' rows.txt >one.txt; qtrain --qrng one.txt --model ones -q -o o.h5; qeval --qrng o.h5 one.txt -o or.h5 | sed -n '1p;5p'
> 3 devices, 180 rows of 1 bit; holdout, 4 splits, 36 test rows in each
> pairs      none: rows of 1 bit are no pairs of bits
$ qtrain --qrng rows.txt --symbol-bits 4 --model ones -q -o o.h5; qeval --qrng o.h5 rows.txt --symbol-bits 4 -o or.h5 | grep -E '^(limit|a row|but)'
> limit      not known: symbols have more than 2 bits
$ sed -n 1,20p rows.txt | cut -d' ' -f 1 >A; sed -n '70,120p' rows.txt | cut -d ' ' -f 1 >B; qtrain --qrng A B --model ones -q -o o.h5; qeval --qrng o.h5 A B -o or.h5 | grep -E '^(limit|a row|but)'
> limit      not known: devices have unequal numbers of rows
# A third of the rows against two: naive Bayes knows it, so of one source named twice it says the commoner.
$ sed 's/ 2$//; t; d' rows.txt >A; cat A A >B; for m in pairs bernoulli ones; do qtrain --qrng A B --model $m -q -f -o o.h5 2>log; qeval --qrng o.h5 A B -f -o or.h5 2>log | grep "^$m  \|^commonest" | cut -c 1-17; done
> pairs      0.6667
> commonest  0.6667
> bernoulli  0.6250
> commonest  0.6667
> ones       0.6667
> commonest  0.6667

# A network that answers with one device whatever the row: said by whoever trains, judges or shows it.
$ qtrain --qrng rows.txt --l1 10 --epochs 5 -o l.h5 | sed 's/, [0-9.]* s;.*//'; qtrain --qrng rows.txt --l1 10 --epochs 5 --json -f -o l.h5 | jq .collapsed; qeval --qrng l.h5 rows.txt -o lr.h5 | grep collapsed
> l.h5: network, holdout, 4 splits
> 1
> network: collapsed in 1 of 4 splits: it answers with one device whatever the row; the others have 0.3056
$ figures l.h5 lr.h5 --report l.html -q; grep -oE 'collapsed on[^;<]*' l.html | sort | uniq -c; h5dump -y -d collapsed l.h5 | grep '^ *[01],'
>       5 collapsed on 1 of 4 splits: one device whatever the row
>       0, 0, 0, 1
# What the choice of the epoch is worth is of the others, of which there may be none.
$ reference() { qtrain --qrng rows.txt --reference --lr 0.01 --epochs 30 "$@" -q -o k.h5 -f; qeval --qrng k.h5 rows.txt -f -o kr.h5 >kr.txt; grep -E 'network: coll|epoch|runs|study' kr.txt | sed -E 's/[0-9]+\.[0-9]+/N/g'; }
+ reference --l1 0.04 | sed 's/[0-9] of/K of/; s/[0-9] runs/K runs/; s/; [0-9]/; K/'
+ echo $(sed -nE 's/.*collapsed in ([1-3]) of.*/\1/p; s/.* ([1-3]) runs?:.*/\1/p' kr.txt) $(h5dump -y -d network/collapsed kr.h5 | grep '^ *[01],' | tr -dc 1 | wc -c) | awk '{ print $1 + $2, $1 - $3 }'
+ reference --l1 0.002 --keep last | grep kept; reference --l1 0.04 --keep last
> network: collapsed in K of 4 splits: it answers with one device whatever the row; the others have N
> chosen by its own test rows: best epoch N (sd N), last epoch N (sd N): the choice is worth +N
> best epochs of K runs: least N, median N, best N, +N more than the mean; K at N or above
> the study's "95 % interval" is mean -+ 1 sd of these runs (N): N to N
> 4 0
> kept at the last epoch, not chosen by its own test rows: best epoch N (sd N), last epoch N (sd N): the choice would be worth +N
> network: collapsed in 4 of 4 splits: it answers with one device whatever the row
# So is the mean that --json has.
$ for keep in last best; do qtrain --qrng rows.txt --reference --lr 0.01 --epochs 30 --l1 0.04 --keep $keep -q -o k.h5 -f; qeval --qrng k.h5 rows.txt -f -o kr.h5 | sed -n 's/.*last epoch \([0-9.]*\).*/\1/p'
+ qeval --qrng k.h5 rows.txt --json -f -o kr.h5 | jq .last_epoch | awk '{ print $1 == "null" ? $1 : sprintf("%.4f", $1) }'; done | uniq -c | sed 's/[0-9]\.[0-9]*/N/'
>       1 null
>       2 N
# Two rows that judge the epochs, and two of the test, are not enough to say so: others tell devices apart.
$ sed -n '1,6p;61,66p' rows.txt >few.txt; qtrain --qrng few.txt --seeds 20 --epochs 60 --json -o f.h5 | jq -c '[.splits, .collapsed]'; qeval --qrng f.h5 few.txt -o fr.h5 | grep collapsed | cut -d ';' -f 1
> [20,null]
> network: collapsed in 1 of 20 splits: it answers with one device whatever the row
$ qtrain --qrng rows.txt --model ones --json -o o.h5 -f | jq .collapsed
> null

# The same report from the same rows in another form.
$ for d in 1 2 3; do grep "$d\$" rows.txt | cut -d ' ' -f 1 >$d; done; qeval --qrng c.h5 1 2 3 --symbol-bits 2 -o r.h5
> r.h5: up to date
> 3 devices, 180 rows of 20 bits; reference, 4 splits, 36 test rows in each
> model      accuracy  95 % interval     log-loss  calibration  log10 p <=   recall of each device
> network    0.4931  0.1608 to 0.8253    1.0539       0.1696         -0.0  0.915 0.259 0.400
> pairs      0.8958  0.8021 to 0.9896    0.1881       0.0781         -7.3  0.915 0.792 1.000
> logistic   0.6319  0.5382 to 0.7257    0.7737       0.1384         -1.5  0.898 0.542 0.537
> limit      0.9469  (standard error 0.0090) of any classifier, if symbols of 2 bits are independent
> commonest  0.4028  by always naming the device of most test rows; log10 p is against this, split by split
> network less pairs: -0.4028 (95 % -0.8252 to +0.0196)
> network less logistic: -0.1389 (95 % -0.3991 to +0.1214)
> a row tells 1.391 (standard error 0.030) of the 1.585 bits that name its device, if symbols of 2 bits are independent
> chosen by its own test rows: best epoch 0.4931 (sd 0.1476), last epoch 0.4722 (sd 0.1221): the choice is worth +0.0208
> best epochs of 4 runs: least 0.3333, median 0.4861, best 0.6667, +0.1736 more than the mean; 1 at 0.5867 or above
> the study's "95 % interval" is mean -+ 1 sd of these runs (0.1279): 0.3652 to 0.6209

# What cannot be.
$ sed '1s/^0/1/;t;1s/^1/0/' rows.txt >other.txt; qeval --qrng c.h5 other.txt --symbol-bits 2 -o x.h5
! qeval: c.h5: was trained on other bits, or other --symbol-bits; give those again, since it says which of their rows are unseen
? 65
$ for d in a b c; do cp $(printf $d | tr abc 123) $d; done; qeval --qrng c.h5 a b c --symbol-bits 2 -o x.h5; qeval --qrng c.h5 1 2 c --symbol-bits 2 -o x.h5
! qeval: c.h5: was trained on these bits with other names of devices, which count: device 1 was '1', here it is 'a'; give files and labels as they were
! qeval: c.h5: was trained on these bits with other names of devices, which count: device 3 was '3', here it is 'c'; give files and labels as they were
? 65
$ qeval --qrng c.h5 1 2 --symbol-bits 2 -o x.h5; qeval --qrng c.h5 a b c -o x.h5
! qeval: c.h5: was trained on other bits, or other --symbol-bits; give those again, since it says which of their rows are unseen
! qeval: c.h5: was trained on other bits, or other --symbol-bits; give those again, since it says which of their rows are unseen
? 65
$ qeval --qrng rows.txt rows.txt -o x.h5
! qeval: rows.txt: not an HDF5 file (its first eight bytes are others); expected 'device-classifier', which comes from qtrain --qrng
? 65
$ qeval --qrng c.h5 -o x.h5
! qeval: 1 input, expected CLASSIFIER.h5 BITS...; see qeval --qrng --help
? 2
$ qeval --qrng c.h5 rows.txt --symbol-bits 2
! qeval: no output; give -o REPORT.h5
? 2
$ qeval --qrng absent.h5 rows.txt -o x.h5
! qeval: absent.h5: cannot be opened: No such file or directory
? 66
$ qeval --qrng r.h5 rows.txt -o x.h5
! qeval: r.h5: holds 'device-report', expected 'device-classifier', which comes from qtrain --qrng
? 65

# Claims on rows of text: the record has the digest of the file; of a pipe, that of the bits.
$ printf '{"schema":1,"data":"%s","claims":[{"claim":"some accuracy","file":"r.h5","attribute":"pairs_accuracy","low":0,"high":1}]}' $(sha256sum rows.txt | cut -c -64) >claims.json
+ qeval --qrng c.h5 rows.txt --symbol-bits 2 -q -f -o r.h5; qeval --verify claims.json --strict | tail -1
> claims.json: 1 passed, 0 failed, 0 not run
$ qtrain --qrng - --model pairs -q -o piped.h5 <rows.txt; cache log piped.h5 | grep -A 1 standard
>   bits: standard input
>     bits HEX64

# The network does not learn from the validation rows: corrected resampled t with 36 test rows a split, 126 that train.
$ qtrain --qrng rows.txt --symbol-bits 2 --epochs 5 -q -o n.h5; qeval --qrng n.h5 rows.txt --symbol-bits 2 -q -o nr.h5
+ { h5dump -y -w 0 -d network/accuracy nr.h5; h5dump -y -a network_accuracy_low nr.h5; } | grep -oE '^ +[0-9][0-9., ]*$' | tr ',' ' ' |
+   awk 'NR == 1 { for (i = 1; i <= 4; i++) m += $i / 4; for (i = 1; i <= 4; i++) v += ($i - m) ^ 2 / 3 }
+     NR == 2 { low = m - 3.182446 * sqrt(v * (1 / 4 + 36 / 126)); if (low < 0) low = 0; d = low - $1; print (v > 0), (d * d < 1e-9 ? "same" : low " " $1) }'
> 1 same
