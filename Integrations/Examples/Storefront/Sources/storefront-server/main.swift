// The shop of this example, for a load test:
//
//   storefront-server services 8081
//   storefront-server shop 8080 http://127.0.0.1:8081 [threads of the executor, 1 by default]
import Hummingbird
import Logging
import Storefront

let arguments = CommandLine.arguments
switch (arguments.dropFirst().first, arguments.dropFirst(2).first.flatMap { Int($0) }) {
case ("services", let port?): try await services(port: port).runService()
case ("shop", let port?) where arguments.count > 3:
    // A line a call, as a server writes them; the load test sends them to /dev/null.
    let logger = Logger(label: "shop") { StreamLogHandler.standardError(label: $0) }
    let threads = arguments.dropFirst(4).first.flatMap { Int($0) } ?? 1
    let catalog = Catalog(stock: arguments[3], prices: arguments[3], logger: logger, threads: threads)
    try await shop(catalog, port: port).runService()
default: print("storefront-server services <port> | shop <port> <url of the services> [threads]")
}
