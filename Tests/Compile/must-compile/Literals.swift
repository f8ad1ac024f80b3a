import Foundation
import HTTPMockServer
import HTTPTesting
import Straightline

// Literals whose values have several types, as one writes them for an API without a Swift type.

enum Role: String, Encodable { case user, assistant }

struct Place: Encodable { var city = "Bergen" }

final class Note: Encodable { let text = "sea" }

func steps(
    name: String, age: Int, tags: [String], email: String?, date: Date, place: Place, role: Role, extra: JSONValue,
    counts: [String: Int], ids: [UUID], url: URL, price: Decimal
) -> [RequestStep] {
    [
        // One level, with variables.
        .json(["name": name, "age": age, "tags": tags, "extra": nil]),
        .json(["name": name, "email": email]),
        .json(["name": name, "age": age + 1, "is": age > 17, "f": 1.5, "n": -3]),
        .json(["hello": "\(name)!", "title": name.isEmpty ? nil : name, "tags": tags.map { $0.uppercased() }]),
        .json(["at": date, "place": place, "role": role, "extra": extra, "counts": counts, "ids": ids, "url": url]),
        .json(["price": price, "role": Role.user, "place": Place(city: name), "note": Note()]),
        .json(["a": 1, "b": "x", "c": nil, "d": true, "e": 2.5]),
        // Nested.
        .json(["user": ["name": name, "age": age, "email": nil], "tags": tags]),
        .json(["model": name, "stream": true, "messages": [["role": "user", "content": name]]]),
        .json(["messages": [["role": Role.user, "content": name], ["role": "x", "tokens": age, "stop": nil]]]),
        .json(["a": ["b": ["c": ["d": [1, name, nil, ["e": age]]]]]]),
        .json(["point": ["x": 1.5, "y": 2], "list": [1, 2], "empty": [:], "none": [], "mixed": [age, name, nil]]),
        // A list.
        .json([name, age, nil, true]), .json([["id": 1, "name": name], ["id": 2, "name": nil]]),
        // Values of one type, and what was always possible.
        .json(["a": 1]), .json(["a": name]), .json([1, 2]), .json([name]), .json(counts), .json(place), .json(extra),
        .json(name), .json(7), .json(["a": .string(name), "b": 1] as JSONValue), .json([[name]]), .json(Note()),
        .json(["at": date, "name": name], encoder: JSONEncoder()), .json([1, name], encoder: JSONEncoder()),
        // Forms and queries.
        .form(["name": name, "age": age, "tags": tags, "extra": nil]), .form(["name": name, "email": email]),
        .form(["a": ["b": name, "c": age]], style: QueryStyle(objects: .dots)), .form(["a": 1]), .form(place),
        .query(["name": name, "age": age, "tags": tags, "extra": nil]), .query(["name": name, "email": email]),
        .query(["filter": ["state": "open", "page": age]], style: QueryStyle(objects: .dots)), .query(["at": date]),
        .query(counts), .multipart(["name": name, "age": age, "email": email]),
        // Parameters.
        .parameters(["name": name, "age": age, "tags": tags, "extra": nil]), .parameters(["name": name]),
        .parameters(["user": ["name": name, "age": age], "at": date]), .parameters(["a": 1], encoding: .form),
        .parameter("name", email), .parameter("age", age), .parameter("tags", [1, name]), .parameter("none", nil),
        .parameter("user", ["name": name, "age": age, "role": role]), .parameter("place", place),
        // A choice, and what a closure makes, which has to name the type of its literal.
        .json(age > 17 ? ["name": name, "age": age] : ["name": name]), .json([name: age, "\(name)2": "x"]),
        .json(["notes": tags.map { ["text": $0, "length": $0.count] as EncodableLiteral }, "age": age]),
    ]
}

func answers(name: String, age: Int, tags: [String]) -> ([StubAnswer], [MockResponse]) {
    (
        [
            .json(["name": name, "age": age, "tags": tags, "extra": nil]), .json(["a": 1]), .json([1, name]),
            .json(["user": ["name": name, "age": age]], status: .created), .json(text: #"{"a": 1}"#), .json(tags),
            .json(["at": Date(), "name": name], encoder: JSONEncoder()),
        ],
        [
            .json(["name": name, "age": age, "tags": tags, "extra": nil]), .json(["a": 1]), .json([1, name]),
            .json(["user": ["name": name, "age": age]], status: .created), .json(text: #"{"a": 1}"#), .json(tags),
            .json([["id": 1, "name": name], ["id": 2, "name": nil]], status: .ok, encoder: JSONEncoder()),
        ]
    )
}

func conditions(_ stub: StubClient, name: String, age: Int, tags: [String]) -> (StubClient, MockServer.Pattern) {
    let matchers: [RequestMatcher] = [
        .json(["name": name, "age": age, "tags": tags, "extra": nil]), .json(containing: ["name": name, "age": age]),
        .json(["user": ["name": name, "n": [1, nil, name]]]), .json(["a": 1]), .json(containing: ["a": name]),
        .json(text: #"{"a": 1}"#), .form(["name": name, "age": age, "tags": tags]), .form(["name": name]),
        .form(containing: ["age": age, "name": name]),
    ]
    print(matchers.count)
    return (
        stub.on(.post, "/notes", .json(["name": name, "age": age]), answer: .json(["id": age, "name": name])),
        MockServer.Pattern(
            .post, "/notes", .json(["name": name, "age": age, "user": ["n": 1, "s": name]]), .json(text: #"{"a": 1}"#),
            .json(["a": 1]))
    )
}

// In the places where requests are made: an endpoint, a class on the main actor, an actor.

struct Chat: RequestGenerator { let baseURL = "https://chat.example.com" }

extension Endpoint where Generator == Chat {
    static func say(_ text: String, to room: Int, urgent: Bool) -> Self where Value == Void {
        .post("rooms/\(room)/messages") |> .json(["text": text, "urgent": urgent, "at": nil])
    }
}

@MainActor final class Screen {
    var title = "Sea"
    var count = 1

    var draft: MutableRequest { .post("https://h.example") |> .json(["title": title, "count": count]) }
}

actor Store {
    private var names = ["a"]

    func draft(_ id: Int) -> MutableRequest {
        .post("https://h.example") |> .json(["names": names, "id": id, "user": ["name": names.first, "id": id]])
    }
}
