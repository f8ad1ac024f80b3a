import HTTPCore
import HTTPFoundation

/// A name that occurs twice in one object of a well-formed JSON text.
struct RepeatedName {
    /// Such as `log.entries[2].request.url`.
    let path: String
    /// The index of the entry of an archive that it is in.
    let entry: Int?

    /// The first one of each entry of an archive, and the first one outside of them, which ends the search.
    ///
    /// The values are not looked at: the decoder accepts any octets in those that it does not read.
    static func all(in data: Data) -> [RepeatedName] {
        let bytes = [UInt8](data)
        var found: [RepeatedName] = []
        // A key with a name for each open object, and one with an index for each list.
        var keys: [PlainKey] = []
        var names: [Set<ArraySlice<UInt8>>] = []
        // In an object, a string is a name at the start and after each comma.
        var isNameDue = false
        var place = 0
        while place < bytes.count {
            let start = place
            place += 1
            switch bytes[start] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                isNameDue = bytes[start] == UInt8(ascii: "{")
                keys.append(isNameDue ? PlainKey(stringValue: "") : PlainKey(intValue: 0))
                names.append([])
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = keys.popLast()
                _ = names.popLast()
                isNameDue = false
            case UInt8(ascii: ","):
                guard let key = keys.popLast() else { continue }
                isNameDue = key.intValue == nil
                keys.append(key.intValue.map { PlainKey(intValue: $0 + 1) } ?? key)
            case UInt8(ascii: "\""):
                place = bytes.textEnd(from: start)
                guard isNameDue else { continue }
                isNameDue = false
                let name = bytes[start + 1..<max(start + 1, place - 1)].unescaped
                keys[keys.count - 1] = PlainKey(stringValue: String(decoding: name, as: UTF8.self))
                let entry = entry(of: keys)
                guard !names[names.count - 1].insert(name).inserted, entry == nil || found.last?.entry != entry else {
                    continue
                }
                found.append(RepeatedName(path: (keys as [any CodingKey]).path, entry: entry))
                if entry == nil { return found }
            default: break
            }
        }
        return found
    }

    private static func entry(of keys: [PlainKey]) -> Int? {
        keys.count > 3 && keys[0].stringValue == "log" && keys[1].stringValue == "entries" ? keys[2].intValue : nil
    }
}
