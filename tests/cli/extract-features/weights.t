# Weights that are not weights, and a pickle that would run a command.
$ cp $DATA/digits/test-images-idx3-ubyte $DATA/digits/test-labels-idx1-ubyte .
+ python3 -c "import pickle,zipfile,os; E=type('E',(),{'__reduce__':lambda s:(os.system,('touch ran',))}); z=zipfile.ZipFile('evil.pth','w'); z.writestr('a/data.pkl',pickle.dumps(E(),2)); z.writestr('a/version','3')"

$ extract-features test-images-idx3-ubyte --resize 28 -w evil.pth -o x.h5; ls ran 2> /dev/null
! extract-features: evil.pth: the pickle in it is refused: it names posix.system, which no state dictionary of tensors needs (a whole model?); nothing was executed; in PyTorch: torch.save(model.state_dict(), FILE)
? 2

$ extract-features test-images-idx3-ubyte --resize 28 -w evil.pth -o x.h5 2> /dev/null
? 65

$ python3 -c "import pickle; pickle.dump({'a': 1}, open('old.pth', 'wb'), 2)"
+ extract-features test-images-idx3-ubyte --resize 28 -w old.pth -o x.h5
! extract-features: old.pth: in the old format of torch.save (before PyTorch 1.6), which is not read; load it in PyTorch and torch.save it again
? 65

$ head -c 100000 $DATA/backbone/resnet18-gray28-f16.safetensors > cut.safetensors
+ extract-features test-images-idx3-ubyte --resize 28 -w cut.safetensors -o x.h5 2>&1 |
+ sed 's/tensor [a-z0-9.]*/tensor ?/'
> extract-features: cut.safetensors: tensor ?: its data_offsets lie outside the file

$ cp $DATA/backbone/resnet18-gray28-f16.safetensors net-01234567.safetensors
+ extract-features test-images-idx3-ubyte --resize 28 -w net-01234567.safetensors -o x.h5
! extract-features: net-01234567.safetensors: its SHA-256 begins with 7a0a6e39, its name says 01234567; fetch it again
? 65

$ ls x.h5 2> /dev/null
? 2

# Weights of another network, which has all that a ResNet-18 has and more: refused before anything is taken, be
# it a finished file of this key. What cannot change the features is passed over, with a word.
$ cat > more.py <<'P'
+ import json, struct, sys
+ data = open(sys.argv[1], 'rb').read()
+ n = struct.unpack('<Q', data[:8])[0]
+ header, body = json.loads(data[8:8 + n]), data[8 + n:]
+ for name in sys.argv[3:]:
+     name, dtype, shape = (name.split(':') + ['F16', '1'])[:3]
+     header[name] = {'dtype': dtype, 'shape': [int(shape)], 'data_offsets': [len(body), len(body) + 2]}
+     body += b'\0\0'
+ text = json.dumps(header).encode()
+ open(sys.argv[2], 'wb').write(struct.pack('<Q', len(text)) + text + body)
+ P
+ w=$DATA/backbone/resnet18-gray28-f16.safetensors
+ python3 more.py $w resnet34.safetensors layer1.2.conv1.weight layer2.2.conv1.weight layer2.3.conv1.weight layer3.5.bn1.bias layer4.2.bn1.bias
+ python3 more.py $w bias.safetensors conv1.bias; python3 more.py $w late.safetensors layer4.0.se.fc1.weight; python3 more.py $w mask.safetensors fc.2.weight mask:BOOL:2

$ extract-features test-images-idx3-ubyte --limit 8 --resize 28 -w resnet34.safetensors -o x.h5
! extract-features: resnet34.safetensors: has layer1.2.conv1.weight, which a ResNet-18 has not (a ResNet-34?)
? 65
$ extract-features test-images-idx3-ubyte --limit 8 --resize 28 -w bias.safetensors -o x.h5 --key
! extract-features: bias.safetensors: has conv1.bias, which a ResNet-18 has not (convolutions with biases?)
? 65
$ extract-features test-images-idx3-ubyte --limit 8 --resize 28 -w late.safetensors -o x.h5
! extract-features: late.safetensors: has layer4.0.se.fc1.weight, which a ResNet-18 has not (with squeeze-excitation?)
? 65
$ same() { for f; do h5dump -d features $f.h5 | sed '/ATTRIBUTE/,$d' | tail -n +2 | cksum; done | uniq | wc -l; }
+ e="extract-features test-images-idx3-ubyte --limit 8 --resize 28 --labels none"
+ $e -q -o a.h5; $e -w mask.safetensors -o b.h5 | sed 's/,.*//'; same a b
+ $e -t layer3 -q -o c.h5; $e -t layer3 -w late.safetensors -q -o d.h5; same c d; same a c
> b.h5: 8 x 512 float32
> 1
> 1
> 2
! extract-features: mask.safetensors: 1 tensor of no ResNet-18 is not used (first: mask)
