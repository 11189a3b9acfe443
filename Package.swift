// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// A tool is one `main.swift` that hands a command table to `ToolKit`. Release builds are fully
/// static: they start 4x faster and run on any Linux of the same architecture.
func tool(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["ToolKit"],
        swiftSettings: strict,
        linkerSettings: [
            .unsafeFlags(["-static-executable", "-Xlinker", "-s"], .when(configuration: .release))
        ])
}

let package = Package(
    name: "realm-tools",
    products: [
        .library(name: "RealmEngine", targets: ["RealmEngine"]),
        .executable(name: "realm-query", targets: ["realm-query"]),
        .executable(name: "realm-write", targets: ["realm-write"]),
        .executable(name: "realm-compact", targets: ["realm-compact"]),
        .executable(name: "realm-versions", targets: ["realm-versions"]),
        .executable(name: "realm-bench", targets: ["realm-bench"]),
    ],
    targets: [
        // Block functions for encrypted databases.
        .target(name: "CRealmCrypto"),
        .target(name: "RealmEngine", dependencies: ["CRealmCrypto"], swiftSettings: strict),
        .target(name: "ToolKit", dependencies: ["RealmEngine"], swiftSettings: strict),
        tool("realm-query"),
        tool("realm-write"),
        tool("realm-compact"),
        tool("realm-versions"),
        tool("realm-bench"),
        // What tests of sessions run in processes of their own.
        .target(
            name: "SessionSupport", dependencies: ["RealmEngine"], path: "Tests/SessionSupport",
            swiftSettings: strict),
        .executableTarget(
            name: "session-peer", dependencies: ["SessionSupport"], path: "Tests/SessionPeer",
            swiftSettings: strict),
        .testTarget(
            name: "CRealmCryptoTests", dependencies: ["CRealmCrypto"], swiftSettings: strict),
        .testTarget(
            name: "RealmEngineTests",
            dependencies: ["RealmEngine", "SessionSupport", "session-peer"],
            swiftSettings: strict),
        .testTarget(
            name: "ToolKitTests", dependencies: ["ToolKit"], swiftSettings: strict),
    ]
)
