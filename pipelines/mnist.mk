# SPDX-License-Identifier: MIT
# The reference's job, MNIST: 60,000 + 10,000 images.
#   make -f pipelines/mnist.mk [MNIST=DIR] [WEIGHTS=imagenet|FILE] [OUT=out/mnist] [EPOCHS=15] [REPLICAS=5]
# MNIST: a folder with the four .gz files; without it they are fetched by curl into out/mnist-data, and their digests checked.
# WEIGHTS=imagenet: torchvision's ResNet-18 trained on ImageNet, as the reference; fetched once, digest checked.
NAME := mnist$(if $(WEIGHTS),-$(basename $(notdir $(WEIGHTS))))
EPOCHS ?= 15
MNIST ?= out/mnist-data
MNIST_FROM ?= https://ossci-datasets.s3.amazonaws.com/mnist
TRAIN := $(MNIST)/train-images-idx3-ubyte.gz
TEST := $(MNIST)/t10k-images-idx3-ubyte.gz
IMAGENET := out/weights/resnet18-f37072fd.pth
IMAGENET_FROM ?= https://download.pytorch.org/models/resnet18-f37072fd.pth
WEIGHTS_FILE := $(if $(filter imagenet,$(WEIGHTS)),$(IMAGENET),$(WEIGHTS))
EXTRACT ?= $(if $(WEIGHTS),--weights $(WEIGHTS_FILE))
QTRAIN ?= --epochs $(EPOCHS)
include $(dir $(lastword $(MAKEFILE_LIST)))hybrid.mk

$(OUT)/train.h5 $(OUT)/test.h5: $(WEIGHTS_FILE)
$(OUT)/train.h5: $(MNIST)/train-labels-idx1-ubyte.gz
$(OUT)/test.h5: $(MNIST)/t10k-labels-idx1-ubyte.gz

SHA_train-images-idx3-ubyte.gz := 440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609
SHA_train-labels-idx1-ubyte.gz := 3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c
SHA_t10k-images-idx3-ubyte.gz := 8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6
SHA_t10k-labels-idx1-ubyte.gz := f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6
# Fetched under another name; a wrong digest leaves nothing behind. A folder that the user names is only read.
$(MNIST)/%.gz:
	@[ '$(origin MNIST)' = file ] || { [ -d '$(MNIST)' ] && why='has no $(@F)' || why='no such folder'; \
	    echo "MNIST=$(MNIST): $$why; leave MNIST away to fetch the four files" >&2; exit 66; }
	@mkdir -p $(@D)
	curl -fL --retry 3 -o $@.tmp $(MNIST_FROM)/$(@F)
	echo "$(SHA_$(@F))  $@.tmp" | sha256sum -c --quiet || { rm -f $@.tmp; exit 65; }
	mv $@.tmp $@

# torchvision writes the digest's first eight digits into the name; extract-features checks them again.
$(IMAGENET):
	@mkdir -p $(@D)
	curl -fL --retry 3 -o $@.tmp $(IMAGENET_FROM)
	[ "$$(sha256sum < $@.tmp | cut -c 1-8)" = f37072fd ] || { echo "$@: wrong digest" >&2; rm -f $@.tmp; exit 65; }
	mv $@.tmp $@
