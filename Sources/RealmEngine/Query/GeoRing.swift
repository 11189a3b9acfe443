/// A closed line on the sphere; inside is the smaller of its two sides (query language 20).
struct GeoRing: Sendable {
    /// Without the closing repetition.
    let vertices: [SphereVector]
    /// Far from most data, and in no special position to anything.
    private static let reference = SphereVector(-0.0099994664, 0.0025924542, 0.99994664).normalized
    private let containsReference: Bool

    enum Flaw: String, Error {
        case open = "a ring must end where it begins"
        case tooFew = "a ring needs at least three different points"
        case crossing = "a ring crosses or touches itself"
    }

    init(closed points: [SphereVector]) throws(Flaw) {
        guard points.count > 1, points[0] == points[points.count - 1] else { throw .open }
        try self.init(points.dropLast())
    }

    init(_ points: ArraySlice<SphereVector>) throws(Flaw) {
        var vertices: [SphereVector] = []
        for point in points where vertices.last != point { vertices.append(point) }
        while vertices.count > 1, vertices.first == vertices.last { vertices.removeLast() }
        guard vertices.count >= 3 else { throw .tooFew }
        guard Set(vertices).count == vertices.count, !Self.crossesItself(vertices) else {
            throw .crossing
        }
        self.vertices = vertices
        containsReference = Self.isReferenceInside(vertices)
    }

    private static func crossesItself(_ v: [SphereVector]) -> Bool {
        let n = v.count
        for i in 0..<n {
            for j in stride(from: i + 2, to: n, by: 1) where (j + 1) % n != i {
                if SphereVector.arcsCross(v[i], v[(i + 1) % n], v[j], v[(j + 1) % n]) {
                    return true
                }
            }
        }
        return false
    }

    /// Crossings of the arc from the reference to `place`, odd or even.
    private static func crossesOddly(_ v: [SphereVector], to place: SphereVector) -> Bool {
        var isOdd = false
        var last = v[v.count - 1]
        for next in v {
            if SphereVector.arcsCross(reference, place, last, next) { isOdd.toggle() }
            last = next
        }
        return isOdd
    }

    private static func isReferenceInside(_ v: [SphereVector]) -> Bool {
        var area = 0.0
        for i in 1..<(v.count - 1) { area += SphereVector.area(v[0], v[i], v[i + 1]) }
        // Modulo the whole sphere, the signed area of the left side.
        let sphere = 4 * Double.pi
        area -= (area / sphere).rounded(.down) * sphere
        let isLeftInside = area <= sphere / 2
        // A place just left of the first edge, far closer to it than to any other.
        let left = v[0].cross(v[1]).normalized
        let beside = ((v[0] + v[1]).normalized + left * 1e-9).normalized
        return crossesOddly(v, to: beside) != isLeftInside
    }

    func contains(_ place: SphereVector) -> Bool {
        Self.crossesOddly(vertices, to: place) != containsReference
    }

    func crosses(_ other: GeoRing) -> Bool {
        var last = vertices[vertices.count - 1]
        for next in vertices {
            var otherLast = other.vertices[other.vertices.count - 1]
            for otherNext in other.vertices {
                if SphereVector.arcsCross(last, next, otherLast, otherNext) { return true }
                otherLast = otherNext
            }
            last = next
        }
        return false
    }
}
