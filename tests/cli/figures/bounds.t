# Bounds of the unit-interval loss stand beside that loss, not beside 0-1 errors: of a loss in [0, 1] the curves are those of errors that are the same numbers, but for their line of chance.
$ head='set,labels,n,beta,loss,scale,train_loss,test_loss,train01,test01'; { echo $head; for row in 0,.56,.57 100,.55,.56 1000,.1,.13; do IFS=, read b l t <<<$row; echo x,true,5000,$b,savage,raw,$l,$t,$l,$t; done; } >same.csv; sed 's/,[^,]*,[^,]*$/,.4,.5/' same.csv | sed 1s/,.4,.5/,train01,test01/ >other.csv; head -2 other.csv
> set,labels,n,beta,loss,scale,train_loss,test_loss,train01,test01
> x,true,5000,0,savage,raw,.56,.57,.4,.5
$ sgld bounds same.csv -q -o same.h5 2>/dev/null; sgld bounds other.csv --bound-of unit -q -o unit.h5 2>/dev/null; for f in same unit; do figures $f.h5 --figure bounds -q -o $f.svg; grep '<path.*stroke-width' $f.svg | grep -v dasharray:1,2 | sort >$f.lines; done; cmp same.lines unit.lines && wc -l <same.lines | awk '{ print ($1 > 20) }'
> 1

# A page's line names the temperature whose bound it tells, and the tightest one where that is another: numbers are those of the terminal's rows.
$ head='set,labels,n,beta,loss,scale,train_loss,test_loss,train01,test01'; rows() { echo $head; for row in 0,.56,.57 100,.20,.21 $1; do IFS=, read b l t <<<$row; echo x,true,5000,$b,savage,raw,$l,$t,$l,$t; done; }; rows '1000,.19,.23 5000,.18,.2' >up.csv; rows '1000,.1,.13' >down.csv
+ for f in up down; do sgld bounds $f.csv -o $f.h5 2>/dev/null | awk '$1 ~ /^[1-9]/ && NF == 7 { print $1, $7 }'; figures $f.h5 --report $f.html -q; grep -oE 'bound 0\.[0-9]* at[^<]*' $f.html | uniq; done
> 100 0.2571
> 1000 0.2525
> 5000 0.2670
> bound 0.2670 at beta 5000, the largest (delta 0.01), test error 0.2000; the tightest of 3, 0.2525 at beta 1000, is chosen after a look at all: sgld bounds tells it with delta / 3
> 100 0.2571
> 1000 0.1872
> bound 0.1872 at beta 1000, the largest (delta 0.01), test error 0.1300
