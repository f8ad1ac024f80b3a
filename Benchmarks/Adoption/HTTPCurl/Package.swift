// swift-tools-version: 6.2
import PackageDescription

// One of the programs of scripts/adoption: one GET, and nothing else.
let package = Package(
    name: "one-get",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "straightline", path: "../../..")],
    targets: [
        .executableTarget(
            name: "one-get", dependencies: [.product(name: "HTTPCurl", package: "straightline")], path: ".",
            sources: ["OneGet.swift"])
    ],
    swiftLanguageModes: [.v6]
)
