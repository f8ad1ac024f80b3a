import HTTPMockServer
import HTTPTesting
import Straightline
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct ServiceRequestTests {
    /// The request of `call`, without a network.
    private func request(_ call: (any HTTPClient) -> Void) throws -> Request {
        let requests = Mutex<[Request]>([])
        call(
            StubClient { request in
                requests.withLock { $0.append(request) }
                return .success(Response(request: request, status: .noContent))
            })
        let made = requests.withLock { $0 }
        try #require(made.count == 1)
        #expect(made[0].headers["Accept"] == "application/json")
        return made[0]
    }

    @Test func `a user is requested by id`() throws {
        let request = try request { _ = $0.service(Users()).result(.user(7)) }
        #expect("\(request)" == "GET https://users.example.com/v1/users/7")
    }

    @Test func `a new user is sent as JSON`() throws {
        let request = try request { _ = $0.service(Users()).result(.register(NewUser(name: "Ada", height: 1.5))) }
        #expect("\(request)" == "POST https://users.example.com/v1/users")
        #expect(request.headers["Content-Type"] == "application/json")
        #expect([#"{"name":"Ada","height":1.5}"#, #"{"height":1.5,"name":"Ada"}"#].contains(text(request)))
    }

    @Test func `rooms are requested by member`() throws {
        let ada = User(id: 1, name: "Ada", interests: [])
        let request = try request { _ = $0.service(Chat()).result(.rooms(of: ada)) }
        #expect("\(request)" == "GET https://chat.example.com/rooms?member=1")
    }

    @Test func `a message is sent to its room`() throws {
        let request = try request { _ = $0.service(Chat()).result(.say("hello", in: 7)) }
        #expect("\(request)" == "POST https://chat.example.com/rooms/7/messages")
        #expect(text(request) == #"{"text":"hello"}"#)
    }

    @Test func `a feed is requested with the data of the user service`() throws {
        let users = StubClient(strict: true)
            .on(.get, "/v1/users/1", answer: .json(User(id: 1, name: "Ada", interests: ["a b", "c"])))
            .service(Users())
        let request = try request { _ = $0.service(Feeds()).feed(ofUser: 1, limit: 5, asking: users) }
        #expect("\(request)" == "GET https://feed.example.com/api/feeds/1?tag=a%20b&tag=c&limit=5")
    }

    private func text(_ request: Request) -> String {
        guard case .data(let data) = request.body.content else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}

@Suite struct ServiceExchangeTests {
    @Test func `each host receives its own calls, and the feed asks the users first`() throws {
        let userServer = try MockServer { UserServer.answer($0) }
        let feedServer = try MockServer { FeedServer.answer($0) }
        let users = CurlTransport().service(Users(baseURL: userServer.url))
        let feeds = CurlTransport().service(Feeds(baseURL: feedServer.url))
        #expect(try feeds.feed(ofUser: 1, asking: users).get().posts.map(\.title) == ["Notes", "More"])
        #expect(userServer.requests.map(\.target) == ["/users/1"])
        #expect(feedServer.requests.map(\.target) == ["/feeds/1?tag=poetry&tag=engines&limit=20"])
    }

    @Test func `a failure of the user service is the feed's failure, and the feed's host is not called`() throws {
        let userServer = try MockServer { UserServer.answer($0) }
        let feedServer = try MockServer { FeedServer.answer($0) }
        let users = CurlTransport().service(Users(baseURL: userServer.url))
        let feeds = CurlTransport().service(Feeds(baseURL: feedServer.url))
        guard case .failure(.unsuccessful(.notFound, "nobody has this id")) = feeds.feed(ofUser: 404, asking: users)
        else {
            return unexpected("not the user service's failure")
        }
        #expect(feedServer.requestCount == 0)
    }

    @Test func `a message is sent and returned`() throws {
        let server = try MockServer { ChatServer.answer($0) }
        let chat = CurlTransport().service(Chat(baseURL: server.url))
        #expect(try chat.result(.say("hello", in: 7)).get() == Message(text: "hello"))
        let received = try server.takeRequest()
        #expect(received.method == .post && received.path == "/rooms/7/messages")
        #expect(received.text == #"{"text":"hello"}"# && received.headers["Content-Type"] == "application/json")
    }

    @Test func `each client has its own limits`() throws {
        let seen = Mutex<[Request]>([])
        let stub = StubClient { request in
            seen.withLock { $0.append(request) }
            return .success(Response(request: request, status: .noContent))
        }
        _ = stub.service(Users()).result(.user(1))
        _ = stub.service(Chat()).result(.say("hello", in: 7))
        let requests = seen.withLock { $0 }
        #expect(requests.map(\.limits.bodyBytes) == [64 << 10, 64 << 20])
        #expect(requests.map(\.timeouts.total) == [.seconds(60), .seconds(2)])
        #expect(requests.map(\.timeouts.connect) == [.seconds(10), .seconds(1)])
    }

    @Test func `the use of one client does not reduce another's`() throws {
        let ada = StubClient { request in
            let body = request.url.host == "users.example.com" ? #"{"id": 1, "name": "A", "interests": []}"# : "{}"
            return .success(Response(request: request, status: .ok, body: Data(body.utf8)))
        }
        let (feeds, users) = (ada.service(Feeds()), ada.service(Users()))
        // A call that would have to wait beyond its timeout is refused at once.
        let refused = (0..<1_000).contains { _ in
            let result = CallDeadline(.milliseconds(1)).run { feeds.feed(ofUser: 1, asking: users) }
            guard case .failure(.other(.timedOut(let failure))) = result else { return false }
            return failure.blockedBy?.contains("5 requests per 1 s in bursts of 5") == true
        }
        #expect(refused)
        for _ in 0..<10 { #expect(try users.result(.user(1)).get().name == "A") }
    }

    @Test func `a response above the limit of its client is another error`() throws {
        let server = try MockServer { _ in .text(String(repeating: "x", count: 65 << 10)) }
        let users = CurlTransport().service(Users(baseURL: server.url))
        guard case .failure(.other(.limitExceeded(let failure))) = users.result(.user(1)) else {
            return unexpected("the limit was not kept")
        }
        #expect(failure.value == 64 << 10)
    }

    @Test func `the demo runs`() throws { try Demo.main() }
}

/// The seven errors that are distinguished.
@Suite struct APIErrorTests {
    /// The failure of a user service with `answer`, and the number of requests that the server received.
    private func failure(
        _ answer: MockResponse = .json(text: "{}"),
        _ call: (Service<Users>) -> Result<User, APIError> = { $0.result(.user(1)) }
    ) throws -> (APIError?, requests: Int) {
        let server = try MockServer { _ in answer }
        let result = call(CurlTransport().service(Users(baseURL: server.url)))
        guard case .failure(let error) = result else { return (nil, server.requestCount) }
        return (error, server.requestCount)
    }

    @Test(arguments: ["https://users example.com", "ftp://users.example.com", "users.example.com", ""])
    func `invalid URL`(_ baseURL: String) {
        let stub = StubClient { request in .success(Response(request: request, status: .ok)) }
        let result = stub.service(Users(baseURL: baseURL)).result(.user(1))
        guard case .failure(.invalidURL(.invalidRequest)) = result else { return unexpected("\(result)") }
    }

    @Test func `invalid body`() throws {
        let (error, requests) = try failure { $0.result(.register(NewUser(name: "Ada", height: .nan))) }
        guard case .invalidBody(.invalidRequest(let invalid))? = error else { return unexpected("\(error as Any)") }
        #expect(invalid.reason.contains("height") && requests == 0)
    }

    @Test func `no connection`() throws {
        let url = "http://127.0.0.1:\(try MockServer.unusedPort())"
        let result = CurlTransport().service(Users(baseURL: url)).result(.user(1))
        guard case .failure(.noConnection(.connection(let failure))) = result else { return unexpected("\(result)") }
        #expect(failure.reason == .refused)
    }

    @Test func `lost connection`() throws {
        let (error, requests) = try failure(.fault(.reset(.beforeHead)))
        guard case .noConnection? = error else { return unexpected("\(error as Any)") }
        #expect(requests >= 1)
    }

    @Test(arguments: [HTTPStatus.notFound, .internalServerError, .notModified])
    func `unsuccessful status`(_ status: HTTPStatus) throws {
        let (error, requests) = try failure(.json(text: #"{"message": "no"}"#, status: status))
        guard case .unsuccessful(status, let message)? = error else { return unexpected("\(error as Any)") }
        #expect(message == (status == .notModified ? nil : "no") && requests == 1)
    }

    @Test(arguments: [HTTPStatus.ok, .noContent]) func `empty data`(_ status: HTTPStatus) throws {
        let (error, requests) = try failure(.status(status))
        guard case .emptyData(status)? = error else { return unexpected("\(error as Any)") }
        #expect(requests == 1)
    }

    @Test(arguments: ["<html>", #"{"id": 1, "name": "#, "{]"]) func `not JSON`(_ text: String) throws {
        let (error, requests) = try failure(.text(text))
        guard case .notJSON? = error else { return unexpected("\(error as Any)") }
        #expect(requests == 1)
    }

    @Test(arguments: [
        (#"{"id": 1, "name": "Ada"}"#, "interests"),
        (#"{"id": "1", "name": "Ada", "interests": []}"#, "id"),
        (#"{"id": 1, "name": null, "interests": []}"#, "name"),
        (#"{"id": 1, "name": "Ada", "interests": ["a", 2]}"#, "interests[1]"),
        (#"[]"#, ""),
    ])
    func `JSON of the wrong shape, with the place in it`(_ text: String, _ place: String) throws {
        let (error, requests) = try failure(.json(text: text))
        guard case .wrongShape(let path, let reason)? = error else { return unexpected("\(error as Any)") }
        #expect(path == place && !reason.isEmpty && requests == 1)
    }

    @Test func `the place is given through lists and objects`() throws {
        let userServer = try MockServer { UserServer.answer($0) }
        let feedServer = try MockServer { FeedServer.answer($0) }
        let users = CurlTransport().service(Users(baseURL: userServer.url))
        let result = CurlTransport().service(Feeds(baseURL: feedServer.url)).feed(ofUser: 4, asking: users)
        guard
            case .failure(.wrongShape("posts[1].author.name", #"the key "name" is missing at posts[1].author"#)) =
                result
        else {
            return unexpected("\(result)")
        }
    }

    @Test func `a timeout is none of the seven`() throws {
        let server = try MockServer { _ in MockResponse.json(text: "{}").taking(.seconds(30)) }
        let client = CurlTransport().intercepted(by: .applying(.timeout(.milliseconds(50))))
        let result = client.service(Users(baseURL: server.url)).result(.user(1))
        guard case .failure(.other(.timedOut)) = result else { return unexpected("\(result)") }
    }
}

private func unexpected(_ what: String) { Issue.record("\(what)") }
