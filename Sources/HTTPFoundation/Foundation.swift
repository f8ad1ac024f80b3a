// The part of Foundation that needs no ICU, where it is a module of its own: a start is faster and a program smaller. In one
// place, so that each other file has one import.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
