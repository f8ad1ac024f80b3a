import Foundation
import HTTPMockServer
import Straightline
import Testing

/// Defaults, and calls that add to them, leave one out or leave out all.
@Suite struct SocialAppTests {
    private let social = Social(session: Session(token: "t", userId: 7))

    private static let base = "https://social.example.com/api/"
    private static let json: HTTPHeaders = ["Accept": "application/json"]
    private static let known: HTTPHeaders = ["Accept": "application/json", "Authorization": "Bearer t"]

    @Test func `the profile takes the defaults and nothing else`() throws {
        let request = try Request(endpoint: SocialEndpoint.profile, from: social)
        #expect(request.method == .get)
        #expect(request.url.string == Self.base + "profile?user_id=7")
        #expect(request.headers == Self.known)
        #expect(request.body.isEmpty)
    }

    @Test(arguments: [true, false])
    func `friends have one more parameter, after the default one`(online: Bool) throws {
        let request = try Request(endpoint: SocialEndpoint.friends(online: online), from: social)
        #expect(request.method == .get)
        #expect(request.url.string == Self.base + "friends?user_id=7&online=\(online)")
        #expect(request.headers == Self.known)
    }

    @Test func `logging in sends neither the user nor a token, even with a session`() throws {
        let request = try Request(endpoint: SocialEndpoint.logIn(user: "ada", password: "l&l"), from: social)
        #expect(request.method == .post)
        #expect(request.url.string == Self.base + "login")
        #expect(request.headers == ["Accept": "application/json", "Content-Type": "application/json"])
        guard case .data(let body) = request.body.content else {
            Issue.record("\(request.body)")
            return
        }
        #expect(try JSONDecoder().decode([String: String].self, from: body) == ["user": "ada", "password": "l&l"])
    }

    @Test func `the terms are requested without any default`() throws {
        let request = try Request(endpoint: SocialEndpoint.terms, from: social)
        #expect(request.method == .get)
        #expect(request.url.string == Self.base + "terms")
        #expect(request.headers.isEmpty)
    }

    @Test func `exploring leaves out the user's number and keeps the credentials`() throws {
        let request = try Request(endpoint: SocialEndpoint.explore, from: social)
        #expect(request.method == .get)
        #expect(request.url.string == Self.base + "photos")
        #expect(request.headers == Self.known)
    }

    @Test func `a photo is sent and fetched by the same path, with the defaults`() throws {
        let upload = try Request(endpoint: SocialEndpoint.upload(photo: "a/b", file: "/tmp/a.jpg"), from: social)
        let photo = try Request(endpoint: SocialEndpoint.photo("a/b"), from: social)
        #expect(upload.method == .put)
        #expect(upload.body == .file("/tmp/a.jpg", contentType: "image/jpeg"))
        #expect(upload.headers["Content-Type"] == "image/jpeg")
        #expect(upload.headers["Authorization"] == "Bearer t")
        #expect(photo.method == .get)
        #expect(photo.headers == ["Accept": "image/jpeg", "Authorization": "Bearer t"])
        #expect(upload.url.string == Self.base + "photos/a%2Fb?user_id=7")
        #expect(photo.url.string == upload.url.string)
    }

    @Test func `without a session no call names the user`() throws {
        let calls: [SocialEndpoint] = [.profile, .friends(online: true), .explore, .photo("p")]
        for call in calls {
            let request = try Request(endpoint: call, from: Social())
            #expect(request.headers["Authorization"] == nil)
            #expect(request.url.query?.contains("user_id") != true)
        }
    }

    @Test func `the response to the login is used by later calls`() throws {
        let server = try SocialServer.start()
        var social = Social(baseURL: server.url("/api"))
        let client = CurlTransport()
        let logIn = SocialEndpoint.logIn(user: "ada", password: "lovelace")
        social.session = try client.service(social).call(logIn, as: Session.self)
        #expect(social.session == Session(token: "t-1815", userId: 7))
        let friends = try client.service(social).call(.friends(online: true), as: [Person].self)
        #expect(friends == [Person(id: 8, name: "Charles"), Person(id: 9, name: "Mary")])
        let requests = server.requests
        #expect(requests.map(\.target) == ["/api/login", "/api/friends?user_id=7&online=true"])
        #expect(requests.map { $0.headers["Authorization"] } == [nil, "Bearer t-1815"])
    }

    @Test func `a file comes back unchanged`() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let original = directory.appendingPathComponent("sea.jpg")
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try Data(bytes).write(to: original)
        let server = try SocialServer.start()
        let social = Social(baseURL: server.url("/api"), session: Session(token: "t-1815", userId: 7))
        let client = CurlTransport()

        let upload = SocialEndpoint.upload(photo: "sea", file: original.path)
        #expect(try client.send(upload.request(from: social)).status == .created)
        let received = try server.takeRequest()
        #expect(received.body == bytes)
        #expect(received.headers["Content-Type"] == "image/jpeg")
        #expect(received.headers["Authorization"] == "Bearer t-1815")

        let copy = directory.appendingPathComponent("copy.jpg")
        let download = try client.download(SocialEndpoint.photo("sea").request(from: social), to: copy.path)
        #expect(download.byteCount == 100_000)
        #expect(try Data(contentsOf: copy) == Data(bytes))
        let asked = try server.takeRequest()
        #expect(asked.target == received.target)
        #expect(asked.headers["Authorization"] == "Bearer t-1815")
    }

    @Test func `the tour runs to its end`() throws { try SocialApp.main() }
}
