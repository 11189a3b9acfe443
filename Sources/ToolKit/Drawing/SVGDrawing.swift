import RealmEngine

/// An SVG picture for light and dark backgrounds: a shape refers to a `Paint`, and a style sheet
/// defines the colours of the paints. Lengths are in pixels; the origin is the upper left corner.
package struct SVGDrawing {
    package let width: Double
    let height: Double
    private let title: String
    private let summary: String
    private var body = ""

    /// - Parameters:
    ///   - title: title for screen readers; the caller draws the visible title.
    ///   - summary: a sentence that describes the picture.
    package init(width: Double, height: Double, title: String, summary: String) {
        self.width = width
        self.height = height
        self.title = title
        self.summary = summary
    }

    package enum Anchor: String {
        case start
        case middle
        case end
    }

    /// - Parameter hint: tooltip of the shape.
    package mutating func rectangle(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ paint: Paint,
        hint: String? = nil
    ) {
        let area = "x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" width=\"\(Self.text(width))\""
        element("rect", "\(area) height=\"\(Self.text(height))\"", paint.fill, hint)
    }

    package mutating func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ paint: Paint
    ) {
        let from = "x1=\"\(Self.text(x1))\" y1=\"\(Self.text(y1))\""
        element("line", "\(from) x2=\"\(Self.text(x2))\" y2=\"\(Self.text(y2))\"", paint.stroke)
    }

    mutating func polyline(_ points: [(x: Double, y: Double)], _ paint: Paint) {
        element("polyline", "points=\"\(Self.text(points))\"", paint.stroke)
    }

    mutating func polygon(
        _ points: [(x: Double, y: Double)], _ paint: Paint, hint: String? = nil
    ) {
        element("polygon", "points=\"\(Self.text(points))\"", paint.fill, hint)
    }

    mutating func circle(_ x: Double, _ y: Double, radius: Double, _ paint: Paint) {
        let centre = "cx=\"\(Self.text(x))\" cy=\"\(Self.text(y))\""
        element("circle", "\(centre) r=\"\(Self.text(radius))\"", paint.fill)
    }

    /// Draws several rectangles of one paint as a single path.
    package mutating func rectangles(
        _ areas: [(x: Double, y: Double, width: Double, height: Double)], _ paint: Paint,
        hint: String? = nil
    ) {
        var path = ""
        for area in areas {
            path += "M\(Self.text(area.x)) \(Self.text(area.y))h\(Self.text(area.width))"
            path += "v\(Self.text(area.height))h\(Self.text(-area.width))z"
        }
        element("path", "d=\"\(path)\"", paint.fill, hint)
    }

    /// - Parameters:
    ///   - y: position of the baseline.
    ///   - turned: whether the text runs upwards.
    package mutating func text(
        _ text: String, _ x: Double, _ y: Double, _ style: TextStyle = .normal,
        anchor: Anchor = .start, turned: Bool = false
    ) {
        var attributes = "x=\"\(Self.text(x))\" y=\"\(Self.text(y))\""
        if anchor != .start { attributes += " text-anchor=\"\(anchor.rawValue)\"" }
        if turned {
            attributes += " transform=\"rotate(-90 \(Self.text(x)) \(Self.text(y)))\""
        }
        body += "<text class=\"\(style.rawValue)\" \(attributes)>\(Self.escaped(text))</text>\n"
    }

    /// Draws another picture inside this one at a position.
    package mutating func place(_ other: SVGDrawing, _ x: Double, _ y: Double) {
        body += "<g transform=\"translate(\(Self.text(x)) \(Self.text(y)))\">\n"
        body += other.body + "</g>\n"
    }

    private mutating func element(
        _ name: String, _ attributes: String, _ styleClass: String, _ hint: String? = nil
    ) {
        body += "<\(name) class=\"\(styleClass)\" \(attributes)"
        if let hint {
            body += "><title>\(Self.escaped(hint))</title></\(name)>\n"
        } else {
            body += "/>\n"
        }
    }

    /// Returns the whole document.
    package func document() -> ByteBuffer {
        var out = ByteBuffer(capacity: body.utf8.count + 4096)
        let (w, h) = (Self.text(width), Self.text(height))
        out.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(w)\" height=\"\(h)\"")
        out.append(" viewBox=\"0 0 \(w) \(h)\" role=\"img\">\n")
        out.append("<title>\(Self.escaped(title))</title>\n")
        out.append("<desc>\(Self.escaped(summary))</desc>\n")
        out.append("<style>\n\(StyleSheet.text)</style>\n")
        out.append("<rect class=\"ground\" width=\"\(w)\" height=\"\(h)\"/>\n")
        out.append(body)
        out.append("</svg>\n")
        return out
    }

    // MARK: Text

    private static func text(_ points: [(x: Double, y: Double)]) -> String {
        points.map { "\(text($0.x)),\(text($0.y))" }.joined(separator: " ")
    }

    /// Formats a coordinate with at most two decimals.
    package static func text(_ value: Double) -> String {
        let hundredths = Int((min(max(value, -1e9), 1e9) * 100).rounded())
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        var text = hundredths < 0 ? "-\(whole)" : "\(whole)"
        if rest % 10 > 0 {
            text += rest < 10 ? ".0\(rest)" : ".\(rest)"
        } else if rest > 0 {
            text += ".\(rest / 10)"
        }
        return text
    }

    /// Escapes text for XML. Names come from database files, so characters that XML forbids become
    /// question marks.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Approximate width of a line of text in pixels. The true width depends on the viewer's font.
    package static func width(of text: String, _ style: TextStyle = .normal) -> Double {
        Double(DisplayWidth.columns(text)) * style.size * 0.56
    }
}

