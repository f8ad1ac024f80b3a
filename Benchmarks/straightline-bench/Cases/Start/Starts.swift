import CurlFloor

extension Suite {
    static let starts = [
        Suite(
            section: .start, id: "start", name: "process start to one GET", unit: .milliseconds,
            floor: .command("the curl command") { "curl -q -s -o /dev/null \($0.url)" },
            contenders: [.command("a program of one get(url)", limit: 1.2) { "\(oneGet) \($0.url)" }],
            startsPeers: true)
    ]

    /// Built beside this program.
    private static var oneGet: String {
        let own = CommandLine.arguments[0]
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/one-get"
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
