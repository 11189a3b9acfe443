/// A growing array of a trivial type that keeps its memory when its elements are removed. It is a
/// class with a pointer, so that appending checks neither for unique references nor for exclusive
/// access.
final class ReusedBuffer<Element> {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 8) {
        self.capacity = max(1, capacity)
        base = Self.allocate(self.capacity)
    }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        LargeMemory.requestHugePages(memory, capacity * MemoryLayout<Element>.stride)
        return memory
    }

    deinit { base.deallocate() }

    /// All elements of the buffer. Valid until the next append.
    @inline(__always)
    var all: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

    /// All elements, mutable in place. Valid until the next append.
    @inline(__always)
    var mutable: UnsafeMutableBufferPointer<Element> {
        UnsafeMutableBufferPointer(start: base, count: count)
    }

    @inline(__always) var first: Element? { count == 0 ? nil : base[0] }

    @inline(__always)
    func append(_ element: Element) {
        if count == capacity { grow(to: count &+ 1) }
        (base + count).initialize(to: element)
        count &+= 1
    }

    func append(contentsOf elements: UnsafeBufferPointer<Element>) {
        guard let start = elements.baseAddress else { return }
        if count + elements.count > capacity { grow(to: count + elements.count) }
        (base + count).initialize(from: start, count: elements.count)
        count += elements.count
    }

    /// Appends `count` elements. `fill` must initialise all of them.
    @inline(__always)
    func append(count extra: Int, _ fill: (UnsafeMutablePointer<Element>) -> Void) {
        if count &+ extra > capacity { grow(to: count &+ extra) }
        fill(base + count)
        count &+= extra
    }

    @inline(__always) func removeAll() { count = 0 }

    /// Keeps the first `count` elements and removes the others.
    func truncate(to count: Int) { self.count = min(count, self.count) }

    @inline(__always)
    subscript(i: Int) -> Element {
        get {
            precondition(i >= 0 && i < count)
            return base[i]
        }
        set {
            precondition(i >= 0 && i < count)
            base[i] = newValue
        }
    }

    @inline(never)
    private func grow(to needed: Int) {
        let wanted = max(needed, capacity * 2)
        let fresh = Self.allocate(wanted)
        fresh.moveInitialize(from: base, count: count)
        base.deallocate()
        base = fresh
        capacity = wanted
    }
}
