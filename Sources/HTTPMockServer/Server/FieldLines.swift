import HTTPTesting

/// Iterates over lines that end in CR LF, up to an empty one.
struct LineCursor {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next line without its ending.
    mutating func next() throws(MalformedRequest) -> ArraySlice<UInt8> {
        guard let newline = bytes.firstIndex(of: 0x0A, in: position..<bytes.count) else {
            throw MalformedRequest(reason: "line without an end")
        }
        guard newline > position, bytes[newline - 1] == 0x0D else {
            throw MalformedRequest(reason: "line ends in LF without CR")
        }
        defer { position = newline + 1 }
        return bytes[position..<(newline - 1)]
    }
}

extension HTTPHeaders {
    /// Reads field lines up to the empty line (RFC 9112 §5).
    init(readingFrom lines: inout LineCursor) throws(MalformedRequest) {
        var fields: [Field] = []
        while true {
            let line = try lines.next()
            if line.isEmpty { break }
            fields.append(try Field(parsing: line))
        }
        self.init(fields)
    }

    /// Whether the list-based field `name` contains `token`, letters compared without case.
    func hasToken(_ token: String, in name: String) -> Bool {
        contains { field in
            guard field.isNamed(name) else { return false }
            return field.value.lowercased().split(separator: ",").contains { ASCII.trimmed($0) == token }
        }
    }
}

extension HTTPHeaders.Field {
    fileprivate init(parsing line: ArraySlice<UInt8>) throws(MalformedRequest) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw MalformedRequest(reason: "field line without a colon: \(Self.name(in: line))")
        }
        let name = line[..<colon]
        guard name.withUnsafeBufferPointer(ASCII.isToken) else {
            throw MalformedRequest(reason: "field name is not a token: \(Self.name(in: line))")
        }
        let value = line[(colon + 1)...].trimmed
        guard value.withUnsafeBufferPointer(ASCII.isFreeOfControls) else {
            throw MalformedRequest(reason: "control character in the value of \(name.text)")
        }
        self.init(name: name.text, octets: value)
    }

    /// What looks like its name: the rest may be a secret.
    private static func name(in line: ArraySlice<UInt8>) -> String { line.prefix(while: ASCII.isTokenByte).text }
}
