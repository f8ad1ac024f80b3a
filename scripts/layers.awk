# The rules. Read after swift-code.awk, with Package.swift first, then every file under Sources, and the unit tests.
# The variable TABLE of the environment has a line a module: its name, and what it may import.

BEGIN {
    count = split(ENVIRON["TABLE"], lines, "\n")
    for (i = 1; i <= count; i++) {
        words = split(lines[i], word, " ")
        for (j = 1; j <= words; j++) may[word[1], word[j]] = j > 1
    }
    # Modules of the system or the toolchain. Any other would be a dependency.
    system_modules = " Android Bionic CryptoKit Darwin Dispatch Foundation FoundationEssentials FoundationNetworking" \
        " Glibc Musl Observation Security Synchronization os "
    # These start with a test's client or a server anyway. The last of them is where the others have it from.
    full = " HTTPTesting HTTPArchiving HTTPMockServer HTTPContract HTTPURLSession HTTPFoundation "
    edge = "(^|[^A-Za-z0-9_.])((Swift|Foundation|Dispatch)\\.)?"
}

function has(list, word) { return index(list, " " word " ") > 0 }

function report(line, rule, reason) {
    printf "%s:%d: [%s] %s\n", FILENAME, line, rule, reason
    status = 1
}

FNR == 1 { reset_code(); split(FILENAME, parts, "/"); module = parts[2] }
{ text = code($0) }

FILENAME == "Package.swift" {
    if (text ~ /\.package[ ]*\(/) report(FNR, "dependency", "the package has no package dependency")
    next
}

FILENAME ~ /^Tests\// {
    if (FILENAME !~ /\+Wire\.swift$/ && text ~ (edge "(import[ ]+([a-z]+[ ]+)?(HTTPMockServer|HTTPContract|HTTPURLSession)|(CurlTransport|URLSession|socket|socketpair)(\\.init)?[ ]*\\(" \
        "|(CurlTransport|URLSession)[ ]*=[ ]*\\.init)"))
        report(FNR, "wire", "a unit test opens no socket; a test that does is in a file whose name ends in +Wire.swift")
    next
}

text ~ /^[ \t]*#(if|elseif).*[^A-Za-z]os[ ]*\(/ && module != "HTTPCurl" {
    report(FNR, "platform", "#if os belongs in HTTPCurl; elsewhere ask canImport or keep the difference in one place")
}

text ~ /import[ \t]/ {
    count = split(text, statements, ";")
    for (number = 1; number <= count; number++) check_import(statements[number])
}

function check_import(text,    words, i, name) {
    gsub(/@[A-Za-z_]+(\([^()]*\))?/, "", text)
    if (text !~ /^[ \t]*([a-z]+[ \t]+)?import[ \t]/) return
    split(text, words, /[ \t]+/)
    for (i = 1; words[i] != "import"; i++) continue
    name = words[i + 1]
    if (has(" struct class enum protocol func var let typealias ", name)) name = words[i + 2]
    sub(/[.].*/, "", name)
    drawn[module, name] = 1
    if (!((module, module) in may)) report(FNR, "import", "Package.swift has no module " module)
    else if (!may[module, name] && !has(system_modules, name)) report(FNR, "import", module " may not import " name ": Package.swift does not draw it")
    if (name == "FoundationNetworking" && module != "HTTPURLSession")
        report(FNR, "networking", "FoundationNetworking adds 5 ms and 14 MB to a start; only HTTPURLSession may")
    if ((name == "Foundation" || name == "FoundationEssentials") && !has(full, module))
        report(FNR, "essentials", "import HTTPFoundation, which is FoundationEssentials where that exists")
}

# A program that only blocks links no thread of ours: adapters, tests and URLSession start them.
!has(" HTTPAsync HTTPFutures HTTPTesting HTTPMockServer HTTPContract HTTPURLSession ", module) && FILENAME !~ /\/DetachedThread\.swift$/ &&
text ~ (edge "(import Dispatch$|Thread[.(]|DetachedThread[.(]|pthread_create|thrd_create|DispatchQueue|DispatchWorkItem|OperationQueue" \
    "|Task(<([^<>]|<[^<>]*>)*>)?([ ]*[{(]|\\.(detached|immediate|init))|async[ ]+let[ ]|with[A-Za-z]*TaskGroup)") {
    report(FNR, "thread", module " starts no thread: it blocks the caller's")
}

# A subclass of Foundation's decoder has to repeat the conformance of that; it has no state of its own.
text ~ /@unchecked[ ]+Sendable|nonisolated\(unsafe\)/ && text !~ /: JSONDecoder, @unchecked Sendable/ && !has(" HTTPCurl HTTPURLSession ", module) {
    report(FNR, "unchecked", "shared state outside the transports lies behind a lock of Sources/HTTPSupport/Locked.swift")
}

text ~ (edge "(fatalError|preconditionFailure)[ ]*\\(") {
    report(FNR, "trap", "fatalError and preconditionFailure end the user's process; a failure is a value here")
}

END {
    for (pair in may) {
        split(pair, names, SUBSEP)
        if (!may[pair] || (pair in drawn)) continue
        printf "Package.swift:1: [drawn] %s does not import %s: take it out of the table\n", names[1], names[2]
        status = 1
    }
    exit status
}
