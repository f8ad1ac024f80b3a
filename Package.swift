// swift-tools-version: 6.2
import PackageDescription

// Values below, capabilities beside one another above them, adapters on top: a module may import what stands here, and
// nothing else (docs/architecture.md).
let modules: [(name: String, dependencies: [String])] = [
    ("HTTPFoundation", []),
    ("HTTPSupport", ["HTTPFoundation"]),
    ("HTTPMessage", ["HTTPFoundation", "HTTPSupport"]),
    ("HTTPCore", ["HTTPFoundation", "HTTPMessage", "HTTPSupport"]),
    ("HTTPEngine", ["HTTPCore", "HTTPFoundation", "HTTPSupport"]),
    ("HTTPCurl", ["CLibcurl", "HTTPCore", "HTTPEngine", "HTTPFoundation", "HTTPSupport"]),
    ("HTTPURLSession", ["HTTPCore", "HTTPEngine", "HTTPFoundation", "HTTPSupport"]),
    ("HTTPPolicies", ["HTTPCore", "HTTPFoundation", "HTTPSupport"]),
    ("HTTPCaching", ["HTTPCore", "HTTPFoundation", "HTTPSupport"]),
    ("HTTPTransfers", ["HTTPCore", "HTTPFoundation", "HTTPSupport"]),
    ("HTTPObservability", ["HTTPCore", "HTTPFoundation", "HTTPSupport"]),
    ("HTTPXML", ["HTTPCore", "HTTPFoundation"]),
    ("HTTPAsync", ["HTTPCore", "HTTPFoundation", "HTTPPolicies", "HTTPSupport", "HTTPTransfers"]),
    ("HTTPFutures", ["HTTPAsync", "HTTPCore", "HTTPFoundation", "HTTPSupport"]),
    (
        "Straightline",
        [
            "HTTPAsync", "HTTPCaching", "HTTPCore", "HTTPCurl", "HTTPEngine", "HTTPFutures", "HTTPObservability",
            "HTTPPolicies", "HTTPTransfers", "HTTPURLSession",
        ]
    ),
    ("HTTPTesting", ["HTTPCore", "HTTPEngine", "HTTPFoundation", "HTTPSupport"]),
    ("HTTPArchiving", ["HTTPCore", "HTTPEngine", "HTTPFoundation", "HTTPSupport", "HTTPTesting"]),
    ("HTTPMockServer", ["HTTPCore", "HTTPEngine", "HTTPFoundation", "HTTPSupport", "HTTPTesting"]),
    ("HTTPContract", ["HTTPCore", "HTTPFoundation", "HTTPMockServer", "HTTPPolicies", "HTTPSupport", "HTTPTesting"]),
]

func dependencies(_ names: [String]) -> [Target.Dependency] { names.map { .byName(name: $0) } }
let all = dependencies(modules.map(\.name))
let tested = all + ["TestSupport"]

let package = Package(
    name: "straightline",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    // HTTPFoundation and HTTPSupport are the package's own.
    products: modules.dropFirst(2).map { .library(name: $0.name, targets: [$0.name]) },
    targets: [
        .systemLibrary(
            name: "CLibcurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        // What the tests of several modules need.
        .target(
            name: "TestSupport",
            dependencies: dependencies(["HTTPCore", "HTTPEngine", "HTTPMockServer", "HTTPSupport"]),
            path: "Tests/TestSupport"),
        // A program that tests start, and may kill.
        .executableTarget(
            name: "body-program", dependencies: ["HTTPMockServer", "Straightline"], path: "Tests/Programs/Body"),
        // The same, and what plays the suite of `scripts/cache-suite`.
        .executableTarget(name: "cache-program", dependencies: all, path: "Tests/Programs/Cache"),
        // Blocks threads that must not be blocked, and others.
        .executableTarget(name: "misuse-program", dependencies: all, path: "Tests/Programs/Misuse"),
        .testTarget(
            name: "HTTPTransportTests", dependencies: tested + ["body-program", "cache-program", "misuse-program"]),
        .testTarget(name: "HTTPArchivingTests", dependencies: tested, exclude: ["Samples"]),
    ],
    swiftLanguageModes: [.v6]
)

/// `Straightline` has the engine of the platform: the mobile systems have no libcurl.
let engines: [String: [Platform]] = [
    "HTTPCurl": [.linux, .macOS], "HTTPURLSession": [.iOS, .macCatalyst, .tvOS, .watchOS, .visionOS],
]

// What the App Store asks of a package that looks at the times of files. Elsewhere a resource would become a bundle.
// The manifest sees the host alone: what is built on Linux for Apple's systems has none.
let privacyManifest = "PrivacyInfo.xcprivacy"
#if os(macOS)
let (excluded, resources): ([String], [Resource]?) = ([], [.copy(privacyManifest)])
#else
let (excluded, resources): ([String], [Resource]?) = ([privacyManifest], nil)
#endif

package.targets += modules.map { module in
    .target(
        name: module.name,
        dependencies: module.dependencies.map { dependency in
            guard module.name == "Straightline", let platforms = engines[dependency] else {
                return .byName(name: dependency)
            }
            return .byName(name: dependency, condition: .when(platforms: platforms))
        },
        exclude: module.name == "HTTPSupport" ? excluded : [],
        resources: module.name == "HTTPSupport" ? resources : nil)
}

package.targets += [
    "HTTPSupport", "HTTPMessage", "HTTPCore", "HTTPEngine", "HTTPCurl", "HTTPURLSession", "HTTPPolicies", "HTTPCaching",
    "HTTPTransfers", "HTTPObservability", "HTTPXML", "HTTPAsync", "HTTPFutures", "HTTPTesting", "HTTPMockServer",
    "HTTPContract",
].map { .testTarget(name: "\($0)Tests", dependencies: tested) }

// A snippet is a program of one file. Where it has tests, they are compiled together with that file, to which a link in
// their directory leads; the flag takes its `@main` away.
package.targets += [
    "VideoCategories", "SocialApp", "Router", "CentralClient", "SeveralAPIs", "TestedNotes", "ProgressBars",
    "OwnPolicies",
].map { snippet in
    .testTarget(
        name: "\(snippet)Tests", dependencies: all, path: "Tests/SnippetTests/\(snippet)",
        swiftSettings: [.define("SNIPPET_TESTS")])
}

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
        ]
}
