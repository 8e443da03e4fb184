# A ladder of the reference's format: an empty row and a summary of several lines behind the rows.
$ printf 'Sample_size,Beta,BCE_Train,BCE_Test,0-1_Train,0-1_Test,EMA_BCE_Train,EMA_BCE_Test,EMA_0-1_Train,EMA_0-1_Test\r\n' >head
$ { cat head; printf '8000,0,0,0,0,0,2.0,2.0,0.5,0.5\r\n8000,500,0,0,0,0,0.7,0.72,0.17,0.18\r\n8000,2000,0,0,0,0,0.3,0.4,0.07,0.1\r\n8000,8000,0,0,0,0,0.1,0.3,0.02,0.06\r\n\r\nSummary:,"Device: cuda\nLoss: ""bbce"", 2 layers"\r\n'; } >ladder.csv; sgld bounds ladder.csv
> 4 temperatures, n 8000, bbce (raw); bounds of the 0-1 error: kl, delta 0.01, factor 1
>     beta     loss    train     test    Gamma   budget    bound
>        0   2.0000   0.5000   0.5000        0 0.001166   0.5000
>      500   0.7000   0.1700   0.1800      650  0.08242   0.3529
>     2000   0.3000   0.0700   0.1000     1450   0.1824   0.3179
>     8000   0.1000   0.0200   0.0600     3050   0.3824   0.3752
> a row by itself: with probability 0.99 over the choice of the 8000 training records the mean error on
> new ones of the Gibbs posterior at its beta is below its bound,
> if the chains sample that law
> the best of 3, chosen after a look at all: 0.3181, at beta 2000 (each has delta / 3)
> ln Z(8000): -2625, from -3850 to -1400 by the ladder's steps
> KL(rho||pi) at 8000: from 600 to 3050
> WBIC, at beta n / ln n = 890.16: 4268.59 +- 194 (interpolated between 500 and 2000, off by 194)
> local learning coefficient: none; a table has no minimum of the loss; --least-loss gives one
> next temperature: 4000, between 2000 and 8000, with 49 % of the gap left - right
! sgld: the file does not say of what loss its values are: taken for raw values of bbce with l_max 4; else give --scale and --loss
! sgld: no Monte-Carlo errors in the file: the bounds are those of exact means, which these are not

# the best of three is what a third of delta gives there
$ for delta in 0.01 0.0033333333333333335; do sgld bounds ladder.csv --delta $delta --json 2>/dev/null; done | jq -sc '[.[0].best_beta, .[0].best_bound], (.[1].rungs[1:] | min_by(.bound) | [.beta, .bound])'
> [2000,0.3180511425192275]
> [2000,0.3180511425192275]

# Random labels choose the factor; the theorem's bound stands beside the calibrated one, which is called a heuristic.
$ { cat head; printf '8000,0,0,0,0,0,2.0,2.0,0.5,0.5\n8000,500,0,0,0,0,1.9,2,0.49,0.5\n8000,2000,0,0,0,0,1.5,2,0.42,0.5\n8000,8000,0,0,0,0,0.9,2,0.3,0.5\n'; } >random.csv; sgld bounds ladder.csv --calibrate-on random.csv --scale raw --loss bbce --m 9786 -o bounds.h5
> 4 temperatures, n 8000, bbce (raw); bounds of the 0-1 error: kl, delta 0.01, factor 1
>     beta     loss    train     test    Gamma   budget    bound calibrated
>        0   2.0000   0.5000   0.5000        0 0.001166   0.5000     0.5000
>      500   0.7000   0.1700   0.1800      650  0.08242   0.3529     0.2288
>     2000   0.3000   0.0700   0.1000     1450   0.1824   0.3179     0.1360
>     8000   0.1000   0.0200   0.0600     3050   0.3824   0.3752     0.0928
> a row by itself: with probability 0.99 over the choice of the 8000 training records the mean error on
> new ones of the Gibbs posterior at its beta is below its bound,
> if the chains sample that law
> the best of 3, chosen after a look at all: 0.3181, at beta 2000 (each has delta / 3)
> ln Z(8000): -2625, from -3850 to -1400 by the ladder's steps
> KL(rho||pi) at 8000: from 600 to 3050
> WBIC, at beta n / ln n = 890.16: 4268.59 +- 194 (interpolated between 500 and 2000, off by 194)
> local learning coefficient: none; a table has no minimum of the loss; --least-loss gives one
> next temperature: 4000, between 2000 and 8000, with 49 % of the gap left - right
> calibration: factor 0.1149, by that ladder at beta 8000; the reference's bisection: 0.1152
> bounds.h5: 4 temperatures, best bound 0.3181, at beta 2000
! sgld: no Monte-Carlo errors in the file: the bounds are those of exact means, which these are not
! sgld: a calibrated bound is a heuristic, no guarantee; the one without calibration stands beside it

