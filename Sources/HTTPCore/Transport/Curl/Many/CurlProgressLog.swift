#if canImport(CLibcurl)
/// The places of the transfers in which bytes have moved since somebody last looked. Touched by the thread that runs them.
final class CurlProgressLog {
    @exclusivity(unchecked) var slots: [Int32] = []
}
#endif
