import HTTPPolicies
import Foundation
import HTTPCore
import Testing

@Suite struct NetrcFileTests {
    private func withFile<Value>(_ text: String, mode: Int, _ body: (String) throws -> Value) throws -> Value {
        let path = NSTemporaryDirectory() + "/netrc-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let created = FileManager.default.createFile(
            atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
        #expect(created)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return try body(path)
    }

    @Test(arguments: [0o600, 0o400, 0o700])
    func `a file that only its owner can read is read`(mode: Int) throws {
        try withFile("machine h login u password p", mode: mode) { path in
            let netrc = try Netrc(contentsOf: path)
            #expect(netrc.credentials(for: "h")?.password == "p")
        }
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o620, 0o602])
    func `a file that others can read or write is refused, and the error says what to do`(mode: Int) throws {
        try withFile("machine h login u password p", mode: mode) { path in
            let error = #expect(throws: NetrcProblem.self) { try Netrc(contentsOf: path) }
            #expect(error?.description.contains(path) == true)
            #expect(error?.description.contains("chmod 600") == true)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make a file somebody else's"))
    func `a file of another user is refused, and the error says so`() throws {
        try withFile("machine h login u password p", mode: 0o600) { path in
            #expect(chown(path, 54_321, 54_321) == 0)
            let error = #expect(throws: NetrcProblem.self) { try Netrc(contentsOf: path) }
            #expect(error?.description == "the netrc file \(path) belongs to another user")
        }
    }

    @Test func `a missing file, a directory and one that is too large are errors`() throws {
        for (path, words) in [
            ("/nowhere/netrc", "cannot be opened"), ("/", "not a regular file"), ("/dev/null", "not a regular"),
            ("/dev/null\0", "cannot be opened"),
        ] {
            let error = #expect(throws: NetrcProblem.self) { try Netrc(contentsOf: path) }
            #expect(error?.description.contains(words) == true)
        }
        try withFile(String(repeating: "#", count: (1 << 20) + 1), mode: 0o600) { path in
            let error = #expect(throws: NetrcProblem.self) { try Netrc(contentsOf: path) }
            #expect(error?.description.contains("more than") == true)
        }
    }

    @Test func `an error in the file names file and line`() throws {
        try withFile("machine h\nwhat", mode: 0o600) { path in
            let error = #expect(throws: NetrcProblem.self) { try Netrc(contentsOf: path) }
            #expect(error?.description.hasPrefix("\(path): line 2") == true)
        }
    }
}
