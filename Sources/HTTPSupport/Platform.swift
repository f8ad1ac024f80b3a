// The C library of the platform and the small part of Foundation, for the whole package: whoever imports HTTPSupport has them.
#if canImport(Darwin)
@_exported import Darwin
#elseif canImport(Musl)
@_exported import Musl
#elseif canImport(Glibc)
@_exported import Glibc
#elseif canImport(Android)
@_exported import Android
#endif

#if canImport(FoundationEssentials)
@_exported import FoundationEssentials
#else
@_exported import Foundation
#endif
