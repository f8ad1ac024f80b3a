import HTTPCurl

@main
enum OneGet {
    static func main() throws {
        let response = try CurlTransport().send(.get(CommandLine.arguments[1])).validated()
        print(try response.text())
    }
}
