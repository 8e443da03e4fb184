# Devices of known laws: their study, and their bits for other stages.
$ tournament --synthetic 6 --rows 60 --bits 20 --null 99 --trials 5 -o s.h5
> mean divergence of two devices' histograms, nats; within one class, between two classes
> classes        0-0      0-1      0-2      1-1      1-2      2-2
> study's     0.2233   1.9738   3.5793   0.6852   0.5645   0.2228
>   within 0.37713, between 2.03921, ratio 5.41
>   Mann-Whitney U 33.0, log10 p -1.81 as if pairs were independent; p 0.067, exact: all 90 orders of devices
>   with the accuracies: r 0.8558 (p 0.03), rho 0.8857 (p 0.033)
> smoothed    0.0397   0.3810   0.5563   0.1275   0.1385   0.0386
>   within 0.06861, between 0.35858, ratio 5.23
>   Mann-Whitney U 34.0, log10 p -2.06 as if pairs were independent; p 0.067, exact: all 90 orders of devices
>   with the accuracies: r 0.8976 (p 0.015), rho 0.8286 (p 0.058)
> class of a held-out row: right 0.5222 of the time
> chi2 rejects at 5 % / held-out accuracy; two devices apart by (total variation a symbol)
>   rows        0.0000        0.0025        0.0050        0.0100        0.0200        0.0400
>     50   0.20 / 0.50   0.20 / 0.48   0.20 / 0.45   0.00 / 0.46   0.20 / 0.55   1.00 / 0.59
> s.h5: 360 rows of 20 bits of 6 devices, # s
$ tournament --synthetic=6 --rows 60 --bits 20 --null 99 --trials 5 -o s.h5
> s.h5: up to date
> mean divergence of two devices' histograms, nats; within one class, between two classes
> classes        0-0      0-1      0-2      1-1      1-2      2-2
> study's     0.2233   1.9738   3.5793   0.6852   0.5645   0.2228
>   within 0.37713, between 2.03921, ratio 5.41
>   Mann-Whitney U 33.0, log10 p -1.81 as if pairs were independent; p 0.067, exact: all 90 orders of devices
>   with the accuracies: r 0.8558 (p 0.03), rho 0.8857 (p 0.033)
> smoothed    0.0397   0.3810   0.5563   0.1275   0.1385   0.0386
>   within 0.06861, between 0.35858, ratio 5.23
>   Mann-Whitney U 34.0, log10 p -2.06 as if pairs were independent; p 0.067, exact: all 90 orders of devices
>   with the accuracies: r 0.8976 (p 0.015), rho 0.8286 (p 0.058)
> class of a held-out row: right 0.5222 of the time
> chi2 rejects at 5 % / held-out accuracy; two devices apart by (total variation a symbol)
>   rows        0.0000        0.0025        0.0050        0.0100        0.0200        0.0400
>     50   0.20 / 0.50   0.20 / 0.48   0.20 / 0.45   0.00 / 0.46   0.20 / 0.55   1.00 / 0.59
> s.h5: 360 rows of 20 bits of 6 devices, # s
$ tournament --synthetic 6 --rows 60 --bits 20 --null 99 --trials 5 --threads 3 -q --no-provenance -o a.h5
+ tournament --synthetic 6 --rows 60 --bits 20 --null 99 --trials 5 --threads 1 -q --no-provenance -o b.h5; cmp a.h5 b.h5 && echo same
> same
$ tournament --synthetic 3 --variant bridge --rows 30 --trials 0 --null 0 --json | tr , '\n' | grep -v 'key\|_test' | sed -E 's/([0-9]\.[0-9]{5})[0-9]+/\1/'
> {"output":null
> "status":"computed"
> "devices":3
> "rows":90
> "within":null
> "between":12.58250
> "ratio":null
> "ratio_low":null
> "ratio_high":null
> "u":null
> "log10_p_u":null
> "p_devices":null
> "p_exact":false
> "smoothed_ratio":null
> "smoothed_p_devices":null
> "accuracy":0.81111
> "pearson":0.79918
> "spearman":0.5
> "cautions":[]}

# Few devices: what can be said, and why not more.
$ for n in 2 3; do tournament --synthetic $n --bias 0.5,0.6 --copy 0,0 --drift 0,0 --rows 40 --trials 0; done; tournament --synthetic 3 --bias 0.5 --copy 0 --drift 0 --rows 40 --trials 0
> mean divergence of two devices' histograms, nats; within one class, between two classes
> classes        0-0      0-1      1-1
> study's          -   4.4437        -
>   within -, between 4.44375, ratio -
>   no test: no two devices of one class
>   with the accuracies: r - (all equal), rho - (all equal)
> smoothed         -   1.0747        -
>   within -, between 1.07468, ratio -
>   no test: no two devices of one class
>   with the accuracies: r - (all equal), rho - (all equal)
> class of a held-out row: right 0.8250 of the time
> 80 rows of 100 bits of 2 devices, # s
> mean divergence of two devices' histograms, nats; within one class, between two classes
> classes        0-0      0-1      1-1
> study's     0.8710   4.5678        -
>   within 0.87102, between 4.56782, ratio 5.24
>   Mann-Whitney U 2.0, log10 p -0.48 as if pairs were independent; p 0.33, exact: all 3 orders of devices
>   with the accuracies: r - (all equal), rho - (all equal)
> smoothed    0.0580   0.8835        -
>   within 0.05795, between 0.88354, ratio 15.25
>   Mann-Whitney U 2.0, log10 p -0.48 as if pairs were independent; p 0.33, exact: all 3 orders of devices
>   with the accuracies: r - (all equal), rho - (all equal)
> class of a held-out row: right 0.8250 of the time
> 120 rows of 100 bits of 3 devices, # s
> mean divergence of two devices' histograms, nats; within one class, between two classes
> classes        0-0
> study's     0.7817
>   within 0.78166, between -, ratio -
>   no test: no two devices of different classes
>   with the accuracies: r - (all equal), rho - (all equal)
> smoothed    0.0572
>   within 0.05717, between -, ratio -
>   no test: no two devices of different classes
>   with the accuracies: r - (all equal), rho - (all equal)
> class of a held-out row: right 1.0000 of the time
> 120 rows of 100 bits of 3 devices, # s

