import Foundation
@testable import HTTPXML

#if canImport(FoundationXML)
import FoundationXML
#endif

enum XMLTargets {
    static let all = [FuzzTarget("xml", xml)]

    /// What is accepted reads the same when written again, any type can be decoded from it, and the system's parser finds the
    /// same in it. That also accepts documents that are cut off, so what is refused is not compared.
    private static func xml(_ input: FuzzInput) {
        guard let root = try? DocumentParser.root(of: Data(input.bytes), charset: nil) else { return }
        _ = try? XMLBodyDecoder().decode(Anything.self, from: Data(input.bytes))
        let written = text(of: root)
        guard let again = try? DocumentParser.root(of: Data(written.utf8), charset: "utf-8") else {
            return require(false, "what it wrote is not read: \(written.debugDescription)")
        }
        require(text(of: again) == written, "read as \(text(of: again).debugDescription) again")
        guard SystemDocument.isComparable(input) else { return }
        let system = SystemDocument(Data(input.bytes))
        require(system.refusal == nil, "the system's parser refuses it: \(system.refusal ?? "")")
        require(outline(of: root) == system.outline, "\(outline(of: root)), and not \(system.outline)")
    }

    private static func text(of element: DocumentElement) -> String {
        let attributes = element.attributes.map { " \($0.name.qualified)=\"\(escaped($0.value))\"" }.joined()
        let children = element.children.map(text).joined()
        let name = element.name.qualified
        return "<\(name)\(attributes)>\(escaped(element.text))\(children)</\(name)>"
    }

    private static func escaped(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.flatMap { scalar in
                    "<&>\"'\r\n\t".unicodeScalars.contains(scalar)
                        ? Array("&#\(scalar.value);".unicodeScalars) : [scalar]
                }))
    }

    private static func outline(of element: DocumentElement) -> [String] {
        let attributes = element.attributes.map { "\($0.name.qualified)=\($0.value)" }.sorted()
        return [element.name.qualified] + attributes + element.children.flatMap(outline) + ["/\(element.text)"]
    }
}

/// Decodes whatever an element contains.
private struct Anything: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        _ = try? decoder.singleValueContainer().decode(String.self)
        _ = try? decoder.singleValueContainer().decode(Double.self)
        _ = try? decoder.singleValueContainer().decode(Date.self)
        _ = try? decoder.singleValueContainer().decode(Data.self)
        // Each level is decoded twice below.
        guard decoder.codingPath.count < 8, let keyed = try? decoder.container(keyedBy: Key.self) else { return }
        for key in keyed.allKeys.prefix(8) {
            _ = try? keyed.decode([Anything].self, forKey: key)
            _ = try? keyed.decodeIfPresent(Bool.self, forKey: key)
        }
    }
}

/// A document as the system's parser reads it.
private final class SystemDocument: NSObject, XMLParserDelegate {
    private(set) var outline: [String] = []
    private(set) var refusal: String?
    private var texts: [String] = []

    /// Not what the two are known to read in different ways: document types, declarations, other characters than those
    /// of ASCII, and names with colons.
    static func isComparable(_ input: FuzzInput) -> Bool {
        let text = input.text
        return input.bytes.count < 1024 && input.bytes.allSatisfy { (1..<0x80).contains($0) }
            && !["<!D", "<?", ":", "xmlns"].contains(where: text.contains)
    }

    init(_ document: Data) {
        super.init()
        let parser = XMLParser(data: document)
        parser.delegate = self
        let isRead = parser.parse()
        refusal = parser.parserError.map { "\($0)" } ?? (isRead ? nil : "for no reason")
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        outline += [name] + attributes.map { "\($0)=\($1)" }.sorted()
        texts.append("")
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        outline.append("/\(texts.popLast() ?? "")")
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { texts[texts.count - 1] += text }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        texts[texts.count - 1] += String(decoding: block, as: UTF8.self)
    }
}
