// swift-tools-version: 6.2
import PackageDescription

// Parts made outside of Straightline, with its public API alone: another package sees nothing else.
let package = Package(
    name: "own-parts",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "straightline", path: "../..")],
    targets: [
        .target(name: "OwnParts", dependencies: [.product(name: "HTTPEngine", package: "straightline")]),
        .testTarget(
            name: "OwnPartsTests",
            dependencies: [
                "OwnParts", .product(name: "Straightline", package: "straightline"),
                .product(name: "HTTPContract", package: "straightline"),
                .product(name: "HTTPMockServer", package: "straightline"),
                .product(name: "HTTPTesting", package: "straightline"),
            ],
            // The policies are those of a snippet, whose `@main` the flag takes away.
            swiftSettings: [.define("SNIPPET_TESTS")]),
    ],
    swiftLanguageModes: [.v6]
)
