#if canImport(CLibcurl)
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

extension Patience {
    /// Looks whether something has come, for a moment from `start` on, if this is where looking pays off. It gives way to
    /// whoever may be about to bring it on the same processor.
    mutating func look(from start: TimePoint, whether hasCome: () -> Bool) -> Bool {
        guard mayLook else { return false }
        while true {
            sched_yield()
            let found = hasCome()
            let time = start.span(to: .now)
            guard found || time > Self.longestLook else { continue }
            noteLook(time, found: found)
            return found
        }
    }
}
#endif
