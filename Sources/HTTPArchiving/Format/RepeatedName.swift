#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds the names that occur twice in one object of a well-formed JSON text.
struct RepeatedName {
    /// An open object or list.
    private enum Level {
        case object(names: Set<ArraySlice<UInt8>>, current: ArraySlice<UInt8>)
        case list(index: Int)
    }

    private let bytes: [UInt8]
    private var place = 0
    private var levels: [Level] = []

    /// A name that occurs twice.
    struct Occurrence {
        /// Such as `log.entries[2].request.url`.
        let path: String
        /// The index of the entry of an archive that it is in.
        let entry: Int?
    }

    /// The places of the repeated names: the first one of each entry of an archive, or the first one outside of them,
    /// which ends the search.
    static func all(in data: Data) -> [Occurrence] {
        var search = RepeatedName(bytes: Array(data))
        return search.find()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func find() -> [Occurrence] {
        var found: [Occurrence] = []
        // In an object, a string is a name at the start and after each comma.
        var isNameDue = false
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "{"):
                levels.append(.object(names: [], current: []))
                isNameDue = true
            case UInt8(ascii: "["): levels.append(.list(index: 0))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = levels.popLast()
                isNameDue = false
            case UInt8(ascii: ","): isNameDue = advance()
            case UInt8(ascii: "\""):
                let text = takeText()
                if isNameDue, !enter(text.unescaped), entry == nil || found.last?.entry != entry {
                    found.append(Occurrence(path: path, entry: entry))
                    if entry == nil { return found }
                }
                isNameDue = false
                continue
            default: break
            }
            place += 1
        }
        return found
    }

    /// Moves to the next member; returns whether it has a name.
    private mutating func advance() -> Bool {
        guard let last = levels.popLast() else { return false }
        if case .list(let index) = last {
            levels.append(.list(index: index + 1))
            return false
        }
        levels.append(last)
        return true
    }

    /// False if the object already has the name.
    private mutating func enter(_ name: ArraySlice<UInt8>) -> Bool {
        guard case .object(var names, _)? = levels.popLast() else { return true }
        let isNew = names.insert(name).inserted
        levels.append(.object(names: names, current: name))
        return isNew
    }

    private mutating func takeText() -> ArraySlice<UInt8> {
        let start = place + 1
        place = bytes.textEnd(from: place)
        return bytes[start..<max(start, place - 1)]
    }

    /// The index of the entry that the place is in.
    private var entry: Int? {
        guard levels.count > 3, case .object(_, let log) = levels[0], log.elementsEqual("log".utf8),
            case .object(_, let entries) = levels[1], entries.elementsEqual("entries".utf8),
            case .list(let index) = levels[2]
        else { return nil }
        return index
    }

    private var path: String {
        levels.reduce(into: "") { path, level in
            switch level {
            case .list(let index): path += "[\(index)]"
            case .object(_, let name): path += (path.isEmpty ? "" : ".") + String(decoding: name, as: UTF8.self)
            }
        }
    }
}