# Few orders have no small p: 2 of the 24 orders of four devices agree as wholly, and Student's p would be 0.
$ for n in 3 4; do tournament --synthetic $n --null 100 --trials 0 | grep accuracies; done
>   with the accuracies: r 0.9980 (p 0.04), rho 0.5000 (p 1)
>   with the accuracies: r 0.9981 (p 0.039), rho 0.5000 (p 1)
>   with the accuracies: r 0.7781 (p 0.22), rho 1.0000 (p 0.083)
>   with the accuracies: r 0.7137 (p 0.29), rho 1.0000 (p 0.083)

# What is written with --only-bits is read like any measured device; symbols are declared in it.
$ tournament --synthetic 3 --source pairs --laws 0.4/0.2/0.2/0.2,0.25/0.25/0.25/0.25 --rows 200 --only-bits -o bits.h5
> bits.h5: 600 rows of 100 bits of 3 devices, # s
$ tournament bits.h5 --null 99
> pair               chi2  log10 p   JS, nats a symbol (95 %)            a row held out       p
> c0d1 v c1d2      470.97   -100.6   1.185e-02 (9.567e-03, 1.398e-02)   0.8628   0.8600 <=0.0300
> c0d0 v c1d2      464.55    -99.3   1.169e-02 (9.481e-03, 1.389e-02)   0.8617   0.8550 <=0.0300
> c0d0 v c0d1      7.9385     -1.3   1.985e-04 (0.000e+00, 4.888e-04)   0.5561   0.4825   0.7700
> log10 p, p: after Holm; chi2, log10 p, a row (at best): if symbols of 2 bits are independent
> 3 devices, 3 of 3 pairs differ by symbols if independent, 2 by held-out rows (Holm, 5 % each), # s
$ tournament --synthetic 3 --bias 0.5,0.5-0.6,0.7 --copy 0,0.1,0.2 --drift 0,0.01,0.05 --rows 50 --only-bits -q -o c.h5; h5dump -d class_names c.h5 | grep '(0)'
>    (0): "c0d0\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000",

# What cannot be done.
$ tournament --synthetic 1
! tournament: --synthetic: found 1, expected a whole number from 2 to 4096
? 2
$ tournament --synthetic 2
! tournament: --synthetic: found 2 devices, there are 3 classes
? 2
$ tournament --synthetic 4 --spread 0.1
! tournament: --spread: is of --source pairs alone
? 2
$ tournament --synthetic 4 --only-bits --trials 0 -o x.h5
! tournament: --trials: is of the study; --only-bits makes none
? 2
$ tournament --synthetic 30 --variant full --seed 4294967296
! tournament: --seed: found 4294967296; those of the study's devices are 0 to 4294967295
? 2
$ tournament --synthetic 30 --variant study
! tournament: --variant: found 'study', expected one of own|validate|full|framework|bridge
? 2
$ tournament --synthetic 30 --variant full --bias 0.5,0.6,0.7
! tournament: --variant full has its own source, bias, copy and drift; leave them out
? 2
$ tournament --synthetic 30 --source pairs --bias 0.5
! tournament: --source pairs: takes --laws, not --bias, --copy or --drift
? 2
$ tournament --synthetic 30 --laws 0.5/0.5/0/0
! tournament: --source chain: takes --bias, --copy and --drift, not --laws
? 2
$ tournament --synthetic 30 --source pairs --laws 0.5/0.5/0.1/0
! tournament: --laws: found '0.5/0.5/0.1/0', expected four probabilities for each class with sum 1, as in 0.3/0.2/0.2/0.3,...
? 2
$ tournament --synthetic 30 --source pairs --bits 3
! tournament: --bits: found 3, expected an even number of two-qubit symbols
? 2
$ tournament --synthetic 30 --bias 0.5-0.4,0.6,0.7
! tournament: --bias: found '0.5-0.4,0.6,0.7', expected for each class a number or a range within 0 to 1, as in 0.48-0.52,0.6
? 2
$ tournament --synthetic 30 --bias 0.5,0.6
! tournament: --copy: found 3 classes in '0-0.05,0-0.10,0.05-0.15', the lists before have 2
? 2
$ tournament --synthetic 30 --drift 0.01-0.02,0.1,0.1
! tournament: --drift: found '0.01-0.02,0.1,0.1', expected one number for each class
? 2
$ tournament --synthetic 3 --bias 0.1,0.2,0.3,0.4 --copy 0,0,0,0 --drift 0,0,0,0
! tournament: --synthetic: found 3 devices, there are 4 classes
? 2
$ tournament --synthetic 3 --only-bits
! tournament: --only-bits: no output; give -o FILE.h5
? 2
$ tournament --synthetic 3 bits.h5
! tournament: 1 input, expected none; 'bits.h5' is too many; see tournament --synthetic --help
? 2
