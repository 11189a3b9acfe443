import RealmEngine
import ToolKit

/// `--space-map`: a picture of a file, in which colours show the owner of each part, such as a
/// class. For a salvage, they show what happened to each part. The file is drawn line by line, from
/// the beginning to the end.
struct SpacePicture {
    private let file: String
    private let map: SpaceMap

    private static let columns = 256
    private static let maximumRowCount = 64
    static let cellCount = columns * maximumRowCount
    private static let maximumClassCount = 7
    private static let maximumVersionCount = Paint.warningCount

    private static let margin = 24.0
    private static let left = 104.0
    private static let top = 84.0
    private static let cellWidth = 2.75
    private static let rowHeight = 11.0
    private static let width = 1120.0

    init(file: String, _ map: SpaceMap) {
        self.file = FileName.last(of: file)
        self.map = map
    }

    /// Owners of bytes, such as tables, that share a colour and an entry in the legend.
    private struct Group {
        var name: String
        let paint: Paint
        var bytes: UInt64 = 0
    }

    private var sum: String { Quantity.bytes(Int(clamping: map.bytes)) }

    /// Text with the version of the database that is drawn. After a salvage, the version number may
    /// be unknown.
    private var version: String {
        map.version == 0 ? "no known version" : "version \(map.version)"
    }

    func drawing() -> ByteBuffer {
        let (groups, membership) = grouped()
        let lines = (map.cells.count + Self.columns - 1) / Self.columns
        let bottom = Self.top + Double(max(lines, groups.count * 2 + 2)) * Self.rowHeight
        var drawing = SVGDrawing(
            width: Self.width, height: bottom + 52, title: "Space of \(file)",
            summary: groups.map { "\($0.name) \(share($0.bytes))" }.joined(separator: ", "))
        drawing.text("Space of \(file)", Self.margin, 34, .title)
        drawing.text(
            "\(sum), \(version), in file order from left to right and top to bottom",
            Self.margin, 56, .small)
        drawOffsets(lines, on: &drawing)
        drawCells(groups, membership, on: &drawing)
        drawLegend(groups, on: &drawing)
        let cell = Quantity.bytes(Int(clamping: map.bytesPerCell))
        let line = Quantity.bytes(Int(clamping: map.bytesPerCell * UInt64(Self.columns)))
        drawing.text(
            "a line is \(line); the smallest mark is \(cell), in the colour of its largest part",
            Self.left, bottom + 30, .small)
        return drawing.document()
    }

    private func share(_ bytes: UInt64) -> String {
        Quantity.oneDecimal(Double(bytes) * 100 / Double(max(1, map.bytes))) + "%"
    }

    private func drawOffsets(_ lines: Int, on drawing: inout SVGDrawing) {
        // Not every line gets a label, since the labels would overlap. The step is a power of two,
        // so that the offsets are round.
        var step = 4
        while lines / step > 12 { step *= 2 }
        for line in stride(from: 0, to: lines, by: step) {
            let offset = map.bytesPerCell * UInt64(line * Self.columns)
            let y = Self.top + Double(line) * Self.rowHeight
            drawing.text(
                ChartUnit.bytes.text(Double(offset)), Self.left - 10, y + 9, .small, anchor: .end)
        }
    }

    private func drawCells(
        _ groups: [Group], _ membership: [Int], on drawing: inout SVGDrawing
    ) {
        typealias Area = (x: Double, y: Double, width: Double, height: Double)
        var areas = [[Area]](repeating: [], count: groups.count)
        var index = 0
        while index < map.cells.count {
            let group = membership[map.cells[index]]
            let line = index / Self.columns
            let lineEnd = min(map.cells.count, (line + 1) * Self.columns)
            var end = index + 1
            while end < lineEnd, membership[map.cells[end]] == group { end += 1 }
            areas[group].append(
                (
                    x: Self.left + Double(index % Self.columns) * Self.cellWidth,
                    y: Self.top + Double(line) * Self.rowHeight,
                    width: Double(end - index) * Self.cellWidth, height: Self.rowHeight - 1
                ))
            index = end
        }
        for (group, areas) in zip(groups, areas) where !areas.isEmpty {
            drawing.rectangles(areas, group.paint, hint: "\(group.name), \(share(group.bytes))")
        }
    }

