import HTTPEngine
import HTTPCore
import HTTPCurl

enum HeadTargets {
    static let all = [
        FuzzTarget("head", head), FuzzTarget("trailers", trailers), FuzzTarget("request", request),
        FuzzTarget("chunks", chunks),
    ]

    private static func head(_ input: FuzzInput) {
        guard let head = input.bytes.withUnsafeBufferPointer({ try? ResponseHead($0) }) else { return }
        check(head)
    }

    /// A head can be written and parsed again.
    private static func check(_ head: ResponseHead) {
        require((100...999).contains(head.status.rawValue), "the status is \(head.status)")
        require(head.contentLength ?? 0 >= 0, "the length is negative")
        check(head.headers)
        let start = "HTTP/\(head.version.major).\(head.version.minor) \(head.status) \(head.reason)\r\n"
        let written = Array(start.utf8) + written(head.headers) + Array("\r\n".utf8)
        let again = written.withUnsafeBufferPointer { try? ResponseHead($0) }
        require(
            again.map { isSame($0, head) } == true, "\(shown(head)) is read as \(again.map(shown) ?? "nothing")")
    }

    private static func check(_ headers: HTTPHeaders) {
        for field in headers {
            require(ASCII.isToken(field.name), "the name \(field.name.debugDescription)")
            require(
                !field.value.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D },
                "the value \(field.value.debugDescription)")
            require(
                areSame(ASCII.trimmed(field.value[...]), field.value), "blanks around \(field.value.debugDescription)")
        }
    }

    /// As the octets that go out.
    private static func written(_ headers: HTTPHeaders) -> [UInt8] {
        headers.flatMap { Array("\($0.name): ".utf8) + $0.octets + Array("\r\n".utf8) }
    }

    private static func shown(_ head: ResponseHead) -> String {
        "\(head.version.major).\(head.version.minor) \(head.status) \(head.reason)\n\(head.headers)"
    }

    private static func isSame(_ one: ResponseHead, _ other: ResponseHead) -> Bool {
        one.version == other.version && one.status == other.status && areSame(one.reason, other.reason)
            && one.headers.elementsEqual(other.headers) && one.contentLength == other.contentLength
            && one.isEncoded == other.isEncoded
    }

    private static func trailers(_ input: FuzzInput) {
        guard let headers = fields(input.bytes) else { return }
        check(headers)
        let again = fields(written(headers))
        require(again?.elementsEqual(headers) == true, "\(headers) is read as something else")
        for (index, line) in headers.description.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where index < headers.count {
            require(line.utf8.starts(with: headers[index].name.utf8), "\(line) is not field \(index)")
        }
    }

    private static func fields(_ bytes: [UInt8]) -> HTTPHeaders? {
        bytes.withUnsafeBufferPointer { bytes in
            var lines = HeadLines(bytes)
            return try? FieldLines.parse(&lines)
        }
    }

    /// Whatever a program puts into a request, it cannot add a line.
    private static func request(_ input: FuzzInput) {
        let parts = input.parts(3)
        let fields = parts[2].split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
        var draft = MutableRequest(HTTPMethod(rawValue: parts[0]), "https://host.example/")
        draft.headers.append(parts[1], for: fields[0])
        for value in fields.dropFirst() { draft.headers.append(value, for: parts[1]) }
        guard let request = try? Request(draft) else { return }
        require(ASCII.isToken(request.method.rawValue), "the method is \(request.method.rawValue.debugDescription)")
        for line in CurlHeaderLines.lines(for: request.headers, isPost: true, userAgent: "agent") {
            require(!line.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }, "the line \(line.debugDescription)")
            let name = line.utf8.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ";") }
            require(ASCII.isToken(Substring(name)), "the line \(line.debugDescription)")
        }
    }

    /// The size in the first line is read as digits only, and an error in it does not depend on the pieces.
    private static func chunks(_ input: FuzzInput) {
        let problems = input.cuts.map { pieces in
            var reader = ChunkReader()
            for piece in pieces {
                let problem = piece.withUnsafeBytes { bytes in
                    var rest = bytes
                    do throws(ResponseHead.Violation) {
                        while try reader.next(in: &rest) != nil {}
                        return ""
                    } catch { return error.reason }
                }
                if !problem.isEmpty { return problem }
            }
            return ""
        }
        for problem in problems {
            require(problem == problems[0], "it says \(problem) or \(problems[0]), as the pieces come")
        }
        guard let end = input.bytes.firstIndex(of: 0x0A) else { return }
        let size = input.bytes[..<end].prefix { $0 != UInt8(ascii: ";") && $0 != 0x0D }
        let digits = Substring(decoding: size, as: UTF8.self).utf8.prefix { $0 != 0x20 && $0 != 0x09 }
        let isSize = !digits.isEmpty && digits.allSatisfy(ASCII.isHexDigit)
        require(isSize || !problems[0].isEmpty, "the size \(size) is taken")
    }
}
