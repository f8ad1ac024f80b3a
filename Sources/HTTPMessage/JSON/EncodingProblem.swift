/// Why a value cannot be encoded: where in it, and what is wrong there. It leaves out the value, which may be a secret.
package struct EncodingProblem: Error, CustomStringConvertible {
    package let description: String

    package init(_ error: any Error) {
        guard case EncodingError.invalidValue(_, let context)? = error as? EncodingError else {
            description = "\(error)"
            return
        }
        let cause = context.underlyingError.map { ": \(EncodingProblem($0))" } ?? ""
        let words = context.debugDescription
        description = (words.hasSuffix(".") ? String(words.dropLast()) : words) + context.codingPath.place + cause
    }
}
