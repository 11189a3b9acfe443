/// A closed line on the sphere. Its inside is the smaller of its two sides (query language 20).
struct GeoRing: Sendable {
    /// Vertices in order. The last point of the closed line, which equals the first, is left out.
    let vertices: [SphereVector]
    /// Point for testing on which side of the ring another point is. The two points are on
    /// different sides if the arc between them crosses the ring an odd number of times. The
    /// reference is far from most data, and the great circles of typical edges do not pass through
    /// it.
    private static let reference = SphereVector(-0.0099994664, 0.0025924542, 0.99994664).normalized
    private let containsReference: Bool
    /// Whether a vertex is at a pole. The direction of arcs from there requires exact arithmetic.
    private let touchesPole: Bool

    /// - Parameter number: number of the ring in its polygon, for errors.
    init(closed points: [SphereVector], number: Int) throws(GeoFlaw) {
        guard points.count > 1, points[0] == points[points.count - 1] else {
            throw .open(ring: number)
        }
        try self.init(points.dropLast(), number)
    }

    private init(_ points: ArraySlice<SphereVector>, _ number: Int) throws(GeoFlaw) {
        var vertices: [SphereVector] = []
        for point in points where vertices.last != point { vertices.append(point) }
        while vertices.count > 1, vertices.first == vertices.last { vertices.removeLast() }
        guard vertices.count >= 3 else {
            throw .tooFewVertices(ring: number, count: vertices.count)
        }
        let touchesPole = vertices.contains { $0.isPole }
        if let (first, second) = Self.repetition(vertices) {
            throw .repeatedVertex(ring: number, first, second)
        }
        if let (first, second) = Self.crossing(vertices, touchesPole) {
            throw .crossingEdges(ring: number, first, second)
        }
        self.vertices = vertices
        self.touchesPole = touchesPole
        containsReference = Self.isReferenceInside(vertices, touchesPole)
    }

    /// Returns the indexes of two equal vertices, where the second index is the lowest possible;
    /// nil if all vertices differ.
    private static func repetition(_ v: [SphereVector]) -> (Int, Int)? {
        var known: [SphereVector: Int] = [:]
        for (i, vertex) in v.enumerated() {
            if let first = known.updateValue(i, forKey: vertex) { return (first, i) }
        }
        return nil
    }

    /// Returns the indexes of the first two edges that cross; nil if no edges cross.
    private static func crossing(_ v: [SphereVector], _ touchesPole: Bool) -> (Int, Int)? {
        let n = v.count
        for i in 0..<n {
            for j in stride(from: i + 2, to: n, by: 1) where (j + 1) % n != i {
                let (a, b, c, d) = (v[i], v[(i + 1) % n], v[j], v[(j + 1) % n])
                let doCross =
                    touchesPole
                    ? SphereVector.arcsCrossExactly(a, b, c, d) : SphereVector.arcsCross(a, b, c, d)
                if doCross { return (i, j) }
            }
        }
        return nil
    }

    /// Whether the arc from the point `reference` to `vector` crosses the ring an odd number of
    /// times. The two points are then on different sides of the ring.
    private static func crossesOddly(
        _ v: [SphereVector], _ touchesPole: Bool, to vector: SphereVector
    ) -> Bool {
        var isOdd = false
        var last = v[v.count - 1]
        if touchesPole {
            for next in v {
                if SphereVector.arcsCrossExactly(reference, vector, last, next) { isOdd.toggle() }
                last = next
            }
            return isOdd
        }
        for next in v {
            if SphereVector.arcsCross(reference, vector, last, next) { isOdd.toggle() }
            last = next
        }
        return isOdd
    }

    private static func isReferenceInside(_ v: [SphereVector], _ touchesPole: Bool) -> Bool {
        let area = leftArea(v)
        if abs(area) < smallArea { return isReferenceOutvoted(v, touchesPole) }
        let isLeftInside = isLeftInside(area)
        // Test a point that is certainly on the left side: just left of the middle of the longest
        // edge, and far closer to that edge than to any other.
        var (a, b) = (v[v.count - 1], v[0])
        for (c, d) in zip(v, v.dropFirst()) where (d - c).square > (b - a).square {
            (a, b) = (c, d)
        }
        let beside = ((a + b).normalized + a.normal(to: b).normalized * 1e-9).normalized
        return crossesOddly(v, touchesPole, to: beside) != isLeftInside
    }

    /// Whether the inside of a ring is the side on its left. `area` is the signed area of the left
    /// side.
    private static func isLeftInside(_ area: Double) -> Bool {
        area > 0 || area < roundingOfHemisphere - 2 * Double.pi
    }

    /// The vertices in the direction of travel that has the inside on its left.
    var verticesAroundInside: [SphereVector] {
        Self.isLeftInside(Self.leftArea(vertices)) ? vertices : vertices.reversed()
    }

