import CLibcurl
import HTTPCore

/// Is told by libcurl which sockets the transfers of a multi handle wait for, by the thread that runs them.
protocol CurlSocketListener: AnyObject {
    /// What libcurl calls, with the listener as its context.
    static var callback: shim_socket_callback { get }
}
