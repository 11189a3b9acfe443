import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Searches over whole leaves, compared with searches of single texts.
@Suite struct TextKernelTests {
    private func view<R>(_ bytes: [UInt8], _ body: (ByteView) -> R) -> R {
        (bytes + [0]).withUnsafeBytes { body(ByteView($0.baseAddress!, count: bytes.count)) }
    }

    /// Returns short text over a small alphabet, so that matches are frequent: letters of both
    /// cases, accents, zeros.
    private func text(_ random: inout SeededRandom, _ limit: Int) -> [UInt8] {
        let pieces: [[UInt8]] = [
            [0x61], [0x62], [0x41], [0x42], [0x7A], [0x20], [0xC3, 0xA9], [0xC3, 0x89],
            [0xC3, 0x97], [0xC3, 0xB7], [0xC3, 0x9F], [0xE6, 0x97, 0xA5], [0x00], [0x40], [0x60],
        ]
        var bytes: [UInt8] = []
        while random.below(8) > 0 {
            let piece = pieces[random.below(pieces.count)]
            if bytes.count + piece.count > limit { break }
            bytes += piece
        }
        return bytes
    }

    /// A leaf with the texts, as cells or as one area with offsets.
    private struct Leaf {
        var bytes: [UInt8] = []
        var ends: [Int64] = []

        init(cells texts: [[UInt8]?], width: Int) {
            for text in texts {
                guard let text else {
                    bytes += [UInt8](repeating: 0, count: width - 1) + [UInt8(width)]
                    continue
                }
                let padding = width - 1 - text.count
                bytes += text + [UInt8](repeating: 0, count: padding) + [UInt8(padding)]
            }
        }

        init(area texts: [[UInt8]]) {
            for text in texts {
                bytes += text + [0]
                ends.append(Int64(bytes.count))
            }
        }
    }

    private func selected(_ count: Int, _ test: (Int) -> Bool) -> Selection {
        var rows = Selection.none
        for row in 0..<count where test(row) { rows.insert(row) }
        return rows
    }

    @Test func cellsAgreeWithSingleTexts() {
        var random = SeededRandom(seed: UInt64.random(in: 1 ... .max))
        for round in 0..<400 {
            let width = [1, 2, 4, 8, 16, 32][round % 6]
            let folds = round % 2 == 0
            let count = [1, 5, 64, 65, 256][round % 5]
            let texts: [[UInt8]?] = (0..<count).map { _ in
                random.below(6) == 0 ? nil : text(&random, width - 1)
            }
            let part = text(&random, 4)
            let leaf = Leaf(cells: texts, width: width)
            view(part) { part in
                let needle = Needle(part, folds: folds)
                func expected(_ test: (ByteView) -> Bool) -> Selection {
                    selected(count) { row in texts[row].map { view($0, test) } ?? false }
                }
                leaf.bytes.withUnsafeBytes { cells in
                    let base = cells.baseAddress!
                    if let cell = needle.cell(width: width) {
                        let found = TextKernels.rows(
                            base, width: width, count: count, equalTo: cell)
                        #expect(found == expected { TextMatch.equal($0, part, folds: folds) })
                    }
                    guard part.count > 0 else { return }
                    let holding = needle.withSearch {
                        TextKernels.rows(base, width: width, count: count, containing: $0)
                    }
                    #expect(holding == expected { TextMatch.contains($0, part, folds: folds) })
                    guard width >= 8 else { return }
                    let beginning = needle.withSearch {
                        TextKernels.rows(base, width: width, count: count, beginningWith: $0)
                    }
                    #expect(beginning == expected { TextMatch.begins($0, part, folds: folds) })
                }
            }
        }
    }

    @Test func areasAgreeWithSingleTexts() {
        var random = SeededRandom(seed: UInt64.random(in: 1 ... .max))
        for round in 0..<400 {
            let folds = round % 2 == 0
            let count = [1, 5, 64, 65, 256][round % 5]
            let texts = (0..<count).map { _ in text(&random, 40) }
            let part = round % 3 == 0 ? texts[random.below(count)] : text(&random, 12)
            let leaf = Leaf(area: texts)
            view(part) { part in
                func expected(_ test: (ByteView) -> Bool) -> Selection {
                    selected(count) { view(texts[$0], test) }
                }
                for found in areas(leaf, Needle(part, folds: folds)) {
                    #expect(found[0] == expected { TextMatch.equal($0, part, folds: folds) })
                    guard part.count > 0 else { continue }
                    #expect(found[1] == expected { TextMatch.begins($0, part, folds: folds) })
                    #expect(found[2] == expected { TextMatch.contains($0, part, folds: folds) })
                }
            }
        }
    }