    /// Signed areas below this limit, about 4000 square kilometres, may have the wrong sign because
    /// of rounding.
    private static let smallArea = 1e-4
    /// Tolerance for counting an area as half of the sphere. A ring that divides the sphere in
    /// halves has no smaller side, so its left side is the inside.
    private static let roundingOfHemisphere = 1e-14
    /// Points for checking which side of a ring is the inside. They are far from each other and
    /// from the point `reference`, so that no small region contains two of these three points.
    private static let witnesses = [
        SphereVector(0.5513748, 0.2719451, -0.7886931).normalized,
        SphereVector(-0.4718263, -0.8139157, 0.3390127).normalized,
    ]

    /// Whether the point `reference` is inside a ring with so small a region that the sign of its
    /// area is inexact. The point is inside if the arcs from `reference` to both `witnesses` cross
    /// the ring.
    ///
    /// A small region contains at most one of the three points. If the ring separates `reference`
    /// from both witnesses, the point in the small region can only be `reference`. A region without
    /// area contains none of the three points.
    private static func isReferenceOutvoted(_ v: [SphereVector], _ touchesPole: Bool) -> Bool {
        witnesses.allSatisfy { crossesOddly(v, touchesPole, to: $0) }
    }

    /// Returns the signed area to the left of the ring, between minus and plus half of the sphere.
    /// Adds the areas of the triangles between the point `reference` and each edge.
    private static func leftArea(_ v: [SphereVector]) -> Double {
        var area = 0.0
        var last = v[v.count - 1]
        for next in v {
            area += SphereVector.area(reference, last, next)
            last = next
        }
        let sphere = 4 * Double.pi
        return area - (area / sphere).rounded() * sphere
    }

    func contains(_ vector: SphereVector) -> Bool {
        Self.crossesOddly(vertices, touchesPole, to: vector) != containsReference
    }

    /// Whether an edge crosses an edge of the other ring. Edges that meet at a common vertex do not
    /// cross.
    func crosses(_ other: GeoRing) -> Bool {
        var last = vertices[vertices.count - 1]
        for next in vertices {
            var otherLast = other.vertices[other.vertices.count - 1]
            for otherNext in other.vertices {
                let doMeet =
                    last == otherLast || last == otherNext || next == otherLast || next == otherNext
                if !doMeet, SphereVector.arcsCross(last, next, otherLast, otherNext) {
                    return true
                }
                otherLast = otherNext
            }
            last = next
        }
        return false
    }
}

/// Checks how the rings of one polygon intersect and contain each other.
extension GeoRing {
    /// Whether a hole is inside this ring. The rings may share vertices and edges.
    func holds(_ hole: GeoRing) -> Bool {
        !crosses(hole) && contains(GeoRegion.nudged(hole.vertices[0]))
    }

    /// Throws if two rings have an edge in common.
    static func checkEdges(of rings: [GeoRing]) throws(GeoFlaw) {
        if rings.count < 2 { return }
        var known: [Edge: GeoFlaw.Edge] = [:]
        for (number, ring) in rings.enumerated() {
            let vertices = ring.verticesAroundInside
            for (i, start) in vertices.enumerated() {
                let end = vertices[(i + 1) % vertices.count]
                let edge = GeoFlaw.Edge(ring: number, index: i)
                let other = known[Edge(start, end)] ?? known[Edge(end, start)]
                if let other { throw .commonEdge(edge, other) }
                known[Edge(start, end)] = edge
            }
        }
    }

    private struct Edge: Hashable {
        let start: SphereVector
        let end: SphereVector
        init(_ start: SphereVector, _ end: SphereVector) { (self.start, self.end) = (start, end) }
    }

    /// Throws if holes cross, or if one lies inside another.
    static func check(holes: ArraySlice<GeoRing>) throws(GeoFlaw) {
        let holes = Array(holes)
        // `outer[i]`: whether another hole is inside hole `i`. `isNested`: whether this is true for
        // any hole.
        var (outer, isNested) = ([Bool](repeating: false, count: holes.count), false)
        var inside = outer
        for (i, hole) in holes.enumerated() {
            for (j, other) in holes.enumerated().dropFirst(i + 1) {
                if hole.crosses(other) { throw .crossingHoles(i + 1, j + 1) }
                if hole.contains(GeoRegion.nudged(other.vertices[0])) {
                    (outer[i], inside[j], isNested) = (true, true, true)
                } else if other.contains(GeoRegion.nudged(hole.vertices[0])) {
                    (outer[j], inside[i], isNested) = (true, true, true)
                }
            }
        }
        guard isNested else { return }
        var number = 1
        for i in holes.indices where !inside[i] {
            if outer[i] { break }
            number += 1
        }
        throw .nestedHole(number + 1)
    }
}
