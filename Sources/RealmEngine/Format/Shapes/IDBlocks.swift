/// Layout of a leaf of ids: blocks of a byte of null bits and up to eight ids (object format 3.9).
struct IDBlocks {
    /// Number of bytes of an id.
    let width: Int

    @inline(__always) init(width: Int) { self.width = width }

    /// Number of bytes of a full block.
    @inline(__always) var blockSize: Int { 8 &* width &+ 1 }

    /// Number of bytes of `count` ids.
    @inline(__always) func size(_ count: Int) -> Int { count * width + (count + 7) / 8 }

    /// Number of blocks in `size` bytes, with the last, incomplete one.
    @inline(__always) func blockCount(_ size: Int) -> Int { (size + blockSize - 1) / blockSize }

    /// Number of ids in `size` bytes.
    @inline(__always) func count(_ size: Int) -> Int { (size - blockCount(size)) / width }

    /// Offset of the byte with the null bit of id `i`.
    @inline(__always) func nulls(_ i: Int) -> Int { (i &>> 3) &* blockSize }

    /// Offset of id `i`.
    @inline(__always) func offset(_ i: Int) -> Int { nulls(i) &+ 1 &+ (i & 7) &* width }

    /// Null bit of id `i` in its byte.
    @inline(__always) static func bit(_ i: Int) -> UInt8 { 1 &<< UInt8(i & 7) }
}