    private func drawLegend(_ groups: [Group], on drawing: inout SVGDrawing) {
        let x = Self.left + Double(Self.columns) * Self.cellWidth + 24
        var y = Self.top
        for group in groups where group.bytes > 0 {
            drawing.rectangle(x, y, 12, 12, group.paint)
            drawing.text(Self.shortened(group.name), x + 18, y + 11)
            drawing.text(
                Quantity.bytes(Int(clamping: group.bytes)), Self.width - Self.margin - 52, y + 11,
                .small, anchor: .end)
            drawing.text(share(group.bytes), Self.width - Self.margin, y + 11, .small, anchor: .end)
            y += 22
        }
    }

    private static func shortened(_ name: String) -> String {
        name.count <= 16 ? name : name.prefix(15) + "…"
    }

    // MARK: Groups

    /// Returns the groups in the order of the legend. Also returns, for each owner in `map.owners`,
    /// the index of the owner's group.
    private func grouped() -> ([Group], [Int]) {
        var groups: [Group] = []
        var membership = [Int](repeating: 0, count: map.owners.count)
        func add(_ owners: [Int], _ name: String, _ paint: Paint) {
            if owners.isEmpty { return }
            var group = Group(name: name, paint: paint)
            for owner in owners {
                membership[owner] = groups.count
                group.bytes += map.totals[owner]
            }
            groups.append(group)
        }
        addTables(add)
        for (owner, name, paint) in [
            (SpaceMap.Owner.copied, "copied", Paint.series(0)),
            (.older, "another version", .series(1)), (.doubtful, "doubtful", .warning(1)),
            (.lost, "lost", .warning(3)), (.unused, "not used", .axis),
        ] { add(indexes { $0 == owner }, name, paint) }
        for (owner, name, paint) in [
            (SpaceMap.Owner.history, "change log", Paint.series(7)),
            (.bookkeeping, "bookkeeping", .quiet),
        ] { add(indexes { $0 == owner }, name, paint) }
        addVersions(add)
        add(indexes { $0 == .free }, "free", .empty)
        add(indexes { $0 == .unaccounted }, "unaccounted", .ink)
        return (groups, membership)
    }

    private func indexes(_ matches: (SpaceMap.Owner) -> Bool) -> [Int] {
        map.owners.indices.filter { matches(map.owners[$0]) }
    }

    /// Adds a legend entry for each of the largest classes, and one entry for all other tables.
    private func addTables(_ add: ([Int], String, Paint) -> Void) {
        let tables = indexes {
            if case .table = $0 { return true }
            return $0 == .otherTables
        }.ordered { map.totals[$0] > map.totals[$1] }
        var others: [Int] = []
        var displayName = 0
        for index in tables {
            if case .table(let name) = map.owners[index], displayName < Self.maximumClassCount,
                name.hasPrefix("class_")
            {
                add([index], ClassName.displayName(name), .series(displayName))
                displayName += 1
            } else {
                others.append(index)
            }
        }
        add(others, "other tables", .axis)
    }

    /// Adds a legend entry for each of the old versions that pin most space, and one entry for all
    /// other pinned versions.
    private func addVersions(_ add: ([Int], String, Paint) -> Void) {
        let versions = indexes {
            if case .pinned = $0 { return true }
            return false
        }.ordered { map.totals[$0] > map.totals[$1] }
        for (position, index) in versions.prefix(Self.maximumVersionCount - 1).enumerated() {
            guard case .pinned(let version) = map.owners[index] else { continue }
            add([index], "pinned by \(version)", .warning(position))
        }
        add(
            Array(versions.dropFirst(Self.maximumVersionCount - 1)), "other pinned",
            .warning(Self.maximumVersionCount - 1))
    }
}
