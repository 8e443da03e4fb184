# Recordings of other kinds, as tests/golden/make_recordings.py wrote them: what is EEG, where events come from, and what is said.
% need /usr/bin/python3
$ /usr/bin/python3 - "$ROOT/tests/golden/recordings.h5" <<'END'
+ import h5py, os, sys
+ with h5py.File(sys.argv[1]) as f:
+     for case, to in ('brainvision-int16-multiplexed', 'v'), ('brainvision-float32-vectorized', 'w'), ('bdf-status', '.'), ('hypnogram', '.'):
+         os.makedirs(to, exist_ok=True)
+         for name, data in f[case]['files'].items(): open(os.path.join(to, name), 'wb').write(data[:].tobytes())
+ END
$ qseq inspect v/a.vhdr s.bdf SC4001E0-PSG.edf SC4001EC-Hypnogram.edf
> v/a.vhdr: BrainVision, 4 signals at 250 Hz, # s, from DATE
>   channels: FC5,C3
>   no EEG: HEOG (EOG), ECG (ECG)
>   annotations: 2 Stimulus/S  1, 1 Stimulus/S  2, 1 Stimulus/S255
> s.bdf: BDF, 4 signals at 256 Hz, # s, from DATE
>   channels: A1,A2,A3
>   no EEG: Status (stimulus)
>   annotations: 1 1, 1 2, 1 3, 1 4, 1 65535
> SC4001E0-PSG.edf: EDF, 2 signals at 100 Hz, # s, from DATE
>   channels: EEG Fpz-Cz,EEG Pz-Oz
> SC4001EC-Hypnogram.edf: EDF+C, no signals, # s, from DATE
>   annotations: 1 Sleep stage 1, 1 Sleep stage R, 1 Sleep stage W
$ qseq inspect v/a.vhdr --json | jq -c '[.format, .seconds, .beside, (.signals | map([.name, .type, .unit, .rate]))]'
> ["BrainVision",2,{"data":"v/a.eeg","markers":"v/a.vmrk"},[["FC5","EEG","µV",250],["C3","EEG","µV",250],["HEOG","EOG","µV",250],["ECG","ECG","µV",250]]]
$ for d in v w; do qseq windows $d/a.vhdr --labels 'Stimulus/S  1=go,Stimulus/S255=stop' --subject Ann --from 0 --to 0.2 -o $d.h5 | sed 's/; [0-9.]* s$//'; done
> v.h5: 3 windows of 2 channels and 17 steps at 80 Hz: 2 go, 1 stop (by --labels); 1 recording of 1 person; 1 other annotation
> w.h5: 3 windows of 2 channels and 17 steps at 80 Hz: 2 go, 1 stop (by --labels); 1 recording of 1 person; 1 other annotation
! qseq: 2 signals are left out, as no EEG or without values: HEOG (EOG), ECG (ECG) (v/a.vhdr); --channels takes what it names
! qseq: 2 signals are left out, as no EEG or without values: HEOG (EOG), ECG (ECG) (w/a.vhdr); --channels takes what it names
$ qseq windows v/a.vhdr --labels 'Stimulus/S  1=go' --subject Ann --from 0 --to 0.2 --channels C3,ECG --reference average -q -f -o v2.h5; qseq windows v/a.vhdr --labels 'Stimulus/S  1=go' --subject Ann --from 0 --to 0.2 --channels C3,ECG --reference average -f -o v2.h5 | sed 's/; [0-9.]* s$//'
> v2.h5: 2 windows of 2 channels and 17 steps at 80 Hz: 2 go (by --labels); 1 recording of 1 person; 2 other annotations
! qseq: --reference average: ECG (ECG) is no EEG: not in the average, which is not taken from it
! qseq: 2 of 2 windows have a channel that never moves, the first is C3
! qseq: 1 of 2 channels vary by less than 1 uV, the first is C3 (0 uV)
$ qseq windows s.bdf --labels 1=go,4=stop --subject Ann --from 0 --to 0.2 -o s.h5 | sed 's/; [0-9.]* s$//'
> s.h5: 2 windows of 3 channels and 17 steps at 80 Hz: 1 go, 1 stop (by --labels); 1 recording of 1 person; 3 other annotations
! qseq: 1 signal is left out, as no EEG or without values: Status (stimulus) (s.bdf); --channels takes what it names
# a header whose files were renamed; markers in place of the header
$ cp v/a.vhdr b.vhdr; qseq windows b.vhdr --labels a=b -o x.h5; qseq inspect v/a.vmrk v/a.eeg
! qseq: b.vhdr: DataFile=a.eeg is not beside it; if files were renamed, name it there
! qseq: v/a.vmrk: no recording in EDF or BDF, by its first eight characters, 'Brain Vi'; these are markers of BrainVision: give the .vhdr beside them
! qseq: v/a.eeg: no recording in EDF or BDF, by its first eight characters, 'Q?1?±?*'; are these samples of BrainVision? Give the .vhdr beside them
! qseq: 2 of 2 recordings cannot be read
? 65
# a description with commas, coded and, as some programs have them, not
$ cp -r v commas; printf 'Mk8=Comment,eyes\\1 open,2,1,0\nMk9=Comment,eyes, 1,2, shut,6,1,0\n' >>commas/a.vmrk; qseq inspect commas/a.vhdr | tail -2
>   annotations: 2 Stimulus/S  1, 1 Comment/eyes, 1,2, shut, 1 Comment/eyes, open, 1 Stimulus/S  2, 1 Stimulus/S255
>   commas in the text of 1 marker are not coded: taken for text
# the key has the samples and the markers
$ key() { qseq windows v/a.vhdr --labels 'Stimulus/S  1=go' --from 0 --to 0.2 --key; }; a=$(key); printf U | dd of=v/a.eeg bs=1 seek=6 conv=notrunc status=none; b=$(key); echo 'Mk9=Stimulus,S  9,9,1,0' >>v/a.vmrk; c=$(key); [ $a != $b ] && [ $b != $c ] && echo differ
> differ

