import Testing

@testable import RealmEngine

@Test func refNoneIsZero() { #expect(Ref.none.isNone) }
