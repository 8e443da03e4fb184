# Folders of PNG: class names of any bytes; where damaged files were left out of the features, the
# pictures are those of the others.
% need $SHARED/data/mnist-png
$ n=0; for c in Abendkleid $'caf\xe9' "Straße und Brücke, sehr lang benannt"; do mkdir -p "whole/$c"
+ cp $SHARED/data/mnist-png/$n/* "whole/$c"; n=$((n + 1)); done
+ cp -r whole damaged; for f in damaged/Abendkleid/*.png; do break; done
+ rm whole/Abendkleid/${f##*/}; head -c 200 $f > cut; mv cut $f
+ extract-features damaged --skip-bad -q -o damaged.h5; extract-features whole -q -o whole.h5
+ qtrain whole.h5 --epochs 1 --reduction 8 -q -o head.h5
+ for s in whole damaged; do qeval head.h5 $s.h5 -q -o $s-report.h5
+ figures head.h5 $s-report.h5 $s.h5 --images $s --format svg -o $s.figures; done
+ cmp <(sed /^.desc/d whole.figures/samples.svg) <(sed /^.desc/d damaged.figures/samples.svg)
> whole.figures: 6 figures in 6 files, 6 written
> damaged.figures: 6 figures in 6 files, 6 written

# The one epoch is a point: a disk and a triangle in the colours of training and validation, in each
# panel and in the legend.
$ grep -c 'fill:rgb(0%,44.7[0-9]*%,69.8[0-9]*%);fill-opacity:1;' whole.figures/curves.svg
> 3
$ grep -c 'fill:rgb(83.5[0-9]*%,36.9[0-9]*%,0%);fill-opacity:1;' whole.figures/curves.svg
> 3

