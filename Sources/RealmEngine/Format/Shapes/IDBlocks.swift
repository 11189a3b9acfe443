/// Layout of a leaf of ids: blocks of up to eight ids, each preceded by a byte with a null bit for
/// each id (object format 3.9).
struct IDBlocks {
    /// Size of an id in bytes: 12 for object ids, 16 for UUIDs.
    let width: Int

    @inline(__always) init(width: Int) { self.width = width }

    /// Size in bytes of a block of eight ids.
    @inline(__always) var blockSize: Int { 8 &* width &+ 1 }

    /// Size in bytes of `count` object ids or UUIDs, including the null bits of all their blocks.
    @inline(__always) func size(_ count: Int) -> Int { count * width + (count + 7) / 8 }

    /// Number of blocks in `size` bytes. The last one may be incomplete.
    @inline(__always) func blockCount(_ size: Int) -> Int { (size + blockSize - 1) / blockSize }

    /// Number of ids in `size` bytes.
    @inline(__always) func count(_ size: Int) -> Int { (size - blockCount(size)) / width }

    /// Offset of the byte that contains the null bit of object id or UUID `i`. The byte precedes
    /// the block of up to eight ids.
    @inline(__always) func nulls(_ i: Int) -> Int { (i &>> 3) &* blockSize }

    /// Offset of id `i` from the start of the leaf's payload.
    @inline(__always) func offset(_ i: Int) -> Int { nulls(i) &+ 1 &+ (i & 7) &* width }

    /// Returns the mask of the null bit of object id or UUID `i`. The bit is in the byte that
    /// precedes the block of up to eight ids.
    @inline(__always) static func bit(_ i: Int) -> UInt8 { 1 &<< UInt8(i & 7) }
}
