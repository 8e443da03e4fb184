# SPDX-License-Identifier: MIT
# make bundle: a folder that runs where nothing can be installed, as on a cluster: the tools, the libraries they need (the C library's
# own apart), what runs on a GPU if nvcc is here, its tests and benches. CUDA_ARCHS=90 makes it for one kind of card;
# BUNDLE_DATA= leaves out the 22 MB of backbone and digits, where the project's own data/ stands two folders above.
# BUNDLE_TOOLS names the tools, whose libraries come along. An old kind of rpath, which the libraries' own libraries follow too.
BUNDLE_DATA ?= data
BUNDLE_TOOLS ?= $(TOOLS)
BUNDLE := $(BUILD)/ketline-bundle
# What no tool is linked with and qseq loads.
LOADED = $(shell /sbin/ldconfig -p | awk '/libopenblas\.so\.0 .*x86-64/ { print $$NF; exit }')
BUNDLED_TESTS := $(patsubst tests/gpu/%.c,%,$(wildcard tests/gpu/*.c))
BUNDLED := $(BUNDLE_TOOLS:%=$(BUNDLE)/bin/%) $(BUNDLED_TESTS:%=$(BUNDLE)/tests/gpu/%) $(BUNDLE)/bench/gpu $(BUNDLE)/bench/gpu_features
.PHONY: bundle test-gpu bench-gpu

## make bundle       a folder of tools and libraries that runs where nothing is installed: build/ketline-bundle
bundle: $(BUNDLED) $(if $(NVCC),cuda)
	@rm -rf $(BUNDLE)/lib # of an earlier one: ldd would find its libraries here
	@mkdir -p $(BUNDLE)/lib $(BUNDLE)/share/ketline $(BUNDLE)/data
	@{ ldd $(BUNDLED) $(LOADED); printf 'x => %s\n' $(LOADED); } | awk '/=> \// { print $$3 }' | sort -u | \
	    grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|ld-linux[^/]*)\.so' | xargs -I{} install -m 644 {} $(BUNDLE)/lib
	@[ -z "$(NVCC)" ] || install -m 755 $(BUILD)/bin/libketline-cuda.so $(BUNDLE)/lib
	@[ -z "$(BUNDLE_DATA)" ] || { cp -r data/backbone $(BUNDLE)/share/ketline && cp -r data/digits $(BUNDLE)/data; }
	@install -m 755 packaging/bundle/test-gpu packaging/bundle/bench-gpu $(BUNDLE)/bin
	@install -m 644 packaging/bundle/gpu.inc $(BUNDLE)/bin
	@install -m 755 tests/bench/gpu_peer.py $(BUNDLE)/bench
	@tar -czf $(BUNDLE).tar.gz -C $(BUILD) ketline-bundle
	@du -sh $(BUNDLE) $(BUNDLE).tar.gz

RELINK = $(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) -s -Wl,--as-needed -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/$(1)' -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LDLIBS)
$(BUNDLE)/bin/%: $(BUILD)/tools/%.o $$(call needs,tools/$$*)
	$(call SAY,LD)
	$(call RELINK,../lib)
$(BUNDLE)/tests/gpu/%: $(BUILD)/tests/gpu/%.o $$(call needs,tests/gpu/$$*)
	$(call SAY,LD)
	$(call RELINK,../../lib)
$(BUNDLE)/bench/%: $(BUILD)/tests/bench/%.o $$(call needs,tests/bench/$$*)
	$(call SAY,LD)
	$(call RELINK,../lib)

GPU_HERE = BIN=$(BUILD)/bin TESTS=$(BUILD)/tests/gpu BENCH=$(BUILD)/bench DATA=data KETLINE_CUDA=$(abspath $(BUILD)/bin/libketline-cuda.so)
## make test-gpu     the kernels on this machine's GPU against its CPU (skipped: no GPU)
test-gpu: all $(BUNDLED_TESTS:%=$(BUILD)/tests/gpu/%) cuda
	@$(GPU_HERE) packaging/bundle/test-gpu $(SANITIZE)

## make bench-gpu    their speeds, beside the CPU's and PyTorch's: docs/benchmarks.md, and build/bench-gpu.json
bench-gpu: all $(BUILD)/bench/gpu $(BUILD)/bench/gpu_features cuda
	@cp tests/bench/gpu_peer.py $(BUILD)/bench/
	@$(GPU_HERE) KETLINE_PYTHON=$(KETLINE_PYTHON) packaging/bundle/bench-gpu $(BUILD)/bench-gpu.json; status=$$?; \
	    [ ! -e $(BUILD)/bench-gpu.json ] || tests/bench/gpu_table.sh $(BUILD)/bench-gpu.json; exit $$status
