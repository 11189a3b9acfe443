import RealmEngine
import RealmRecords

/// Names of the files of `--output-dir`, without suffixes: `Class` and `Class.property`.
///
/// The names depend only on the schema, so that `realm-write` can find the class or property of a
/// file. They are distinct even on file systems that ignore case. A name never begins with a dot,
/// never contains a slash, and never exceeds the length that file systems permit. Special bytes,
/// including dots in names, are written `%XX`.
package struct ExportNames {
    /// Content of a file of `--output-dir`: the objects of a class, or the elements of a collection
    /// property of all objects.
    package struct Subject: Hashable {
        package let table: TableKey
        /// Index of the collection property; nil for a file with the objects of the class.
        package var column: Int?
    }

    private var stems: [Subject: String] = [:]
    private var subjects: [String: Subject] = [:]
    /// Names in lower case, to detect collisions on file systems that ignore case.
    private var folded: Set<String> = []

    /// Maximum size in bytes of a file name without its suffix. A longer name is cut, and a digest
    /// is appended. The maximum leaves room for the suffix.
    private static let maximumStemSize = 200

    package init(_ schema: Schema) {
        let tables = schema.tables.ordered {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        let literal = Self.literals(tables)
        for table in tables {
            add(Subject(table: table.key), [table.className], literal)
            for (position, column) in table.columns.enumerated() where column.collection != nil {
                add(
                    Subject(table: table.key, column: position), [table.className, column.name],
                    literal)
            }
        }
    }

    package func stem(_ table: TableInfo, column: Int? = nil) -> String {
        stems[Subject(table: table.key, column: column)]!
    }

    /// Returns the content of the file with this name; nil if the schema has no such class or
    /// property.
    package func subject(_ stem: String) -> Subject? { subjects[stem] }

    /// Maps each file name without escapes, `Class` or `Class.property`, to the class or property
    /// of that name. Such a name is never used for a file with other content.
    private static func literals(_ tables: [TableInfo]) -> [[UInt8]: Subject] {
        var literal: [[UInt8]: Subject] = [:]
        for table in tables where table.isClass {
            for (position, column) in table.columns.enumerated() where column.collection != nil {
                literal[Array("\(table.className).\(column.name)".utf8)] = Subject(
                    table: table.key, column: position)
            }
        }
        for table in tables where table.isClass {
            literal[Array(table.className.utf8)] = Subject(table: table.key)
        }
        return literal
    }

    private mutating func add(
        _ subject: Subject, _ names: [String], _ literal: [[UInt8]: Subject]
    ) {
        var spelled = 0
        var stem: String
        repeat {
            stem = Self.stem(names, spelled: spelled)
            spelled += 1
        } while folded.contains(stem.lowercased())
            || literal[Array(stem.utf8), default: subject] != subject
        folded.insert(stem.lowercased())
        stems[subject] = stem
        subjects[stem] = subject
    }

    /// Returns the name of a file without its suffix.
    ///
    /// - Parameter spelled: number of bytes at the beginning of the last name that are written as
    ///   `%XX` although they need not be. Increased until the name is distinct.
    private static func stem(_ names: [String], spelled: Int) -> String {
        let parts = names.enumerated().map { place, name in
            part(name, spelled: place == names.count - 1 ? spelled : 0)
        }
        let whole = parts.joined(separator: ".")
        // If all bytes are already written as `%XX`, only a digest can make the name distinct.
        let isExhausted = spelled > names[names.count - 1].utf8.count
        guard whole.utf8.count > maximumStemSize || isExhausted else { return whole }
        var hash = ContentHash(seed: UInt64(spelled))
        for name in names {
            hash.update(UInt64(name.utf8.count))
            Array(name.utf8).withUnsafeBytes { hash.update($0) }
        }
        var digest = ByteBuffer(capacity: 64)
        digest.append("%~")
        for shift in stride(from: 56, through: 0, by: -8) {
            let byte = UInt8(truncatingIfNeeded: hash.value >> UInt64(shift))
            digest.append(Hexadecimal.digits(byte))
        }
        return shortened(whole) + digest.string
    }

    /// Returns the beginning of a text. It is not cut inside a character or a `%XX` sequence.
    private static func shortened(_ text: String) -> String {
        var kept = Array(text.utf8.prefix(maximumStemSize - 20))
        while let last = kept.last, last >= 0x80 { kept.removeLast() }
        if let sign = kept.suffix(2).lastIndex(of: UInt8(ascii: "%")) {
            kept.removeSubrange(sign...)
        }
        return String(decoding: kept, as: UTF8.self)
    }

    private static func part(_ name: String, spelled: Int) -> String {
        // An empty name becomes a percent sign: the name of its file would otherwise begin with the
        // dot of the suffix, which hides the file.
        if name.isEmpty { return String(repeating: "%", count: spelled + 1) }
        let spelled = isReserved(name) ? spelled + 1 : spelled
        var result: [UInt8] = []
        let last = name.utf8.count - 1
        for (position, byte) in name.utf8.enumerated() {
            let isEnd = position == last && byte == UInt8(ascii: " ")
            // All bytes of a character are written as `%XX`, or none.
            let isSpelled = position < spelled || (spelled > 0 && byte >= 0x80)
            if isSpelled || isEnd || isSpecial(byte) {
                result.append(UInt8(ascii: "%"))
                result += Hexadecimal.digits(byte)
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether a name is reserved on some systems because it denotes a device, with any suffix.
    private static func isReserved(_ name: String) -> Bool {
        let folded = name.lowercased()
        if ["con", "prn", "aux", "nul"].contains(folded) { return true }
        guard folded.utf8.count == 4, folded.hasPrefix("com") || folded.hasPrefix("lpt") else {
            return false
        }
        return folded.utf8.last.map { $0 >= 0x30 && $0 <= 0x39 } ?? false
    }

    /// Whether the byte is written as `%XX` in file names, because some file system forbids it, or
    /// because it separates or escapes the parts of a name.
    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F: true
        case UInt8(ascii: "/"), UInt8(ascii: "%"), UInt8(ascii: "."), UInt8(ascii: "\\"),
            UInt8(ascii: ":"), UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "\""),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "|"):
            true
        default: false
        }
    }
}
