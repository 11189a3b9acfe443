// swift-tools-version: 6.2
import PackageDescription

// A program to start from, made as others would make theirs: it depends on the product of this project.
// `swift run --package-path Tests/Ledger ledger 10`; continuous integration runs it, and the samples of
// the guides, under ThreadSanitizer.

let realm = Target.Dependency.product(name: "RealmSwift", package: "realm-tools")
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "ledger",
    dependencies: [.package(name: "realm-tools", path: "../..")],
    targets: [
        // What the README shows.
        .executableTarget(name: "kennel", dependencies: [realm], swiftSettings: strict),
        .executableTarget(name: "ledger", dependencies: [realm], swiftSettings: strict),
        // What one access costs; in a release build.
        .executableTarget(name: "typed-bench", dependencies: [realm], swiftSettings: strict),
        // The same files as in the tests.
        .target(name: "RealmSamples", dependencies: [realm], swiftSettings: strict),
        .executableTarget(
            name: "samples", dependencies: ["RealmSamples", realm], swiftSettings: strict),
    ]
)
