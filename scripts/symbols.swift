// Reads the symbol graphs that the toolchain makes of a built module, and writes the parts that the package needs:
//
//   symbols reduce <graphs> <module>…          leaves each module, the lower ones first, what it does not only re-export, and
//                                              tells overloads of a protocol's requirements from their implementations
//   symbols api <graphs> <module> <file>       writes the public declarations of a module, one a line, sorted
//   symbols undocumented <graphs> <module>     prints its public declarations without a doc comment, one a line
//   symbols links <site> <name>                fails if a page of a site of docc refers to one that is not there, or
//                                              groups some of its members and leaves out others
//
// scripts/symbol-graphs makes the graphs; scripts/api and scripts/docs use both.
import Foundation

struct Graph: Decodable {
    let symbols: [Symbol]
    let relationships: [Relationship]
    /// Those of types of other modules of the package, which `reduce` puts beside.
    let conformances: [Relationship]?
}

struct Relationship: Decodable {
    let kind: String
    let source: String
    let target: String
    let targetFallback: String?
    let sourcePath: String?
    let swiftConstraints: [Symbol.Constraint]?
    let sourceOrigin: Origin?

    struct Origin: Decodable { let identifier: String }
}

struct Symbol: Decodable {
    let kind: Kind
    let identifier: Identifier
    let pathComponents: [String]
    let docComment: Comment?
    let declarationFragments: [Fragment]?
    let swiftExtension: Extension?
    let location: Location?

    struct Kind: Decodable { let identifier: String }
    struct Identifier: Decodable { let precise: String }
    struct Comment: Decodable { let lines: [Line] }
    struct Line: Decodable { let text: String }
    struct Fragment: Decodable { let spelling: String }
    struct Location: Decodable { let uri: String, position: Position }
    struct Position: Decodable { let line: Int }
    struct Extension: Decodable { let extendedModule: String?, constraints: [Constraint]? }
    struct Constraint: Decodable { let kind: String, lhs: String, rhs: String }

    /// A comment must begin with a sentence. A mere list of parameters does not say what the symbol is.
    var isDocumented: Bool {
        let first = docComment?.lines.first { !$0.text.allSatisfy(\.isWhitespace) }
        return first.map { !$0.text.hasPrefix("- ") } ?? false
    }

    /// `extension … where …` is not part of a member's own declaration.
    var condition: String {
        let words = (swiftExtension?.constraints ?? []).map(\.words).sorted()
        return words.isEmpty ? "" : "  [where \(words.joined(separator: ", "))]"
    }

    var declaration: String {
        let text = (declarationFragments ?? []).map(\.spelling).joined()
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The declaration as another module sees it: the graph does not say that a setter is not public, the source does.
    func visibleDeclaration(_ sources: inout Sources) -> String {
        guard kind.identifier.hasSuffix("roperty"), let location, sources.hasHiddenSetter(location) else {
            return declaration
        }
        return declaration.replacing(" { get set }", with: "") + " { get }"
    }

    var path: String { pathComponents.joined(separator: ".") }
}

extension Symbol.Constraint {
    var words: String { "\(lhs) \(kind == "sameType" ? "==" : ":") \(rhs)" }
}

/// The lines of the files that symbols are in.
struct Sources {
    private var files: [String: [Substring]] = [:]

