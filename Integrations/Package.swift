// swift-tools-version: 6.2
import PackageDescription

// What joins Straightline to packages of the Swift server community. A package of its own, so that Straightline has no
// dependency. Where swift-openapi-runtime cannot be fetched, stand-ins written from its documented signatures take its
// place: STRAIGHTLINE_STAND_INS=1.
let hasRuntime = Context.environment["STRAIGHTLINE_STAND_INS"] == nil

let core = Target.Dependency.product(name: "HTTPCore", package: "straightline")
let observability = Target.Dependency.product(name: "HTTPObservability", package: "straightline")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let types = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let runtime: Target.Dependency =
    hasRuntime ? .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime") : "OpenAPIRuntime"

let package = Package(
    name: "straightline-integrations",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: ["HTTPLogging", "HTTPMetrics", "HTTPTracing", "HTTPTypesBridge", "HTTPOpenAPI"].map {
        .library(name: $0, targets: [$0])
    },
    dependencies: [
        .package(name: "straightline", path: ".."),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
    ],
    targets: [
        .target(name: "HTTPLogging", dependencies: [core, observability, logging]),
        .target(name: "HTTPMetrics", dependencies: [core, observability, metrics]),
        .target(name: "HTTPTracing", dependencies: [core, observability, tracing]),
        .target(name: "HTTPTypesBridge", dependencies: [core, types]),
        .target(
            name: "HTTPOpenAPI",
            dependencies: [
                "HTTPTypesBridge", core, .product(name: "HTTPAsync", package: "straightline"), runtime, types,
            ]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "HTTPLogging", "HTTPMetrics", "HTTPOpenAPI", "HTTPTracing", "HTTPTypesBridge", logging, metrics,
                runtime,
                tracing, types,
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "HTTPMockServer", package: "straightline"),
                .product(name: "HTTPTesting", package: "straightline"),
                .product(name: "Straightline", package: "straightline"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

if hasRuntime {
    package.dependencies.append(.package(url: "https://github.com/apple/swift-openapi-runtime", from: "1.8.0"))
} else {
    package.targets.append(.target(name: "OpenAPIRuntime", dependencies: [types], path: "StandIns/OpenAPIRuntime"))
}

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
