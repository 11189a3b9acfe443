import Testing

@testable import RealmEngine

/// Finding properties of a class by name.
@Suite struct ClassSpecTests {
    private func spec(_ names: [String]) -> ClassSpec {
        ClassSpec(
            name: "A", kind: .topLevel, properties: names.map { PropertyDescription($0, .int) })
    }

    /// Looks names up until the index of names is cached.
    private func warm(_ spec: ClassSpec) {
        for _ in 0..<100 { for i in 0..<20 { _ = spec.property("p\(i)") } }
    }

    @Test(arguments: [false, true]) func appendedPropertiesAreFound(isWarm: Bool) {
        var spec = spec((0..<20).map { "p\($0)" })
        if isWarm { warm(spec) }
        for i in 20..<60 {
            #expect(spec.property("p\(i)") == nil)
            spec.append(PropertyDescription("p\(i)", .string))
            #expect(spec.property("p\(i)")?.type == .string)
            #expect(spec.property("p7")?.type == .int)
        }
        #expect(spec.properties.count == 60)
        spec.properties.remove(at: 0)
        #expect(spec.position(of: "p0") == nil)
        #expect(spec.position(of: "p59") == 58)
    }

    /// A property that is appended to a copy is not found in the other copy.
    @Test(arguments: [false, true]) func changingACopyLeavesTheOriginalUnchanged(isWarm: Bool) {
        var first = spec((0..<20).map { "p\($0)" })
        if isWarm { warm(first) }
        var second = first
        first.append(PropertyDescription("a", .int))
        second.append(PropertyDescription("b", .int))
        warm(first)
        warm(second)
        #expect(first.position(of: "a") == 20 && first.position(of: "b") == nil)
        #expect(second.position(of: "b") == 20 && second.position(of: "a") == nil)
        let third = first
        first.append(PropertyDescription("c", .int))
        #expect(first.position(of: "c") == 21 && third.position(of: "c") == nil)
    }

    @Test(arguments: [false, true]) func renamedPropertiesAreFound(isWarm: Bool) {
        var spec = spec((0..<20).map { "p\($0)" } + ["p3"])
        if isWarm { warm(spec) }
        let before = spec
        spec.rename(5, to: "a")
        if isWarm { warm(spec) }
        spec.rename(6, to: "b")
        #expect(spec.position(of: "a") == 5 && spec.position(of: "p5") == nil)
        #expect(spec.position(of: "b") == 6 && spec.position(of: "p6") == nil)
        #expect(before.position(of: "p6") == 6 && before.position(of: "b") == nil)
        // Once the first property has another name, a second one with the old name is found.
        spec.rename(3, to: "c")
        #expect(spec.position(of: "p3") == 20 && spec.position(of: "c") == 3)
    }

    /// Names that look the same but have different bytes are different.
    @Test func namesAreComparedByTheirBytes() {
        var spec = spec(["caf\u{E9}"] + (0..<20).map { "p\($0)" })
        warm(spec)
        #expect(spec.property("cafe\u{301}") == nil)
        spec.append(PropertyDescription("cafe\u{301}", .string))
        #expect(spec.property("caf\u{E9}")?.type == .int)
        #expect(spec.property("cafe\u{301}")?.type == .string)
    }
}
