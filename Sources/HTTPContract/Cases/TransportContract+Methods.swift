import HTTPMockServer
import HTTPCore

extension TransportContract {
    static let methodCases: [Case] = [
        Case(.methods, "a GET sends its target and headers and brings back status, headers and body") { stage in
            let server = try stage.server { _ in .text("hello").header("X-Answer", "42") }
            let response = try stage.send(.get(server.url("/a/b?c=d%20e")) |> .header("X-One", "1"))
            try expect("the status", response.status, is: .ok)
            try expect("the body", try response.text(), is: "hello")
            try expect("X-Answer", response.headers["x-answer"], is: "42")
            let request = try stage.request(at: server)
            try expect("the method", request.method, is: .get)
            try expect("the target", request.target, is: "/a/b?c=d%20e")
            try expect("X-One", request.headers.values(for: "X-One"), is: ["1"])
            try expect("the body of the request", request.text, is: "")
        },
        Case(.methods, "nothing is sent that says more about the caller than was asked for") { stage in
            let server = try stage.server { _ in .text("ok") }
            try stage.send(.get(server.url("/")))
            let names = Set(try stage.request(at: server).headers.map { $0.name.lowercased() })
            let usual: Set = ["host", "user-agent", "accept", "accept-encoding", "connection"]
            try expect("no fields but \(usual.sorted())", names.isSubset(of: usual), got: names.sorted())
        },
        Case(.methods, "a HEAD has no body, and its Content-Length misleads nobody") { stage in
            let server = try stage.server { _ in .text("hello") }
            let response = try stage.send(.head(server.url("/")))
            try expect("the status", response.status, is: .ok)
            try expect("the body's size", response.body.count, is: 0)
            try expect("Content-Length", response.headers["Content-Length"], is: "5")
            try expect("the method", try stage.request(at: server).method, is: .head)
        },
        Case(.methods, "any method arrives as it is spelled, with its body, length and type") { stage in
            let server = try stage.server { _ in .text("ok") }
            let methods = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "M-SEARCH"]
            for method in methods {
                try stage.send(.request(HTTPMethod(method), server.url("/")) |> .json(["a": 1]))
            }
            try expect("the methods", server.requests.map(\.method.rawValue), is: methods)
            for request in server.requests {
                try expect("the body", request.text, is: #"{"a":1}"#)
                try expect("Content-Type", request.headers.values(for: "Content-Type"), is: ["application/json"])
                try expect("Content-Length", request.headers.values(for: "Content-Length"), is: ["7"])
                try expect("Expect", request.headers.values(for: "Expect"), is: [])
            }
        },
        Case(.methods, "a POST without a body says that it is empty, and a GET says nothing of one") { stage in
            let server = try stage.server { _ in .text("ok") }
            try stage.send(.post(server.url("/")))
            try stage.send(.get(server.url("/")))
            let lengths = server.requests.map { $0.headers["Content-Length"] }
            try expect("Content-Length", lengths, is: ["0", nil])
        },
        Case(.methods, "one request leaves nothing to the next") { stage in
            let server = try stage.server { _ in .text("ok") }
            try stage.send(.post(server.url("/a")) |> .header("X-A", "1") |> .json([1]))
            try stage.send(.get(server.url("/b")))
            try stage.send(.put(server.url("/c")) |> .text("text"))
            try stage.send(.head(server.url("/d")))
            try stage.send(.post(server.url("/e")))
            try stage.send(.request("PURGE", server.url("/f")))
            let methods = server.requests.map(\.method.rawValue)
            try expect("the methods", methods, is: ["POST", "GET", "PUT", "HEAD", "POST", "PURGE"])
            try expect("the targets", server.requests.map(\.target), is: ["/a", "/b", "/c", "/d", "/e", "/f"])
            try expect("the bodies", server.requests.map(\.text), is: ["[1]", "", "text", "", "", ""])
            try expect("X-A", server.requests.map { $0.headers["X-A"] }, is: ["1", nil, nil, nil, nil, nil])
            try expect(
                "Content-Type", server.requests.map { $0.headers["Content-Type"] },
                is: ["application/json", nil, "text/plain; charset=utf-8", nil, nil, nil])
            let lengths = server.requests.prefix(5).map { $0.headers["Content-Length"] }
            try expect("Content-Length", lengths, is: ["3", nil, "4", nil, "0"])
        },
    ]
}
