import CLibcurl
import HTTPCore
import HTTPEngine

/// The proxy of a transfer, or none: libcurl must not read the environment itself.
struct CurlProxyOptions {
    let proxy: Proxy?

    func apply(to handle: CurlHandle) throws(Unsupported) {
        guard let proxy else {
            // An empty proxy would suffice, but then libcurl reads the exclusions of the environment for each transfer.
            handle.set(CURLOPT_NOPROXY, "*")
            return
        }
        // libcurl would convert it by the locale of the process.
        if let problem = HostName.problem(proxy.host) { throw Unsupported("the proxy \(proxy)", "it \(problem)") }
        try handle.require(CURLOPT_PROXY, proxy.url, "the proxy \(proxy.url)")
        handle.set(CURLOPT_NOPROXY, "")
        if let user = proxy.user {
            try handle.require(CURLOPT_PROXYUSERNAME, user, "a user name for the proxy \(proxy.url)")
            try handle.require(CURLOPT_PROXYPASSWORD, proxy.password ?? "", "a password for the proxy \(proxy.url)")
        }
    }
}
