import RealmEngine

/// The five commands; each tool's `main.swift` is one call.
public enum Tools {
    public static func query(_ arguments: [String]) -> Int32 { 0 }
    public static func bench(_ arguments: [String]) -> Int32 { 0 }
}
