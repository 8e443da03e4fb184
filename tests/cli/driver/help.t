# --help fits a screen of 80 columns (but for the line that names the modes) and 45 lines, whatever a tool's table
# holds; with -v every option has its line.
$ for t in $(cd $ROOT/tools && ls *.c | sed 's/..$//'); do for mode in '' $($t --help | sed -n 's/^Modes, .*: //p' | tr -d ,)
+ do $t $mode --help | awk -v t="$t $mode" 'length > 80 && !/^Modes, / { wide++ } END { if (NR < 10 || NR > 45 || wide) print t, NR, wide }'; done; done

$ for t in extract-features qtrain; do $t --help -v |
+ grep -c -- '--threads N  *0: what the machine allows'; done
> 1
> 1

# what --print-config prints is read back as it was
$ for t in extract-features qtrain qeval qsweep qconvert figures cache circuit
+ do $t --print-config > all.yaml; $t -c all.yaml --print-config | diff all.yaml - && echo $t; done | xargs
> extract-features qtrain qeval qsweep qconvert figures cache circuit

# a word that chooses a mode stands before the options, as it must; an option does not
$ circuit plateau --help | head -n 1; tournament --nist --help | head -n 1; doctor --help | head -n 1 | tr ' ' _
> Usage: circuit plateau [options] [-o PLATEAU.h5]
> Usage: tournament [options] --nist BITS... [-o N.h5]
> Usage:_doctor_[options]