/// Colour and line style of a shape.
package enum Paint: Hashable {
    /// One of eight colours that people with any kind of colour vision can tell apart.
    case series(Int)
    /// The colour of the series with the same number, as a dashed line. Used for another result of
    /// the same workload, such as the baseline.
    case dashed(Int)
    case dotted(Int)
    /// One of four shades of red, for bytes that need attention: pinned, doubtful or lost ones.
    case warning(Int)
    /// Unobtrusive grey.
    case quiet
    /// Faintest grey, for free space.
    case empty
    case grid
    case axis
    case ink

    package static let seriesCount = StyleSheet.series.count
    package static let warningCount = StyleSheet.warnings.count

    private var name: String {
        switch self {
        case .series(let i), .dashed(let i), .dotted(let i): "s\(i % Self.seriesCount)"
        case .warning(let i): "w\(i % Self.warningCount)"
        case .quiet: "quiet"
        case .empty: "empty"
        case .grid: "grid"
        case .axis: "axis"
        case .ink: "ink"
        }
    }

    var fill: String { name }
    var stroke: String {
        switch self {
        case .dashed: "\(name) line dashed"
        case .dotted: "\(name) line dotted"
        default: "\(name) line"
        }
    }

    /// Whether lines of this paint have gaps.
    var isBroken: Bool {
        switch self {
        case .dashed, .dotted: true
        default: false
        }
    }
}

/// Size and weight of text.
package enum TextStyle: String {
    case title
    case normal = "text"
    /// Text beside axes and in legends.
    case small

    package var size: Double {
        switch self {
        case .title: 18
        case .normal: 13
        case .small: 12
        }
    }
}

/// Colours of the paints, for light and for dark backgrounds.
private enum StyleSheet {
    typealias Colour = (light: String, dark: String)

    static let series: [Colour] = [
        ("#0072b2", "#4aa3df"), ("#e69f00", "#f2b84b"), ("#009e73", "#35c79a"),
        ("#8f5fbf", "#b794e0"), ("#56b4e9", "#8fd0f7"), ("#8c6d31", "#c6a564"),
        ("#cc79a7", "#e6a3c9"), ("#4d5a66", "#a3b1bd"),
    ]
    static let warnings: [Colour] = [
        ("#c4221c", "#ff6b60"), ("#e2574c", "#d9483f"), ("#8e1511", "#ff9c93"),
        ("#f08a80", "#a8322b"),
    ]
    private static let others: [(name: String, colour: Colour)] = [
        ("ground", ("#ffffff", "#15181c")), ("quiet", ("#a9b4be", "#66717c")),
        ("empty", ("#d3dae0", "#3b454f")), ("grid", ("#dfe4e8", "#333b44")),
        ("axis", ("#7b8794", "#8b97a3")), ("ink", ("#1c2126", "#e8ebee")),
    ]
    private static let letters: [(name: String, colour: Colour)] = [
        ("title", ("#1c2126", "#f2f4f6")), ("text", ("#1c2126", "#e8ebee")),
        ("small", ("#4a545e", "#b4bec8")),
    ]

    private static var fills: [(name: String, colour: Colour)] {
        series.enumerated().map { ("s\($0)", $1) } + warnings.enumerated().map { ("w\($0)", $1) }
            + others
    }

    static var text: String {
        var sheet = """
            text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
            .title{font-size:18px;font-weight:600}.text{font-size:13px}.small{font-size:12px}
            .line{fill:none;stroke-width:2;stroke-linejoin:round}
            .grid.line,.axis.line{stroke-width:1}
            .dashed{stroke-dasharray:7 4}.dotted{stroke-dasharray:2 4}

            """
        sheet += rules(\.light)
        sheet += "@media (prefers-color-scheme:dark){\n" + rules(\.dark) + "}\n"
        return sheet
    }

    private static func rules(_ colour: KeyPath<Colour, String>) -> String {
        var text = ""
        for (name, colours) in fills {
            text += ".\(name){fill:\(colours[keyPath: colour])}"
            text += ".\(name).line{fill:none;stroke:\(colours[keyPath: colour])}\n"
        }
        for (name, colours) in letters { text += ".\(name){fill:\(colours[keyPath: colour])}\n" }
        return text
    }
}
