# Files that change while they are read. Windows are mapped: one that is cut ends the training in one line, at once or,
# if an epoch ends before it is missed, as one that is written to does, at the end of an epoch.
$ qseq generate people -q --people 2 --channels 8 --trials 6 -o p; for p in 1 2; do qseq windows -q p/S00$p*.edf -o S$p.h5; done
+ cat >endless <<'END'
+ cp S1.h5 w.h5; rm -f .m.h5.checkpoint
+ qseq train w.h5 S2.h5 --split within --qubits 2 --epochs 50000 --patience 0 --checkpoint-every 5 -j 1 -q -o m.h5 2>err & p=$!
+ until [ -e .m.h5.checkpoint ]; do kill -0 $p || break; done
+ END
$ . ./endless; : >w.h5; wait $p; echo $?; sed 's/became shorter while it was read$/was cut/; s/was written to while it was read; run this again$/was cut/' err; ls m.h5 2>/dev/null
> 74
> qseq: w.h5: was cut
? 2
$ . ./endless; printf x | dd of=w.h5 bs=1 seek=5000 conv=notrunc status=none; wait $p; echo $?; cat err; ls m.h5 2>/dev/null
> 74
> qseq: w.h5: was written to while it was read; run this again
? 2

# What is replaced by another file stays open as it was: the training goes on with what its key names.
$ . ./endless; cp S2.h5 other.h5; mv other.h5 w.h5; sleep 0.2; kill $p; wait $p; echo $?; cat err; ls .m.h5.checkpoint
> 143
> .m.h5.checkpoint

# A recording that is replaced behind its key, which a first one that is skipped shows to be made: nothing is kept.
$ qseq generate people -q --people 9 -o many; cp many/S001R04.edf S001R01.edf; cp many/S001R08.edf other.edf
$ qseq windows S001R01.edf many/*.edf -o w2.h5 >out 2>err & until [ -s err ]; do kill -0 $! || break; done; mv other.edf many/S009R12.edf; wait $!; echo $?; sed 1d err; ls w2.h5 2>/dev/null
> 65
> qseq: S001R01.edf: changed while it was read; nothing is kept, run this again
? 2
