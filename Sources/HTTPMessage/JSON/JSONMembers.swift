import HTTPFoundation

/// Takes the text of a JSON object apart, and puts one together, without a change to the values: a number keeps every
/// digit. The text comes from an encoder, so it is valid JSON.
package enum JSONMembers {
    /// `text` is the member as it stands in the object: `"name": 7`.
    package typealias Member = (name: String, text: Data)

    /// The members in order; nil if `object` is no object.
    package static func split(_ object: Data) -> [Member]? {
        let bytes = [UInt8](object)
        var members: [Member] = []
        var (start, depth, index) = (0, 0, 0)
        var name: String?
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                guard depth > 0 else { return nil }
                let end = bytes.textEnd(from: index)
                if depth == 1, name == nil {
                    name = try? JSONDecoder().decode(String.self, from: Data(bytes[index..<end]))
                }
                index = end - 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard depth > 0 || bytes[index] == UInt8(ascii: "{") else { return nil }
                if depth == 0 { start = index + 1 }
                depth += 1
            case UInt8(ascii: ",") where depth == 1, UInt8(ascii: "}") where depth == 1:
                if let name = name.take() { members.append((name, Data(bytes[start..<index]))) }
                if bytes[index] == UInt8(ascii: "}") { return members }
                start = index + 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
        }
        return nil
    }

    /// An object of members.
    package static func joined(_ members: [Data]) -> Data {
        Data("{".utf8) + Data(members.joined(separator: CollectionOfOne(UInt8(ascii: ",")))) + Data("}".utf8)
    }
}
