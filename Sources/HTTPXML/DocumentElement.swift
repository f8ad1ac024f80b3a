import HTTPCore

#if canImport(FoundationXML)
import FoundationXML
import Foundation
#else
import Foundation
#endif

/// An element of a document and its contents. Names have no prefixes.
struct DocumentElement: Sendable {
    let name: String
    let attributes: [String: String]
    var children: [DocumentElement] = []
    /// The text directly inside it.
    var text = ""

    func children(named name: String) -> [DocumentElement] { children.filter { $0.name == name } }

    /// Whether it is marked as having no value (`xsi:nil`), or is empty.
    var isNil: Bool {
        attributes["nil"].map { $0 == "true" || $0 == "1" } ?? (children.isEmpty && text.isEmpty && attributes.isEmpty)
    }
}

extension DocumentElement {
    /// The deepest nesting allowed; the parser's own limit is 256 on some systems.
    static let depthLimit = 200

    /// The root of the document in `bytes`. External references are not fetched.
    static func root(of bytes: Data) throws(XMLProblem) -> DocumentElement {
        let builder = TreeBuilder()
        let parser = XMLParser(data: bytes)
        parser.shouldResolveExternalEntities = false
        parser.delegate = builder
        let isRead = parser.parse()
        let line = parser.lineNumber
        if let problem = builder.problem { throw XMLProblem("\(problem) in line \(line)") }
        // `parse` returns true for some broken documents, too.
        guard isRead, parser.parserError == nil, let root = builder.root else {
            throw XMLProblem("broken XML in line \(line)")
        }
        return root
    }
}

/// Why a document cannot be read.
struct XMLProblem: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Builds a tree from what the parser reports, on the thread that parses.
private final class TreeBuilder: NSObject, XMLParserDelegate {
    private(set) var root: DocumentElement?
    private(set) var problem: String?
    private var open: [DocumentElement] = []

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI _: String?, qualifiedName _: String?,
        attributes: [String: String]
    ) {
        guard open.count < DocumentElement.depthLimit else {
            problem = "more than \(DocumentElement.depthLimit) nested elements"
            return parser.abortParsing()
        }
        let attributes = Dictionary(attributes.map { (Self.localName($0.key), $0.value) }) { first, _ in first }
        open.append(DocumentElement(name: Self.localName(name), attributes: attributes))
    }

    func parser(_: XMLParser, foundCharacters characters: String) {
        guard !open.isEmpty else { return }
        open[open.count - 1].text += characters
    }

    func parser(_: XMLParser, foundCDATA block: Data) {
        guard !open.isEmpty else { return }
        open[open.count - 1].text += String(decoding: block, as: UTF8.self)
    }

    func parser(_: XMLParser, didEndElement _: String, namespaceURI _: String?, qualifiedName _: String?) {
        guard let element = open.popLast() else { return }
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }

    private static func localName(_ name: String) -> String {
        name.split(separator: ":").last.map(String.init) ?? name
    }
}