$ sgld bounds ladder.csv --calibrate-on random.csv --scale raw --loss bbce --m 9786 -o bounds.h5; cache show bounds.h5 | sed -n '/^ *beta/,/^ *8000/p'; cache verify bounds.h5
> bounds.h5: up to date
> 4 temperatures, n 8000, bbce (raw); bounds of the 0-1 error: kl, delta 0.01, factor 1
>     beta     loss    train     test    Gamma   budget    bound calibrated
>        0   2.0000   0.5000   0.5000        0 0.001166   0.5000     0.5000
>      500   0.7000   0.1700   0.1800      650  0.08242   0.3529     0.2288
>     2000   0.3000   0.0700   0.1000     1450   0.1824   0.3179     0.1360
>     8000   0.1000   0.0200   0.0600     3050   0.3824   0.3752     0.0928
> a row by itself: with probability 0.99 over the choice of the 8000 training records the mean error on
> new ones of the Gibbs posterior at its beta is below its bound,
> if the chains sample that law
> the best of 3, chosen after a look at all: 0.3181, at beta 2000 (each has delta / 3)
> ln Z(8000): -2625, from -3850 to -1400 by the ladder's steps
> KL(rho||pi) at 8000: from 600 to 3050
> WBIC, at beta n / ln n = 890.16: 4268.59 +- 194 (interpolated between 500 and 2000, off by 194)
> local learning coefficient: none; a table has no minimum of the loss; --least-loss gives one
> next temperature: 4000, between 2000 and 8000, with 49 % of the gap left - right
> calibration: factor 0.1149, by that ladder at beta 8000; the reference's bisection: 0.1152
> bounds.h5: 4 temperatures, best bound 0.3181, at beta 2000
> beta    loss   train    test  Gamma   bound  calibrated
> 0     2.0000  0.5000  0.5000      0  0.5000      0.5000
> 500   0.7000  0.1700  0.1800    650  0.3529      0.2288
> 2000  0.3000  0.0700  0.1000   1450  0.3179      0.1360
> 8000  0.1000  0.0200  0.0600   3050  0.3752      0.0928
>   beta                                 float64  4
>   bound                                float64  4
>   bound_calibrated                     float64  4
>   budget                               float64  4
>   factor                               float64  1
>   gamma                                float64  4
>   integral_left                        float64  4
>   integral_right                       float64  4
>   integral_trapezoid                   float64  4
>   kl_high                              float64  4
>   kl_low                               float64  4
>   loss                                 float64  4
>   test01                               float64  4
>   test_chernoff                        float64  4
>   test_clopper                         float64  4
>   test_loss                            float64  4
>   train01                              float64  4
> bounds.h5: whole
! sgld: no Monte-Carlo errors in the file: the bounds are those of exact means, which these are not
! sgld: a calibrated bound is a heuristic, no guarantee; the one without calibration stands beside it

# Other forms, the exact constant against 2 sqrt(n), another delta, the unit-interval loss.
$ for o in '-F kl' '-F hoeffding' '-F sqrt-linear' '-F prior-loss' '--constant 2sqrt' '-d 0.05' '--bound-of unit'; do echo "$o: $(sgld bounds ladder.csv -q --json $o 2>/dev/null | jq -c '[.rungs[].bound * 1e4 | round / 1e4]')"; done
> -F kl: [0.5,0.3529,0.3179,0.3752]
> -F hoeffding: [0.5,0.3747,0.3732,0.4582]
> -F sqrt-linear: [0.5,0.5022,0.5946,0.9085]
> -F prior-loss: [0.5,0.4024,0.5344,0.8823]
> --constant 2sqrt: [0.5,0.3529,0.318,0.3752]
> -d 0.05: [0.5,0.3526,0.3178,0.375]
> --bound-of unit: [0.5218,0.3543,0.3191,0.3762]

