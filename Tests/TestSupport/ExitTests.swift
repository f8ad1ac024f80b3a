import Testing

/// Runs `body` in the process of an exit test. A thrown error would end that process without a word.
package func recordingErrors(_ body: () throws -> Void) {
    do { try body() } catch { Issue.record("\(error)") }
}
