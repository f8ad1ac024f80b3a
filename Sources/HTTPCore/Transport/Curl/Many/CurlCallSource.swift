#if canImport(CLibcurl)

/// Where the calls of a loop come from, and who is told what became of them. All of it is asked on the loop's thread.
protocol CurlCallSource: ~Copyable {
    /// Stands for a call that is to be made.
    associatedtype Item

    /// Whether there will never be another.
    var isExhausted: Bool { get }

    /// The next call to make; nil when there is none now.
    mutating func next() -> Item?

    /// The call that `item` stands for. Asked once, when it starts.
    func call(for item: Item) -> CurlCall

    func isCancelled(_ item: Item) -> Bool

    /// Called once for each call; `isLast`: no other is under way. The loop's state is in order: this may take its time and
    /// make calls itself.
    mutating func deliver(_ result: consuming Result<Response, HTTPError>, of item: Item, isLast: Bool)

    /// Asked right before the loop sleeps; false when there is something to do.
    mutating func mayWait() -> Bool
}
#endif
