# Weights that are not weights, and a pickle that would run a command.
~ /the largest pixel of|occur more than once/d
% need python3
$ cp $DATA/digits/test-images-idx3-ubyte $DATA/digits/test-labels-idx1-ubyte .
+ python3 -c "import pickle,zipfile,os; E=type('E',(),{'__reduce__':lambda s:(os.system,('touch ran',))}); z=zipfile.ZipFile('evil.pth','w'); z.writestr('a/data.pkl',pickle.dumps(E(),2)); z.writestr('a/version','3')"

$ extract-features test-images-idx3-ubyte --resize 28 -w evil.pth -o x.h5; ls ran 2> /dev/null
! extract-features: evil.pth: the pickle in it is refused: it names posix.system, which no state dictionary of tensors needs; nothing was executed
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
