# Makes a program from the Swift blocks of a page: awk -v page=README.md -f document-code.awk prelude.swift page.md
#
# Imports and declarations of a block go to file level, and its statements into a function of the block. A comment
# before a block changes that:
#   <!-- continues -->          its statements continue the block before
#   <!-- not run: reason -->    it is compiled and not run
#   <!-- not compiled: reason -->
#   <!-- code in the last column -->   before a table: the code in the last cell of each row is a block

function flush_function() {
    if (body == "") return
    count++
    name = "block" count
    # A statement that awaits makes its block async, where blocking calls do not compile.
    functions = functions "func " name "()" (body ~ /(^|[^A-Za-z_])await[ (]/ ? " async" : "") " throws {\n" body "}\n\n"
    if (skip == "") calls = calls "        await run(\"" page ":" first_line "\") { " \
        (body ~ /(^|[^A-Za-z_])await[ (]/ ? "try await" : "try") " " name "() }\n"
    else skipped++
    body = ""
}

function depth_change(text,   copy, opened, closed) {
    copy = text
    gsub(/\\"/, "", copy)
    gsub(/"[^"]*"/, "", copy)
    sub(/\/\/.*/, "", copy)
    opened = gsub(/[({[]/, "", copy)
    closed = gsub(/[)}\]]/, "", copy)
    return opened - closed
}

function start_block(line) {
    # The destination of a line: "" for statements, "declaration" until its braces are closed.
    mode = ""
    depth = 0
    attribute = ""
    blocks++
    if (!continues) {
        flush_function()
        first_line = line
        skip = not_run
    }
    location = 0
}

function add(text, line) {
    if (depth == 0 && mode == "declaration" && text !~ /^[ \t]*[{.]/) mode = ""
    if (mode == "" && depth == 0 && text ~ /^[ \t]*$/) return
    if (depth == 0 && mode == "" && text ~ /^(public |package |private |fileprivate )?import /) {
        if (!(text in imports)) { imports[text]; import_lines = import_lines text "\n" }
        return
    }
    if (depth == 0 && text ~ /^@[A-Z][A-Za-z]*(\(.*\))?[ \t]*$/) { attribute = text "\n"; return }
    if (depth == 0 && mode == "" && (text ~ /^(@[A-Z][A-Za-z]*(\([^)]*\))? )?(public |package |private |fileprivate |final |static |nonisolated )*(struct|enum|extension|class|actor|protocol|func|typealias) /)) {
        mode = "declaration"
        declarations = declarations "#sourceLocation(file: \"" page "\", line: " line ")\n" attribute
        attribute = ""
    }
    if (mode == "declaration") declarations = declarations text "\n"
    else {
        if (body == "" || location != line) body = body "#sourceLocation(file: \"" page "\", line: " line ")\n"
        body = body attribute "    " text "\n"
        attribute = ""
        location = line + 1
    }
    depth += depth_change(text)
}

FNR == NR && FILENAME != ARGV[2] {
    if ($0 ~ /^(public |@testable )?import /) {
        if (!($0 in imports)) { imports[$0]; import_lines = import_lines $0 "\n" }
    } else prelude = prelude $0 "\n"
    next
}

/^<!-- continues -->/ { continues = 1; next }
/^<!-- not run: .* -->/ { not_run = $0; next }
/^<!-- not compiled: .* -->/ { not_compiled = 1; next }
/^<!-- code in the last column -->/ { in_table = 1; next }

in_table && /^\|/ {
    if ($0 ~ /^\|[-| ]*$/ || ++rows == 1) next
    cells = split($0, cell, /[ ]\|/)
    code = cell[cells - 1]
    gsub(/\\\|/, "|", code)
    not_run = "a line of a table"
    start_block(FNR)
    while (match(code, /`[^`]+`/)) {
        add(substr(code, RSTART + 1, RLENGTH - 2), FNR)
        code = substr(code, RSTART + RLENGTH)
    }
    flush_function()
    not_run = ""
    next
}
in_table && rows > 0 && !/^\|/ { in_table = 0; rows = 0 }

/^```swift[ \t]*$/ && !not_compiled { in_code = 1; start_block(FNR + 1); next }
/^```/ {
    if (in_code) { in_code = 0; continues = 0; not_run = "" }
    else if (!in_other) in_other = 1
    else in_other = 0
    not_compiled = 0
    next
}
in_code { add($0, FNR) }

END {
    flush_function()
    if (!("import Foundation" in imports)) import_lines = import_lines "import Foundation\n"
    printf "%s\n", import_lines
    printf "%s\n%s\n", prelude, declarations
    print functions
    if (functions declarations != "") print "#sourceLocation()"
    print "@main struct Page {"
    print "    @MainActor static func run(_ place: String, _ block: @MainActor () async throws -> Void) async {"
    print "        do { try await block() } catch { print(\"\\(place): \\(error)\"); failures += 1 }"
    print "    }"
    print "    @MainActor static var failures = 0"
    print "    @MainActor static func main() async {"
    printf "%s", calls
    print "        fflush(nil)\n        if failures > 0 { exit(1) }"
    print "    }"
    print "}"
    printf "%s: %d blocks compiled, %d run\n", page, blocks, count - skipped > "/dev/stderr"
}
