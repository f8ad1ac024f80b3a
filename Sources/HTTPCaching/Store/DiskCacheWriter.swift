import HTTPFoundation
import HTTPSupport

/// A cache file being written under a temporary name. It gets its final name when it is complete.
///
/// The file is locked while its writer lives, so the file of a killed process is recognized by the missing lock.
/// Nothing is synced: damage by a power cut is detected by the checksum, and the response is fetched again.
final class DiskCacheWriter: CacheWriter {
    private struct State {
        /// Nil after a failure.
        var descriptor: CInt?
        var sum = Checksum()
        var count: Int64 = 0
    }

    private let store: DiskCacheStore
    private let directory: CacheDirectory
    private let file: String
    private let state: Locked<State>

    init?(_ store: DiskCacheStore) {
        guard case .success(let directory) = store.check() else { return nil }
        self.store = store
        self.directory = directory
        file = directory.temporaryFile()
        let opened = SystemCall.open(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        guard case .success(let descriptor) = opened else { return nil }
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        state = Locked(State(descriptor: descriptor))
        guard lseek(descriptor, off_t(CacheFileFormat.preambleLength), SEEK_SET) >= 0 else { return nil }
    }

    deinit { end() }

    private func end() {
        let (descriptor, count) = state.withLock { ($0.descriptor.take(), $0.count) }
        guard let descriptor else { return }
        store.usage.release(count)
        // Removed while still locked: another process that finds it unlocked removes it, too.
        directory.remove(file)
        _ = close(descriptor)
    }

    func write(_ bytes: UnsafeRawBufferPointer) {
        let isWritten = state.withLock { [store, directory] state in
            guard let descriptor = state.descriptor else { return true }
            let count = Int64(bytes.count)
            guard state.count + count <= store.largestBody, store.usage.reserve(count, in: directory) else {
                return false
            }
            state.count += count
            guard (try? FileReplacement.write(bytes, to: descriptor)) != nil else { return false }
            state.sum.add(bytes)
            return true
        }
        if !isWritten { end() }
    }

    func finish(_ response: CachedResponse, of flight: CacheFlight?) -> CacheEntry? {
        defer { end() }
        let (descriptor, sum, count) = state.withLock { ($0.descriptor, $0.sum, $0.count) }
        guard let descriptor, count == response.bodyByteCount else { return nil }
        let head = CacheFileFormat.head(response)
        let preamble = CacheFileFormat.Preamble(head: head, bodyLength: count, bodySum: sum.value)
        let isWritten =
            head.withUnsafeBytes { (try? FileReplacement.write($0, to: descriptor)) != nil }
            && preamble.bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) == $0.count }
        guard head.count <= CacheFileFormat.longestHead, isWritten,
            let taken = store.take(
                file, of: response, flight, byteCount: DiskCacheUsage.space(preamble.fileLength) - count)
        else { return nil }
        return CacheEntry(response: response, body: .file(CachedFile(directory, taken, preamble)))
    }
}
