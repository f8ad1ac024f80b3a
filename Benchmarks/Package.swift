// swift-tools-version: 6.2
import PackageDescription

// What `make bench` builds and runs. A package of its own, so that nobody who uses ours sees its programs.
let package = Package(
    name: "straightline-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "straightline", path: "..")],
    targets: [
        .target(name: "CurlFloor", path: "CurlFloor", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "straightline-bench",
            dependencies: [
                "CurlFloor", .product(name: "Straightline", package: "straightline"),
                .product(name: "HTTPMockServer", package: "straightline"),
                .product(name: "HTTPTesting", package: "straightline"),
            ],
            path: "straightline-bench"),
        .executableTarget(
            name: "one-get", dependencies: [.product(name: "HTTPCurl", package: "straightline")], path: "one-get"),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
