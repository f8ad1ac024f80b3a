import CurlFloor

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Suite {
    static let starts = [
        Suite(
            section: .start, id: "start", name: "process start to one GET", unit: .milliseconds,
            floor: .command("the curl command") { "curl -q -s -o /dev/null \($0.url)" },
            contenders: [.command("a program of one get(url)") { "\(built("one-get")) \($0.url)" }] + linkedStatically,
            repetitions: 5, startsPeers: true)
    ]

    /// Not everywhere can Swift's runtime be linked so.
    private static var linkedStatically: [Case] {
        [("the same, linked statically", "one-get-static"), ("and for a fixed place in memory", "one-get-fixed")]
            .compactMap { name, program in
                let program = built(program)
                guard access(program, X_OK) == 0 else { return nil }
                return .command(name, limit: 1.2) { "\(program) \($0.url)" }
            }
    }

    /// A program beside this one.
    private static func built(_ name: String) -> String {
        let own = CommandLine.arguments[0]
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/\(name)"
    }
}

extension Case {
    /// A command, as a shell reads it, that is run to its end for each operation.
    static func command(_ name: String, limit: Double? = nil, _ line: @escaping Server.Choice) -> Case {
        Case(command: name, limit: limit) { server in
            let line = line(server)
            return timing {
                let code = command_run(line)
                guard code == 0 else { throw Failure("\(line) ended with \(code)") }
            }
        }
    }
}
