/// The file of a descriptor, and the byte at which the next read begins.
package struct DescriptorPosition: Sendable {
    private let device: UInt64
    private let file: UInt64
    /// Nil for a pipe, a socket or a terminal, which has no position.
    private let offset: Int64?

    /// Nil for a descriptor that is not open.
    package init?(_ descriptor: Int32) {
        guard case .success(let status) = SystemCall.status(of: descriptor) else { return nil }
        (device, file) = (status.device, status.inode)
        let offset = lseek(descriptor, 0, SEEK_CUR)
        self.offset = offset < 0 ? nil : Int64(offset)
    }

    /// Whether what was read since `start` cannot be read again here.
    package func isSpent(since start: DescriptorPosition) -> Bool {
        device == start.device && file == start.file && (offset == nil || offset != start.offset)
    }
}
