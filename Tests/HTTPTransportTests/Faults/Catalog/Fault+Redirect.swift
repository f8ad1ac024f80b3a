import Foundation
import HTTPCore

extension Fault {
    /// Faults during a redirect.
    static let redirects: [Fault] = [
        redirect("to itself", ["redirect cycle"]) { connection, _ in
            connection.begin(302, [("location", "/"), ("content-length", "0")])
            return connection.endStream()
        },
        redirect("to ever new places", ["redirect tooMany"]) { connection, number in
            connection.begin(302, [("location", "/\(number)"), ("content-length", "0")])
            return connection.endStream()
        },
        redirect("then silence", limits: .silence) { connection, number in
            if number > 1 {
                connection.hold()
                return false
            }
            connection.begin(302, [("location", "/end"), ("content-length", "0")])
            return connection.endStream()
        },
        body("with a silent body") { _ in
            usleep(5_000)
            return true
        },
        body("with a body of a byte every 20 ms") { connection in
            usleep(20_000)
            return connection.send("x")
        },
        body("with an endless body", announcesLength: false) { $0.send(block) },
        body("with more body than it announces") { $0.send(block) },
    ]

    /// A server whose `answer` receives the number of the request and returns whether the connection continues.
    private static func redirect(
        _ name: String, _ outcomes: Set<String> = [], limits: [Ending] = [],
        _ answer: @escaping @Sendable (FaultConnection, Int) -> Bool
    ) -> Fault {
        Fault(
            .redirect, name, outcomes, limits: limits,
            place: .server { connection in
                while connection.readRequest(), answer(connection, connection.countRequest()) {}
            })
    }

    /// A redirect to a working URL, with an endless body: `step` sends more of it.
    private static func body(
        _ name: String, announcesLength: Bool = true, _ step: @escaping @Sendable (FaultConnection) -> Bool
    ) -> Fault {
        redirect(name, ["200"]) { connection, number in
            guard number == 1 else { return end(connection) }
            connection.begin(302, [("location", "/end")] + (announcesLength ? [("content-length", "60000")] : []))
            while step(connection), let isFollowed = connection.hasAnotherRequest() {
                // Over HTTP/2 the next request may arrive on the same connection.
                if isFollowed { return end(connection) }
            }
            return false
        }
    }

    private static let block = Array(repeating: UInt8(ascii: "x"), count: 1000)

    private static func end(_ connection: FaultConnection) -> Bool {
        connection.begin(200, [("content-length", "2")])
        connection.send("ok")
        return connection.endStream()
    }
}
