#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

import HTTPMockServer
import HTTPCore
import HTTPTesting

enum BodyTargets {
    static let all = [FuzzTarget("multipart", multipart), FuzzTarget("form", form)]

    private static let boundary = "----straightline-boundary-0123456789"

    /// Whatever the names and contents of the parts, the server receives the same parts.
    private static func multipart(_ input: FuzzInput) {
        let texts = input.parts(4)
        guard !texts.contains(where: { $0.utf8.contains(boundary.utf8) }) else { return }
        let form = MultipartBody(
            [
                .text(texts[0], texts[3]), .data(texts[1], Data(texts[3].utf8), filename: texts[2]),
                .data("last", Data(texts[0].utf8), contentType: "text/plain"),
            ], boundary: boundary)
        guard let bytes = sent(.multipart(form)) else { return require(false, "the form is not sent") }
        let count = RequestBody.multipart(form).length
        require(count == Int64(bytes.count), "\(bytes.count) bytes, and \(count ?? -1) were announced")
        guard let parts = MultipartForm.parts(bytes, boundary: boundary) else {
            return require(false, "no form: \(String(decoding: bytes, as: UTF8.self).debugDescription)")
        }
        require(parts.count == 3, "there are \(parts.count) parts")
        let normalized = String(texts[3].map { ["\r", "\n", "\r\n"].contains($0) ? "\r\n" : $0 })
        require(parts[0].body == Array(normalized.utf8), "the first part has another body")
        require(parts[1].body == Array(texts[3].utf8), "the second part has another body")
        require(parts[2].body == Array(texts[0].utf8), "the third part has another body")
        require(
            parts[0].lines.count == 1 && parts[1].lines.count == 2 && parts[2].lines.count == 2,
            "the heads are \(parts.map(\.lines))")
        for part in parts {
            require(
                part.lines[0].utf8.starts(with: "Content-Disposition: form-data; name=\"".utf8),
                "the head is \(part.lines)")
            let quotes = part.lines[0].utf8.count { $0 == UInt8(ascii: "\"") }
            require(quotes == (part.lines[0] == parts[1].lines[0] ? 4 : 2) || quotes == 2, "the head is \(part.lines)")
        }
    }

    private static func sent(_ body: RequestBody) -> [UInt8]? {
        guard var stream = try? body.open() else { return nil }
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 97)
        while !stream.isFinished {
            guard let count = room.withUnsafeMutableBytes({ try? stream.give(into: $0) }) else { return nil }
            bytes += room.prefix(count)
        }
        return bytes
    }

    private static func form(_ input: FuzzInput) {
        let texts = input.parts(2)
        let encoded = FormEncoding.encode([QueryItem(texts[0], texts[1]), QueryItem("end", "1")])
        require(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "encoded to \(encoded.debugDescription)")
        let items = FormText.items(encoded)
        require(
            items.count == 2 && areSame(items[0].name, texts[0]) && areSame(items[0].value ?? "", texts[1]),
            "read as \(items)")
        _ = FormText.items(input.text)
    }
}

/// A form as a server parses it.
private enum MultipartForm {
    struct Part {
        let lines: [String]
        let body: [UInt8]
    }

    static func parts(_ bytes: [UInt8], boundary: String) -> [Part]? {
        let first = Array("--\(boundary)\r\n".utf8)
        let between = Array("\r\n--\(boundary)".utf8)
        guard bytes.starts(with: first) else { return nil }
        var rest = bytes[first.count...]
        var parts: [Part] = []
        while let end = rest.firstRange(of: between)?.lowerBound {
            guard let part = part(rest[..<end]) else { return nil }
            parts.append(part)
            rest = rest[(end + between.count)...]
            if rest.elementsEqual("--\r\n".utf8) { return parts }
            guard rest.starts(with: [0x0D, 0x0A]) else { return nil }
            rest = rest.dropFirst(2)
        }
        return nil
    }

    private static func part(_ bytes: ArraySlice<UInt8>) -> Part? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).utf8.split(separator: 0x0A)
        return Part(lines: lines.map { String(Substring($0)) }, body: Array(bytes[end.upperBound...]))
    }
}
