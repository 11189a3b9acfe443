// swift-tools-version: 6.2
import PackageDescription

// An example package that depends on this project's product as other packages do. Run it with
// `swift run --package-path Tests/Ledger ledger 10`. Continuous integration runs it and the samples
// of the guides under ThreadSanitizer.

let realm = Target.Dependency.product(name: "RealmSwift", package: "realm-tools")
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "ledger",
    dependencies: [.package(name: "realm-tools", path: "../..")],
    targets: [
        // The example of the README.
        .executableTarget(name: "kennel", dependencies: [realm], swiftSettings: strict),
        .executableTarget(name: "ledger", dependencies: [realm], swiftSettings: strict),
        // A server at a Unix socket, to start from: many clients, an actor that owns the writes, and
        // readers of frozen versions. `server-check` measures it and kills it under load.
        .target(name: "ServerBase", dependencies: [realm], swiftSettings: strict),
        .executableTarget(
            name: "server", dependencies: ["ServerBase", realm], swiftSettings: strict),
        .executableTarget(
            name: "server-check", dependencies: ["ServerBase", realm], swiftSettings: strict),
        // The cost of one access; build it for release.
        .executableTarget(name: "typed-bench", dependencies: [realm], swiftSettings: strict),
        // The files of the target of the same name in the main package.
        .target(name: "RealmSamples", dependencies: [realm], swiftSettings: strict),
        .executableTarget(
            name: "samples", dependencies: ["RealmSamples", realm], swiftSettings: strict),
    ]
)
