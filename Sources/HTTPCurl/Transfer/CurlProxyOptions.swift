import CLibcurl
import HTTPCore

/// A transfer's proxy, or that there is none: libcurl is kept from looking into the environment itself.
struct CurlProxyOptions {
    let proxy: Proxy?

    func apply(to handle: CurlHandle) throws(Unsupported) {
        guard let proxy else {
            // An empty proxy would do, but then libcurl reads the environment for hosts to leave out, for each transfer.
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
