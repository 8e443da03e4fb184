# The controls of a head, judged on the same samples; a head without them says why.
~ /not tell all classes apart/d
~ s/[+-]?[01]\.[0-9]{4}/#/g
$ D=$DATA/digits; extract-features $D/train-images-idx3-ubyte --resize 28 --limit 300 -q -o train.h5
+ extract-features $D/test-images-idx3-ubyte --resize 28 -q -o test.h5
+ qtrain train.h5 --epochs 4 --replicas 3 -q -o with.h5
+ qtrain train.h5 --epochs 4 --replicas 3 --no-controls -q -o without.h5
+ for c in twin frozen none; do qtrain train.h5 --epochs 4 --replicas 3 --core $c -q -o $c.h5; done

$ qeval with.h5 test.h5 -o with-report.h5
> with-report.h5: accuracy # +- # (standard deviation over 3 heads; 95 % over samples # to #), on 360 samples
>   circuit - twin   # (95 % # to #, paired over 3 seeds); 3 controls lost a class
>   circuit - frozen # (95 % # to #, paired over 3 seeds); 3 controls lost a class
>   circuit - none   # (95 % # to #, paired over 3 seeds); 3 controls lost a class

$ qeval without.h5 test.h5 -o without-report.h5
> without-report.h5: accuracy # +- # (standard deviation over 3 heads; 95 % over samples # to #), on 360 samples
>   no controls: trained with --no-controls

$ qeval twin.h5 test.h5 -o twin-report.h5 | tail -n 1
>   no controls: the head is one itself (--core)

$ cache show without-report.h5 | grep -c circuit; h5dump -a /controls without-report.h5 | grep -o '"no[^"]*"'
> 0
> "no: trained with --no-controls"

# the head's numbers do not depend on its controls; each control's are those of a head with that core
$ for d in predictions probabilities confusion replicas; do h5diff with-report.h5 without-report.h5 /$d /$d; done
+ for c in twin frozen none; do qeval -q $c.h5 test.h5 -o $c-report.h5 > log
+ for d in accuracy log_loss; do h5diff with-report.h5 $c-report.h5 /controls/$c/$d /replicas/$d; done; done

# mean difference and Student's interval (t = 4.30265 with two degrees of freedom), by awk from the accuracies
$ values() { h5dump -d $1 -m %.17g -y -w 0 with-report.h5 | sed -n 's/^ *\([01].*,.*\)/\1/p'; }
+ for c in twin frozen none; do (values replicas/accuracy; values controls/$c/accuracy) | tr -d , |
+ awk -v c=$c '{ for (i = 1; i <= 3; i++) v[NR, i] = $i } END { for (i = 1; i <= 3; i++) m += (v[1, i] - v[2, i]) / 3
+ for (i = 1; i <= 3; i++) s += (v[1, i] - v[2, i] - m) ^ 2; h = 4.302652729749 * sqrt(s / 2 / 3)
+ printf "%s %.4f\n%s %.4f\n%s %.4f\n", c, m, c "_low", m - h, c "_high", m + h }'; done > by-awk
+ qeval with.h5 test.h5 --json -o j.h5 | jq -r 'to_entries[] | select(.key | test("minus")) | "\(.key[6:]) \(.value)"' |
+ awk '{ printf "%s %.4f\n", $1, $2 }' | diff - by-awk && wc -l < by-awk
> 9

$ cache show with-report.h5 | grep -A 2 '^circuit'
> circuit - twin       #
>   95 % from          #
>   to                 #
> circuit - frozen     #
>   95 % from          #
>   to                 #
> circuit - none       #
>   95 % from          #
>   to                 #

# one replica
$ qtrain train.h5 --epochs 1 -q -o one.h5; qeval one.h5 test.h5 -o one-report.h5 | sed 1d
>   circuit - twin   # (one seed; several --replicas give an interval); 1 control lost a class
>   circuit - frozen # (one seed; several --replicas give an interval); 1 control lost a class
>   circuit - none   # (one seed; several --replicas give an interval); 1 control lost a class

$ figures -q with.h5 with-report.h5 --format svg -o figures && ls figures
> calibration.svg
> circuit.svg
> confusion.svg
> curves.svg
