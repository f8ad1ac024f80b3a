/// The error of a test's source or sink.
package struct Refusal: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
