/// The values of attributes.
extension DocumentParser {
    /// Normalized: white space is a space (XML 1.0 §3.3.3).
    mutating func attributeValue(of attribute: String) throws(DocumentProblem) -> String {
        guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw problem("the value of the attribute \(attribute) is not in quotes")
        }
        source.place += 1
        let start = source.place
        guard let end = source.bytes[start...].firstIndex(of: quote) else {
            throw problem("the value of the attribute \(attribute) has no end")
        }
        try check(start..<end)
        var value: [UInt8] = []
        try expand(source.bytes, start..<end, into: &value, within: [], at: nil)
        source.place = end + 1
        return String(decoding: value, as: UTF8.self)
    }

    /// The text of an attribute, or of an entity in it: then the entities around it are `names`, and the outermost one
    /// is used at `use`.
    mutating func expand(
        _ bytes: [UInt8], _ range: Range<Int>, into value: inout [UInt8], within names: [String], at use: Int?
    ) throws(DocumentProblem) {
        var place = range.lowerBound
        while place < range.upperBound {
            let byte = bytes[place]
            let fault = use ?? place
            switch byte {
            case UInt8(ascii: "<"): throw problem("< in the value of an attribute", at: fault)
            case UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                value.append(UInt8(ascii: " "))
                place += 1
            case UInt8(ascii: "&"):
                switch try reference(in: bytes, at: fault, &place) {
                case .character(let scalar): value += Array(String(scalar).utf8)
                case .entity(let name):
                    let text = try replacement(of: name, within: names, at: fault)
                    try expand(text, text.indices, into: &value, within: names + [name], at: fault)
                }
            default:
                value.append(byte)
                place += 1
            }
        }
    }
}
