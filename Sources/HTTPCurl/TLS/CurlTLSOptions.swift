import CLibcurl
import HTTPFoundation
import HTTPSupport

/// The TLS options of a transfer: trusted authorities, pins and the client certificate.
struct CurlTLSOptions {
    let tls: TLSConfiguration
    let key: ConnectionKey
    let proxy: Proxy?

    private var origin: Origin { key.origin }

    func apply(to handle: CurlHandle) throws(Unsupported) {
        guard CurlLibrary.shared.hasTLS else {
            throw Unsupported("https", "libcurl \(CurlLibrary.shared.version) was built without TLS")
        }
        try applyAuthorities(to: handle)
        try applyPins(of: origin.host, as: CURLOPT_PINNEDPUBLICKEY, to: handle)
        if let proxy, proxy.kind == .https {
            try applyPins(of: proxy.host, as: CURLOPT_PROXY_PINNEDPUBLICKEY, to: handle)
        }
        try applyClientCertificate(to: handle)
        let version = tls.minimumVersion == .tls1_3 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
        // libcurl shares no connection between transfers whose TLS versions differ. TLS 1.3 is the highest anyway.
        let highest = key.staysApart ? CURL_SSLVERSION_MAX_TLSv1_3 : CURL_SSLVERSION_MAX_NONE
        try handle.require(CURLOPT_SSLVERSION, Int(version) | Int(highest), "the minimum TLS version")
        if !tls.verifies(origin.host) {
            handle.set(CURLOPT_SSL_VERIFYPEER, 0)
            handle.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        guard let proxy, proxy.kind == .https else { return }
        try handle.require(CURLOPT_PROXY_SSLVERSION, Int(version), "the minimum TLS version")
        if !tls.verifies(proxy.host) {
            handle.set(CURLOPT_PROXY_SSL_VERIFYPEER, 0)
            handle.set(CURLOPT_PROXY_SSL_VERIFYHOST, 0)
        }
    }

    private func applyAuthorities(to handle: CurlHandle) throws(Unsupported) {
        switch tls.authorities {
        case .system:
            let (file, directory) = (tls.environmentFile, tls.environmentDirectory)
            guard file != nil || directory != nil else { return }
            try apply(file: file, directory: directory, variables: true, to: handle)
        case .file(let path): try apply(file: path, directory: nil, to: handle)
        case .directory(let path): try apply(file: nil, directory: path, to: handle)
        case .bytes(let pem):
            try apply(file: nil, directory: nil, to: handle)
            try handle.require(CURLOPT_CAINFO_BLOB, bytes: pem, "a CA in memory")
            if proxy?.kind == .https { try handle.require(CURLOPT_PROXY_CAINFO_BLOB, bytes: pem, "a CA in memory") }
        }
    }

    /// Trusts only the given authorities, without the built-in ones.
    private func apply(
        file: String?, directory: String?, variables: Bool = false, to handle: CurlHandle
    ) throws(Unsupported) {
        // Those of the environment were not promised to be the only ones.
        if !variables, let refusal = CurlLibrary.shared.refusalOfAuthorities { throw refusal }
        if let file { try Self.requireReadable(file, "the CA file \(file)" + (variables ? " of SSL_CERT_FILE" : "")) }
        if let directory {
            try Self.requireReadable(directory, "the CA directory \(directory)" + (variables ? " of SSL_CERT_DIR" : ""))
        }
        var (file, directory) = (file, directory)
        if CurlLibrary.shared.fillsInAuthorities {
            // A file must have a certificate; of a directory OpenSSL only looks for the names in it.
            file = file ?? directory.map { Self.certificate(in: $0) ?? Self.nothing }
            directory = directory ?? Self.nothing
        }
        handle.set(CURLOPT_CAINFO, file)
        handle.set(CURLOPT_CAPATH, directory)
        guard proxy?.kind == .https else { return }
        handle.set(CURLOPT_PROXY_CAINFO, file)
        handle.set(CURLOPT_PROXY_CAPATH, directory)
    }

    private static let nothing = "/dev/null"

    /// The path of one that OpenSSL finds there: its name is a hash of eight digits, and a number.
    private static func certificate(in directory: String) -> String? {
        let names = try? FileManager.default.contentsOfDirectory(atPath: directory)
        return names?.first { name in
            let (hash, rest) = (name.utf8.prefix(8), name.utf8.dropFirst(8))
            return hash.count == 8 && hash.allSatisfy { ASCII.hexValue($0) != nil } && rest.first == UInt8(ascii: ".")
                && rest.dropFirst().first.map(ASCII.isDigit) == true
        }.map { directory + "/" + $0 }
    }

    /// libcurl would report it in the first handshake.
    private static func requireReadable(_ path: String, _ feature: String) throws(Unsupported) {
        guard access(path, R_OK) != 0 else { return }
        throw Unsupported(feature, "it cannot be read: \(String(cString: strerror(errno)))")
    }

    private func applyPins(of host: String, as option: CURLoption, to handle: CurlHandle) throws(Unsupported) {
        guard let pins = tls.pins(for: host) else { return }
        guard !pins.isEmpty else {
            throw Unsupported("an empty list of pins for \(host)", "no key could match; leave the host out")
        }
        let list = pins.map { "sha256//" + $0.base64 }.joined(separator: ";")
        try handle.require(option, list, "a pinned key for \(host)")
    }

    private func applyClientCertificate(to handle: CurlHandle) throws(Unsupported) {
        guard let certificate = tls.clientCertificate(for: origin.host) else { return }
        switch certificate.form {
        case .pem(let chain, let key):
            try handle.require(CURLOPT_SSLCERT_BLOB, bytes: chain, "a client certificate in memory")
            try handle.require(CURLOPT_SSLKEY_BLOB, bytes: key, "a client key in memory")
        case .pkcs12(let container):
            try handle.require(CURLOPT_SSLCERTTYPE, "P12", "a PKCS#12 client certificate")
            try handle.require(CURLOPT_SSLCERT_BLOB, bytes: container, "a client certificate in memory")
        }
        // Without one libcurl reads the password from a null pointer, or OpenSSL asks for it at the terminal.
        try handle.require(CURLOPT_KEYPASSWD, certificate.password ?? "", "a password for the client key")
    }
}
