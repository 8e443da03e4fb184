# Bounds of the unit-interval loss stand beside that loss, not beside 0-1 errors: of a loss in [0, 1] the curves are those of errors that are the same numbers, but for their line of chance.
$ head='set,labels,n,beta,loss,scale,train_loss,test_loss,train01,test01'; { echo $head; for row in 0,.56,.57 100,.55,.56 1000,.1,.13; do IFS=, read b l t <<<$row; echo x,true,5000,$b,savage,raw,$l,$t,$l,$t; done; } >same.csv; sed 's/,[^,]*,[^,]*$/,.4,.5/' same.csv | sed 1s/,.4,.5/,train01,test01/ >other.csv; head -2 other.csv
> set,labels,n,beta,loss,scale,train_loss,test_loss,train01,test01
> x,true,5000,0,savage,raw,.56,.57,.4,.5
$ sgld bounds same.csv -q -o same.h5 2>/dev/null; sgld bounds other.csv --bound-of unit -q -o unit.h5 2>/dev/null; for f in same unit; do figures $f.h5 --figure bounds -q -o $f.svg; grep '<path.*stroke-width' $f.svg | grep -v dasharray:1,2 | sort >$f.lines; done; cmp same.lines unit.lines && wc -l <same.lines | awk '{ print ($1 > 20) }'
> 1
