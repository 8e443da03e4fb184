# chains that are known (tests/unit/sampling/chains_example.h): beta 0 and 1000 independent, 10 autocorrelated by 0.9, 100
# apart; ArviZ says the same numbers of this file (tests/python/arviz_opens.py)
$ "$BUILD/tests/unit/sampling/chains_file" chains.h5 && sgld diagnose chains.h5
> chains.h5: 4 chains, 4 temperatures; train_loss
>      beta   draws       mean     MCSE  R-hat   bulk   tail   time accept  virial     norm
>         0     500    0.40049  0.00064 1.0002   2019   2000  0.974  0.594  1.0010   1.0001
>        10     500    0.40086   0.0045 1.0165    167    337   12.1  0.594  0.9956   1.0009
>       100     500    0.47555    0.028 2.0968      5     35    397  0.594  1.1484   1.0149
>      1000     300    0.40074  0.00081 1.0061   1273   1258  0.981  0.594  0.9990  0.99986
> log density of 30 records, 400 draws: WAIC -98.9313 (standard error 10.4, 28.6 parameters), leave-one-out -97.1159 (9.96, 26.8)
! sgld: R-hat is above 1.01 at beta 10, 100 (2.1 at beta 100): the chains have not met; sample longer, or warm up longer
! sgld: fewer than 400 effective draws at beta 10, 100 (5.32 at beta 100): the standard errors are unreliable; sample longer
! sgld: the log density of 20 of 30 records varies by more than 0.4: WAIC is unreliable

# without log likelihoods; what is tested now and then has fewer draws
$ "$BUILD/tests/unit/sampling/chains_file" bare.h5 bare && sgld diagnose bare.h5 --of test_loss
> bare.h5: 4 chains, 4 temperatures; test_loss
>      beta   draws       mean     MCSE  R-hat   bulk   tail   time accept  virial     norm
>         0      50    0.50107   0.0021 1.0005    189    242   1.06  0.594  1.0010   1.0001
>        10      50    0.50923   0.0066 1.0163    115     65   1.76  0.594  0.9956   1.0009
>       100      50     0.5743    0.024 2.0023      6     35   34.4  0.594  1.1484   1.0149
>      1000      30    0.50089   0.0028 1.0089    130    149   1.03  0.594  0.9990  0.99986
! sgld: R-hat is above 1.01 at beta 10, 100 (2 at beta 100): the chains have not met; sample longer, or warm up longer
! sgld: fewer than 400 effective draws at beta 0, 10, 100, 1000 (6.12 at beta 100): the standard errors are unreliable; sample longer

$ sgld diagnose bare.h5 --of virial --check -q
? 1

$ sgld diagnose bare.h5 --json | jq -c '[.file, .of, .chains, .predictive, .amiss, (.cautions | length), (.temperatures | map(.draws))]'
> ["bare.h5","train_loss",4,null,true,2,[500,500,500,300]]
! sgld: R-hat is above 1.01 at beta 10, 100 (2.1 at beta 100): the chains have not met; sample longer, or warm up longer
! sgld: fewer than 400 effective draws at beta 10, 100 (5.32 at beta 100): the standard errors are unreliable; sample longer

$ sgld diagnose chains.h5 -j 1 --json >one; sgld diagnose chains.h5 -j 3 --json | cmp - one
! sgld: R-hat is above 1.01 at beta 10, 100 (2.1 at beta 100): the chains have not met; sample longer, or warm up longer
! sgld: fewer than 400 effective draws at beta 10, 100 (5.32 at beta 100): the standard errors are unreliable; sample longer
! sgld: the log density of 20 of 30 records varies by more than 0.4: WAIC is unreliable
! sgld: R-hat is above 1.01 at beta 10, 100 (2.1 at beta 100): the chains have not met; sample longer, or warm up longer
! sgld: fewer than 400 effective draws at beta 10, 100 (5.32 at beta 100): the standard errors are unreliable; sample longer
! sgld: the log density of 20 of 30 records varies by more than 0.4: WAIC is unreliable
# the file is as any other
$ cache verify chains.h5
> chains.h5: whole

$ cache show chains.h5 --json | jq -c '.attributes'
> {"log_likelihood/train/dimensions":"chain draw record","posterior/norm/dimensions":"chain draw beta","posterior/train01/dimensions":"chain draw beta","posterior/train_loss/dimensions":"chain draw beta","sample_stats/acceptance/dimensions":"chain beta","sample_stats/step/dimensions":"chain beta","sample_stats/test01/dimensions":"chain draw beta","sample_stats/test_loss/dimensions":"chain draw beta","sample_stats/virial/dimensions":"chain draw beta"}

# what is no file of chains
$ sgld diagnose
! sgld: 0 inputs, expected CHAINS.h5; see sgld diagnose --help
? 2

$ sgld diagnose bare.h5 chains.h5
! sgld: 2 inputs, expected CHAINS.h5; 'chains.h5' is too many; see sgld diagnose --help
? 2

$ sgld diagnose absent.h5
! sgld: absent.h5: cannot be opened: No such file or directory
? 66

$ sgld diagnose $ROOT/tests/written/head.h5
! sgld: ROOT/tests/written/head.h5: holds 'head', expected 'chains', which comes from sgld sample
? 65

$ printf '\211HDF\r\n\032\n' >cut.h5; sgld diagnose cut.h5
! sgld: cut.h5: not a ketline file: only 8 bytes; expected 'chains', which comes from sgld sample
? 65

$ head -c -100 bare.h5 >short.h5; sgld diagnose short.h5
! sgld: short.h5: cut short: 221997 bytes of at least 222049; copy or make it again
? 65

$ sgld diagnose bare.h5 --of loss
! sgld: --of: found 'loss', expected one of train_loss|train01|norm|test_loss|test01|virial
? 2

# What a run measured of its step's bias is told, and spoken of where it is more than chance; kept records give WAIC.
$ sgld sample -q --sampler sgld --half-step --companion -B 0,3 -e 4000 --warmup 1000 --loss bce --keep 40 --pointwise -o biased.h5 2>/dev/null; sgld diagnose biased.h5 2>said | sed -n 's/[-0-9.]* +- [-0-9.]*/X +- S/; s/ at beta 3;$/ at beta 3/; /^[me]/p; s/^\(log density of 50 records, 40 draws\).*/\1/p'; grep -c 'standard errors from 0: smaller steps' said
> mean loss less that at half the step: X +- S at beta 3
> excess variance of the Gaussian companion: X +- S at beta 3
> log density of 50 records, 40 draws
> 2

# What is no log likelihood has no predictive density, and one at another temperature is none of the posterior.
$ for l in savage bce; do sgld sample -q -B 0,3 -e 200 --warmup 100 --loss $l --keep 5 --pointwise -o law.h5 2>/dev/null; sgld diagnose law.h5 2>&1 >/dev/null | grep -e 'log likelihood' -e posterior; done
> sgld: the loss savage is minus no log likelihood: WAIC and leave-one-out mean nothing here
> sgld: the log densities are of beta 3, while the posterior of 50 records is at beta 50
