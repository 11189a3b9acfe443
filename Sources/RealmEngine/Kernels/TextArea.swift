/// The byte area of a leaf of medium texts with its offsets unpacked: text `row` lies from
/// `ends[row - 1]` to `ends[row]`, a terminator included.
struct TextArea {
    let base: UnsafeRawPointer
    /// Bytes of the area.
    let size: Int
    /// `ends[-1]` is 0.
    let ends: UnsafeMutablePointer<Int64>
    let count: Int
    let terminator: Int64

    /// Unpacks the offsets and checks that they ascend and end inside the area; nil otherwise.
    /// Unpacks the offsets into `scratch`, where they stay until its next use; nil if they do not
    /// ascend or end outside the area.
    init?(_ area: NodeView, _ offsets: NodeView, terminator: Int, _ scratch: LeafScratch) {
        count = min(offsets.count, ClusterRows.maximum)
        guard count > 0 else { return nil }
        ends = scratch.numbers
        ends[-1] = 0
        IntegerKernels.decode(offsets, first: 0, count: count, into: ends)
        var isDamaged: Int64 = 0
        // An end before the area, a step back, and one shorter than the terminator, have their sign
        // bits set.
        for row in 0..<count {
            let length = ends[row] &- ends[row &- 1] &- Int64(terminator)
            isDamaged |= ends[row] | length
        }
        guard isDamaged >= 0, ends[count &- 1] <= Int64(area.count) else { return nil }
        base = area.payload
        size = area.count
        self.terminator = Int64(terminator)
    }

    @inline(__always)
    private func rows(_ test: (Int) -> Bool) -> Selection {
        Selection(count) { (from, n) in
            var bits: UInt64 = 0
            var i = 0
            while i < n {
                let isTrue: UInt64 = test(from &+ i) ? 1 : 0
                bits |= isTrue &<< UInt64(i)
                i &+= 1
            }
            return bits
        }
    }

    /// Rows whose text is the needle.
    func rows(equalTo search: NeedleSearch) -> Selection {
        let length = Int64(search.count) &+ terminator
        var result = rows { ends[$0] &- ends[$0 &- 1] == length }
        for i in 0..<4 {
            var rest = result[i]
            while rest != 0 {
                let bit = rest.trailingZeroBitCount
                rest &= rest &- 1
                let start = Int(ends[i &* 64 &+ bit &- 1])
                if !search.matches(base + start) { result[i] &= ~(1 &<< UInt64(bit)) }
            }
        }
        return result
    }

    /// Rows whose text begins with the needle, which is not empty.
    func rows(beginningWith search: NeedleSearch) -> Selection {
        let length = Int64(search.count) &+ terminator
        let head = search.head
        // Only where eight bytes can be read; the last rows are compared byte by byte.
        let readable = Int64(size &- 8)
        var result = rows { row in
            let start = ends[row &- 1]
            guard ends[row] &- start >= length else { return false }
            guard start <= readable else { return search.matches(base + Int(start)) }
            return head.matches(base + Int(start))
        }
        if search.count <= 8 { return result }
        for i in 0..<4 {
            var rest = result[i]
            while rest != 0 {
                let bit = rest.trailingZeroBitCount
                rest &= rest &- 1
                let start = Int(ends[i &* 64 &+ bit &- 1])
                if !search.matches(base + start) { result[i] &= ~(1 &<< UInt64(bit)) }
            }
        }
        return result
    }

    /// Rows whose text holds the needle, which is not empty.
    func rows(containing search: NeedleSearch) -> Selection {
        var result = Selection.none
        let length = Int64(search.count) &+ terminator
        let end = count == 0 ? 0 : Int(ends[count &- 1])
        var row = 0
        var at = 0
        while let hit = search.first(base, from: at, to: end) {
            while ends[row] <= Int64(hit) { row &+= 1 }
            if Int64(hit) &+ length <= ends[row] {
                result.insert(row)
                at = Int(ends[row])
            } else {
                // Reaches into the next text: not a hit.
                at = hit &+ 1
            }
        }
        return result
    }
}