    /// Whether the declaration has a setter of less access than the property.
    mutating func hasHiddenSetter(_ location: Symbol.Location) -> Bool {
        if files[location.uri] == nil {
            let text = URL(string: location.uri).flatMap { try? String(contentsOf: $0, encoding: .utf8) } ?? ""
            files[location.uri] = text.split(separator: "\n", omittingEmptySubsequences: false)
        }
        guard let lines = files[location.uri], lines.indices.contains(location.position.line) else { return false }
        return ["package(set)", "internal(set)", "fileprivate(set)", "private(set)"]
            .contains { lines[location.position.line].contains($0) }
    }
}

/// A module's own graph and those of its extensions to other modules.
func load(_ directory: String, _ module: String) throws -> [Graph] {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    return try names.filter { $0 == "\(module).symbols.json" || $0.hasPrefix("\(module)@") }.map { name in
        let url = URL(filePath: directory).appending(path: name)
        return try JSONDecoder().decode(Graph.self, from: Data(contentsOf: url))
    }
}

/// The marker protocols that the compiler derives.
let derived: Set<String> = [
    "Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype", "Swift.BitwiseCopyable",
]

func declarations(_ graphs: [Graph]) -> String {
    let symbols = graphs.flatMap(\.symbols)
    let own = Dictionary(symbols.map { ($0.identifier.precise, $0) }, uniquingKeysWith: { first, _ in first })
    let relations = graphs.flatMap(\.relationships)
    // The name of a type of another module stands only beside its members.
    let others = Dictionary(
        relations.filter { $0.kind == "memberOf" }.map { ($0.target, $0.targetFallback ?? $0.target) },
        uniquingKeysWith: { first, _ in first })
    var (conformances, foreign): ([String: Set<String>], Set<String>) = ([:], [])
    for relation in relations + graphs.flatMap({ $0.conformances ?? [] }) where relation.kind == "conformsTo" {
        let target = relation.targetFallback ?? own[relation.target]?.path ?? relation.target
        guard !derived.contains(target) else { continue }
        let condition = (relation.swiftConstraints ?? []).map(\.words).sorted().joined(separator: ", ")
        let words = target + (condition.isEmpty ? "" : " where \(condition)")
        conformances[relation.source, default: []].insert(words)
        // Of a system's type, the graph of each module that exports another has the conformances of that once more.
        guard own[relation.source] == nil, relation.sourcePath != nil || relation.targetFallback == nil else { continue }
        foreign.insert("\(relation.sourcePath ?? others[relation.source] ?? relation.source): [conforms to \(words)]")
    }
    var sources = Sources()
    let lines = Set(
        symbols.map { symbol in
            let targets = conformances[symbol.identifier.precise]?.sorted().joined(separator: ", ")
            let words = targets.map { "  [conforms to \($0)]" } ?? ""
            return "\(symbol.path): \(symbol.visibleDeclaration(&sources))\(symbol.condition)\(words)"
        })
    return lines.union(foreign).sorted().map { $0 + "\n" }.joined()
}

/// A symbol that satisfies a requirement of another module's protocol (`description`, `encode(to:)`) needs no sentence, nor
/// does one that the compiler generates.
func undocumented(_ graphs: [Graph]) -> [String] {
    let conforming = Set(graphs.flatMap(\.relationships).filter { $0.sourceOrigin != nil }.map(\.source))
    let lines = graphs.flatMap(\.symbols).compactMap { symbol -> String? in
        guard !symbol.isDocumented, let location = symbol.location, !conforming.contains(symbol.identifier.precise)
        else { return nil }
        let file = location.uri.replacing("file://", with: "")
        return "\(file):\(location.position.line + 1): \(symbol.path): \(symbol.declaration)"
    }
    return Set(lines).sorted()
}

/// A graph as it is written: by keys.
typealias Tree = [String: Any]

extension Tree {
    var symbols: [Tree] { self["symbols"] as? [Tree] ?? [] }
    var relationships: [Tree] { self["relationships"] as? [Tree] ?? [] }
    var conformances: [Tree] { self["conformances"] as? [Tree] ?? [] }
    /// Of a symbol.
    var precise: String { (self["identifier"] as? Tree)?["precise"] as? String ?? "" }
    /// Of a relationship.
    var source: String { self["source"] as? String ?? "" }
    var isConformance: Bool { self["kind"] as? String == "conformsTo" }
    var ends: String { "\(source) \(self["target"] as? String ?? "")" }
}

/// The graphs of a directory, which are read, changed and written module by module, the lower ones first.
struct Graphs {
    let directory: URL
    /// The symbols in the graphs that have been asked for, with their paths, and the ends of conformances; by the graph's file.
    private var known: [String: [String: String]?] = [:]

    init(_ directory: String) { self.directory = URL(filePath: directory) }

    private func tree(_ name: String) throws -> Tree {
        try JSONSerialization.jsonObject(with: Data(contentsOf: directory.appending(path: name))) as? Tree ?? [:]
    }

