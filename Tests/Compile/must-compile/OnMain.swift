// also: -swift-version 5
// also: -swift-version 6 -enable-upcoming-feature NonisolatedNonsendingByDefault
// also: -swift-version 5 -enable-upcoming-feature NonisolatedNonsendingByDefault
// also: -swift-version 6 -default-isolation MainActor
// also: -swift-version 5 -default-isolation MainActor
// also: -swift-version 6 -default-isolation MainActor -enable-upcoming-feature NonisolatedNonsendingByDefault
import Straightline

/// Callbacks touch what belongs to the main actor.
@MainActor final class Screen {
    var text = ""
    var fraction = 0.0
    let client = CurlTransport()

    func callbacks(_ request: MutableRequest) {
        client.executeRequest(request, callbackQueue: .main, onMain { result in self.text = "\(result)" })
        client.future(for: request).onSuccess(onMain { response in self.text = "\(response)" })
        client.future(for: request).onSuccess(on: .main, onMain { self.text = "\($0)" })
    }

    func progress(_ request: MutableRequest) async throws {
        let report = onMain { (progress: TransferProgress) in self.fraction = progress.fraction ?? 0 }
        text = "\(try await client.send(request |> .downloadProgress(report) |> .uploadProgress(report)))"
        let download = try await client.download(
            request, to: "x", progress: onMain { self.fraction = $0.fraction ?? 0 })
        text = "\(download)"
    }
}

// Where the main actor is the default of a module, what is sent and received is `nonisolated`.

nonisolated struct Person: Codable, Sendable { let name: String }
nonisolated struct People: Codable, Sendable { let people: [Person] }

nonisolated struct Directory: RequestGenerator {
    let baseURL = "https://people.example"
    let json = JSONCoding(keys: .snakeCase)
}

extension Endpoint where Generator == Directory, Value == [Person] {
    static var all: Self { .get("people") }
}

@MainActor func awaited(_ client: CurlTransport, _ url: String) async throws -> [String] {
    let person = try await client.execute(.post(url) |> .json(Person(name: "Ada")), as: Person.self)
    var names = [person.name]
    for try await person in client.stream(.get(url), as: .jsonLines(of: Person.self)) { names.append(person.name) }
    for try await page in client.pages(of: .get(url), as: People.self) { names += page.people.map(\.name) }
    for try await person in client.pages(of: .get(url), as: People.self).elements(\.people) {
        names.append(person.name)
    }
    names += try await client.service(Directory()).call(.all).map(\.name)
    return names
}
