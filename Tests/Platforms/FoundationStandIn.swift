// Stands in for Apple's Foundation, of which URLSession is a part: what swift-corelibs-foundation has of it, and what it
// has not and the sources use, with the types of Apple's documentation. The bodies are never run.
@_exported import Foundation
@_exported import FoundationNetworking

extension Stream {
    // AutoreleasingUnsafeMutablePointer there; an `&` at the call fits both.
    public class func getBoundStreams(
        withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?,
        outputStream: UnsafeMutablePointer<OutputStream?>?
    ) {}
}
