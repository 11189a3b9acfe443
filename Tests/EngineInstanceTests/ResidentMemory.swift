import Foundation
import Testing

@testable import EngineSupport

/// What the system says of this process's memory.
enum ResidentMemory {
    /// Bytes of this process's memory that show pages of the file at `path`.
    static func bytes(ofFile path: String) throws -> Int {
        // Its size is not known before it has been read.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        var (sum, isOurs) = (0, false)
        for line in text.split(separator: "\n") {
            // Addresses and a path begin a mapping, names with a colon are facts about it.
            let words = line.split(separator: " ")
            if words.first?.hasSuffix(":") != true { isOurs = line.hasSuffix(target) }
            if isOurs, words.first == "Rss:", words.count > 1 { sum += (Int(words[1]) ?? 0) << 10 }
        }
        return sum
    }
}
