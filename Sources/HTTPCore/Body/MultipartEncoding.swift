import HTTPFoundation

/// The bytes around the parts of a form.
enum MultipartEncoding {
    /// The delimiter and header lines of `part`.
    static func head(
        of part: MultipartBody.Part, boundary: String, isFirst: Bool, in kind: MultipartBody.Kind = .formData
    ) -> Data {
        var lines = (isFirst ? "--" : "\r\n--") + boundary + "\r\n"
        if kind == .formData {
            let name = MultipartText.escaped(MultipartText.normalized(part.name))
            lines += "Content-Disposition: form-data; name=\"\(name)\""
            if let filename = part.filename { lines += "; filename=\"\(MultipartText.escaped(filename))\"" }
            lines += "\r\n"
        }
        if let contentType = part.body.contentType, !part.headers.contains("Content-Type") {
            lines += "Content-Type: \(contentType)\r\n"
        }
        for field in part.headers { lines += "\(field.name): \(field.value)\r\n" }
        return Data(FieldOctets.octets(lines + "\r\n"))
    }

    /// The last delimiter.
    static func end(boundary: String, isEmpty: Bool) -> Data {
        Data(((isEmpty ? "--" : "\r\n--") + boundary + "--\r\n").utf8)
    }
}

extension MultipartBody {
    /// The number of bytes, if it is known before a file is opened.
    var count: Int64? { count(withParts: parts.map(\.body.length)) }

    func currentCount() throws(BodyProblem) -> Int64? { count(withParts: try currentLengths()) }

    private func currentLengths() throws(BodyProblem) -> [Int64?] {
        try parts.map { part throws(BodyProblem) in try part.body.currentCount() }
    }

    private func count(withParts lengths: [Int64?]) -> Int64? {
        var sum = Int64(MultipartEncoding.end(boundary: boundary, isEmpty: parts.isEmpty).count)
        for (index, part) in parts.enumerated() {
            let head = MultipartEncoding.head(of: part, boundary: boundary, isFirst: index == 0, in: kind)
            guard let length = lengths[index] else { return nil }
            let (total, isTooMuch) = sum.addingReportingOverflow(length)
            guard !isTooMuch, total <= .max - Int64(head.count) else { return nil }
            sum = total + Int64(head.count)
        }
        return sum
    }

    var defect: String? {
        if !MultipartText.isBoundary(boundary) {
            return "the boundary \(boundary.debugDescription) of the form is not one by RFC 2046 §5.1.1"
        }
        for part in parts {
            do throws(RequestValidation.Problem) {
                try RequestValidation.checkBody(part.body)
                for field in part.headers { try RequestValidation.checkHeader(field) }
            } catch { return "in the part \(part.name.debugDescription), \(error)" }
            guard kind != .formData || !part.headers.contains("Content-Disposition") else {
                return "in the part \(part.name.debugDescription), the header Content-Disposition is the form's to set:"
                    + " leave it out"
            }
        }
        return nil
    }

    /// The form for one exchange. Each part with an announced length is held to it. A file is opened when its turn
    /// comes, so that a form of many files takes one descriptor.
    func open() throws(BodyProblem) -> UploadStream {
        let lengths = try currentLengths()
        var pieces = MultipartPieces(self, lengths: lengths)
        return try UploadStream(length: count(withParts: lengths), BodySource { room in try pieces.give(into: room) })
    }
}

private struct MultipartPieces {
    private let form: MultipartBody
    private let lengths: [Int64?]
    private var next = 0
    private var isEndGiven = false
    private var head = Data()
    private var part: UploadStream?

    init(_ form: MultipartBody, lengths: [Int64?]) {
        self.form = form
        self.lengths = lengths
    }

    mutating func give(into room: UnsafeMutableRawBufferPointer) throws(BodyProblem) -> Int {
        while true {
            if !head.isEmpty {
                let count = min(head.count, room.count)
                head.copyBytes(to: room, count: count)
                head = head.dropFirst(count)
                return count
            }
            if let count = try part?.give(into: room), count > 0 { return count }
            part = nil
            guard try advance() else { return 0 }
        }
    }

    /// Moves to the next piece; false after the last.
    private mutating func advance() throws(BodyProblem) -> Bool {
        guard next < form.parts.count else {
            guard !isEndGiven else { return false }
            isEndGiven = true
            head = MultipartEncoding.end(boundary: form.boundary, isEmpty: form.parts.isEmpty)
            return true
        }
        let body = form.parts[next].body
        head = MultipartEncoding.head(
            of: form.parts[next], boundary: form.boundary, isFirst: next == 0, in: form.kind)
        let opened = try body.open()
        if case .file(let path) = body.content, let expected = lengths[next], let actual = opened.length,
            expected != actual
        {
            throw BodyProblem(.changedFile(expected: expected, actual: actual), path: path)
        }
        part = opened
        next += 1
        return true
    }
}