    private mutating func symbols(of name: String) -> [String: String]? {
        if let found = known[name] { return found }
        let found = (try? tree(name)).map { tree in
            let symbols = tree.symbols.map { ($0.precise, ($0["pathComponents"] as? [String] ?? []).joined(separator: ".")) }
            let ends = (tree.relationships.filter(\.isConformance) + tree.conformances).map { ($0.ends, "") }
            return Dictionary(symbols + ends) { first, _ in first }
        }
        known[name] = .some(found)
        return found
    }

    /// Leaves a module what is its own.
    mutating func reduce(_ module: String, above others: [String]) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0 == "\(module).symbols.json" || $0.hasPrefix("\(module)@") }
        var trees: [String: Tree] = [:]
        for name in names {
            let tree = withoutC(try tree(name))
            if !tree.symbols.isEmpty { trees[name] = tree }
        }
        for other in others { try reduce(&trees, of: module, by: other) }
        let main = "\(module).symbols.json"
        trees[main] = trees[main].map(separatingOverloads)
        for name in names where trees[name] == nil {
            try FileManager.default.removeItem(at: directory.appending(path: name))
        }
        for (name, tree) in trees {
            try JSONSerialization.data(withJSONObject: tree, options: [.sortedKeys]).write(
                to: directory.appending(path: name))
        }
    }

    /// `@_exported import` makes the compiler list another module's symbols as this one's.
    private mutating func reduce(_ trees: inout [String: Tree], of module: String, by other: String) throws {
        for name in trees.keys.sorted() {
            guard let known = symbols(of: other + name.dropFirst(module.count)), var tree = trees[name] else {
                continue
            }
            // A macro's peer, such as `$current` of a task-local value, has no place in the source and is listed only here.
            tree["symbols"] = tree.symbols.filter { symbol in
                let id = symbol.precise
                return
                    !(known[id] != nil || symbol["location"] == nil && id.hasPrefix("s:\(other.utf8.count)\(other)"))
            }
            // Beside, since the documentation does well without: a conformance that this module gives to a type of the other.
            let given = tree.relationships.filter { $0.isConformance && known[$0.source] != nil }
                .map { $0.merging(["sourcePath": known[$0.source] ?? ""]) { $1 } }
            tree["conformances"] = (tree.conformances + given).filter { known[$0.ends] == nil }
            tree["relationships"] = tree.relationships.filter { known[$0.source] == nil }
            // The same applies to the module's extensions of the other one, which have their own graph elsewhere.
            if name == "\(module).symbols.json" {
                let (extending, own) = split(tree, byExtensionOf: other)
                if !extending.symbols.isEmpty { (trees["\(module)@\(other).symbols.json"], tree) = (extending, own) }
            }
            trees[name] = tree.symbols.isEmpty ? nil : tree
        }
    }
}

/// The C library that HTTPSupport imports for the package is no API of it.
func withoutC(_ tree: Tree) -> Tree {
    func isOwn(_ id: String) -> Bool {
        !["c:", "s:SC", "s:So"].contains(where: id.hasPrefix)
            && !["5Glibc", "6Darwin", "4Musl"].contains(where: id.contains)
    }
    var tree = tree
    tree["symbols"] = tree.symbols.filter { isOwn($0.precise) }
    tree["relationships"] = tree.relationships.filter { isOwn($0.source) }
    return tree
}

