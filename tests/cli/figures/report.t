# One page of HTML that needs nothing beside it.
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 -q -o test.h5
+ qtrain test.h5 --epochs 2 --replicas 2 --note 'a <b>note</b> & "more"' -q -o head.h5 >/dev/null
+ qeval head.h5 test.h5 -q -o report.h5

$ figures head.h5 report.h5 test.h5 --report run.html
> run.html: a page of 3 files

$ figures head.h5 report.h5 test.h5 --report run.html
> run.html: up to date

$ figures report.h5 --report run.html --json
> {"output":"","figures":0,"written":0,"report":"run.html","report_written":true}

# figures beside it, and those that need more are named
$ figures head.h5 report.h5 -o all --report run.html
+ grep -o '<p class="soft">No figure.*' run.html
> all: 8 figures, 8 written
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
