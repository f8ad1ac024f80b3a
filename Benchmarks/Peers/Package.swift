// swift-tools-version: 6.2
import PackageDescription

// What `make bench-peers` measures beside our own cases. A package of its own, so that ours depends on none of these.
let package = Package(
    name: "straightline-peers",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.33.1"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        .target(name: "PeerProtocol"),
        .executableTarget(
            name: "peer-futures",
            dependencies: [
                "PeerProtocol", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "OpenCombine", package: "OpenCombine"),
            ]),
        .executableTarget(
            name: "peer-async-http-client",
            dependencies: [
                "PeerProtocol", .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .executableTarget(name: "peer-urlsession", dependencies: ["PeerProtocol"]),
    ],
    swiftLanguageModes: [.v6]
)
