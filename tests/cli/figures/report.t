# One page of HTML that needs nothing beside it.
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 -q -o test.h5
+ qtrain test.h5 --epochs 2 --replicas 2 --note 'a <b>note</b> & "more"' -q -o head.h5 >/dev/null
+ qeval head.h5 test.h5 -q -o report.h5

$ figures head.h5 --report -q; ls ./-q
! figures: --report: expected PAGE.html after it, found '-q'
! ls: cannot access './-q': No such file or directory
? 2
$ figures head.h5 report.h5 test.h5 --report run.html
> run.html: a page of 3 files

$ figures head.h5 report.h5 test.h5 --report run.html
> run.html: up to date

# to standard output the page alone
$ figures head.h5 --report - | cmp - <(figures head.h5 --report one.html >/dev/null; cat one.html); mkdir ro; chmod a-w ro; cd ro; figures ../head.h5 --report - --json | tail -c 8
> </html>
! -: a page of 1 file
! {"output":"","figures":0,"files":0,"written":0,"report":"-","report_written":true}

# a command as a shell would take it again, whatever letters stand before a quote
$ qeval head.h5 test.h5 --note "Zoë's" -q -o note.h5; figures note.h5 --report note.html; grep -o "note 'Zo[^<]*" note.html
> note.html: a page of 1 file
> note 'Zoë'\''s' -q -o note.h5

$ figures report.h5 --report run.html --json
> {"output":"","figures":0,"files":0,"written":0,"report":"run.html","report_written":true}

# what was found comes first; in words of one's own, if they are given; facts, tables and options are folded
$ printf 'It pays,\n  so & so.\n\n' >own.txt; figures head.h5 report.h5 --found own.txt --report own.html >/dev/null; figures head.h5 --found own.txt -o all
+ for p in run own; do grep -nE '<h2|class="(lead|caution)"|<summary' $p.html | sed -E 's/^[0-9]+://; s/[0-9]\.[0-9]{4}/X/g; s/ id="[^"]*"//'; grep -c 'circuit - twin' $p.html; done; figures head.h5 --found none.txt --report own.html; echo >none.txt; figures head.h5 --found none.txt --report own.html
> <h2>What was found</h2>
> <p class="lead">report.h5: accuracy X (95 % over samples X to X) over 2 heads, on 360 samples; the head was trained on these samples</p>
> <p class="caution">report.h5: test.h5: head.h5 was trained on these; --split val takes those that it has not seen</p>
> <p class="caution">report.h5: 2 of 2 heads do not tell all classes apart: replica 0 takes '0' for '5', '1' for '5', '2' for '5' and 6 more (accuracy X), replica 1 takes '0' for '4', '1' for '4', '2' for '4' and 6 more (accuracy X); docs/head.md, 'Lost classes'</p>
> <p class="caution">report.h5: controls that do not tell all classes apart (docs/head.md, 'Lost classes'): 2 of 2 twin, 2 of 2 frozen, 2 of 2 none; part of the differences to them is that</p>
> <h2>Files</h2>
> <h2>report.h5</h2>
> <details><summary>Facts and tables</summary>
> <details><summary>Calibration: samples by the confidence of their prediction, of 2 heads</summary>
> <details><summary>Each class, of 2 heads</summary>
> <details><summary>Options</summary><div class="wide"><table>
> <h2>How it was made</h2>
> 1
> <h2>What was found</h2>
> <p class="lead">It pays,</p>
> <p class="lead">so &amp; so.</p>
> <p class="caution">report.h5: test.h5: head.h5 was trained on these; --split val takes those that it has not seen</p>
> <p class="caution">report.h5: 2 of 2 heads do not tell all classes apart: replica 0 takes '0' for '5', '1' for '5', '2' for '5' and 6 more (accuracy X), replica 1 takes '0' for '4', '1' for '4', '2' for '4' and 6 more (accuracy X); docs/head.md, 'Lost classes'</p>
> <p class="caution">report.h5: controls that do not tell all classes apart (docs/head.md, 'Lost classes'): 2 of 2 twin, 2 of 2 frozen, 2 of 2 none; part of the differences to them is that</p>
> <h2>Files</h2>
> <h2>head.h5</h2>
> <details><summary>Facts and tables</summary>
> <details><summary>Options</summary><div class="wide"><table>
> <h2>report.h5</h2>
> <details><summary>Facts and tables</summary>
> <details><summary>Calibration: samples by the confidence of their prediction, of 2 heads</summary>
> <details><summary>Each class, of 2 heads</summary>
> <details><summary>Options</summary><div class="wide"><table>
> <h2>How it was made</h2>
> 1
! figures: --found: is of a page; give --report
! figures: none.txt: cannot be opened: No such file or directory
! figures: none.txt: holds no line of text
? 65

