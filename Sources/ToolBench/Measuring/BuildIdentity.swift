import Glibc
import RealmEngine
import ToolKit

/// Identifies the build of the running program, by the build ID that the linker computes from the
/// content of the file.
enum BuildIdentity {
    /// First seven digits of the build ID, as many as a short commit hash has; nil if the program
    /// was linked without a build ID.
    static let short: String? = program().map { String($0.prefix(7)) }

    private static let noteSegment: UInt32 = 4
    private static let buildNote: UInt32 = 3
    private static let maximumSegmentSize = 1 << 16

    /// Returns the build ID as hexadecimal digits, from the note segments of the program's file;
    /// nil if there is none.
    static func program(path: String = "/proc/self/exe") -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let head = bytes(descriptor, at: 0, count: 64)
        // Accepts 64-bit little-endian ELF files only.
        guard head.count == 64, head[0...5] == [0x7F, 0x45, 0x4C, 0x46, 2, 1] else { return nil }
        let (start, size) = (head.number(at: 32, bytes: 8), Int(head.number(at: 54, bytes: 2)))
        guard size >= 56, start < 1 << 40 else { return nil }
        for i in 0..<Int(head.number(at: 56, bytes: 2)) {
            let entry = bytes(descriptor, at: Int(start) + i * size, count: 56)
            guard entry.count == 56, entry.number(at: 0, bytes: 4) == noteSegment else { continue }
            let (offset, length) = (entry.number(at: 8, bytes: 8), entry.number(at: 32, bytes: 8))
            guard offset < 1 << 40, length <= maximumSegmentSize else { continue }
            let isWide = entry.number(at: 48, bytes: 8) == 8
            let notes = bytes(descriptor, at: Int(offset), count: Int(length))
            if let found = identity(in: notes, alignment: isWide ? 8 : 4) { return found }
        }
        return nil
    }

    /// Returns the content of the build ID note; nil if there is none.
    static func identity(in notes: [UInt8], alignment: Int) -> String? {
        func aligned(_ size: Int) -> Int { (size + alignment - 1) & ~(alignment - 1) }
        var place = 0
        while place + 12 <= notes.count {
            let nameSize = Int(notes.number(at: place, bytes: 4))
            let size = Int(notes.number(at: place + 4, bytes: 4))
            let name = place + 12
            let description = name + aligned(nameSize)
            guard description + size <= notes.count else { return nil }
            let isGNU = notes[name..<name + nameSize].elementsEqual([0x47, 0x4E, 0x55, 0])
            if isGNU, notes.number(at: place + 8, bytes: 4) == buildNote, size > 0 {
                return hexadecimal(notes[description..<description + size])
            }
            place = description + aligned(size)
        }
        return nil
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ByteBuffer(capacity: 64)
        bytes.withUnsafeBytes {
            text.append(hex: ByteView($0.baseAddress!, count: $0.count))
        }
        return String(decoding: text.bytes, as: UTF8.self)
    }

    private static func bytes(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, pread(descriptor, buffer.baseAddress, count, offset))
        }
    }
}

extension [UInt8] {
    /// Returns a little-endian number.
    fileprivate func number(at place: Int, bytes: Int) -> UInt64 {
        (0..<bytes).reduce(0) { $0 | UInt64(self[place + $1]) << UInt64(8 * $1) }
    }
}
