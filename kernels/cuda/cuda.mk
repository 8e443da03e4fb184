# SPDX-License-Identifier: MIT
# What runs on a GPU: one shared library beside the tools, loaded when a GPU is asked for. nvcc is found in PATH or under
# /usr/local/cuda, or named: make cuda NVCC=...; without it there is no such library, and no difference elsewhere.
NVCC ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))
# Machine code for these, from PTX of the first one, which goes into the library too, for later GPUs: so the front half of
# the compiler, a third of the time, runs once. One is enough on one's own machine: CUDA_ARCHS=90.
CUDA_ARCHS ?= 80 86 89 90 100 120
CUDA_PTX = compute_$(firstword $(CUDA_ARCHS))
CUDA_CODE = $(foreach a,$(CUDA_ARCHS),-gencode arch=$(CUDA_PTX),code=sm_$(a)) -gencode arch=$(CUDA_PTX),code=$(CUDA_PTX)
# What the tools and the library must agree on: all bytes of the headers that both may read.
CUDA_VERSION := -DKL_CUDA_VERSION=$(shell cat kernels/*.h | cksum | cut -d' ' -f1)u
$(BUILD)/kernels/device.o: CFLAGS += $(CUDA_VERSION)
CUDA_OPT ?= -O3
CUDA_FLAGS = -std=c++17 $(CUDA_OPT) -I. -Ilib $(CUDA_VERSION) $(CUDNN_H:%/cudnn.h=-isystem %) $(if $(STRICT),-Werror all-warnings) -Xcompiler -Wall,-Wextra,$(if $(STRICT),-Werror$(comma))-fPIC,-fvisibility=hidden
# Features in other precisions than fp32 need cuDNN: cudnn.h here, its libraries when they run. Without it the library says so.
# CUDNN_HOME=DIR names it.
PYTHON_CUDNN = lib/python3*/site-packages/nvidia/cudnn
CUDNN_H := $(firstword $(wildcard $(CUDNN_HOME:%=%/include/cudnn.h) $(NVCC:%/bin/nvcc=%/include/cudnn.h) /usr/include/cudnn.h \
  $(foreach d,$(VIRTUAL_ENV) $(CONDA_PREFIX) $(KETLINE_PYTHON:%/bin/python=%),$d/$(PYTHON_CUDNN)/include/cudnn.h)))
WITH_CUDNN := $(patsubst %,kernels/cuda/%.cu,cudnn cudnn_conv convs_cudnn)
CUDA_ALL := $(filter-out kernels/cuda/convs_no_cudnn.cu,$(wildcard kernels/cuda/*.cu))
CUDA_SOURCES := $(if $(CUDNN_H),$(CUDA_ALL),$(filter-out $(WITH_CUDNN),$(CUDA_ALL)) kernels/cuda/convs_no_cudnn.cu)
# One folder a list of architectures, so that changing it rebuilds.
CUDA_BUILD = $(BUILD)/cuda/$(subst $(empty) $(empty),-,$(CUDA_ARCHS))
CUDA_OBJECTS = $(CUDA_SOURCES:%.cu=$(CUDA_BUILD)/%.o)
$(BUILD)/kernels/device.o $(patsubst %,%/kernels/cuda/library.o,$(CUDA_BUILD) $(BUILD)/emulated): $(wildcard kernels/*.h)

.PHONY: cuda cuda-needs-nvcc
## make cuda         what runs on a GPU, build/bin/libketline-cuda.so, with nvcc; CUDA_ARCHS=90 for one kind of card
cuda: cuda-needs-nvcc $(CUDA_BUILD)/libketline-cuda.so
	@mkdir -p $(BUILD)/bin
	@cmp -s $(CUDA_BUILD)/libketline-cuda.so $(BUILD)/bin/libketline-cuda.so || \
	    cp $(CUDA_BUILD)/libketline-cuda.so $(BUILD)/bin/libketline-cuda.so

cuda-needs-nvcc:
	@[ -n "$(NVCC)" ] || { echo "no nvcc in PATH or under /usr/local/cuda; name it: make cuda NVCC=/path/to/nvcc"; exit 2; }

$(BUILD)/cuda/%/libketline-cuda.so: $(CUDA_OBJECTS)
	$(call SAY,NVLD)
	$(Q)$(NVCC) $(CUDA_CODE) -shared -o $@ $^

$(CUDA_BUILD)/%.o: %.cu Makefile kernels/cuda/cuda.mk
	$(call SAY,NVCC)
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(CUDA_CODE) $(CUDA_FLAGS) -MMD -MP -c -o $@ $<

# The same sources for the CPU, over tests/cuda/emulated: what the tests run where there is no GPU.
CXX ?= g++
EMULATED_SAN ?= $(SAN)
EMULATED_OPT ?= -O2
# nvcc makes one rounding of a product and a sum, and so does g++ where the processor can.
EMULATED_FMA := -ffp-contract=fast $(shell grep -qsw fma /proc/cpuinfo && grep -qsw avx2 /proc/cpuinfo && echo -mavx2 -mfma)
EMULATED := $(CUDA_ALL:%.cu=$(BUILD)/emulated/%.o) \
  $(patsubst %,$(BUILD)/emulated/tests/cuda/emulated/%.o,device memory races runtime streams)
# Its cuDNN is a library of its own, as the real one is: tests find it by CUDNN_HOME=$(BUILD)/tests/cuda/cudnn.
EMULATED_CUDNN := $(BUILD)/tests/cuda/cudnn/lib/libcudnn.so.9
$(BUILD)/tests/cuda/libketline-cuda.so: $(EMULATED)
	$(call SAY,LD)
	@mkdir -p $(@D)
	$(Q)$(CXX) -shared -Wl,-soname,libketline-cuda.so,--wrap=malloc,--wrap=calloc $(SAN) -o $@ $^

# Races that are there to be found: tests/cuda-races.sh.
$(BUILD)/tests/cuda/races: $(BUILD)/emulated/tests/cuda/races.o $(BUILD)/tests/cuda/libketline-cuda.so
	$(call SAY,LD)
	$(Q)$(CXX) $(SAN) -o $@ $^ -Wl,-rpath,'$$ORIGIN'

# As it is where there is no cudnn.h.
$(BUILD)/tests/cuda/without-cudnn/libketline-cuda.so: $(filter-out $(WITH_CUDNN:%.cu=$(BUILD)/emulated/%.o),$(EMULATED)) \
  $(BUILD)/emulated/kernels/cuda/convs_no_cudnn.o
	$(call SAY,LD)
	@mkdir -p $(@D)
	$(Q)$(CXX) -shared -Wl,-soname,libketline-cuda.so,--wrap=malloc,--wrap=calloc,--no-undefined $(SAN) -o $@ $^

$(EMULATED_CUDNN): $(BUILD)/emulated/tests/cuda/emulated/cudnn.o $(BUILD)/tests/cuda/libketline-cuda.so
	$(call SAY,LD)
	@mkdir -p $(@D)
	$(Q)$(CXX) -shared $(SAN) -o $@ $^

$(BUILD)/emulated/%.o: %.cu Makefile kernels/cuda/cuda.mk
	$(call SAY,CXX)
	@mkdir -p $(@D)
	$(Q)$(CXX) -x c++ -std=c++17 $(EMULATED_OPT) $(EMULATED_FMA) $(DEBUG) -fPIC -Wall -Wextra $(if $(STRICT),-Werror) -Wno-unknown-pragmas -Itests/cuda/emulated -I. -Ilib \
	    $(CUDA_VERSION) $(SAN) -MMD -MP -c -o $@ $<

$(BUILD)/emulated/%.o: %.cpp Makefile kernels/cuda/cuda.mk
	$(call SAY,CXX)
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 -O3 $(DEBUG) -fPIC -Wall -Wextra $(if $(STRICT),-Werror) -Itests/cuda/emulated $(EMULATED_SAN) -MMD -MP -c -o $@ $<

-include $(CUDA_OBJECTS:.o=.d) $(EMULATED:.o=.d) $(BUILD)/emulated/tests/cuda/emulated/cudnn.d
