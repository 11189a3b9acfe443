import Testing

@testable import ToolKit

@Test func toolsExist() { #expect(Tools.query([]) == 0) }