# A hypnogram is of the recording whose name begins as its own does; a window every so many seconds of each of its annotations.
$ qseq windows SC4001E0-PSG.edf SC4001EC-Hypnogram.edf --labels '"Sleep stage W"=wake,Sleep stage 1="N1, light"' --rate 0 --from 0 --to 1.49 --chunk-duration 1.5 -o n.h5 | sed 's/; [0-9.]* s$//'
> n.h5: 6 windows of 2 channels and 150 steps at 100 Hz: 2 wake, 4 N1, light (by --labels); 1 recording of 1 person; 1 other annotation
! qseq: SC4001E0-PSG.edf: its events are those of SC4001EC-Hypnogram.edf
! qseq: 'SC4001E0-PSG' is taken for a person of its own, as that name does not say whose it is; --subject says it
$ qseq windows SC4001EC-Hypnogram.edf SC4001E0-PSG.edf --labels 'Sleep stage W=wake,Sleep stage R=REM' --rate 0 --from 0 --to 2.99 --chunk-duration 4 -f -o n.h5
! qseq: SC4001E0-PSG.edf: its events are those of SC4001EC-Hypnogram.edf
! qseq: SC4001E0-PSG.edf: no window is left: 0 outside their recording, 0 across a gap, 0 rejected, 2 shorter than --chunk-duration, 1 other annotations
? 65
$ cp SC4001E0-PSG.edf SC4002E0-PSG.edf; cp SC4001EC-Hypnogram.edf SC4002EC-Hypnogram.edf; qseq windows SC400*.edf --labels 'Sleep stage W=wake' --rate 0 --from 0 --to 2.99 -f -o n.h5
> n.h5: 2 windows of 2 channels and 300 steps at 100 Hz: 2 wake (by --labels); 2 recordings of 2 people; 4 other annotations; # s
! qseq: SC4001E0-PSG.edf: its events are those of SC4001EC-Hypnogram.edf
! qseq: SC4002E0-PSG.edf: its events are those of SC4002EC-Hypnogram.edf
! qseq: 1 of 2 windows are equal to another one, number by number
! qseq: 2 recordings are taken for 2 people, as names like 'SC4001E0-PSG' do not say whose they are; --subject says it, a file of windows for each person
$ qseq windows SC400[12]E0*.edf SC4001EC-Hypnogram.edf --labels 'Sleep stage W=wake' --rate 0 --from 0 --to 2.99 -f -o n.h5 --json | jq -c '.recordings | map([.recording, .events, .windows])'
> [["SC4001E0-PSG","SC4001EC-Hypnogram.edf",1],["SC4002E0-PSG",null,0]]
! qseq: SC4001E0-PSG.edf: its events are those of SC4001EC-Hypnogram.edf
! qseq: 2 recordings are taken for 2 people, as names like 'SC4001E0-PSG' do not say whose they are; --subject says it, a file of windows for each person
! qseq: 1 of 2 recordings has no window, the first is SC4002E0-PSG.edf
$ qseq windows SC4001EC-Hypnogram.edf --labels 'Sleep stage W=wake' -o x.h5
! qseq: SC4001EC-Hypnogram.edf: events alone; give the recording that they are of
? 2
$ cp SC4001EC-Hypnogram.edf SC4003.edf; qseq windows SC400[12]E0*.edf SC4003.edf --labels 'Sleep stage W=wake' -o x.h5
! qseq: SC4003.edf: by its name these events are of none of the 2 recordings, or of several; cut one recording a command
? 2
$ qseq windows SC4001E0-PSG.edf SC4001EC-Hypnogram.edf SC4003.edf --labels 'Sleep stage W=wake' -o x.h5
! qseq: SC4001EC-Hypnogram.edf, SC4003.edf: both are events of SC4001E0-PSG.edf; give one of them
? 2

