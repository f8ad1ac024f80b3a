import HTTPArchiving
import Foundation
import HTTPCore
import HTTPTesting

/// Archives in the form that browsers export, written by hand.
enum Sample: String, CaseIterable {
    case chrome, firefox, safari

    var path: String {
        let directory = URL(filePath: #filePath).deletingLastPathComponent()
        return directory.appending(path: "Samples/\(rawValue).har").path
    }

    func client(_ options: ReplayClient.Options = ReplayClient.Options()) throws -> ReplayClient {
        try ReplayClient(contentsOf: path, options: options)
    }
}

/// A directory that is removed when it is released.
final class ArchiveDirectory: Sendable {
    let path = NSTemporaryDirectory() + "archives-\(UUID().uuidString.prefix(8))"

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "calls.har") -> String { "\(path)/\(name)" }

    func text(_ name: String = "calls.har") throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }
}

extension HTTPArchive.Entry {
    /// A minimal entry.
    static func of(
        _ method: String = "GET", url: String, _ status: Int = 200, _ text: String = "",
        headers: [HTTPArchive.Parameter] = [], body: HTTPArchive.PostData? = nil
    ) -> HTTPArchive.Entry {
        HTTPArchive.Entry(
            startedDateTime: "2026-03-01T09:30:00.000Z",
            request: HTTPArchive.Request(
                method: method, url: url, postData: body, bodySize: Int64(body?.text.utf8.count ?? 0)),
            response: HTTPArchive.Response(
                status: status, headers: headers,
                content: HTTPArchive.Content(size: Int64(text.utf8.count), mimeType: "text/plain", text: text)))
    }
}

extension Result where Failure == HTTPError {
    var message: String { if case .failure(let error) = self { "\(error)" } else { "a success" } }
}

extension Response {
    /// The body as UTF-8.
    var content: String { String(decoding: body, as: UTF8.self) }
}
