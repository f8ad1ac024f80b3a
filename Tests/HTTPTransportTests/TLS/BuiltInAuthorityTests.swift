import Foundation
import HTTPCore
import HTTPMockServer
import HTTPTesting
import Testing

/// The directory of authorities of Debian's libcurl.
private let directory = "/etc/ssl/certs"

/// libcurl has a built-in directory of authorities. A configured authority replaces it.
@Suite(
    .enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .enabled(if: SmallDisk.isAvailable, "\(SmallDisk.advice)"),
    .enabled(if: FileManager.default.fileExists(atPath: directory), "libcurl's own directory is not \(directory) here"),
    .timeLimit(.minutes(5)))
struct BuiltInAuthorityTests {
    /// A wrapper that runs its arguments where the built-in directory contains the tests' authority, and the built-in
    /// file in it another one.
    private static func command(_ authorities: ScratchDirectory) throws -> [String] {
        let manager = FileManager.default
        try manager.copyItem(
            atPath: CertificateAuthority.trusted.file, toPath: authorities.file("authority.pem"))
        try CertificateAuthority.openssl(authorities, ["rehash", "."])
        try manager.copyItem(
            atPath: CertificateAuthority.unknown.file, toPath: authorities.file("ca-certificates.crt"))
        let script = "mount --bind \"$1\" \(directory) || exit 1; shift; exec \"$@\""
        let unshare = try #require(Program.unshare)
        return [unshare.path, "--map-root-user", "--mount", "/bin/sh", "-c", script, "sh", authorities.path]
    }

    @Test func `a CA file, a directory and authorities in memory replace the built-in directory`() throws {
        let server = try NginxServer(.good)
        let authorities = try ScratchDirectory()
        let command = try Self.command(authorities)
        let url = server.url("")
        let trusting = try ClientProcess.run(
            "receive", url, "memory", by: command + ["/usr/bin/env", "-u", "SSL_CERT_FILE", "-u", "SSL_CERT_DIR"])
        #expect(trusting.failure == nil, "the built-in directory counts as long as nothing else is given")
        #expect(server.origin.requests.map(\.path) == ["/before", "/body", "/after"])
        let unknown = CertificateAuthority.unknown.file
        let directory = try ScratchDirectory()
        try FileManager.default.copyItem(atPath: unknown, toPath: directory.file("authority.pem"))
        try CertificateAuthority.openssl(directory, ["rehash", "."])
        let unset = command + ["/usr/bin/env", "-u", "SSL_CERT_FILE", "-u", "SSL_CERT_DIR"]
        let others = [
            try ClientProcess.run("receive", url, "memory", by: unset + ["SSL_CERT_FILE=" + unknown]),
            try ClientProcess.run("receive", url, "memory", by: unset + ["SSL_CERT_DIR=" + directory.path]),
            try ClientProcess.run("trust", url, unknown, by: unset),
        ]
        for other in others {
            #expect(other.failure?.contains("localhost:\(server.port)") == true)
            #expect(other.failure?.contains("TLSConfiguration.authorities") == true)
        }
        #expect(server.origin.requestCount == 3)
    }
}
