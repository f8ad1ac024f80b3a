import HTTPMockServer
import HTTPCore

extension TransportContract {
    static let headerCases: [Case] = [
        Case(.headers, "a body without a type gets none, and an empty header stays empty") { stage in
            let server = try stage.server { _ in .text("ok") }
            try stage.send(.post(server.url("/")) |> .header("X-Empty", "") |> .bytes("x".utf8, contentType: nil))
            let request = try stage.request(at: server)
            try expect("Content-Type", request.headers.values(for: "Content-Type"), is: [])
            try expect("X-Empty", request.headers.values(for: "X-Empty"), is: [""])
        },
        Case(.headers, "fields of one name keep their values, and cookies their number") { stage in
            let cookie = "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT; Path=/"
            let server = try stage.server { _ in
                MockResponse.text("ok").header("Set-Cookie", cookie).header("Set-Cookie", "b=2")
                    .header("X-List", "one").header("X-List", "two")
            }
            let headers = try stage.send(.get(server.url("/"))).headers
            try expect("Set-Cookie", headers.values(for: "Set-Cookie"), is: [cookie, "b=2"])
            try expect("X-List", headers.combinedValue(for: "X-List"), is: "one, two")
        },
        Case(.headers, "a list in a request arrives with all its values in their order") { stage in
            let server = try stage.server { _ in .text("ok") }
            try stage.send(
                .get(server.url("/")) |> .addingHeader("X-List", "one") |> .addingHeader("x-list", "two"))
            let values = try stage.request(at: server).headers.combinedValue(for: "X-List")
            try expect("X-List", values, is: "one, two")
        },
        Case(.headers, "interim responses are passed over") { stage in
            let server = try stage.server { _ in
                MockResponse.text("final").preceded(by: .init(103, headers: ["Link": "</a>"]))
            }
            let response = try stage.send(.get(server.url("/")))
            try expect("the status", response.status, is: .ok)
            try expect("the body", try response.text(), is: "final")
            try expect("Link", response.headers["Link"], is: nil)
        },
        Case(.headers, "a head that comes a byte at a time is read like any other") { stage in
            let server = try stage.server { _ in
                MockResponse.text("whole").header("X-Answer", "42")
                    .failing(.trickle(bytes: 1, every: .milliseconds(1)))
            }
            let response = try stage.send(.get(server.url("/")))
            try expect("X-Answer", response.headers["X-Answer"], is: "42")
            try expect("the body", try response.text(), is: "whole")
        },
        Case(.headers, "a refusal with a challenge is a response with its body") { stage in
            let server = try stage.server { _ in
                MockResponse.text("who are you?", status: .unauthorized)
                    .header("WWW-Authenticate", "Basic realm=\"x\"")
            }
            let response = try stage.send(.get(server.url("/")))
            try expect("the status", response.status, is: .unauthorized)
            try expect("the body", try response.text(), is: "who are you?")
            try expect("the number of requests", server.requestCount, is: 1)
        },
    ]
}
