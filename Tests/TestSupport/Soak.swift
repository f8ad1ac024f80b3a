import Foundation

/// A test that tries very many inputs, or something very often, does so in full with STRAIGHTLINE_SOAK=1, which `make soak`
/// sets. Otherwise it takes a part, which is the same in each run and keeps every border.
package enum Soak {
    package static let isFull = ProcessInfo.processInfo.environment["STRAIGHTLINE_SOAK"] != nil

    /// `full` of something in full, otherwise `part`.
    package static func count(_ full: Int, or part: Int) -> Int { isFull ? full : part }

    /// Whether the case of this number is tried: all of them in full, otherwise each `step`th. A prime number as the step
    /// passes over no value of a list whose values recur.
    package static func tries(_ number: Int, of step: Int) -> Bool { isFull || number.isMultiple(of: step) }
}
