extension StubPath {
    /// The values of all named parts; nil if the URL does not match.
    package func captures(in request: any MatchedRequest) -> [String: String]? {
        let inHost = request.origin.map(captures(in:)) ?? (scheme == nil ? [:] : nil)
        guard let inHost, let inPath = captures(in: request.matchedPath) else { return nil }
        return inHost.merging(inPath) { $1 }
    }

    /// The values of the named parts of the path; nil if it does not match.
    func captures(in path: Substring) -> [String: String]? {
        var captures: [String: String] = [:]
        return Self.match(segments[...], Self.split(path)[...], &captures) ? captures : nil
    }

    /// The part of the pattern, from 0 to 1, that the start of a path matches.
    func likeness(to path: Substring) -> Double {
        let actual = Self.split(path)
        var ignored: [String: String] = [:]
        let alike = zip(segments, actual).count { segment, bytes in
            if case .pieces(let pieces) = segment { Self.isMatch(pieces, bytes[...], &ignored) } else { true }
        }
        return Double(alike) / Double(max(segments.count, actual.count, 1))
    }

    /// The same for the host.
    func captures(in origin: Origin) -> [String: String]? {
        guard let scheme, let authority else { return [:] }
        var captures: [String: String] = [:]
        let isTaken =
            scheme == origin.scheme.rawValue
            && Self.isMatch(authority, Array(origin.authority.lowercased().utf8)[...], &captures)
        return isTaken ? captures : nil
    }

    /// Segments, percent-decoded: an encoded slash is no separator.
    private static func split(_ path: Substring) -> [[UInt8]] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { Array((PercentEncoding.decode($0) ?? String($0)).utf8) }
    }

    private static func match(
        _ segments: ArraySlice<Segment>, _ path: ArraySlice<[UInt8]>, _ captures: inout [String: String]
    ) -> Bool {
        guard let first = segments.first else { return path.isEmpty }
        let rest = segments.dropFirst()
        switch first {
        case .any:
            return (path.startIndex...path.endIndex).contains { match(rest, path[$0...], &captures) }
        case .pieces(let pieces):
            guard let segment = path.first, isMatch(pieces, segment[...], &captures) else { return false }
            return match(rest, path.dropFirst(), &captures)
        }
    }

    private static func isMatch(
        _ pieces: [Piece], _ bytes: ArraySlice<UInt8>, _ captures: inout [String: String]
    ) -> Bool {
        match(pieces[...], bytes, &captures) ?? false
    }

    /// A named part or `*` has at least one byte. Nil if one ends nowhere: from further on it would not either, so that those
    /// before it need not be longer, and the time does not grow exponentially with their number.
    private static func match(
        _ pieces: ArraySlice<Piece>, _ bytes: ArraySlice<UInt8>, _ captures: inout [String: String]
    ) -> Bool? {
        guard let first = pieces.first else { return bytes.isEmpty }
        let rest = pieces.dropFirst()
        if case .literal(let literal) = first {
            return bytes.starts(with: literal) ? match(rest, bytes.dropFirst(literal.count), &captures) : false
        }
        for end in bytes.indices {
            guard let isMatch = match(rest, bytes[(end + 1)...], &captures) else { return nil }
            guard isMatch else { continue }
            if case .capture(let name) = first { captures[name] = String(decoding: bytes[...end], as: UTF8.self) }
            return true
        }
        return nil
    }
}
