// swift-tools-version: 6.2
import PackageDescription

// A server that calls two others. A package of its own, because it compiles a web server.
let package = Package(
    name: "storefront",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "straightline", path: "../../.."),
        .package(name: "straightline-integrations", path: "../.."),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
    ],
    targets: [
        .target(
            name: "Storefront",
            dependencies: [
                .product(name: "HTTPLogging", package: "straightline-integrations"),
                .product(name: "HTTPTracing", package: "straightline-integrations"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Straightline", package: "straightline"),
            ]),
        .executableTarget(
            name: "storefront-server",
            dependencies: [
                "Storefront", .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "StorefrontTests",
            dependencies: [
                "Storefront",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Straightline", package: "straightline"),
                .product(name: "HTTPMockServer", package: "straightline"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
