#if canImport(CLibcurl)
import CLibcurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The TLS options of a lane: whom it trusts, and what it shows of the client.
struct CurlTLSOptions {
    let tls: TLSConfiguration
    let origin: Origin
    let proxy: Proxy?

    init(_ tls: TLSConfiguration, origin: Origin, proxy: Proxy?) {
        self.tls = tls
        self.origin = origin
        self.proxy = proxy
    }

    func apply(to handle: CurlHandle) throws(Unsupported) {
        guard CurlLibrary.shared.hasTLS else {
            throw Unsupported("https", "libcurl \(CurlLibrary.shared.version) was built without TLS")
        }
        try applyAuthorities(to: handle)
        try applyPins(to: handle)
        try applyClientCertificate(to: handle)
        let version = tls.minimumVersion == .tls1_3 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
        try handle.require(CURLOPT_SSLVERSION, Int(version), "the minimum TLS version")
        if tls.unverifiedHosts.contains(origin.host) {
            handle.set(CURLOPT_SSL_VERIFYPEER, 0)
            handle.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
    }

    private func applyAuthorities(to handle: CurlHandle) throws(Unsupported) {
        switch tls.authorities {
        case .system: try applyEnvironment(ProcessInfo.processInfo.environment, to: handle)
        case .file(let path): try applyFile(path, to: handle)
        case .directory(let path): try applyDirectory(path, to: handle)
        case .bytes(let pem):
            try handle.require(CURLOPT_CAINFO_BLOB, bytes: pem, "a CA in memory")
            if proxy?.kind == .https { try handle.require(CURLOPT_PROXY_CAINFO_BLOB, bytes: pem, "a CA in memory") }
        }
    }

    private func applyEnvironment(_ variables: [String: String], to handle: CurlHandle) throws(Unsupported) {
        if let file = variables["SSL_CERT_FILE"], !file.isEmpty { try applyFile(file, to: handle) }
        if let directory = variables["SSL_CERT_DIR"], !directory.isEmpty { try applyDirectory(directory, to: handle) }
    }

    private func applyFile(_ path: String, to handle: CurlHandle) throws(Unsupported) {
        try handle.require(CURLOPT_CAINFO, path, "the CA file \(path)")
        if proxy?.kind == .https { try handle.require(CURLOPT_PROXY_CAINFO, path, "the CA file \(path)") }
        // Only what the caller names is trusted, not the built-in directory besides.
        handle.set(CURLOPT_CAPATH, nil)
    }

    private func applyDirectory(_ path: String, to handle: CurlHandle) throws(Unsupported) {
        try handle.require(CURLOPT_CAPATH, path, "the CA directory \(path)")
        if proxy?.kind == .https { try handle.require(CURLOPT_PROXY_CAPATH, path, "the CA directory \(path)") }
        if case .directory = tls.authorities { handle.set(CURLOPT_CAINFO, nil) }
    }

    private func applyPins(to handle: CurlHandle) throws(Unsupported) {
        guard let pins = tls.pins[origin.host] else { return }
        guard !pins.isEmpty else {
            throw Unsupported("an empty list of pins for \(origin.host)", "no key could match; leave the host out")
        }
        let list = pins.map { "sha256//" + $0.base64 }.joined(separator: ";")
        try handle.require(CURLOPT_PINNEDPUBLICKEY, list, "a pinned key for \(origin.host)")
    }

    private func applyClientCertificate(to handle: CurlHandle) throws(Unsupported) {
        guard let certificate = tls.clientCertificate, certificate.hosts?.contains(origin.host) ?? true else { return }
        switch certificate.form {
        case .pem(let chain, let key):
            try handle.require(CURLOPT_SSLCERT_BLOB, bytes: chain, "a client certificate in memory")
            try handle.require(CURLOPT_SSLKEY_BLOB, bytes: key, "a client key in memory")
        case .pkcs12(let container):
            try handle.require(CURLOPT_SSLCERTTYPE, "P12", "a PKCS#12 client certificate")
            try handle.require(CURLOPT_SSLCERT_BLOB, bytes: container, "a client certificate in memory")
        }
        if let password = certificate.password {
            try handle.require(CURLOPT_KEYPASSWD, password, "a password for the client key")
        }
    }
}
#endif