# BIDS: events.tsv and channels.tsv beside the file, in place of its own
$ cp SC4001E0-PSG.edf sub-01_task-sleep_eeg.edf; printf 'onset\tduration\ttrial_type\tvalue\n0.5\t1\tleft\t1\n3\t1\tright\t2\n6\t1\tn/a\t3\n' >sub-01_task-sleep_events.tsv; printf 'name\ttype\tstatus\nEEG Pz-Oz\tMISC\tbad\n' >sub-01_task-sleep_channels.tsv
$ qseq inspect sub-01_task-sleep_eeg.edf
> sub-01_task-sleep_eeg.edf: EDF, 2 signals at 100 Hz, # s, from DATE
>   channels: EEG Fpz-Cz
>   no EEG: EEG Pz-Oz (other)
>   annotations of sub-01_task-sleep_events.tsv: 1 3, 1 left, 1 right
>   sub-01_task-sleep_channels.tsv calls 1 channel bad, EEG Pz-Oz: --channels can leave out what is
$ qseq windows sub-01_task-sleep_eeg.edf --labels left=left,right=right,3=both --from 0 --to 0.9 -o s1.h5 | sed 's/; [0-9.]* s$//'
> s1.h5: 3 windows of 1 channel and 73 steps at 80 Hz: 1 left, 1 right, 1 both (by --labels); 1 recording of 1 person
! qseq: sub-01_task-sleep_eeg.edf: sub-01_task-sleep_channels.tsv calls 1 channel bad, EEG Pz-Oz: --channels can leave out what is
! qseq: sub-01_task-sleep_eeg.edf: its events are those of sub-01_task-sleep_events.tsv
! qseq: 1 signal is left out, as no EEG or without values: EEG Pz-Oz (other) (sub-01_task-sleep_eeg.edf); --channels takes what it names
$ qseq windows sub-01_task-sleep_eeg.edf --labels left=left,right=right --from 0 --to 2.9 --json -f -o s1.h5 2>/dev/null | jq -c '[.reach, .flat, .equal, .recordings[0].events]'
> [{"beyond":2,"next":1,"previous":0},0,0,"sub-01_task-sleep_events.tsv"]
$ sed -i 's/0.5/0,5/' sub-01_task-sleep_events.tsv; qseq windows sub-01_task-sleep_eeg.edf --labels left=left -f -o s1.h5
! qseq: sub-01_task-sleep_events.tsv: line 2: onset: found '0,5', expected seconds with a decimal point
? 65
$ printf 'onset,duration,trial_type\n1,1,left\n' >sub-01_task-sleep_events.tsv; qseq windows sub-01_task-sleep_eeg.edf --labels left=left -f -o s1.h5
! qseq: sub-01_task-sleep_events.tsv: no column 'onset' in its first line, 'onset,duration,trial_type'; expected those of BIDS, tabs between them: onset, duration, trial_type or value
? 65

# One event under two labels, or twice; a person who is nobody's; one channel without values.
$ printf 'onset\tduration\ttrial_type\n1\t1\tT1\n1.001\t1\tT2\n' >e.tsv; qseq windows SC4001E0-PSG.edf e.tsv --labels T1=left,T2=right --from 0 --to 0.9 -o x.h5
! qseq: SC4001E0-PSG.edf: 'T1' at # s and 'T2' at # s are one event, and mean 'left' and 'right'; leave one of the texts out of --labels
? 65
$ printf 'onset\tduration\ttrial_type\n1\t1\tT1\n1.001\t1\tT1\n5\t1\tT1\n' >e.tsv; qseq windows SC4001E0-PSG.edf e.tsv --labels T1=left --subject Ann --from 0 --to 0.9 -o x.h5 | sed 's/; [0-9.]* s$//'
> x.h5: 2 windows of 2 channels and 73 steps at 80 Hz: 2 left (by --labels); 1 recording of 1 person; 1 annotated twice dropped
! qseq: SC4001E0-PSG.edf: its events are those of e.tsv
! qseq: 1 annotation is of an event that is annotated already: one window each
$ qseq windows SC4001E0-PSG.edf e.tsv --labels T1=left --exclude S1,SC4001 --from 0 --to 0.9 -q -f -o x.h5; qseq windows SC4001E0-PSG.edf e.tsv --labels T1=left --exclude S1,SC4001 --from 0 --to 0.9 -f -o x.h5 | sed 's/; [0-9.]* s$//'
> x.h5: 2 windows of 2 channels and 73 steps at 80 Hz: 2 left (by --labels); 1 recording of 1 person; 1 annotated twice dropped
! qseq: --exclude: no recording is of 'S1'; there are 'SC4001E0-PSG'
! qseq: --exclude: no recording is of 'SC4001'; there are 'SC4001E0-PSG'
! qseq: SC4001E0-PSG.edf: its events are those of e.tsv
! qseq: 'SC4001E0-PSG' is taken for a person of its own, as that name does not say whose it is; --subject says it
! qseq: 1 annotation is of an event that is annotated already: one window each
# An onset that is not known; a header of decimal commas, whose electrodes cannot be read.
$ printf 'onset\tduration\ttrial_type\nn/a\t1\tleft\n' >sub-01_task-sleep_events.tsv; qseq windows sub-01_task-sleep_eeg.edf --labels left=left -f -o s1.h5
! qseq: sub-01_task-sleep_events.tsv: line 2: onset: found 'n/a', expected seconds
? 65
