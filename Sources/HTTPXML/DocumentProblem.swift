/// Why a document cannot be read. The names in the reason are the document's, so they are made printable.
struct DocumentProblem: Error {
    let reason: String

    init(_ reason: String) { self.reason = ASCII.printable(reason) }

    /// `bytes` are those of the document up to the fault. The column counts characters.
    init(_ reason: String, after bytes: some BidirectionalCollection<UInt8>) {
        let line = bytes.count { $0 == UInt8(ascii: "\n") } + 1
        let start = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes.index(after: $0) } ?? bytes.startIndex
        let column = bytes[start...].count { $0 & 0xC0 != 0x80 } + 1
        self.init("broken XML in line \(line), column \(column): \(reason)")
    }
}