/// The compiler takes every function of an extension that has the name of a requirement for its default implementation, even
/// one with other parameters. Such a one is made a member, so that no page says that the requirement has a default.
func separatingOverloads(_ tree: Tree) -> Tree {
    let declarations = Dictionary(
        tree.symbols.map { symbol in
            let fragments = symbol["declarationFragments"] as? [Tree] ?? []
            let text = fragments.compactMap { $0["spelling"] as? String }.joined()
            return (symbol.precise, text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        }
    ) { first, _ in first }
    let requirements = tree.relationships.filter { ($0["kind"] as? String)?.hasSuffix("equirementOf") == true }
    let protocols = Dictionary(requirements.map { ($0.source, $0["target"] as? String ?? "") }) { first, _ in first }
    var tree = tree
    tree["relationships"] = tree.relationships.map { relation -> Tree in
        guard relation["kind"] as? String == "defaultImplementationOf", let requirement = relation["target"] as? String,
            let target = protocols[requirement], let one = declarations[relation.source],
            let other = declarations[requirement], one != other
        else { return relation }
        return ["kind": "memberOf", "source": relation.source, "target": target]
    }
    return tree
}

/// The symbols that extend the module `other`, with their relationships, and the rest.
func split(_ tree: Tree, byExtensionOf other: String) -> (extending: Tree, own: Tree) {
    let extending = tree.symbols.filter { symbol in
        // The members of a type in an extension are identified only by their mangled names.
        (symbol["swiftExtension"] as? Tree)?["extendedModule"] as? String == other
            || symbol.precise.hasPrefix("s:\(other.utf8.count)\(other)")
    }
    let moved = Set(extending.map(\.precise))
    var (first, second) = (tree, tree)
    first["symbols"] = extending
    first["relationships"] = tree.relationships.filter { moved.contains($0.source) }
    second["symbols"] = tree.symbols.filter { !moved.contains($0.precise) }
    second["relationships"] = tree.relationships.filter { !moved.contains($0.source) }
    return (first, second)
}

/// The missing pages and pictures that a page of the site refers to, as lines.
func brokenLinks(_ site: String) throws -> (lines: [String], pages: Int, links: Int) {
    let root = URL(filePath: site)
    let data = root.appending(path: "data")
    var (lines, pages, links) = (Set<String>(), 0, 0)
    for case let file as URL in FileManager.default.enumerator(at: data, includingPropertiesForKeys: nil) ?? .init()
    where file.pathExtension == "json" {
        pages += 1
        let page = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        for case let reference as [String: Any] in (page?["references"] as? [String: Any] ?? [:]).values {
            let variants = (reference["variants"] as? [[String: Any]] ?? []).compactMap { $0["url"] as? String }
            for url in variants + [reference["url"] as? String].compactMap({ $0 }) where url.hasPrefix("/") {
                links += 1
                let path = String(url.dropFirst().prefix { $0 != "#" })
                let target = url.hasPrefix("/documentation") ? "data/\(path).json" : path
                if !FileManager.default.fileExists(atPath: root.appending(path: target).path) {
                    lines.insert("\(file.path): \(url) is not there")
                }
            }
        }
    }
    return (lines.sorted(), pages, links)
}

/// Members that docc has grouped by kind, on pages whose other members are grouped by hand.
func ungrouped(_ site: String) throws -> [String] {
    var lines: [String] = []
    let data = URL(filePath: site).appending(path: "data")
    for case let file as URL in FileManager.default.enumerator(at: data, includingPropertiesForKeys: nil) ?? .init()
    where file.pathExtension == "json" {
        let page = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        let groups = page?["topicSections"] as? [[String: Any]] ?? []
        let made = groups.filter { $0["generated"] as? Bool == true }
        if made.count == groups.count { continue }
        for group in made where group["title"] as? String != "Default Implementations" {
            lines += (group["identifiers"] as? [String] ?? []).map { "\(file.path): no group lists \($0)" }
        }
    }
    return lines.sorted()
}

let arguments = CommandLine.arguments
guard arguments.count >= 4 else {
    FileHandle.standardError.write(Data("usage: symbols <what> <graphs> <module> [<file>]\n".utf8))
    exit(2)
}
let (directory, module) = (arguments[2], arguments[3])

switch arguments[1] {
case "reduce":
    var graphs = Graphs(directory)
    let modules = Array(arguments.dropFirst(3))
    for (index, module) in modules.enumerated() { try graphs.reduce(module, above: Array(modules[..<index])) }
case "api": try Data(declarations(try load(directory, module)).utf8).write(to: URL(filePath: arguments[4]))
case "undocumented": undocumented(try load(directory, module)).forEach { print($0) }
case "links":
    var (lines, pages, links) = try brokenLinks(directory)
    lines += try ungrouped(directory)
    lines.forEach { print($0) }
    print("\(module): \(pages) pages, \(links) links")
    if !lines.isEmpty || pages == 0 { exit(1) }
default: exit(2)
}