$ sgld bounds ladder.csv -F single-draw
! sgld: --form single-draw: the ladder has means, no draws; give a file of sgld sample
? 2

# Written as the reference's CSV, in either scale, and read back: the same bounds, and nothing to guess.
$ for s in same unit raw; do sgld bounds ladder.csv -q --csv $s.csv --csv-scale $s --report $s.txt 2>/dev/null; sgld bounds $s.csv -q --json 2>$s.said | jq -c '[.scale, .rungs[3].bound]'; done; cat raw.said
> ["raw",0.3751553160514435]
> ["unit",0.3751553160514435]
> ["raw",0.3751553160514435]

$ head -2 unit.csv | cut -c1-60; tail -1 raw.csv | tr -d '\r'; cat raw.txt
> Sample_size,Beta,BCE_Train,BCE_Test,0-1_Train,0-1_Test,EMA_B
> 8000,0,0.49767859107645984,0.49767859107645984,0.5,0.5,0.497
> Summary:,"loss=bbce scale=raw l_max=4 chance=0.5; "
> Results of 4 temperatures, 8000 training records, 0 test records
> Loss: bbce, raw
> Repetitions: 0
>
> Beta = 0
>   Train loss: 2.000000
>   Train 0-1 error: 0.500000
>   Test loss: 2.000000
>   Test 0-1 error: 0.500000
>   Generalisation gap: 0.000000
>
> Beta = 500
>   Train loss: 0.700000
>   Train 0-1 error: 0.170000
>   Test loss: 0.720000
>   Test 0-1 error: 0.180000
>   Generalisation gap: 0.010000
>
> Beta = 2000
>   Train loss: 0.300000
>   Train 0-1 error: 0.070000
>   Test loss: 0.400000
>   Test 0-1 error: 0.100000
>   Generalisation gap: 0.030000
>
> Beta = 8000
>   Train loss: 0.100000
>   Train 0-1 error: 0.020000
>   Test loss: 0.300000
>   Test 0-1 error: 0.060000
>   Generalisation gap: 0.040000

# A file of another kind is not written over.
$ echo mine >mine.csv; sgld bounds ladder.csv -q --csv mine.csv; cat mine.csv
> mine
! sgld: mine.csv: was not written by ketline; give another name, or --force to replace it

# Nor one that begins alike; ours is, of whatever ladder.
$ echo Sample_size,Beta,of mine >mine.csv; echo 'Results of 2 weeks' >mine.txt; for o in '--csv mine.csv' '--report mine.txt'; do sgld bounds ladder.csv -q $o; done; cat mine.csv mine.txt
+ sgld bounds ladder.csv -q --csv our.csv --report our.txt; sed 's/^Results of [0-9]* temperatures, [0-9]*/Results of 77 temperatures, 12345/' our.txt >other.txt; sgld bounds ladder.csv -q --report other.txt --csv our.csv && cmp our.txt other.txt && echo written over
> Sample_size,Beta,of mine
> Results of 2 weeks
> written over
! sgld: mine.csv: was not written by ketline; give another name, or --force to replace it
! sgld: mine.txt: was not written by ketline; give another name, or --force to replace it

# Damaged: one line each.
$ bad() { "$@" >/dev/null; echo $?; }; sed 's/,EMA_BCE_Train//' ladder.csv >a.csv; bad sgld bounds a.csv
> 65
! sgld: a.csv: line 1: no column EMA_BCE_Train; expected a ladder, with Sample_size, Beta, EMA_..., or set, n, beta, ...

