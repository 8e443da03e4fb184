# chains that are known: tests/unit/sampling/chains_example.h
$ "$BUILD/tests/unit/sampling/chains_file" chains.h5 && figures chains.h5 --format svg -o drawn && ls drawn
> drawn: 4 figures in 4 files, 4 written
> acceptance.svg
> autocorrelation.svg
> ranks.svg
> traces.svg

# one at a time
$ for f in traces ranks autocorrelation acceptance; do figures chains.h5 --figure $f -o $f.svg -q && grep -c '<svg' $f.svg; done
> 1
> 1
> 1
> 1

$ figures chains.h5 --report page.html -q && grep -o 'level where the chains have met\.' page.html
> level where the chains have met.
