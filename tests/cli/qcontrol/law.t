# Robust means what it says: the mean over the law, judged on members that the search did not see.
~ s/; [0-9]+ starts.*/; .../; s/ [0-9.]+ ms/ # ms/
~ s/st\/[0-9a-f]{2}\/[0-9a-f]{62}/PULSE/g
~ /^qcontrol: (system|jump|H|control|pulse|target) /d
# Five members of a deviation of three times 1/T are fitted, and no pulse is kept.
$ Q="-g x --limit 10 -S 20 -s 8 -i 100"; R="--set gamma_phi=0.001 --set gamma_down=0.001"; qcontrol optimize $Q $R --spread detuning=3 --law gauss --members 5 -m lbfgs -o five.h5 2>&1 | sed -E 's/[0-9.e-]+ by/# by/g'; ls five.h5
> qcontrol: spread  detuning, normal of deviation 3: 5 members, fewer than the 23 that the law needs
> qcontrol:         the mean of 5 members, judged on 23 others
> qcontrol: the mean over the law is # by 23 members that the search did not see, # by the 5 that it had: the pulse is fitted to these, and not kept; leave --members 5 out
! ls: cannot access 'five.h5': No such file or directory
? 2
# As many as the law needs are enough: what is told is its mean, though the search had others.
$ Q="-g x --limit 10 -S 20 -s 8 -i 100"; R="--set gamma_phi=0.001 --set gamma_down=0.001"; qcontrol optimize $Q $R --spread detuning=3 --store st -q -o law.h5 && mkdir -p st && qcontrol optimize $Q $R --spread detuning=3 --store st --json -f -o law.h5 2>/dev/null | jq -c '[.members, .law_members, ((.loss - .members_loss) | fabs) < 1e-6 * .loss, .cautions]'
> [23,24,true,[]]
$ cache show law.h5 | grep -E '^(loss|of members|law less|worst|nominal)' | sed 's/ *[-0-9.e]*$//'; cache show law.h5 | tail -n 2
> loss
> of members
> law less members
> worst
> nominal loss
> nominal F_avg
> spread  detuning, normal of deviation 3: 23 members
>         the mean of 23 members, judged on 24 others
# More of them tell the same of it, fewer are not believed.
$ for m in 0 3 50; do qcontrol lookup -g x --limit 10 -S 20 --set gamma_phi=0.001 --set gamma_down=0.001 --spread detuning=3 --members $m --store st --json 2>/dev/null | jq '.loss * 1e8 | round'; done | uniq | wc -l
> 1
# Uniform, two parameters; the worst; the tail.
$ for e in mean worst cvar; do qcontrol optimize -g x --limit 10 -S 12 -s 2 -i 20 --law uniform --spread 'detuning=1 amplitude=0.1' --ensemble $e -o $e.h5 --json 2>/dev/null | jq -c '[.members, .law_members, (.loss <= .worst_loss), (.loss >= .nominal_loss)]'; done
> [48,63,true,true]
> [153,1456,true,true]
> [256,1089,true,true]
# Too wide for any rule; a rate that would be negative.
$ qcontrol optimize --spread detuning=500 -o x.h5; qcontrol optimize --limit 20 --spread 'detuning=9 amplitude=3' -o x.h5; qcontrol optimize --spread gamma_phi=0.05 -o x.h5; qcontrol optimize --law uniform --spread gamma_phi=0.09 -o x.h5
! qcontrol: --spread: detuning: the pulse turns by up to 1e+03 radians within the size 500, whose mean no rule gives: a smaller size, a shorter pulse or smaller limits
! qcontrol: --spread: an ensemble of 46 x 464 = 21344 members, expected at most 4096; smaller sizes, a shorter pulse or smaller limits, or so few --members as the check bears out
! qcontrol: --spread: gamma_phi is a rate of 0.085 and would be below 0; found the size 0.05, expected at most 0.0303571, or --law uniform
! qcontrol: --spread: gamma_phi is a rate of 0.085 and would be below 0; found the size 0.09, expected at most 0.085
? 2
# No bound assumes a minimum that a loosened rule did not look for, nor starts that are one.
$ for o in '' '--gradient 1' '--stall 0.9' '--start-size 0' '-m adam' '--until 0.9'; do rm -rf e; mkdir e; qcontrol optimize -S 4 --limit 2 -s 8 $o --store e -q -o e.h5; qcontrol lookup -S 4 --limit 2 --store e --json 2>/dev/null | jq -c '.assumed_gain == null'; done
> false
> true
> true
> true
> true
> true
# Starts that reached what was asked for are not trapped.
$ qcontrol optimize -g x --until 0.5 -s 30 --json -o until.h5 2>/dev/null | jq '.trapped'
> 0
# The summary of a transfer is no gate's.
$ qcontrol optimize -g h --fidelity state --limit 10 -S 20 -s 4 -o state.h5 2>&1
> state.h5: h of qubit, loss 0.00192855 (state h): |0> alone is transferred; the gate h has F_avg 0.359187; ...
# The first and the last sample are 0, whatever the pulse is made of.
$ for f in piecewise splines fourier; do qcontrol optimize -S 12 --functions $f --count 6 --zero-ends -s 1 -i 5 -q -f -o z.h5; qcontrol export z.h5 -q -f -o z.json; jq -c '.samples[] | [.[0], .[-1], (.[5] != 0)]' z.json; done
> [0,0,true]
> [0,0,true]
> [0,0,true]
> [0,0,true]
> [0,0,true]
> [0,0,true]
