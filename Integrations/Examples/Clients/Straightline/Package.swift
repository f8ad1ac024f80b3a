// swift-tools-version: 6.2
import PackageDescription

// The files of HTTPTypesBridge and HTTPOpenAPI are taken over by links, as a program copies them that wants nothing else. Those of
// the runtime are the stand-ins: its own product takes their place in a real program.
let types = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "over-straightline",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "straightline", path: "../../../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
    ],
    targets: [
        .target(name: "OpenAPIRuntime", dependencies: [types]),
        .target(
            name: "HTTPTypesBridge", dependencies: [.product(name: "HTTPCore", package: "straightline"), types]),
        .target(
            name: "HTTPOpenAPI",
            dependencies: [
                "HTTPTypesBridge", "OpenAPIRuntime", types, .product(name: "HTTPAsync", package: "straightline"),
            ]),
        .executableTarget(
            name: "client",
            dependencies: [
                "HTTPOpenAPI", "OpenAPIRuntime", types, .product(name: "HTTPCurl", package: "straightline"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "client" {
    target.swiftSettings = [
        .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
