import HTTPMockServer
import HTTPCore

extension TransportContract {
    static let connectionCases: [Case] = [
        Case(.connections, "the kept connection serves the next request, whatever the answer was") { stage in
            let server = try stage.server { request in
                switch request.path {
                case "/chunked": .text("ok").framed(.chunked())
                case "/empty": .status(.noContent)
                case "/refused": .text("no", status: .notFound)
                case "/secret": .text("who?", status: .unauthorized).header("WWW-Authenticate", "Bearer")
                case "/proxied": .status(407, headers: ["Proxy-Authenticate": "Basic realm=x"])
                default: .text("ok")
                }
            }
            for path in ["/", "/chunked", "/empty", "/refused", "/secret", "/proxied"] {
                try stage.send(.get(server.url(path)))
            }
            try stage.send(.head(server.url("/")))
            try stage.send(.get(server.url("/")))
            try expect("the connections", server.requests.map(\.connection), is: Array(repeating: 1, count: 8))
        },
        Case(.connections, "a redirect to the same origin stays on its connection") { stage in
            let server = try stage.server { request in
                request.path == "/end" ? .text("ok") : MockResponse.redirect(to: "/end")
            }
            try stage.send(.get(server.url("/")))
            try expect("the connections", server.requests.map(\.connection), is: [1, 1])
        },
        Case(.connections, "bytes behind a response do not answer the next request") { stage in
            let planted = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nplanted"
            for first in ["200 OK\r\nContent-Length: 5\r\n\r\nfirst", "204 No Content\r\n\r\n"] {
                let server = try stage.server { request in
                    request.path == "/first"
                        ? .raw("HTTP/1.1 " + first + planted, keepsConnection: true) : .text("second")
                }
                try stage.send(.get(server.url("/first")))
                try expect("the body", try stage.send(.get(server.url("/second"))).text(), is: "second")
            }
        },
        Case(.connections, "an answer that a cache may keep is asked for again") { stage in
            let server = try stage.server { _ in
                MockResponse.text("ok").header("Cache-Control", "max-age=600").header("ETag", "\"1\"")
            }
            for _ in 1...2 { try expect("the body", try stage.send(.get(server.url("/"))).text(), is: "ok") }
            let conditions = server.requests.map { $0.headers["If-None-Match"] }
            try expect("If-None-Match", conditions, is: [nil, nil])
        },
        Case(.connections, "after Connection: close from the server the next request opens another") { stage in
            let server = try stage.server { _ in MockResponse.text("ok").closing() }
            for _ in 1...2 { try stage.send(.get(server.url("/"))) }
            try expect("the connections", server.requests.map(\.connection), is: [1, 2])
        },
        Case(.connections, "after a body that broke off the next request opens another") { stage in
            let server = try stage.server { _ in .text("ok") }
            server.enqueue(MockResponse.fault(.stall(.midBody(after: 300))))
            _ = try stage.failure(of: .get(server.url("/")) |> .idleTimeout(.milliseconds(100)))
            try expect("the body", try stage.send(.get(server.url("/"))).text(), is: "ok")
            try expect("the connections", server.requests.map(\.connection), is: [1, 2])
        },
        Case(.connections, "a connection that the server closed while it was idle costs no error") { stage in
            let server = try stage.server { _ in MockResponse.text("ok").failing(.close(.afterBody)) }
            try stage.send(.get(server.url("/")))
            try server.wait(for: .endOfConnection(1))
            try expect("the body", try stage.send(.get(server.url("/"))).text(), is: "ok")
            try expect("the connections", server.requests.map(\.connection), is: [1, 2])
        },
        Case(.connections, "a GET whose kept connection dies without an answer is sent once more") { stage in
            let server = try stage.server { _ in .text("ok") }
            try stage.send(.get(server.url("/")))
            server.enqueue(.fault(.close(.beforeHead)))
            try expect("the body", try stage.send(.get(server.url("/again"))).text(), is: "ok")
            try expect("the targets", server.requests.map(\.target), is: ["/", "/again", "/again"])
            try expect("the connections", server.requests.map(\.connection), is: [1, 1, 2])
        },
        Case(.connections, "a POST whose connection dies before an answer is not sent again") { stage in
            for fault in [MockFault.close(.beforeHead), .reset(.beforeHead)] {
                let server = try stage.server { _ in .text("ok") }
                try stage.send(.post(server.url) |> .text("one"))
                try stage.send(.get(server.url))
                server.handler = { _ in .fault(fault) }
                let failure = try connectionFailure(try stage.failure(of: .post(server.url) |> .text("two")))
                try expect("a warning that it may have been processed", failure.mayHaveBeenProcessed, got: failure)
                try expect("the bodies", server.requests.map(\.text), is: ["one", "", "two"])
            }
        },
        Case(.connections, "letting go of the client closes its connections") { stage in
            let server = try stage.server { _ in .text("ok") }
            do {
                let client = try stage.makeAnotherClient()
                _ = try client.executeRequest(.get(server.url("/"))).get()
            }
            try server.wait(for: .endOfConnection(1))
        },
    ]
}
