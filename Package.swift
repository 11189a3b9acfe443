// swift-tools-version: 6.2
import PackageDescription

/// Whether debug builds compile each module as a whole, and optimise libraries and tools while they keep
/// assertions. A build from nothing then takes as long, but the tests take less than half of the
/// time; a build after a change takes long. `.ci/run` sets the variable. Not for a package that
/// depends on this one, which may not have such flags.
let isOptimized = Context.environment["REALM_OPTIMIZED_TESTS"] != nil

let strict: [SwiftSetting] =
    [.treatAllWarnings(as: .error)]
    + (isOptimized
        ? [
            .unsafeFlags(
                ["-whole-module-optimization", "-num-threads", "2"],
                .when(configuration: .debug))
        ] : [])

/// Settings of libraries and tools.
let library: [SwiftSetting] =
    strict
    + (isOptimized
        ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : [])

/// Parts of the tools are made small but for what they do with every record or value, which says
/// `@_optimize(speed)`; what nothing calls is left out of programs, and so are the names that only
/// debuggers and reflection read. That accesses exclude each other is for debug builds to check. No
/// library product may hold these targets: a package with such flags is nobody's dependency.
let small: [SwiftSetting] =
    library + [
        .unsafeFlags(
            [
                "-Osize", "-Xfrontend", "-function-sections", "-Xfrontend",
                "-disable-reflection-metadata", "-enforce-exclusivity=unchecked",
            ], .when(configuration: .release))
    ]

/// A tool is one `main.swift` that hands a command table to `ToolKit`. Release builds are fully
/// static: they start 4x faster and run on any Linux of the same architecture. They leave out what
/// only exceptions need, an eighth of the program; nothing here throws any. Functions of the same
/// code are one.
func tool(_ name: String, _ module: String = "Tools") -> Target {
    .executableTarget(
        name: name,
        dependencies: [.byName(name: module)],
        swiftSettings: strict,
        linkerSettings: [
            .unsafeFlags(
                [
                    "-static-executable", "-use-ld=lld", "-Xlinker", "-s", "-Xlinker", "--icf=all",
                    "-Xlinker", "-O2", "-Xlinker", "-T", "-Xlinker",
                    "\(Context.packageDirectory)/Sources/Tools/program.ld",
                ], .when(configuration: .release))
        ])
}

/// A part of the tools, on the engine and `ToolKit`.
func toolPart(
    _ name: String, _ others: [String] = [], exclude: [String] = [],
    settings: [SwiftSetting] = small
) -> Target {
    .target(
        name: name,
        dependencies: ["RealmEngine", "RealmRecords", "ToolKit"] + others.map { .byName(name: $0) },
        exclude: exclude, swiftSettings: settings)
}

/// Tests of a part of the engine.
func engineTests(_ name: String) -> Target {
    .testTarget(
        name: name,
        dependencies: ["RealmEngine", "RealmActors", "SessionSupport", "EngineSupport"],
        swiftSettings: strict)
}

/// Tests of a part of the tools.
func toolTests(_ name: String, _ parts: [String]) -> Target {
    .testTarget(
        name: name,
        dependencies: ["RealmRecords", "ToolKit", "ToolSupport"] + parts.map { .byName(name: $0) },
        swiftSettings: strict)
}

/// Whether SwiftPM has checked this package out for one that depends on it. That one gets the libraries
/// only: it would otherwise compile and run the plugin of the tools. In a dependency by local path, which
/// a manifest cannot recognise, the plugin runs.
let isDependency = ["/.build/checkouts/", "/SourcePackages/checkouts/"].contains {
    "\(Context.packageDirectory)/".contains($0)
}

let libraryProducts: [Product] = [
    .library(name: "RealmEngine", targets: ["RealmEngine", "RealmActors"]),
    .library(name: "RealmSwift", targets: ["RealmSwift"]),
]

let toolProducts: [Product] = [
    .executable(name: "realm-query", targets: ["realm-query"]),
    .executable(name: "realm-write", targets: ["realm-write"]),
    .executable(name: "realm-compact", targets: ["realm-compact"]),
    .executable(name: "realm-versions", targets: ["realm-versions"]),
    .executable(name: "realm-bench", targets: ["realm-bench"]),
]

