# CI runs the same commands as people: `.ci/run` consists of these.

# Further arguments for each `swift build`, `swift test` and `swift run`: make test FLAGS="-j 2"
FLAGS ?=

# `check` makes warnings errors. Its flags need other build products, which in .build would replace those of `swift build`,
# `swift test` and an editor, and vice versa; a separate directory keeps both. Only `check` is that strict: a new warning
# of a newer compiler must not prevent a build or a test.
#
# STRICT=1 makes a command use the build of `check`, and with it everything is built once: that is how CI runs them.
# It has no debug information, which takes a seventh of the compiler's time.
AS_ERRORS = -Xswiftc -warnings-as-errors -Xcc -Werror -Xswiftc -gnone
BUILD = .build
ifdef STRICT
BUILD = .build/check
override FLAGS += --scratch-path $(BUILD) $(AS_ERRORS)
endif

# A proxy of the environment is not for the servers that these commands start.
comma := ,
direct := $(or $(no_proxy),$(NO_PROXY))
export no_proxy := $(if $(direct),$(direct)$(comma))127.0.0.1,localhost,::1

LINTED = $(wildcard Sources Tests Benchmarks Integrations Snippets Package.swift)

# There are two kinds of tests. Those of these targets open no socket, except in files whose names end in +Wire.swift;
# `scripts/layers` checks this. All others may.
UNIT = HTTP(Support|Message|Core|Engine|Policies|Caching|Transfers|Observability|Async|Futures|Testing|Archiving|XML)Tests\.

# The suites that try all of their inputs only in `make soak`, besides those that run for long.
SOAKED = HTTP(Curl|Transport|URLSession|Caching|Async|Futures|Testing|Archiving)Tests\.(EngineURL|TrustMatrix|ClaimedVersion|CacheExit|TransportContract|IdlePool|CacheStages|MemoryCacheStore|PolicyDrivers|RefreshSlot|LongChain|Circle|Simulation|SimulatedArchive)Tests

.PHONY: help demo demo-all test unit wire docs sanitize faults parity integration integrations examples libcurl fuzz soak mutants nightly check bench bench-peers bench-adoption

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## /make \1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-17s %s\n", $$1, $$2 }'

demo: ## what it is about, on one screen; the build goes to .build/demo.log
	@scripts/setup
	@mkdir -p $(BUILD); printf 'building, which takes minutes the first time (%s)\n' $(BUILD)/demo.log >&2
	@swift build $(FLAGS) --product Demo >$(BUILD)/demo.log 2>&1 || { cat $(BUILD)/demo.log >&2; exit 1; }
	@$(BUILD)/debug/Demo

