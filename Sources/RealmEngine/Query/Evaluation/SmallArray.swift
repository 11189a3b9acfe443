/// Array optimized for one element, which needs no heap allocation.
struct SmallArray<Element>: RandomAccessCollection {
    private var one: Element?
    private var others: [Element] = []

    init() {}

    init(_ element: Element) { one = element }

    init(_ elements: [Element]) {
        one = elements.first
        if elements.count > 1 { others = Array(elements[1...]) }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { one == nil ? 0 : 1 + others.count }

    subscript(i: Int) -> Element { i == 0 ? one! : others[i - 1] }

    mutating func append(_ element: Element) {
        if one == nil { one = element } else { others.append(element) }
    }
}

extension SmallArray: Sendable where Element: Sendable {}
