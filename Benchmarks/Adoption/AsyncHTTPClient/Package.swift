// swift-tools-version: 6.2
import PackageDescription

// One of the programs of scripts/adoption: one GET, and nothing else.
let package = Package(
    name: "one-get",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/swift-server/async-http-client", from: "1.33.1")],
    targets: [
        .executableTarget(
            name: "one-get", dependencies: [.product(name: "AsyncHTTPClient", package: "async-http-client")], path: ".",
            sources: ["OneGet.swift"])
    ],
    swiftLanguageModes: [.v6]
)
