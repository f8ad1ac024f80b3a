// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "straightline",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "HTTPCore", targets: ["HTTPCore"]),
        .library(name: "HTTPCurl", targets: ["HTTPCurl"]),
        .library(name: "HTTPAsync", targets: ["HTTPAsync"]),
        .library(name: "HTTPFutures", targets: ["HTTPFutures"]),
        .library(name: "HTTPURLSession", targets: ["HTTPURLSession"]),
        .library(name: "HTTPXML", targets: ["HTTPXML"]),
        .library(name: "HTTPTesting", targets: ["HTTPTesting"]),
        .library(name: "HTTPMockServer", targets: ["HTTPMockServer"]),
    ],
    targets: [
        .systemLibrary(
            name: "CLibcurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        .target(name: "HTTPCore"),
        .target(name: "HTTPCurl", dependencies: ["CLibcurl", "HTTPCore"]),
        .target(name: "HTTPAsync", dependencies: ["HTTPCore"]),
        .target(name: "HTTPFutures", dependencies: ["HTTPAsync", "HTTPCore"]),
        .target(name: "HTTPURLSession", dependencies: ["HTTPCore"]),
        .target(name: "HTTPXML", dependencies: ["HTTPCore"]),
        .target(name: "HTTPTesting", dependencies: ["HTTPCore"]),
        .target(name: "HTTPMockServer", dependencies: ["HTTPCore", "HTTPTesting"]),
        .testTarget(name: "HTTPCoreTests", dependencies: ["HTTPCore", "HTTPCurl", "HTTPMockServer", "HTTPTesting"]),
        .testTarget(name: "HTTPCurlTests", dependencies: ["HTTPCore", "HTTPCurl", "HTTPMockServer", "HTTPTesting"]),
        .testTarget(
            name: "HTTPAsyncTests",
            dependencies: ["HTTPAsync", "HTTPCore", "HTTPCurl", "HTTPMockServer", "HTTPTesting"]),
        .testTarget(
            name: "HTTPFuturesTests",
            dependencies: ["HTTPFutures", "HTTPAsync", "HTTPCore", "HTTPCurl", "HTTPMockServer", "HTTPTesting"]),
        // A program that tests start, and may kill.
        .executableTarget(name: "body-program", dependencies: ["HTTPCurl"], path: "Tests/Programs/Body"),
        // The same, and what plays the suite of `scripts/cache-suite`.
        .executableTarget(
            name: "cache-program", dependencies: ["HTTPAsync", "HTTPCore", "HTTPCurl"], path: "Tests/Programs/Cache"),
        // Blocks threads that must not be blocked, and others.
        .executableTarget(
            name: "misuse-program", dependencies: ["HTTPAsync", "HTTPCore", "HTTPCurl", "HTTPFutures"],
            path: "Tests/Programs/Misuse"),
        .testTarget(
            name: "HTTPTransportTests",
            dependencies: [
                "HTTPAsync", "HTTPCore", "HTTPCurl", "HTTPFutures", "HTTPMockServer", "HTTPTesting", "HTTPURLSession",
                "body-program", "cache-program", "misuse-program",
            ]),
        .testTarget(
            name: "HTTPURLSessionTests",
            dependencies: [
                "HTTPAsync", "HTTPCore", "HTTPCurl", "HTTPFutures", "HTTPMockServer", "HTTPTesting", "HTTPURLSession",
            ]),
        .testTarget(name: "HTTPXMLTests", dependencies: ["HTTPCore", "HTTPTesting", "HTTPXML"]),
        .testTarget(
            name: "HTTPTestingTests", dependencies: ["HTTPCore", "HTTPCurl", "HTTPMockServer", "HTTPTesting"],
            exclude: ["Archive/Samples"]),
        .testTarget(
            name: "HTTPMockServerTests", dependencies: ["HTTPCore", "HTTPCurl", "HTTPMockServer", "HTTPTesting"]),
    ],
    swiftLanguageModes: [.v6]
)

// A snippet is a program of one file. Where it has tests, they are compiled together with that file, to which a link in
// their directory leads; the flag takes its `@main` away.
for snippet in [
    "VideoCategories", "SocialApp", "Router", "CentralClient", "SeveralAPIs", "TestedNotes", "ProgressBars",
    "OwnPolicies",
] {
    package.targets.append(
        .testTarget(
            name: "\(snippet)Tests",
            dependencies: [
                "HTTPAsync", "HTTPCore", "HTTPCurl", "HTTPFutures", "HTTPMockServer", "HTTPTesting", "HTTPURLSession",
                "HTTPXML",
            ],
            path: "Tests/SnippetTests/\(snippet)", swiftSettings: [.define("SNIPPET_TESTS")]))
}

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
        ]
}