# figures beside it, and those that need more are named
$ figures head.h5 report.h5 -o all --report run.html
+ grep -o '<p class="soft">No figure.*' run.html
> all: 4 figures in 8 files, 8 written
> run.html: a page of 2 files
> <p class="soft">No figure samples: needs --images.</p>

# tags close, nothing is fetched or run, pictures are whole, text is not markup; numbers are the file's
$ /usr/bin/python3 - <<'EOF'
+ import base64, h5py, html.parser, re
+ class Page(html.parser.HTMLParser):
+     void, open, images, text = {'meta', 'img', 'br'}, [], [], ''
+     def handle_starttag(self, tag, attrs):
+         if tag not in self.void: self.open.append(tag)
+         assert tag not in ('script', 'link', 'iframe', 'b'), tag
+         for name, value in attrs:
+             if name == 'src': self.images.append(value)
+             if name == 'href': assert value.startswith('#')
+     def handle_endtag(self, tag): assert self.open.pop() == tag, tag
+     def handle_data(self, data): self.text += data
+ page = Page()
+ page.feed(open('run.html').read())
+ assert not page.open
+ print(len(page.images), 'pictures')
+ for image in page.images:
+     assert base64.b64decode(image.split('base64,')[1]) in [re.sub(b'\n<desc>.*</desc>', b'', open('all/%s.svg' % n, 'rb').read()) for n in ('curves', 'circuit', 'confusion', 'calibration')]
+ print(page.text.count('note: a <b>note</b> & "more"'))
+ report = h5py.File('report.h5')
+ assert re.search(r'log loss\s*%.4f' % report.attrs['log_loss'], page.text)
+ bounds = lambda name: tuple(report.attrs[name + end] for end in ('', '_low', '_high'))
+ assert 'report.h5: accuracy %.4f (95 %% over samples %.4f to %.4f) over 2 heads, on 360 samples' % bounds('accuracy') in page.text
+ for name in ('twin', 'frozen', 'none'):
+     of = bounds('minus_' + name)
+     words = '(the same with each of 2 seeds: no interval)' if of[2] - of[1] < 1e-12 else '(95 %% %+.4f to %+.4f, paired over 2 seeds)' % of[1:]
+     assert re.search(r'circuit - %s\s*%s' % (name, re.escape('%+.4f ' % of[0] + words)), page.text), page.text
+ assert not re.search('accuracy low|minus (twin|frozen|none)|top k k|controls/', page.text)
+ for row in report['per_class'][1]:
+     for value in row: assert ('%.4f' if value % 1 else '%.0f') % value in page.text
+ head = h5py.File('head.h5')
+ best = [head['history/val_accuracy'][r, e] for r, e in enumerate(head['replicas/best_epoch'][:])]
+ for value in best: assert '%.4f' % value in page.text
+ assert '2 heads, 2 epochs, val accuracy %.4f (%.4f to %.4f)' % (sum(best) / 2, min(best), max(best)) in page.text
+ assert 'Each head on the test samples' in page.text and page.text.count('Evaluation of heads') == 3
+ EOF
> 4 pictures
> 1

# what is no page stays
$ echo mine >notes.html; figures head.h5 --report notes.html; cat notes.html
> mine
! figures: notes.html: was not written by ketline; give another name, or --force to replace it

$ figures head.h5 --report head.h5
! figures: head.h5: is an input; give another name
? 2

$ figures head.h5 --report there/run.html
! figures: there/run.html: its folder does not exist; make it first
? 74

# the tables of a page, by their captions
$ cat > page.py <<'EOF'
+ import html.parser
+ class Page(html.parser.HTMLParser):
+     caption, tag = '', ''
+     def __init__(self, file):
+         super().__init__()
+         self.tables = {}
+         self.feed(open(file).read())
+     def handle_starttag(self, tag, attrs):
+         self.tag = tag
+         if tag == 'h3': self.caption = ''
+         if tag == 'table': self.rows = self.tables.setdefault(self.caption, [])
+         if tag == 'tr': self.rows.append([])
+         if tag in ('th', 'td'): self.rows[-1].append('')
+     def handle_data(self, data):
+         if self.tag == 'h3': self.caption += data
+         if self.tag in ('th', 'td'): self.rows[-1][-1] += data
+     def handle_endtag(self, tag):
+         self.tag = ''
+         if tag == 'table': self.caption = ''
+ EOF