demo-all: ## build and run every program in Snippets
	@scripts/setup
	@for file in Snippets/*.swift; do \
		name=$$(basename "$$file" .swift); \
		printf '\n=== %s\n' "$$name"; \
		swift run $(FLAGS) "$$name" || exit 1; \
	done

test: ## run all tests, and the code of README and the articles
	@scripts/setup test
	swift build --build-tests $(FLAGS)
	@nice scripts/document-code --build $(BUILD) >$(BUILD)/documents.log 2>&1 & documents=$$! status=0; trap 'kill $$documents' INT TERM; \
	scripts/test --skip-build $(FLAGS) || status=$$?; \
	wait $$documents || status=$$?; cat $(BUILD)/documents.log; exit $$status

unit: ## run the tests that open no socket
	@scripts/setup
	scripts/test $(FLAGS) --filter '^$(UNIT)' --skip '\+Wire\.swift'

wire: ## run the tests that open sockets
	@scripts/setup test
	scripts/test $(FLAGS) --filter '^(?!$(UNIT))|\+Wire\.swift'

docs: ## build the documentation as a site; warnings and broken links fail
	@scripts/setup
	scripts/docs

sanitize: ## adapters under the thread sanitizer, transports under the address one
	@scripts/setup test
	STRAIGHTLINE_SANITIZED=thread TSAN_OPTIONS="suppressions='$(CURDIR)/Tests/thread-sanitizer.suppressions'" \
		swift test $(FLAGS) --no-parallel --sanitize=thread --scratch-path .build/thread --filter 'HTTPAsyncTests|HTTPFuturesTests'
	STRAIGHTLINE_SANITIZED=address ASAN_OPTIONS=detect_leaks=0 \
		swift test $(FLAGS) --no-parallel --sanitize=address --scratch-path .build/address --filter HTTPTransportTests

faults: ## every fault by every style of call; writes docs/faults.md; ONLY="a bomb" some
	@scripts/setup test
	STRAIGHTLINE_FAULTS=1 $(if $(ONLY),STRAIGHTLINE_FAULTS_ONLY='$(ONLY)') swift test $(FLAGS) -c release -Xswiftc -enable-testing \
		--filter 'HTTPTransportTests\.FaultMatrixTests'

parity: ## the transport contract on both engines; writes docs/parity.md
	@scripts/setup test
	STRAIGHTLINE_PARITY=1 STRAIGHTLINE_SOAK=1 swift test $(FLAGS) --filter 'HTTPURLSessionTests\.ParityTests'

integration: ## beside httpbin, nginx, squid, and from a package outside
	@scripts/setup integration
	scripts/beside $(BUILD) Tests/Outside own-partsPackageTests.xctest test $(FLAGS)
	@FLAGS="$(FLAGS)" scripts/httpbin
	@FLAGS="$(FLAGS)" scripts/validate-har
	@FLAGS="$(FLAGS)" scripts/validate-otlp
	@FLAGS="$(FLAGS)" scripts/cache-suite
	STRAIGHTLINE_PARTS=1 swift test $(FLAGS) --filter 'HTTPTransportTests\.CallPartsTests'

integrations: ## the packages of Integrations, against those that they join
	@scripts/setup
	scripts/integrations $(BUILD) $(FLAGS)

examples: ## the programs of Integrations/Examples; they compile a web server, so it takes minutes
	@scripts/setup
	@# Packages from elsewhere are not held to STRICT.
	@FLAGS="$(if $(STRICT),,$(FLAGS))" scripts/examples

libcurl: ## the engine's tests over another libcurl: Debian's backport, or LIBRARY=<folder>
	@scripts/setup test
	swift build --build-tests $(FLAGS)
	scripts/libcurl $(BUILD) '$(or $(ONLY),HTTP(Curl|Transport)Tests\.|ContractTests/.CurlTransport)' '$(LIBRARY)' $(FLAGS)

fuzz: ## made-up bytes for every reader; SECONDS=10 or MINUTES=60 each; ONLY=url one
	@scripts/setup
	@scripts/fuzz $(if $(MINUTES),$$(($(MINUTES) * 60)),$(or $(SECONDS),10)) $(ONLY)

soak: ## endurance at full length, and all inputs of what otherwise tries some
	@scripts/setup test
	STRAIGHTLINE_SOAK=1 swift test $(FLAGS) --filter 'HTTPCurlTests\.EnduranceTests'
	STRAIGHTLINE_SOAK=1 swift test $(FLAGS) --filter 'HTTPTransportTests\..*EnduranceTests'
	STRAIGHTLINE_SOAK=1 swift test $(FLAGS) --no-parallel --filter '$(SOAKED)'
	STRAIGHTLINE_SOAK=1 swift test $(FLAGS) -c release -Xswiftc -enable-testing --filter 'HTTPCachingTests\.CacheModelTests|HTTPTestingTests\.SimulatedPoliciesTests'

mutants: ## change the code in small ways, list what no test notices; ONLY=Cache
	@scripts/setup test
	@scripts/setup python
	@FLAGS="$(FLAGS)" scripts/mutants $(if $(ONLY),--only '$(ONLY)')

nightly: ## what is too long for each change: faults, parity, libcurl, sanitize, soak, mutants, examples
	@$(MAKE) --no-print-directory faults parity libcurl sanitize soak mutants examples

check: ## lint, layers, public API, no warnings, what must not compile, platforms
	@scripts/setup
	swift format lint --strict --parallel -r $(LINTED)
	scripts/record-age
	scripts/layers --self-test
	scripts/layers
	scripts/api
	swift build --build-tests --scratch-path .build/check $(FLAGS) $(AS_ERRORS)
	scripts/beside .build/check Benchmarks straightline-bench build $(FLAGS) $(AS_ERRORS)
	scripts/compile-fixtures .build/check
	scripts/document-code --build .build/check
	scripts/platforms --self-test

bench: ## ratios to bare floors; ONLY=futures one section; RECORD=1 keeps them
	@scripts/setup $(if $(filter-out building adapters futures cache trials,$(or $(ONLY),sequential)),bench,build)
	@FLAGS="$(FLAGS)" RECORD="$(RECORD)" ONLY="$(ONLY)" PEERS="$(PEERS)" scripts/bench

bench-peers: ## the same with other libraries and languages beside
	@$(MAKE) --no-print-directory bench PEERS=1

bench-adoption: ## clean build, size and start of a program with one GET, beside others
	@scripts/setup python
	@FLAGS="$(FLAGS)" scripts/adoption $(if $(RECORD),--record)
