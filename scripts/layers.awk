# The rules. Read after swift-code.awk, with Package.swift first, then every file under Sources, and the unit tests.

BEGIN {
    # Dependencies point in one direction. Only HTTPCurl knows the engine.
    may["HTTPCore"] = " "
    may["HTTPCurl"] = " CLibcurl HTTPCore "
    may["HTTPAsync"] = " HTTPCore "
    may["HTTPFutures"] = " HTTPAsync HTTPCore "
    may["HTTPTesting"] = " HTTPCore "
    may["HTTPMockServer"] = " HTTPCore HTTPTesting "
    may["HTTPURLSession"] = " HTTPCore "
    may["HTTPXML"] = " HTTPCore "
    # Modules of the system or the toolchain. Any other would be a dependency.
    system_modules = " Android Bionic CryptoKit Darwin Dispatch Foundation FoundationEssentials FoundationNetworking FoundationXML" \
        " Glibc Musl Observation Security Synchronization os "
    lean = " HTTPCore HTTPCurl HTTPAsync HTTPFutures "
    edge = "(^|[^A-Za-z0-9_.])"
    status = 0
}

function has(list, word) { return index(list, " " word " ") > 0 }

function report(line, rule, reason) {
    printf "%s:%d: [%s] %s\n", FILENAME, line, rule, reason
    status = 1
}

function finish_file() {
    if (last_file !~ /^Sources/) return
    # Doc comments of public symbols do not count: a file with more of them is no harder to read.
    if (lines > 300) printf "%s:%d: [length] %d lines; split it: one concept a file\n", last_file, beyond, lines
    if (lines > 300) status = 1
}

FNR == 1 {
    finish_file()
    reset_code()
    depth = 0
    lines = 0
    split(FILENAME, parts, "/")
    module = parts[2]
    in_engine = module == "HTTPCurl"
    is_core = module == "HTTPCore" || in_engine
}

{
    last_file = FILENAME
    if ($0 !~ /^[ \t]*\/\/\/ / && ++lines == 301) beyond = FNR
    text = code($0)
}

FILENAME == "Package.swift" {
    if (text ~ /\.package[ ]*\(/) report(FNR, "dependency", "the package has no package dependency")
    next
}

# Unit tests: those of these targets, except the files whose names end in +Wire.swift.
FILENAME ~ /^Tests\// {
    if (FILENAME !~ /\+Wire\.swift$/ && text ~ (edge "(import[ ]+(HTTPMockServer|HTTPURLSession)|(CurlTransport|URLSession|socket|socketpair)[ ]*\\()")) {
        report(FNR, "wire", "a unit test opens no socket; a test that does is in a file whose name ends in +Wire.swift")
    }
    next
}

# The conditions around a line, so that an import in an #else is recognized.
text ~ /^[ \t]*#if/ { condition[++depth] = text; branch[depth] = "if" }
text ~ /^[ \t]*#else/ { branch[depth] = "else" }
text ~ /^[ \t]*#endif/ { if (depth > 0) depth-- }

text ~ /^[ \t]*#(if|elseif).*[^A-Za-z]os[ ]*\(/ && !in_engine {
    report(FNR, "platform", "#if os belongs in HTTPCurl; elsewhere ask canImport or keep the difference in one place")
}

text ~ /(^|[ \t])import[ \t]/ && text !~ /[{}()]/ { check_import() }

function check_import(    words, count, i, name) {
    count = split(text, words, /[ \t]+/)
    for (i = 1; i <= count && words[i] != "import"; i++) continue
    name = words[i + 1]
    if (has(" struct class enum protocol func var let typealias ", name)) name = words[i + 2]
    sub(/[.;].*/, "", name)
    if (name == module) return
    if (!(module in may)) report(FNR, "import", "scripts/layers.awk has no rules for the module " module)
    else if (!has(may[module], name) && !has(system_modules, name)) {
        report(FNR, "import", module " may not import " name)
    }
    if (name == "FoundationNetworking" && module != "HTTPURLSession") {
        report(FNR, "networking", "FoundationNetworking adds 5 ms and 14 MB to a start; only HTTPURLSession may")
    }
    if (name == "Foundation" && has(lean, module) && !in_else_of_essentials()) {
        report(FNR, "essentials", "import Foundation only in the #else of #if canImport(FoundationEssentials)")
    }
    if (name == "Dispatch" && is_core) {
        report(FNR, "thread", "HTTPCore starts no thread: it blocks the caller's")
    }
}

function in_else_of_essentials(    i) {
    for (i = 1; i <= depth; i++) {
        if (condition[i] ~ /^[ \t]*#if[ ]+canImport\(FoundationEssentials\)[ ]*$/ && branch[i] == "else") return 1
    }
    return 0
}

is_core && FILENAME !~ /\/DetachedThread\.swift$/ && text ~ (edge "(Thread[.(]|DetachedThread[.(]|pthread_create|thrd_create|DispatchQueue|DispatchWorkItem" \
    "|Task[ ]*[{(]|Task\\.(detached|init)|Task<[^>]*>[ ]*[{(]|async[ ]+let[ ]|with[A-Za-z]*TaskGroup)") {
    report(FNR, "thread", "HTTPCore starts no thread: it blocks the caller's")
}

# A subclass of Foundation's decoder has to repeat the conformance of that; it has no state of its own.
text ~ /@unchecked[ ]+Sendable|nonisolated\(unsafe\)/ && text !~ /: JSONDecoder, @unchecked Sendable/ && !in_engine && module != "HTTPURLSession" {
    report(FNR, "unchecked", "shared state outside the transports lies behind a lock of Sources/HTTPCore/Support/Locked.swift")
}

text ~ (edge "try!") { report(FNR, "trap", "try! ends the user's process; a failure is a value here") }
text ~ (edge "as!") { report(FNR, "trap", "as! ends the user's process; a failure is a value here") }
text ~ (edge "(fatalError|preconditionFailure)[ ]*\\(") {
    report(FNR, "trap", "fatalError and preconditionFailure end the user's process; a failure is a value here")
}
{
    unwrapped = text
    gsub(/(try|as)!/, "", unwrapped)
    if (unwrapped ~ /[A-Za-z0-9_)}"`]!([^=]|$)/ || unwrapped ~ /[]?]!([^=]|$)/) {
        report(FNR, "unwrap", "a forced unwrap ends the user's process; bind it or make the case impossible")
    }
}

END {
    finish_file()
    exit status
}
