import Foundation

@testable import RealmEngine

/// An encrypted database as bytes, built page by page according to storage format 8.
struct EncryptedImage {
    var bytes: [UInt8]
    let key: EncryptionKey

    static let page = 4096

    /// Encrypts a plain database. Fills the last page with zeros as the reference engine does: at
    /// the end, or before the footer of a file in streaming form.
    init(of plain: [UInt8], _ key: EncryptionKey) {
        self.key = key
        var plain = plain
        let missing = (Self.page - plain.count % Self.page) % Self.page
        let isStreaming = plain[..<8].allSatisfy { $0 == 0xFF }
        let place = isStreaming ? plain.count - 16 : plain.count
        plain.insert(contentsOf: [UInt8](repeating: 0, count: missing), at: place)
        bytes = [UInt8](repeating: 0, count: EncryptedLayout.fileSize(of: plain.count))
        for i in 0..<plain.count / Self.page {
            write(Array(plain[(i * Self.page)..<((i + 1) * Self.page)]), page: i)
        }
    }

    var pages: Int { EncryptedLayout.databaseSize(of: bytes.count) / Self.page }

    /// Encrypts and writes a page and its entry in the table. With `entryOnly`, writes only the
    /// entry, as a writer that is killed before it writes the page.
    mutating func write(_ plain: [UInt8], page: Int, entryOnly: Bool = false) {
        let entry = EncryptedLayout.position(ofEntry: page)
        let place = EncryptedLayout.position(ofPage: page)
        bytes.replaceSubrange((entry + 32)..<(entry + 64), with: bytes[entry..<(entry + 32)])
        var counter = self.counter(page)
        let work = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 2 * Self.page + 32, alignment: 16)
        defer { work.deallocate() }
        work.copyBytes(from: plain)
        let start = work.baseAddress!
        let (cipher, half) = (start + Self.page, start + 2 * Self.page)
        repeat {
            counter += 1
            key.encrypt(
                UnsafeRawPointer(start), to: cipher, Self.page, position: page * Self.page,
                counter: counter)
            half.storeBytes(of: counter, as: UInt32.self)
            key.authenticate(UnsafeRawPointer(cipher), Self.page, into: half + 4)
        } while bytes[(entry + 4)..<(entry + 32)].elementsEqual(work[(2 * Self.page + 4)...])
        bytes.replaceSubrange(entry..<(entry + 32), with: work[(2 * Self.page)...])
        if entryOnly { return }
        bytes.replaceSubrange(
            place..<(place + Self.page), with: work[Self.page..<(2 * Self.page)])
    }

    /// Copies the first half of a page's entry, for the page as last written, over the second half,
    /// for the page before that. The entry is then as after a complete write.
    mutating func confirm(page: Int) {
        let entry = EncryptedLayout.position(ofEntry: page)
        bytes.replaceSubrange((entry + 32)..<(entry + 64), with: bytes[entry..<(entry + 32)])
    }

    func counter(_ page: Int) -> UInt32 {
        let entry = EncryptedLayout.position(ofEntry: page)
        return bytes[entry..<(entry + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Decrypts a page.
    func plain(page: Int) -> [UInt8] {
        let place = EncryptedLayout.position(ofPage: page)
        let work = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * Self.page, alignment: 16)
        defer { work.deallocate() }
        work.copyBytes(from: bytes[place..<(place + Self.page)])
        let start = work.baseAddress!
        key.decrypt(
            UnsafeRawPointer(start), to: start + Self.page, Self.page,
            position: page * Self.page, counter: counter(page))
        return Array(work[Self.page...])
    }

    /// Writes the encrypted bytes to a new temporary file and returns its path.
    func saved() throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/enc-\(UUID().uuidString).realm"
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    static func key(_ seed: Int = 1) throws -> EncryptionKey {
        let bytes = (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11 &* seed) }
        return try bytes.withUnsafeBytes { try EncryptionKey($0) }
    }
}
