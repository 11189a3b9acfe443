/// Checks of the rings of one polygon.
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
        // Number of holes before the first one that has another inside it, without nested ones.
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
