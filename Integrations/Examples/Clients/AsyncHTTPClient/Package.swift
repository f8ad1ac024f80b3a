// swift-tools-version: 6.2
import PackageDescription

let types = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "over-async-http-client",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
    ],
    targets: [
        .target(
            name: "OpenAPIRuntime", dependencies: [types],
            swiftSettings: [
                .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .executableTarget(
            name: "client",
            dependencies: ["OpenAPIRuntime", types, .product(name: "AsyncHTTPClient", package: "async-http-client")]),
    ],
    swiftLanguageModes: [.v6]
)
