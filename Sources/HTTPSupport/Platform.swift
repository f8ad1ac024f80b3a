// The C library of the platform, for the whole package: whoever imports HTTPSupport has it.
#if canImport(Darwin)
@_exported import Darwin
#elseif canImport(Musl)
@_exported import Musl
#elseif canImport(Glibc)
@_exported import Glibc
#elseif canImport(Android)
@_exported import Android
#endif
