import Foundation
import Testing

@testable import EngineSupport

/// Memory of this process, according to the kernel.
enum ResidentMemory {
    /// Number of resident bytes that map the file at `path`.
    static func bytes(ofFile path: String) throws -> Int {
        // The size of the file is unknown before it is read.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        var (sum, isOurs) = (0, false)
        for line in text.split(separator: "\n") {
            // A line with addresses and a path begins a mapping; lines with a name and a colon
            // describe it.
            let words = line.split(separator: " ")
            if words.first?.hasSuffix(":") != true { isOurs = line.hasSuffix(target) }
            if isOurs, words.first == "Rss:", words.count > 1 { sum += (Int(words[1]) ?? 0) << 10 }
        }
        return sum
    }
}