$ bad() { "$@" >/dev/null; echo $?; }; sed 's/0.3,0.4/nan,0.4/' ladder.csv >a.csv; bad sgld bounds a.csv; sed 's/0.3,0.4/,0.4/' ladder.csv >a.csv; bad sgld bounds a.csv; sed 's/,2000,/,500,/' ladder.csv >a.csv; bad sgld bounds a.csv; sed 's/,2000,/,200,/' ladder.csv >a.csv; bad sgld bounds a.csv
> 65
> 65
> 65
> 65
! sgld: a.csv: line 4, column EMA_BCE_Train: found 'nan', expected a number
! sgld: a.csv: line 4, column EMA_BCE_Train: found '', expected a number
! sgld: a.csv: found beta 500 behind 500, expected rising values
! sgld: a.csv: found beta 200 behind 500, expected rising values

$ bad() { "$@" >/dev/null; echo $?; }; sed '2d' ladder.csv >a.csv; bad sgld bounds a.csv; sed 's/8000,/0,/' ladder.csv >a.csv; bad sgld bounds a.csv; sed 's/^8000,500/4000,500/' ladder.csv >a.csv; bad sgld bounds a.csv; sed 's/0.17,0.18/1.7,0.18/' ladder.csv >a.csv; bad sgld bounds a.csv; sed 's/0.7,0.72/7,0.72/' ladder.csv >a.csv; bad sgld bounds a.csv; sed 's/layers"/layers/' ladder.csv >a.csv; bad sgld bounds a.csv; : >a.csv; bad sgld bounds a.csv; bad sgld bounds none.csv; bad sgld bounds bounds.h5
> 65
> 65
> 65
> 65
> 65
> 65
> 65
> 66
> 65
! sgld: a.csv: found 500 as the first beta, expected 0: the integral begins at the prior
! sgld: a.csv: found 0 records, expected a whole number from 1 on
! sgld: a.csv: beta 500: found 4000 records, expected 8000 as before
! sgld: a.csv: beta 500: found 0-1 errors of 1.7 and 0.18, expected 0 to 1
! sgld: a.csv: beta 500: found a raw loss of 7, expected 0.0184854 to 4
! sgld: a.csv: line 7: a quote without its end
! sgld: a.csv: line 1: no column Sample_size; expected a ladder, with Sample_size, Beta, EMA_..., or set, n, beta, ...
! sgld: none.csv: cannot be opened: No such file or directory
! sgld: bounds.h5: holds 'bounds', expected 'chains', which comes from sgld sample

$ bad() { "$@" >/dev/null; echo $?; }; bad sgld bounds; bad sgld bounds ladder.csv --factor 0; bad sgld bounds ladder.csv --factor 0.5 --calibrate-on random.csv; bad sgld bounds ladder.csv -d 0; bad sgld bounds ladder.csv --loss ce --scale unit; bad sgld bounds ladder.csv --loss ce --bound-of unit
> 2
> 2
> 2
> 2
> 65
> 2
! sgld: 0 inputs, expected LADDER.{h5,csv}; see sgld bounds --help
! sgld: --factor: found 0, expected a number from 1e-09 to 1000000000
! sgld: --factor: --calibrate-on chooses it; give one of them
! sgld: -d: found 0, expected a number from 1e-12 to 0.5
! sgld: ladder.csv: found a loss from 0 to inf, expected a range that ends
! sgld: --bound-of unit: the loss 'ce' has no upper end, so no unit-interval form

# A curve that rises, a Gamma below 0, no factor.
$ { cat head; printf '8000,0,0,0,0,0,2,2,0.5,0.5\n8000,500,0,0,0,0,3.5,3.5,0.45,0.5\n8000,2000,0,0,0,0,1.5,2,0.42,0.5\n'; } >stuck.csv; sgld bounds ladder.csv --calibrate-on stuck.csv --scale raw --loss bbce | tail -1; sgld bounds stuck.csv --scale raw --loss bbce | grep -c ' '
> calibration: none, no factor exists; the reference's bisection never ends
> 14
! sgld: no factor exists: at beta 500 of the random labels Gamma is -750, and more of it lowers the bound
! sgld: no Monte-Carlo errors in the file: the bounds are those of exact means, which these are not
! sgld: no Monte-Carlo errors in the file: the bounds are those of exact means, which these are not
! sgld: the loss rises with beta 1 time, most from beta 0 to 500, by 1.5: chains at equilibrium have falling means
! sgld: Gamma is negative at 1 temperature, first at beta 500, where a divergence cannot be: no bound follows there

