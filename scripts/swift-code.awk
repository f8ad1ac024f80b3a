# code(line): a line of Swift without its comments and without the text of its string literals; interpolated code stays.
# The state of multi-line strings and block comments is kept in `comment_depth` and `in_text`. Best effort: a regular
# expression literal with a quote in it would confuse it.

function reset_code() { comment_depth = 0; in_text = 0 }

function code(line,    out, i, c, two, end) {
    out = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        two = substr(line, i, 2)
        if (comment_depth > 0) {
            if (two == "*/") { comment_depth--; i++ } else if (two == "/*") { comment_depth++; i++ }
        } else if (in_text) {
            if (substr(line, i, 3) == "\"\"\"") { in_text = 0; i += 2; out = out "\"" }
            else if (two == "\\(") { end = interpolation_end(line, i); out = out interpolated(line, i, end); i = end }
            else if (c == "\\") i++
        } else if (two == "//") break
        else if (two == "/*") { comment_depth++; i++ }
        else if (substr(line, i, 3) == "\"\"\"") { in_text = 1; i += 2; out = out "\"" }
        else if (c == "\"") {
            out = out "\""
            for (i++; i <= length(line) && substr(line, i, 1) != "\""; i++) {
                if (substr(line, i, 2) == "\\(") {
                    end = interpolation_end(line, i)
                    out = out interpolated(line, i, end)
                    i = end
                } else if (substr(line, i, 1) == "\\") i++
            }
            out = out "\""
        } else out = out c
    }
    return out
}

# The code of the interpolation from `i`, at its backslash, to `end`, where it closes.
function interpolated(line, i, end,    outer, inner) {
    outer = in_text
    in_text = 0
    inner = code(substr(line, i + 1, end - i))
    in_text = outer
    return inner
}

function interpolation_end(line, i,    depth, c, quoted) {
    for (i++; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"") quoted = !quoted
        if (c == "(" && !quoted) depth++
        if (c == ")" && !quoted && --depth == 0) return i
    }
    return length(line)
}
