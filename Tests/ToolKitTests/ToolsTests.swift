import Testing

@testable import ToolKit

@Test func missingOperandIsAUsageError() { #expect(Tools.query(["realm-query"]) == 2) }