# A table of several ladders: which one?
$ printf 'set,labels,seed,n,beta,train_loss,test_loss,train01,test01,loss,scale,l_max\na,true,1,100,0,0.5,0.5,0.5,0.5,savage,unit,\na,true,1,100,10,0.2,0.2,0.1,0.2,savage,unit,\na,true,2,100,0,0.4,0.5,0.5,0.5,savage,unit,\na,true,2,100,10,0.2,0.2,0.1,0.2,savage,unit,\n' >several.csv; sgld bounds several.csv --set a
! sgld: several.csv: holds several ladders, as 'a true 1' and 'a true 2'; choose with --set, --labels, --chain-seed
? 2
$ sgld bounds several.csv --set b; sgld bounds several.csv --set a --chain-seed 2 -q --json 2>/dev/null | jq -c '[.name, .n, .rungs[1].gamma]'
> ["a true 2",100,2]
! sgld: several.csv: no ladder of set 'b', labels 'any', seed 0 (0: any); the first is 'a true 1'

# Chains: errors of Monte Carlo, an upper bound above the bound, the certificate of the paths, one draw's bound; nothing to guess.
$ sgld sample -B 0,1,10,40 -C 6 --warmup 100 --epochs 200 --anneal 50 --every 2 --work -q -o chains.h5 2>/dev/null; sgld bounds chains.h5 -o of.h5 --json 2>said >json; sed -E 's/\([.0-9]+ at beta/(X at beta/; s/is [0-9]+ times/is N times/; s/L\* = [0-9.]+ /L* = L /' said; jq -c '[.n, .m, .scale, .status, .wbic_reached, (.rungs | length)], (.rungs[1:][] | [.loss_mcse > 0, .gamma_mcse > 0, .kl_low <= .kl_high, .bound <= .bound_upper, .path_kl < .path_kl_upper, .path_train01 < .path_bound, .left >= .hermite and .hermite >= .right, .bound_calibrated])' json
> sgld: the loss comes to L* = L only as the weights grow (|w|^2 there is N times that of the draws): no minimum where the prior is. The learning coefficient is of this beta and grows with it (--least-loss gives another L*); no bound uses L*
> sgld: R-hat is above 1.01 at beta 1, 10, 40 (X at beta 40): the chains have not met; sample longer, or warm up longer
> sgld: fewer than 400 effective draws at beta 1, 10, 40 (X at beta 40): the standard errors are unreliable; sample longer
> [50,500,"raw","computed",true,4]
> [true,true,true,true,true,true,true,null]
> [true,true,true,true,true,true,true,null]
> [true,true,true,true,true,true,true,null]
$ sgld bounds chains.h5 -F single-draw -q --json 2>/dev/null | jq -c '[.rungs[1:][] | (.train <= .bound), (.bound_mcse > 0)]'; cache log of.h5 | grep -c chains.h5
> [true,true,true,true,true,true]
> 2
$ for f in of.h5; do sgld bounds chains.h5 -o again.h5 --no-provenance -q; sgld bounds chains.h5 -o of.h5 --no-provenance -q -f; cmp of.h5 again.h5 && echo same; done
> same
$ sgld bounds chains.h5 -o chains.h5 -f
! sgld: chains.h5: is an input; give another name
? 2

# What does not fit is said: labels that are true ones, other numbers of records, records of each chain's own.
$ sgld sample -B 0,1,10,40 -C 2 --warmup 40 --epochs 40 --labels random --train-size 40 -q -o other.h5 2>/dev/null; for f in chains.h5 other.h5; do sgld bounds chains.h5 --calibrate-on $f 2>&1 >/dev/null | grep -c -e 'true ones' -e 'calibrated on'; done
> 1
> 1
$ sgld sample -p classic --test-mode -q -o classic.h5; sgld bounds classic.h5 2>&1 | grep -o -e 'tempered' -e 'records of its own'
> tempered
> records of its own

# A ladder of many temperatures has a long configuration: what it says is read to its end.
$ sgld sample -p classic -C 2 -B "$(seq -s, 1.00000000000001 0.5 120)" --epochs 1 --warmup 1 --lr 0.1 -q -o many.h5 2>/dev/null; sgld bounds many.h5 2>&1 >/dev/null | grep -c 'records of its own'
> 1
