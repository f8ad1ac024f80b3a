/// Distinguishes the thread that makes a call from others: the mark does not move with work to other threads.
enum CallingThread {
    /// True on the thread of a call that is made with this set.
    @TaskLocal static var isHere = false
}
