# SPDX-License-Identifier: MIT
# The main job on the 1,797 digits of data/digits: make demo, or make -f pipelines/demo.mk [OUT=out/demo] [EPOCHS=100] [REPLICAS=5]
# Eight pixels become 28, the size that the default backbone was trained at.
NAME := demo
EPOCHS ?= 100
TRAIN = $(ROOT)data/digits/train-images-idx3-ubyte
TEST = $(ROOT)data/digits/test-images-idx3-ubyte
EXTRACT ?= --resize 28
QTRAIN ?= --batch-size 32 --epochs $(EPOCHS)
include $(dir $(lastword $(MAKEFILE_LIST)))hybrid.mk
