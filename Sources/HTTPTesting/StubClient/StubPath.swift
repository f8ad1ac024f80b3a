/// The URL pattern of a route: origin, path and required query items.
///
/// `/users/{id}` matches any segment for `{id}`, `/files/{name}.json` a part of one. `*` does the same without a name,
/// and `**` matches any number of segments, including none. Segments are compared percent-decoded.
package struct StubPath: Sendable {
    enum Segment: Sendable, Hashable {
        case pieces([Piece])
        /// `**`
        case any
    }

    enum Piece: Sendable, Hashable {
        case literal([UInt8])
        case capture(String)
        /// `*`
        case any
    }

    package struct Problem: Error {
        package let reason: String
    }

    /// As written, behind its base.
    let text: String
    /// The same without origin and query.
    let pathText: String
    /// `https`, if the pattern is a whole URL.
    let scheme: String?
    /// Host and port, in lower case, without a default port.
    let authority: [Piece]?
    let authorityText: String
    let segments: [Segment]
    let query: [QueryItem]

    package init(_ pattern: String, base: String?) throws(Problem) {
        text = Self.join(base, pattern)
        var rest = text[...]
        if Self.isURL(text), let mark = rest.firstRange(of: "://") {
            let scheme = rest[..<mark.lowerBound].lowercased()
            let authority = rest[mark.upperBound...].prefix { $0 != "/" && $0 != "?" }
            rest = rest[authority.endIndex...]
            let defaultPort = scheme == "https" ? ":443" : ":80"
            let lowercased = Self.inALabels(authority.lowercased())
            let portCount = lowercased.hasSuffix(defaultPort) ? defaultPort.count : 0
            authorityText = String(lowercased.dropLast(portCount))
            self.scheme = scheme
            // The names of parts keep their case.
            let named = lowercased.contains("{") ? authority.dropLast(portCount) : authorityText[...]
            self.authority = try Self.pieces(named).map { piece in
                guard case .literal(let bytes) = piece else { return piece }
                return .literal(Array(String(decoding: bytes, as: UTF8.self).lowercased().utf8))
            }
        } else {
            scheme = nil
            authority = nil
            authorityText = ""
        }
        let path = rest.prefix { $0 != "?" }
        pathText = path.isEmpty ? "/" : String(path)
        query = FormText.items(rest[path.endIndex...].dropFirst())
        segments = try pathText.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { segment throws(Problem) in segment == "**" ? .any : .pieces(try Self.pieces(segment)) }
        try checkNames()
    }

    /// The host of a request is ASCII. A pattern with wildcards is not converted: they stand for A-labels.
    private static func inALabels(_ authority: String) -> String {
        guard !authority.utf8.contains(where: { "*{}".utf8.contains($0) }) else { return authority }
        let host = authority.prefix { $0 != ":" }
        guard !host.utf8.allSatisfy({ $0 < 0x80 }) else { return authority }
        return Origin(scheme: .http, host: String(host)).host + authority[host.endIndex...]
    }

    /// A pattern without a leading slash is a path as well.
    private static func join(_ base: String?, _ pattern: String) -> String {
        if isURL(pattern) { return pattern }
        let path = pattern.hasPrefix("/") ? pattern : "/" + pattern
        guard let base else { return path }
        return (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
    }

    private static func isURL(_ text: String) -> Bool {
        ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
    }

    private static func pieces(_ text: Substring) throws(Problem) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text
        while let first = rest.first {
            switch first {
            case "*":
                pieces.append(.any)
                rest.removeFirst()
            case "{":
                guard let end = rest.firstIndex(of: "}") else { throw Problem(reason: "a { without a }") }
                pieces.append(.capture(String(rest[..<end].dropFirst())))
                rest = rest[rest.index(after: end)...]
            case "}": throw Problem(reason: "a } without a {")
            default:
                let literal = rest.prefix { !"*{}".contains($0) }
                guard let decoded = PercentEncoding.decode(literal) else {
                    throw Problem(reason: "a percent sign that starts no escape")
                }
                pieces.append(.literal(Array(decoded.utf8)))
                rest = rest[literal.endIndex...]
            }
        }
        return pieces
    }

    private func checkNames() throws(Problem) {
        var names: Set<String> = []
        let inPath = segments.map { segment -> [Piece] in if case .pieces(let pieces) = segment { pieces } else { [] } }
        for pieces in inPath + [authority ?? []] {
            for case .capture(let name) in pieces where name.isEmpty || !names.insert(name).inserted {
                throw Problem(reason: name.isEmpty ? "a {} without a name" : "the name {\(name)} twice")
            }
        }
    }
}
