import HTTPSupport
import HTTPTesting
import TestSupport
import Testing

/// Calls of the system that have a rule of their own.
@Suite struct SystemCallTests {
    @Test func `a file takes a free name, and leaves one that is taken as it is`() throws {
        let directory = try ScratchDirectory()
        let one = try directory.write("one".utf8, to: "1")
        try SystemCall.rename(one, toFree: directory.file("free"))
        #expect(directory.names == ["free"])
        let two = try directory.write("two".utf8, to: "2")
        let error = #expect(throws: SystemError.self) { try SystemCall.rename(two, toFree: directory.file("free")) }
        #expect(error?.code == EEXIST)
        #expect(try directory.read("free") == Array("one".utf8) && directory.read("2") == Array("two".utf8))
    }
}
