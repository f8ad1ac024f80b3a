#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds a name that occurs twice in one object of a well-formed JSON text.
struct RepeatedName {
    /// An open object or list.
    private enum Level {
        case object(names: Set<ArraySlice<UInt8>>, current: ArraySlice<UInt8>)
        case list(index: Int)
    }

    private let bytes: [UInt8]
    private var place = 0
    private var levels: [Level] = []

    /// The place of the repeated name, such as `log.entries[2].request.url`; nil if there is none.
    static func find(in data: Data) -> String? {
        var search = RepeatedName(bytes: Array(data))
        return search.find()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func find() -> String? {
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
                if isNameDue, !enter(text) { return path }
                isNameDue = false
                continue
            default: break
            }
            place += 1
        }
        return nil
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

    private var path: String {
        levels.reduce(into: "") { path, level in
            switch level {
            case .list(let index): path += "[\(index)]"
            case .object(_, let name): path += (path.isEmpty ? "" : ".") + String(decoding: name, as: UTF8.self)
            }
        }
    }
}
