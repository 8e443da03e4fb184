% need $SHARED/reference/sgld/ladders.csv
# The published ladders: LeNet's test error at the largest beta is above its calibrated bound.
$ sgld bounds $SHARED/reference/sgld/ladders.csv --set mnist-lenet5 --labels true --calibrate-on $SHARED/reference/sgld/ladders.csv --constant 2sqrt
> mnist-lenet5 true: 9 temperatures, n 8000, bbce (unit); bounds of the 0-1 error: kl, delta 0.01, factor 1
>     beta     loss    train     test    Gamma   budget    bound calibrated
>        0   0.4973   0.4973   0.5023        0 0.001224   0.5000     0.5000
>      500   0.0958   0.0965   0.1224   799.27   0.1011   0.2787     0.1342
>     1000   0.0491   0.0497   0.0632   985.08   0.1244   0.2306     0.0820
>     2000   0.0230   0.0260   0.0410   1192.7   0.1503   0.2106     0.0539
>     4000   0.0145   0.0200   0.0376   1328.5   0.1673   0.2126     0.0470
>     8000   0.0103   0.0156   0.0373   1462.8   0.1841   0.2169     0.0419
>    16000   0.0052   0.0074   0.0279     1789   0.2248   0.2286     0.0312
>    32000   0.0063   0.0081   0.0267   1651.6   0.2077   0.2169     0.0313
>    64000   0.0065   0.0084   0.0317   1583.6   0.1992   0.2107     0.0312
> a row by itself: with probability 0.99 over the choice of the 8000 training records the mean error on
> new ones of the Gibbs posterior at its beta is below its bound,
> if the chains sample that law
> the best of 8, chosen after a look at all: 0.2108, at beta 2000 (each has delta / 8)
> ln Z(64000): -3831.82, from -4427.53 to -3236.11 by the ladder's steps
> KL(rho||pi) at 64000: from 392.152 to 1583.57
> WBIC, at beta n / ln n = 890.16: 1961.64 +- 46 (interpolated between 500 and 1000, off by 46)
> local learning coefficient: none; a table has no minimum of the loss; --least-loss gives one
> next temperature: 250, between 0 and 500, with 62 % of the gap left - right
> calibration: factor 0.0547, by that ladder at beta 16000; the reference's bisection: 0.0550
! sgld: losses are of the unit-interval form: what moved the chain is 3.982 times as much, and so is Gamma here
! sgld: no Monte-Carlo errors in the file: the bounds are those of exact means, which these are not
! sgld: the loss rises with beta 2 times, most from beta 16000 to 32000, by 0.00429: chains at equilibrium have falling means
! sgld: a calibrated bound is a heuristic, no guarantee; the one without calibration stands beside it
! sgld: at beta 64000 the test error 0.0317 is above the calibrated bound 0.0312

# Ten classes: the chain of random labels is stuck, and no factor exists.
$ sgld bounds $SHARED/reference/sgld/ladders.csv --set mnist10-cnn4 --labels true --calibrate-on $SHARED/reference/sgld/ladders.csv | tail -1
> calibration: none, no factor exists; the reference's bisection never ends
! sgld: no factor exists: at beta 2000 of the random labels Gamma is -1426, and more of it lowers the bound
! sgld: no Monte-Carlo errors in the file: the bounds are those of exact means, which these are not
