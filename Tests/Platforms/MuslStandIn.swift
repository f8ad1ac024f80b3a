// Stands in for the module Musl: Glibc, except for the declarations that differ in musl's headers and that the sources
// use. The bodies are never run.
@_exported import Glibc

// Enumerations in Glibc, plain macros in musl.
public let SOCK_STREAM: Int32 = 1
public let SOCK_CLOEXEC: Int32 = 0o2000000
public let SOCK_NONBLOCK: Int32 = 0o4000
public let SHUT_WR: Int32 = 1
public let SHUT_RDWR: Int32 = 2
public let IPPROTO_TCP: Int32 = 6
public let MSG_DONTWAIT: Int32 = 0x40
public let MSG_NOSIGNAL: Int32 = 0x4000
public let PTHREAD_CREATE_DETACHED: Int32 = 1
public let TIOCGWINSZ: Int32 = 0x5413

// A pointer to an undeclared structure.
public typealias pthread_t = OpaquePointer

@discardableResult
public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>!, _ attributes: UnsafePointer<pthread_attr_t>!,
    _ start: (@convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?)!,
    _ argument: UnsafeMutableRawPointer!
) -> Int32 { 0 }
