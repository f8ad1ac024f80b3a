import Foundation
import HTTPMockServer
import Straightline
import Testing

/// A generator with JSON and basic credentials, and an enum of its calls.
@Suite struct VideoCategoriesTests {
    private static let editor = "Basic ZWRpdG9yOnDDpXNzd29yZA=="

    private let videos = Videos(account: ("editor", "påssword"))

    @Test(
        arguments: [
            (.categories, .get, "categories"), (.category(id: 7), .get, "categories/7"),
            (.search("sea & sky"), .get, "videos?q=sea%20%26%20sky&page=1"),
            (.search("a+b", page: 3), .get, "videos?q=a%2Bb&page=3"),
            (.upload(file: "/tmp/tide.mp4", title: "Tide"), .post, "videos"), (.delete(id: 13), .delete, "videos/13"),
        ] as [(VideoEndpoint, HTTPMethod, String)])
    func `each call is a request that can be inspected without a network`(
        endpoint: VideoEndpoint, method: HTTPMethod, target: String
    ) throws {
        let request = try Request(endpoint: endpoint, from: videos)
        #expect(request.method == method)
        #expect(request.url.string == "https://videos.example.com/v1/" + target)
        #expect(request.headers["Accept"] == "application/json")
        #expect(request.headers["Authorization"] == Self.editor)
        let anonymous = try Request(endpoint: endpoint, from: Videos())
        #expect(anonymous.url.string == request.url.string)
        #expect(anonymous.headers["Authorization"] == nil)
    }

    @Test func `an upload is a form of the title and the file`() throws {
        let request = try Request(endpoint: VideoEndpoint.upload(file: "/tmp/tide.mp4", title: "Tide"), from: videos)
        guard case .multipart(let form) = request.body.content else {
            Issue.record("\(request.body)")
            return
        }
        #expect(form.parts == [.text("title", "Tide"), .file("video", "/tmp/tide.mp4", contentType: "video/mp4")])
        #expect(form.parts.map(\.filename) == [nil, "tide.mp4"])
        #expect(request.headers["Content-Type"] == form.contentType)
    }

    @Test func `calls without a body carry none`() throws {
        let calls: [VideoEndpoint] = [.categories, .category(id: 1), .search("x"), .delete(id: 1)]
        for call in calls {
            let request = try Request(endpoint: call, from: Videos())
            #expect(request.body.isEmpty)
            #expect(request.headers["Content-Type"] == nil)
        }
    }

    @Test func `categories arrive as values, and the credentials at the server`() throws {
        let server = try MockServer(handler: StudioServer.answer)
        let videos = Videos(baseURL: server.url("/film"), account: ("editor", "påssword"))
        let categories: [VideoCategory] = try CurlTransport().service(videos).call(.categories)
        #expect(categories == [VideoCategory(id: 1, name: "Nature"), VideoCategory(id: 2, name: "Music")])
        let request = try server.takeRequest()
        #expect(request.target == "/film/categories")
        #expect(request.headers["Authorization"] == Self.editor)
    }

    @Test func `a search requests page after page until there is none`() throws {
        let server = try MockServer(handler: StudioServer.answer)
        let videos = Videos(baseURL: server.url("/film"), account: ("editor", "påssword"))
        let found = try allVideos("R&B", from: CurlTransport().service(videos)).blocking.map { try $0.get() }
        #expect(found == [Video(id: 11, title: "Surf"), Video(id: 12, title: "Clouds")])
        #expect(server.requests.map { $0.queryItems.last } == [.init("page", "1"), .init("page", "2")])
    }

    @Test func `a video arrives with its title, byte for byte`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).mp4")
        try Data("moving pictures".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try MockServer(handler: StudioServer.answer)
        let videos = Videos(baseURL: server.url("/film"), account: ("editor", "påssword"))

        let upload = VideoEndpoint.upload(file: file.path, title: "Tide")
        let video = try CurlTransport().service(videos).call(upload, as: Video.self)
        #expect(video == Video(id: 13, title: "Tide"))

        let request = try server.takeRequest()
        let type = try #require(request.headers["Content-Type"].flatMap(MediaType.init))
        #expect(type.essence == "multipart/form-data")
        let boundary = try #require(type.parameters.first { $0.name == "boundary" }).value
        #expect(request.headers["Content-Length"] == "\(request.body.count)")
        #expect(
            request.text.components(separatedBy: "\r\n") == [
                "--\(boundary)", #"Content-Disposition: form-data; name="title""#, "", "Tide", "--\(boundary)",
                #"Content-Disposition: form-data; name="video"; filename="\#(file.lastPathComponent)""#,
                "Content-Type: video/mp4", "", "moving pictures", "--\(boundary)--", "",
            ])
    }

    @Test func `a refusal keeps the server's message`() throws {
        let server = try MockServer(handler: StudioServer.answer)
        let anonymous = CurlTransport().service(Videos(baseURL: server.url("/film")))
        let error = #expect(throws: HTTPError.self) { try anonymous.call(.categories) }
        #expect(error?.response?.status == .unauthorized)
        #expect(error?.response?.serverMessage == "who are you?")
        #expect(try server.takeRequest().headers["Authorization"] == nil)
    }

    @Test func `a user name with a colon is refused before anything is sent`() throws {
        let server = try MockServer(handler: StudioServer.answer)
        let videos = Videos(baseURL: server.url("/film"), account: ("edi:tor", "påssword"))
        let error = #expect(throws: HTTPError.self) {
            try CurlTransport().service(videos).call(.categories)
        }
        guard case .invalidRequest(let invalid) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(invalid.reason.contains("colon"))
        #expect(server.connectionCount == 0)
    }

    @Test func `the tour runs to its end`() throws { try VideoCategories.main() }
}
