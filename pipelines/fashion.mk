# SPDX-License-Identifier: MIT
# The main job on Fashion-MNIST, 60,000 + 10,000 images of Debian's package dataset-fashion-mnist:
#   make -f pipelines/fashion.mk [FASHION=DIR] [OUT=out/fashion] [EPOCHS=15] [REPLICAS=5]
NAME := fashion
EPOCHS ?= 15
FASHION ?= /usr/share/datasets/fashion-mnist
TRAIN := $(FASHION)/train-images-idx3-ubyte.gz
TEST := $(FASHION)/t10k-images-idx3-ubyte.gz
EXTRACT ?=
QTRAIN ?= --epochs $(EPOCHS)
include $(dir $(lastword $(MAKEFILE_LIST)))hybrid.mk

$(TRAIN) $(TEST):
	@echo "$@ is not there: apt-get install dataset-fashion-mnist, or give FASHION=DIR" >&2; exit 66
