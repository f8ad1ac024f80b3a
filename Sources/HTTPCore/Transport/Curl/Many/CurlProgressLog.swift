#if canImport(CLibcurl)
/// The places of the transfers in which bytes have moved since somebody last looked.
final class CurlProgressLog {
    var slots: [Int32] = []
}
#endif
