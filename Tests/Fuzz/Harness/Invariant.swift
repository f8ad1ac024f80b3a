#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// In a measurement, the invariants are not checked.
private let isMeasuring = getenv("FUZZ_MODE") != nil

/// Ends the process unless `condition` holds. The fuzzer then keeps the input.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) {
    guard !condition, !isMeasuring else { return }
    let line = "INVARIANT BROKEN: \(sentence().prefix(4000))\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    abort()
}

/// Whether both are equal byte for byte; `==` compares strings by Unicode equivalence.
func areSame(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool { one.utf8.elementsEqual(other.utf8) }
