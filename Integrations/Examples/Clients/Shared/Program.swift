import Foundation
import OpenAPIRuntime

/// The program, for both transports: it prints the answer of the server that its argument names.
@main
enum Program {
    static func main() async throws {
        guard let url = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) }) else {
            return print("usage: client <url of the server>")
        }
        switch try await Client(serverURL: url, transport: makeTransport()).getGreeting(name: "Ada") {
        case .ok(let greeting): print(greeting.message)
        case .undocumented(let code): print("answered \(code)")
        }
    }
}
