import HTTPFoundation
import HTTPSupport

/// Why a value cannot be written as items, as a phrase that says where it is and what is wrong.
package struct ItemProblem: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

extension QueryStyle {
    package func text(_ value: Bool) -> String {
        switch booleans {
        case .words: value ? "true" : "false"
        case .digits: value ? "1" : "0"
        }
    }

    package func text(_ date: Date) throws(ItemProblem) -> String {
        guard let text = TimestampText.text(of: date) else { throw ItemProblem(TimestampText.outOfRange) }
        switch dates {
        case .iso8601: return text
        case .millisecondsSince1970: return String(Self.milliseconds(date))
        case .secondsSince1970:
            let (seconds, fraction) = Self.milliseconds(date).quotientAndRemainder(dividingBy: 1000)
            return (min(seconds, fraction) < 0 ? "-" : "") + "\(abs(seconds))\(abs(fraction).thousandths)"
        }
    }

    /// The single plain spelling of a number or the like.
    package func text(_ value: some LosslessStringConvertible) throws(ItemProblem) -> String {
        if let value = value as? Bool { return text(value) }
        if let number = value as? any FloatingPoint, !number.isFinite {
            throw ItemProblem("\(value), which is not a finite number")
        }
        return value.description
    }

    /// The date must have a text, which bounds it.
    private static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }
}

/// The `application/x-www-form-urlencoded` serializer of the WHATWG URL standard (§5.2).
package enum FormEncoding {
    package static func encode(_ items: [QueryItem]) -> String {
        items.map { encode($0.name) + "=" + encode($0.value ?? "") }.joined(separator: "&")
    }

    private static func encode(_ text: String) -> String {
        PercentEncoding.encode(text, keeping: isKept).replacing(" ", with: "+")
    }

    /// Letters, digits and `*-._` stay; a space stays here to become a plus sign.
    private static func isKept(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "*-._ ".utf8.contains(byte)
    }
}
