// Stands in for Apple's Foundation, which includes URLSession: swift-corelibs-foundation, plus the declarations that it
// lacks and the sources use, with the types of Apple's documentation. The bodies are never run.
@_exported import Foundation
@_exported import FoundationNetworking
public import SecurityStandIn

extension Stream {
    // AutoreleasingUnsafeMutablePointer there; an `&` at the call works for both.
    public class func getBoundStreams(
        withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?,
        outputStream: UnsafeMutablePointer<OutputStream?>?
    ) {}
}

extension URLCredential {
    public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
    public convenience init(
        identity: SecIdentity, certificates certArray: [Any]?, persistence: URLCredential.Persistence
    ) { self.init(user: "", password: "", persistence: persistence) }
}

extension URLProtectionSpace {
    public var serverTrust: SecTrust? { nil }
}

extension URLSessionConfiguration {
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { .TLSv12 }
        set {}
    }
}

public let NSURLAuthenticationMethodServerTrust = ""
public let NSURLAuthenticationMethodClientCertificate = ""
