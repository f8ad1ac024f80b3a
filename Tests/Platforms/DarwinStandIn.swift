// Stands in for the module Darwin, so that the branches for Apple's systems can be type-checked elsewhere.
//
// The common part of POSIX systems comes from Glibc. Below are the declarations that the sources use and that differ on
// Darwin, with the types under which Apple's headers are imported. Declarations that only Glibc has, and that the
// sources could use by mistake, are unavailable. The bodies are never run.
@_exported import Glibc

public let SOCK_STREAM: Int32 = 1
public let SO_NOSIGPIPE: Int32 = 0x1022
public let SHUT_WR: Int32 = 1
public let SHUT_RDWR: Int32 = 2
public let IPPROTO_TCP: Int32 = 6
public let TCP_RXT_CONNDROPTIME: Int32 = 0x80
public let MSG_DONTWAIT: Int32 = 0x80
public let PTHREAD_CREATE_DETACHED: Int32 = 2
public var TIOCGWINSZ: UInt { 0x4008_7468 }

public struct _opaque_pthread_t {}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>

@discardableResult
public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>!, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 { 0 }

@discardableResult
public func pthread_key_create(
    _ key: UnsafeMutablePointer<pthread_key_t>!, _ destructor: (@convention(c) (UnsafeMutableRawPointer) -> Void)?
) -> Int32 { 0 }

@discardableResult
public func pthread_cond_timedwait_relative_np(
    _ condition: UnsafeMutablePointer<pthread_cond_t>, _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
    _ time: UnsafePointer<timespec>?
) -> Int32 { 0 }

@available(*, unavailable)
public func pthread_condattr_setclock(_ attributes: UnsafeMutablePointer<pthread_condattr_t>!, _ clock: clockid_t)
    -> Int32
{ 0 }

@available(*, unavailable) public let MSG_NOSIGNAL: Int32 = 0
@available(*, unavailable) public let SOCK_CLOEXEC: Int32 = 0
@available(*, unavailable) public let SOCK_NONBLOCK: Int32 = 0
@available(*, unavailable) public let O_TMPFILE: Int32 = 0
@available(*, unavailable) public let EPOLLIN: Int32 = 0
@available(*, unavailable) public func pipe2(_ ends: UnsafeMutablePointer<Int32>!, _ flags: Int32) -> Int32 { 0 }
@available(*, unavailable) public func ppoll() {}
@available(*, unavailable) public func gettid() -> Int32 { 0 }

extension stat {
    public var st_mtimespec: timespec { st_mtim }
}
