import CRealmCrypto
import Glibc

/// SHA-256 of the bytes of a file, which are not decrypted.
package enum FileDigest {
    private static let portion = 1 << 18

    /// Returns the digest as 64 hexadecimal digits. Throws `input` if the file at `path` cannot be
    /// read. The access time of the file is not updated if the system permits that.
    package static func sha256(path: String) throws(RealmError) -> String {
        let file = try File(reading: path)
        try File.checkRegular(try file.status(), path)
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: portion)
        defer { buffer.deallocate() }
        var state = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        var digest = [UInt8](repeating: 0, count: 32)
        try withUnsafeMutableBytes(of: &state) { bytes throws(RealmError) in
            let words = bytes.bindMemory(to: UInt32.self).baseAddress!
            realm_crypto_sha256_begin(words)
            var total: UInt64 = 0
            while true {
                let count = try fill(buffer, file)
                total += UInt64(count)
                realm_crypto_sha256_blocks(words, buffer, count / 64)
                if count == portion { continue }
                let rest = count % 64
                realm_crypto_sha256_end(words, buffer + (count - rest), rest, total, &digest)
                return
            }
        }
        let digits = Array("0123456789abcdef".utf8)
        let text = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads the next portion of the file and returns its size, which is less than the buffer's
    /// only at the end of the file.
    private static func fill(
        _ buffer: UnsafeMutablePointer<UInt8>, _ file: borrowing File
    ) throws(RealmError) -> Int {
        var filled = 0
        let descriptor = file.descriptor
        while filled < portion {
            let count = retryingInterrupts { read(descriptor, buffer + filled, portion - filled) }
            if count == 0 { break }
            guard count > 0 else { throw systemError("read", file.path, errno: errno) }
            filled += count
        }
        return filled
    }
}
