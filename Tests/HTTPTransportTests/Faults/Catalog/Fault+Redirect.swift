import Foundation
import HTTPCore

extension Fault {
    /// What goes wrong on the way from one place to the next.
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

    /// A server whose `answer` is given the number of the request and says whether the connection goes on.
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

    /// A redirect to a place that is well, with a body that never ends: `step` sends more of it.
    private static func body(
        _ name: String, announcesLength: Bool = true, _ step: @escaping @Sendable (FaultConnection) -> Bool
    ) -> Fault {
        redirect(name, ["200"]) { connection, number in
            guard number == 1 else { return end(connection) }
            connection.begin(302, [("location", "/end")] + (announcesLength ? [("content-length", "60000")] : []))
            while step(connection), let isFollowed = connection.hasAnotherRequest() {
                // Over HTTP/2 the next one may come on the same connection.
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
