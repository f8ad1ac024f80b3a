#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@main
enum Bench {
    static func main() {
        do {
            let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
            switch arguments.command {
            case "run": exit(try Measurement.run(arguments) ? 0 : 3)
            case "single": try SinglePass.run(arguments)
            case "trial": try Trial.run(arguments)
            case "serve": try StandInServer.run()
            case "serve-late": try LateServer.run()
            case "crowd": try CrowdStyle.serve(arguments)
            case "delays": try DelayedStyle.serve(arguments)
            case "page": print(Page.text(try Report(arguments)))
            case "over": for line in try Report(arguments).overruns { print("  \(line)") }
            case "stretch": try Stretch.run(arguments)
            default: print(usage)
            }
        } catch {
            print("straightline-bench: \(error)")
            exit(1)
        }
    }

    private static let usage = """
        Started by `make bench`, which also starts the server:
            straightline-bench run [--section delays|sequential|lockstep|concurrent|secure|bodies|crowd|scale|start|building|adapters|futures|cache|trials]...
                [--suite <id>]...
                [--port <port>] [--slow-port <port>] [--directory <path>] [--rounds 20] [--requests 1000] [--json <file>]
                [--onto <earlier file>] [--peers <list>]... [--counter <library>] [--long-row 100000]
                [--about <key>=<value>]...
            straightline-bench single --suite <name> --case <name> [--port <port>] [--directory <path>] --requests <count>
            straightline-bench trial --name <name>
            straightline-bench serve
            straightline-bench serve-late
            straightline-bench crowd --style await|batch|executor|lines|policies --url <url>
            straightline-bench delays --style c|blocking|awaited|policies --callers <count> --url <url>
            straightline-bench page|over --json <file>
            straightline-bench stretch --of requests|hosts --port <port> --requests <count>
        """
}