let libraries: [Target] = [
    // Block functions for encrypted databases.
    .target(name: "CRealmCrypto"),
    // System and runtime calls that Swift does not import.
    .target(name: "CRealmSystem"),
    .target(
        name: "RealmEngine", dependencies: ["CRealmCrypto", "CRealmSystem"],
        swiftSettings: library),
    // Records of JSON and tables, and their conversion to objects.
    .target(name: "RealmRecords", dependencies: ["RealmEngine"], swiftSettings: library),
    // Instances confined to actors: a target of their own, since the task runtime adds 0.7 MB to a program.
    .target(
        name: "RealmActors", dependencies: ["CRealmSystem", "RealmEngine"],
        swiftSettings: library),
    // The object API of the Realm Swift SDK, on the engine. No tool links it.
    .target(
        name: "RealmSwift",
        dependencies: ["CRealmSystem", "RealmEngine", "RealmActors", "RealmRecords"],
        swiftSettings: library),
]

let tools: [Target] = [
    // Code that the tools share, then a target for each tool, independent of each other.
    .target(
        name: "ToolKit", dependencies: ["RealmEngine", "RealmRecords"], swiftSettings: small),
    toolPart("ToolQuery"),
    toolPart("ToolWrite"),
    toolPart("ToolFiles"),
    toolPart("ToolBench", ["ToolQuery", "ToolWrite"]),
    // The version that `--version` prints: a plugin writes the output of `git describe` into a source.
    .plugin(
        name: "DescribeVersion", capability: .buildTool(), path: "Sources/DescribeVersion"),
    .target(
        name: "ToolVersion", exclude: ["describe.sh"], swiftSettings: strict,
        plugins: ["DescribeVersion"]),
    toolPart(
        "Tools", ["ToolQuery", "ToolWrite", "ToolFiles", "ToolBench", "ToolVersion"],
        exclude: ["program.ld"]),
    tool("realm-query"),
    tool("realm-write"),
    tool("realm-compact"),
    tool("realm-versions"),
    tool("realm-bench"),
    // For those who work on the engine; not installed.
    toolPart("CoreTasks", ["ToolBench", "ToolVersion"], settings: strict),
    tool("core-bench", "CoreTasks"),
]

let tests: [Target] = [
    // Functions of session tests that run in processes of their own.
    .target(
        name: "SessionSupport", dependencies: ["RealmEngine"], path: "Tests/SessionSupport",
        swiftSettings: strict),
    .executableTarget(
        name: "session-peer", dependencies: ["SessionSupport"], path: "Tests/SessionPeer",
        swiftSettings: strict),
    .testTarget(
        name: "CRealmCryptoTests", dependencies: ["CRealmCrypto"], swiftSettings: strict),
    // Code that tests of the engine share.
    .testTarget(
        name: "EngineSupport", dependencies: ["RealmEngine", "SessionSupport", "session-peer"],
        swiftSettings: strict),
    engineTests("RealmEngineTests"),
    engineTests("EngineModelTests"),
    engineTests("EngineQueryTests"),
    engineTests("EngineInstanceTests"),
    engineTests("EngineSessionTests"),
    .testTarget(
        name: "RealmSwiftTests", dependencies: ["RealmSwift", "RealmEngine"],
        swiftSettings: strict),
    // The samples of the guides, once in each language mode; the second folder is a link.
    .target(
        name: "RealmSamples", dependencies: ["RealmSwift"], path: "Tests/RealmSamples",
        swiftSettings: strict),
    .target(
        name: "RealmSamplesSwift5", dependencies: ["RealmSwift"],
        path: "Tests/RealmSamplesSwift5",
        swiftSettings: strict + [.swiftLanguageMode(.v5)]),
    .testTarget(
        name: "RealmSampleTests",
        dependencies: ["RealmSamples", "RealmSamplesSwift5", "RealmSwift", "RealmEngine"],
        swiftSettings: strict),
    // Code that tests of tools share.
    .testTarget(
        name: "ToolSupport", dependencies: ["RealmRecords", "ToolKit"], swiftSettings: strict),
    toolTests(
        "ToolKitTests", ["ToolQuery", "ToolWrite", "ToolFiles", "ToolBench", "ToolVersion"]),
    toolTests("ToolQueryTests", ["ToolQuery"]),
    toolTests("ToolWriteTests", ["ToolWrite"]),
    toolTests("ToolFilesTests", ["ToolFiles"]),
    toolTests("ToolBenchTests", ["ToolBench", "CoreTasks"]),
]

let package = Package(
    name: "realm-tools",
    products: libraryProducts + (isDependency ? [] : toolProducts),
    targets: libraries + (isDependency ? [] : tools + tests)
)
