import HTTPCaching
import HTTPSupport
import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl

/// Makes the requests of a test suite that another program runs, in the order received.
final class SuitePlayer: Sendable {
    /// A request in the format of the suite.
    struct Question: Decodable, Sendable {
        let id: Int
        let method: String
        let url: String
        let headers: [[String]]
        let body: Data?
        let redirect: String
        /// The name of the cache.
        let client: String
        /// Fetch's cache mode; nil if the test sets none.
        let cache: String?
    }

    struct Answer: Encodable, Sendable {
        let id: Int
        var status: Int?
        var headers: [[String]]?
        var body: Data?
        var error: String?
    }

    private let directory: String?
    private let clients = Locked<[String: any HTTPClient]>([:])
    private let output = Locked(FileHandle.standardOutput)

    init(directory: String?) { self.directory = directory }

    func play() async {
        await withTaskGroup(of: Void.self) { group in
            while let line = readLine(strippingNewline: true) {
                group.addTask { await self.answer(line) }
            }
        }
    }

    private func answer(_ line: String) async {
        guard let question = try? JSONDecoder().decode(Question.self, from: Data(line.utf8)) else { return }
        var answer = Answer(id: question.id)
        do throws(HTTPError) {
            let response = try await client(question.client).send(request(question))
            answer.status = response.status.rawValue
            answer.headers = response.headers.map { [$0.name, $0.value] }
            answer.body = response.body
        } catch .other(is NotCached) {
            // As RFC 9111 §5.2.1.7 requires of a cache on the network.
            (answer.status, answer.headers) = (504, [])
        } catch { answer.error = "\(error)" }
        write(answer)
    }

    private func write(_ answer: Answer) {
        guard var data = try? JSONEncoder().encode(answer) else { return }
        data.append(UInt8(ascii: "\n"))
        output.withLock { [data] in $0.write(data) }
    }

    private func client(_ name: String) -> any HTTPClient {
        clients.withLock { clients in
            if let client = clients[name] { return client }
            let cache = directory.map { HTTPCache.directory("\($0)/\(name)") } ?? .memory(megabytes: 64)
            let client = CurlTransport().intercepted(by: .cache(cache))
            clients[name] = client
            return client
        }
    }

    private func request(_ question: Question) -> MutableRequest {
        var draft = MutableRequest(HTTPMethod(question.method), question.url)
        for pair in question.headers where pair.count == 2 { draft.headers.append(pair[1], for: pair[0]) }
        if let body = question.body { draft.body = .data(body) }
        // Fetch's mode "no-cache" validates, as a reload does.
        if question.cache == "no-cache" { draft.headers.append("max-age=0", for: "Cache-Control") }
        switch question.redirect {
        case "manual": draft.redirects = .never
        case "error": draft.redirects = .refused
        default: break
        }
        return draft
    }
}