# a tournament's pairs in their order, with the file's numbers; rows have names or numbers; what is of devices stands apart from what is of pairs
$ tournament --synthetic 4 --rows 60 --bits 20 --only-bits -q -o bits.h5; tournament bits.h5 --null 20 -q -o t.h5
+ extract-features --qrng bits.h5 --reference -q -o b.h5; qtrain --qrng bits.h5 --model pairs --seeds 2 -q -o c.h5; qeval --qrng c.h5 bits.h5 -q -o r.h5
+ figures t.h5 b.h5 r.h5 --report q.html
+ /usr/bin/python3 - <<'EOF'
+ import h5py, page
+ written = lambda form, x: (form % x).lstrip('-') if float(form % x) == 0 else form % x # no minus before a zero
+ page = page.Page('q.html')
+ t, names = h5py.File('t.h5'), ['c0d0', 'c0d1', 'c1d2', 'c2d3']
+ rows = page.tables['Pairs, by the Jensen-Shannon divergence of their symbols'][1:]
+ js, found, composite = 2, list(t['scores'][:]).index(b'accuracy'), list(t['scores'][:]).index(b'composite')
+ assert t['divergences'][js] == b'js' and len(rows) == 6
+ for row, k in zip(rows, t['order'][:]):
+     a, b = t['pairs'][k]
+     want = [t['chi_square'][k], t['log10_p_holm'][k], t['divergence'][k, js], t['divergence_low'][k, js], t['divergence_high'][k, js],
+             t['row_accuracy'][k], t['score'][k, found], t['score_p_holm'][k, found], t['score'][k, composite], t['score_p'][k, composite]]
+     form = ['%.5g', '%.1f'] + ['%.3e'] * 3 + ['%.4f'] * 5
+     assert row == ['%s v %s' % (names[a], names[b])] + [written(f, x) for f, x in zip(form, want)], (row, want)
+ assert not [c for table in page.tables.values() for row in table for c in row if c.strip('0.') == '-' and c != '-']
+ stats, d = page.tables['Statistics of each device'], h5py.File('b.h5')['device_stats']
+ assert stats[0] == [''] + names and not [r for r in stats if r[0].endswith(' se')], stats[0]
+ assert ['symbol entropy'] + ['%.4f \xb1 %.4f' % x for x in zip(d['symbol_entropy'], d['symbol_entropy_se'])] in stats
+ assert [r[0] for r in page.tables['Pairs of devices']] == ['', 'c0d0 v c0d1', 'c0d0 v c1d2', 'c0d0 v c2d3', 'c0d1 v c1d2', 'c0d1 v c2d3', 'c1d2 v c2d3']
+ assert [r[0] for r in page.tables['Classifier by pairs of bits, each split']] == ['split', '0', '1']
+ assert sorted(r[0] for r in page.tables['As the published study has it'] if len(r) == 3) == [''] + names and len([r for r in page.tables['As the published study has it'] if ' v ' in r[0]]) == 6
+ EOF
> q.html: a page of 3 files

