# One page of HTML that needs nothing beside it.
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 -q -o test.h5
+ qtrain test.h5 --epochs 2 --replicas 2 --note 'a <b>note</b> & "more"' -q -o head.h5 >/dev/null
+ qeval head.h5 test.h5 -q -o report.h5

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
+     assert base64.b64decode(image.split('base64,')[1]) in [open('all/%s.svg' % n, 'rb').read() for n in ('curves', 'circuit', 'confusion', 'calibration')]
+ print(page.text.count('note: a <b>note</b> & "more"'))
+ report = h5py.File('report.h5')
+ assert re.search(r'log loss\s*%.6g' % report.attrs['log_loss'], page.text)
+ for name in ('accuracy', 'minus_twin'):
+     bounds = tuple(report.attrs[name + end] for end in ('', '_low', '_high'))
+     assert re.search(name.replace('_', ' ') + r'\s*%.6g \(%.6g to %.6g\)' % bounds, page.text), page.text
+ assert 'accuracy low' not in page.text
+ for row in report['per_class'][1]:
+     for value in row: assert '%.6g' % value in page.text
+ for value in h5py.File('head.h5')['history/val_accuracy'][:].max(axis=1): assert '%.6g' % value in page.text
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
+ page = page.Page('q.html')
+ t, names = h5py.File('t.h5'), ['c0d0', 'c0d1', 'c1d2', 'c2d3']
+ rows = page.tables['pairs, most distinguishable first'][1:]
+ js, found, composite = 2, list(t['scores'][:]).index(b'accuracy'), list(t['scores'][:]).index(b'composite')
+ assert t['divergences'][js] == b'js' and len(rows) == 6
+ for row, k in zip(rows, t['order'][:]):
+     a, b = t['pairs'][k]
+     want = [t['chi_square'][k], t['log10_p_holm'][k], t['divergence'][k, js], t['divergence_low'][k, js], t['divergence_high'][k, js],
+             t['row_accuracy'][k], t['score'][k, found], t['score_p_holm'][k, found], t['score'][k, composite], t['score_p'][k, composite]]
+     assert row == ['%s v %s' % (names[a], names[b])] + ['%.6g' % x for x in want], (row, want)
+ stats = page.tables['device stats']
+ assert stats[0] == [''] + names and ['symbol entropy se'] == [r[0] for r in stats if r[0] == 'symbol entropy se'], stats[0]
+ assert [r[0] for r in page.tables['pairs']] == ['', 'c0d0 v c0d1', 'c0d0 v c1d2', 'c0d0 v c2d3', 'c0d1 v c1d2', 'c0d1 v c2d3', 'c1d2 v c2d3', '', '0', '1']
+ assert sorted(r[0] for r in page.tables['reference'] if len(r) == 3) == [''] + names and len([r for r in page.tables['reference'] if ' v ' in r[0]]) == 6
+ EOF
> q.html: a page of 3 files

# the standards' tests: a verdict of each, beside the least of its p-values, and every estimate of entropy
$ tournament --synthetic 3 --rows 100 --bits 20 --source pairs --only-bits -q -o pairs.h5
+ for w in 1 2; do tournament --nist pairs.h5 --symbol-bits $w --permutations 0 -q -o n$w.h5; figures n$w.h5 --report n$w.html; done
+ /usr/bin/python3 - <<'EOF'
+ import h5py, numpy, page
+ for w in 1, 2:
+     tables = page.Page('n%d.html' % w).tables
+     f, cell = h5py.File('n%d.h5' % w), lambda x: '-' if numpy.isnan(x) else '%.6g' % x
+     assert list(tables) == ['', 'SP 800-22, the first sequence: log10 p after Holm', 'SP 800-90B, min-entropy: bits a bit' + ', bits a symbol' * (w > 1)], list(tables)
+     tests, entropy = list(tables.values())[1:]
+     assert tests[0] == entropy[0] == ['', 'c0d0', 'c1d1', 'c2d2']
+     words, g = ['failed', 'passed', 'not applicable'], f['sp800_22']
+     for k, row in enumerate(tests[1:]):
+         p = [g['log10_p_holm'][d][g['test'][:] == k] for d in range(3)]
+         want = [c for d in range(3) for c in (words[g['verdict'][d, k]], cell(numpy.nan if g['verdict'][d, k] == 2 else numpy.nanmin(p[d])))]
+         assert row == [g['test_names'][k].decode()] + want, (row, want)
+     for k, row in enumerate(entropy[1:-1]):
+         want = [cell(x[d, k]) for d in range(3) for x in (f['entropy/bit'], f['entropy/symbol'])[:w]]
+         assert row == [f['entropy/names'][k].decode()] + want, (row, want)
+     assert [c for c in entropy[-1][1:] if c] == [cell(x) for x in f['entropy/assessed'][:]]
+     print(sorted({c for row in tests for c in row} & set(words)))
+ EOF
> n1.html: a page of 1 file
> n2.html: a page of 1 file
> ['failed', 'not applicable', 'passed']
> ['failed', 'not applicable', 'passed']