    /// Returns the rows that are equal to, begin with and contain a needle, for offsets of every
    /// width.
    private func areas(_ leaf: Leaf, _ needle: Needle) -> [[Selection?]] {
        let wide = areas(leaf, needle, leaf.ends, code: 7)
        let middle = areas(leaf, needle, leaf.ends.map { Int32($0) }, code: 6)
        let narrow = areas(leaf, needle, leaf.ends.map { Int16($0) }, code: 5)
        guard leaf.ends.allSatisfy({ $0 < 128 }) else { return [wide, middle, narrow] }
        return [wide, middle, narrow, areas(leaf, needle, leaf.ends.map { Int8($0) }, code: 4)]
    }

    private func areas<T>(
        _ leaf: Leaf, _ needle: Needle, _ ends: [T], code: UInt8
    ) -> [Selection?] {
        leaf.bytes.withUnsafeBytes { area in
            ends.withUnsafeBytes { bytes in
                let area = NodeView(
                    payload: area.baseAddress!, count: leaf.bytes.count, flags: 0x10)
                let offsets = NodeView(
                    payload: bytes.baseAddress!, count: ends.count, flags: code)
                let scratch = LeafScratch()
                let text = TextArea(area, offsets, terminator: 1, scratch)
                return needle.withSearch {
                    [
                        text.rows(equalTo: $0),
                        $0.count == 0 ? Selection.none : text.rows(beginningWith: $0),
                        $0.count == 0 ? Selection.none : text.rows(containing: $0),
                    ]
                }
            }
        }
    }

    @Test func damagedOffsetsAreDetected() {
        let bytes = [UInt8](repeating: 0x61, count: 64)
        let damaged: [[Int64]] = [
            [-1], [.min], [65], [10, 5], [10, 10], [5, .min], [.max, 3], [0], [10, .max],
        ]
        for ends in damaged {
            bytes.withUnsafeBytes { area in
                ends.withUnsafeBytes { ends64 in
                    let area = NodeView(payload: area.baseAddress!, count: 64, flags: 0x10)
                    let offsets = NodeView(
                        payload: ends64.baseAddress!, count: ends.count, flags: 7)
                    let scratch = LeafScratch()
                    let text = TextArea(area, offsets, terminator: 1, scratch)
                    view([0x61]) { part in
                        Needle(part, folds: false).withSearch { search in
                            #expect(text.rows(containing: search) == nil, "\(ends)")
                            #expect(text.rows(beginningWith: search) == nil, "\(ends)")
                            // Only offsets with the right distance are examined.
                            let rows = text.rows(equalTo: search)
                            #expect(rows == nil || rows == Selection.none, "\(ends)")
                        }
                    }
                }
            }
        }
    }

    @Test func likePatternsAgreeWithTheGeneralMatcher() {
        var random = SeededRandom(seed: UInt64.random(in: 1 ... .max))
        for round in 0..<4000 {
            let folds = round % 2 == 0
            let subject = text(&random, 20)
            var pattern = text(&random, 6)
            for _ in 0...random.below(3) {
                pattern.insert(0x2A, at: random.below(pattern.count + 1))
            }
            view(subject) { subject in
                view(pattern) { pattern in
                    guard let split = LikePattern(pattern, folds: folds) else { return }
                    let expected = TextMatch.like(subject, pattern, folds: folds)
                    #expect(
                        split.matches(subject) == expected,
                        "\(subject.bytes) like \(pattern.bytes)")
                }
            }
        }
    }

    @Test func likeMatchesTheExamples() {
        let examples: [(String, String, Bool)] = [
            ("", "", true), ("", "*", true), ("a", "?", true), ("ä", "?", true), ("ab", "?", false),
            ("abc", "a*c", true), ("abc", "a*b", false), ("aXbXc", "a*X*c", true),
            ("日本", "??", true), ("abc", "***", true), ("mississippi", "m*iss*ppi", true),
            ("mississippi", "m*iss*ippi?", false), ("aaa", "a*a*a*a", false),
        ]
        for (subject, pattern, expected) in examples {
            view([UInt8](subject.utf8)) { subject in
                view([UInt8](pattern.utf8)) { pattern in
                    #expect(
                        TextMatch.like(subject, pattern, folds: false) == expected,
                        "\(subject.string) like \(pattern.string)")
                }
            }
        }
    }
}
