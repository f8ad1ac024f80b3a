import Foundation
import HTTPMockServer
import Straightline
import Testing

/// A call of a large service: four for each of 25 resources.
private struct Call: ServiceEndpoint {
    let resource: Int
    let action: Action

    enum Action: CaseIterable { case list, add, change, remove }

    static let all = (1...25).flatMap { resource in Action.allCases.map { Call(resource: resource, action: $0) } }

    func request(from social: Social) -> MutableRequest {
        switch action {
        case .list: social.get("resources\(resource)") |> .parameter("page", 1)
        case .add: social.post("resources\(resource)") |> .parameters(["name": "new"])
        case .change: social.put("resources\(resource)/1") |> .parameters(["name": "other"], encoding: .form)
        case .remove: social.delete("resources\(resource)/1") |> .accept("text/plain")
        }
    }
}

/// One changed line affects every call of a service.
@Suite struct HundredEndpointsTests {
    @Test func `one changed line adds a header to each of a hundred calls and changes nothing else`() throws {
        let social = Social(session: Session(token: "t", userId: 7))
        var changed = social
        changed.common = changed.common |> .header("xyz", "abc")

        #expect(Call.all.count == 100)
        #expect(Set(Call.all.map { "\($0.request(from: social))" }).count == 100)
        for call in Call.all {
            let before = try Request(endpoint: call, from: social)
            let after = try Request(endpoint: call, from: changed)
            #expect(before.headers["xyz"] == nil)
            #expect(after.headers.values(for: "xyz") == ["abc"])
            #expect(after.headers["Authorization"] == "Bearer t")
            switch call.action {
            case .list: #expect(after.url.query == "user_id=7&page=1")
            case .add:
                #expect(after.body == .data(Data(#"{"user_id":7,"name":"new"}"#.utf8), contentType: "application/json"))
            case .change: #expect(after.body == .form([QueryItem("user_id", "7"), QueryItem("name", "other")]))
            case .remove: #expect(after.url.query == "user_id=7")
            }
            var rest = after.headers
            rest.removeAll(named: "xyz")
            #expect(rest == before.headers)
            #expect(after.method == before.method)
            #expect(after.url.string == before.url.string)
            #expect(after.body == before.body)
        }
    }

    @Test func `it reaches the named calls, too, except the one that takes no defaults`() throws {
        let changed = Social(common: .accept("application/json") |> .header("xyz", "abc"))
        let calls: [SocialEndpoint] = [
            .logIn(user: "ada", password: "lovelace"), .profile, .friends(online: true), .explore,
            .upload(photo: "sea", file: "sea.jpg"), .photo("sea"),
        ]
        for call in calls { #expect(try Request(endpoint: call, from: changed).headers["xyz"] == "abc") }
        #expect(try Request(endpoint: SocialEndpoint.terms, from: changed).headers["xyz"] == nil)
    }
}