# the standards' tests: a verdict of each, beside the least of its p-values, and every estimate of entropy
$ tournament --synthetic 3 --rows 100 --bits 20 --source pairs --only-bits -q -o pairs.h5
+ for w in 1 2; do tournament --nist pairs.h5 --symbol-bits $w --permutations 0 -q -o n$w.h5; figures n$w.h5 --report n$w.html; done
+ /usr/bin/python3 - <<'EOF'
+ import h5py, numpy, page
+ for w in 1, 2:
+     tables = page.Page('n%d.html' % w).tables
+     f, cell = h5py.File('n%d.h5' % w), lambda x, form='%.4f': '-' if numpy.isnan(x) else '0.0000' if x == 0 and form == '%.4f' else '0.0' if -0.05 < x <= 0 and form == '%.1f' else ('%.1e' if abs(x) < 5e-5 and form == '%.4f' else form) % x
+     assert list(tables) == ['Facts', 'SP 800-22: least log10 p, after Holm', 'SP 800-90B, min-entropy: bits a bit' + ', bits a symbol' * (w > 1), 'SP 800-90B, independence, and bits that can be extracted', ''], list(tables)
+     tests, entropy, uses = list(tables.values())[1:4]
+     assert tests[0] == entropy[0] == ['', 'c0d0', 'c1d1', 'c2d2']
+     words, g = ['failed', 'passed', 'not applicable'], f['sp800_22']
+     for k, row in enumerate(tests[1:]):
+         p = [g['log10_p_holm'][d][g['test'][:] == k] for d in range(3)]
+         want = [c for d in range(3) for c in (words[g['verdict'][d, k]], cell(numpy.nan if g['verdict'][d, k] == 2 else numpy.nanmin(p[d]), '%.1f'))]
+         assert row == [g['test_names'][k].decode()] + want, (row, want)
+     for k, row in enumerate(entropy[1:-1]):
+         want = [cell(x[d, k]) for d in range(3) for x in (f['entropy/bit'], f['entropy/symbol'])[:w]]
+         assert row == [f['entropy/names'][k].decode()] + want, (row, want)
+     assert [c for c in entropy[-1][1:] if c] == [cell(x) for x in f['entropy/assessed'][:]]
+     assert uses[0] == tests[0] and [r[0] for r in uses[1:]] == ['independent, identically distributed', 'of a row alone', 'of each bit of long blocks']
+     assert uses[1][1:] == [['refuted', 'not refuted; not compared with permutations', 'all equal'][v] for v in f['iid/verdict'][:]]
+     for row, bits, form in (uses[2], f['extractable/row'][:], '%.0f'), (uses[3], f['extractable/bit'][:], '%.4f'):
+         assert row[1:] == [form % x for x in bits], (row, bits)
+     assert numpy.allclose(f['extractable/bit'][:], f['entropy/assessed'][:] / w)
+     print(sorted({c for row in tests for c in row} & set(words)))
+ EOF
> n1.html: a page of 1 file
> n2.html: a page of 1 file
> ['failed', 'not applicable', 'passed']
> ['failed', 'not applicable', 'passed']
$ for p in 100 2000; do tournament --nist pairs.h5 --permutations $p -q -o np.h5; figures np.h5 -q --report np.html; grep -o '>not refuted[^<]*' np.html | uniq; done
> >not refuted; 100 permutations are too few for a verdict, expected at least 2000
> >not refuted

# the first line is what the tool itself said at its end, of the file that the others lead to
$ told() { sed -nE '$!d; s/, [0-9.]+ s$//; s/&/\&amp;/g; p'; }
+ tournament bits.h5 --null 20 --force -o t.h5 | told >t.told; qgan bits.h5 -m 2 --epochs 2 -o g.h5 | told >g.told; circuit plateau --qubits 2-3 --layers 1 --draws 20 -o p.h5 | told >p.told
+ for f in t g p; do figures b.h5 $f.h5 -q --report one.html; sed -n 's:^<h1>\(.*\)</h1>$:\1:p; s:^<p class="lead">\(.*\)</p>$:\1:p' one.html; sed -n 's:^<p class="lead">\(.*\)</p>$:\1:p' one.html | diff $f.told -; done
> Devices against each other
> t.h5: 4 devices, 5 of 6 pairs differ by symbols, which depend on each other (Holm, 5 %); by held-out rows 20 permutations cannot tell
> Generators of device bits
> g.h5: 6 pairs, 4 generators, 3 no better than the uniform law
> Scan for barren plateaus
> p.h5: 2 observables, 2 circuits of 20 draws
! circuit: local does not depend on parameter 0 at 2 qubits, 1 layer (and 1 more of the grid): its variance is 0, which is no plateau; give another --parameter, or all
! circuit: global does not depend on parameter 0 at 3 qubits, 1 layer: its variance is 0, which is no plateau; give another --parameter, or all

# The head of another run beside a report is told, here and on the page; its own head, and features, are not.
$ qtrain test.h5 --epochs 1 --seed 9 --no-controls -q -o other.h5; figures head.h5 report.h5 test.h5 -q --report own.html; grep -c 'of two runs' own.html
+ figures other.h5 report.h5 test.h5 --report two.html; grep -o '<p class="caution">report.h5 is of the head' two.html
> 0
> two.html: a page of 3 files
> <p class="caution">report.h5 is of the head
! figures: report.h5 is of the head head.h5, other.h5 is another: these are of two runs
$ cp head.h5 kept.h5; cp other.h5 head.h5; figures head.h5 report.h5 -o two 2>&1 | sed 's/\b[0-9a-f]\{8\}\b/HEX8/g'; cp kept.h5 head.h5
> figures: report.h5 is of a head head.h5 of content HEX8, here it is HEX8: these are of two runs
> two: 4 figures in 8 files, 8 written

# Options of what is not drawn.
$ figures head.h5 --replica 1 -o fig
! figures: --replica: is of a report, and none of these files is one
? 2
$ figures head.h5 --images x -o fig
! figures: --images: is of a report, and none of these files is one
? 2
$ figures head.h5 --figure curves --format svg -o a.png
! figures: --format: is of a folder of figures; leave it out
? 2
$ figures head.h5 --figure curves --report x.html
! figures: --figure: is of -o; the page has all figures as they are
? 2
