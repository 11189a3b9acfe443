import Foundation
import Testing

@testable import ToolKit
@testable import ToolSupport

/// `-f html`: the content of the page and its behaviour in a browser.
struct DatabasePageTests {
    private static func page(_ path: String, _ options: String...) -> String {
        QueryRun.text(["-f", "html"] + options + [path])
    }

    /// Parses the data in a page.
    private static func data(_ page: String) throws -> StrictJSON {
        let start = try #require(page.range(of: "id=\"data\">"))
        let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
        return try StrictJSON(String(page[start.upperBound..<end.lowerBound]))
    }

    @Test func aPageContainsClassesAndTheirFirstObjects() throws {
        let data = try Self.data(Self.page(QueryRun.social, "-L", "3"))
        let classes = try #require(data["classes"]?.array)
        #expect(classes.map { $0["name"] } == ["Address", "Company", "Person", "Pet"])
        #expect(classes.map { $0["count"] } == ["13", "4", "8", "8"].map { .number($0) })
        #expect(classes.map { $0["rows"]?.array?.count } == [0, 3, 3, 3])
        #expect(data["limit"] == .number("3"))
        let lines = QueryRun.lines("-f", "ndjson", "-L", "3", of: "Person")
        #expect(try classes[2]["rows"]?.array == lines.map { try StrictJSON($0) })
        #expect(classes[2]["properties"]?.array?[8]["target"] == "Company")
    }

    @Test func allObjectsOfEveryFixtureAreOnThePage() throws {
        for path in QueryRun.all {
            let data = try Self.data(Self.page(path, "-L", "100000"))
            for found in try #require(data["classes"]?.array) where found["kind"] != "embedded" {
                guard case .string(let name)? = found["name"] else { continue }
                let lines = QueryRun.text(["-f", "ndjson", path, name]).split(separator: "\n")
                let rows = try #require(found["rows"]?.array)
                #expect(rows.count == lines.count)
                for (row, line) in zip(rows, lines) {
                    guard case .object(var members) = row else { continue }
                    members["_key"] = nil
                    #expect(.object(members) == (try StrictJSON(String(line))))
                }
            }
        }
    }

    private static let hostile = [
        "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--", "]]>",
        "\u{2028}\u{2029}", "a\u{0}b", "\"'&amp;`${1}", "</td></table>",
    ]

    /// Makes a database whose names and values look like markup.
    private static func hostileFile(_ lab: WriteLab) throws -> String {
        let names = ["</td>", "<script>alert(2)</script>"]
        let properties =
            "{\"name\":\"_id\",\"type\":\"int\"},{\"name\":\"<b>p</b>\",\"type\":\"string\"}"
        let classes = names.map {
            "{\"name\":\"\($0)\",\"primaryKey\":\"_id\",\"properties\":[\(properties)]}"
        }
        lab.write("s.json", "{\"schemaVersion\":0,\"classes\":[\(classes.joined(separator: ","))]}")
        var records = ""
        for name in names {
            for (id, text) in hostile.enumerated() {
                let json = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
                records += "{\"$class\":\"\(name)\",\"_id\":\(id),\"<b>p</b>\":\(json)}\n"
            }
        }
        lab.write("r.ndjson", records)
        let run = lab.shell("$W -q --create --schema-file s.json h.realm - r.ndjson")
        #expect(run.status == 0, "\(run.errorText)")
        return lab.path("h.realm")
    }

    @Test func contentOfTheFileIsEscaped() throws {
        let lab = WriteLab()
        let page = Self.page(try Self.hostileFile(lab))
        #expect(page.components(separatedBy: "<script").count == 3)
        #expect(page.components(separatedBy: "</script>").count == 3)
        #expect(!page.contains("<img") && !page.contains("<!--"))
        let classes = try #require(try Self.data(page)["classes"]?.array)
        let values = classes[0]["rows"]?.array?.compactMap { $0["<b>p</b>"] }
        #expect(values == Self.hostile.map { .string($0) })
    }

    @Test func thePageLoadsNoOtherFiles() {
        let page = Self.page(QueryRun.social)
        #expect(page.contains("default-src 'none'"))
        // The only address is the name of an XML namespace.
        #expect(page.components(separatedBy: "http://").count == 2)
        #expect(!page.contains("https://") && !page.contains("src=\"") && !page.contains("@import"))
    }

    @Test func aPageOfOneClassIsRefused() {
        for arguments in [
            ["-f", "html", QueryRun.social, "Person"], ["-S", "-f", "html", QueryRun.social],
        ] {
            #expect(QueryRun.error(arguments).contains("-f html"))
        }
        #expect(
            QueryRun.error(["-f", "html", "--offset", "1", QueryRun.social]).contains("--offset"))
    }

    // MARK: Browser

    private static let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Runs `script` in the page after it is loaded; returns its result or the error.
    private static func run(_ page: String, _ script: String, in lab: WriteLab) -> String {
        let probe = """
            <script>
            window.addEventListener('error', (e) => { document.title = 'error ' + e.message; });
            window.alert = () => { document.title = 'error alert'; };
            setTimeout(() => { const answer = (() => { \(script) })();
              document.documentElement.setAttribute('data-answer', document.title.startsWith('error') ? document.title : answer); }, 100);
            </script>
            """
        lab.write("page.html", page.replacing("</body>", with: probe + "</body>"))
        let dump = lab.shell(
            "\(browser ?? "false") --headless --no-sandbox --disable-gpu --user-data-dir=profile "
                + "--virtual-time-budget=3000 --dump-dom file://$PWD/page.html 2>/dev/null")
        guard let start = dump.text.range(of: "data-answer=\"") else { return "no answer" }
        return String(dump.text[start.upperBound...].prefix { $0 != "\"" })
    }

    @Test(.enabled(if: browser != nil)) func tablesSortFilterAndFollowLinks() throws {
        let lab = WriteLab()
        let page = Self.page(QueryRun.social)
        let script = """
            location.hash = '#/Person'; window.dispatchEvent(new Event('hashchange'));
            const cells = (n) => [...document.querySelectorAll('tbody tr')].map((r) => r.children[n].textContent);
            const out = [cells(0).join(' ')];
            const heads = () => [...document.querySelectorAll('th')];
            heads()[2].click(); out.push(cells(0).join(' '));
            heads()[2].click(); out.push(cells(2).join(' '));
            const filter = document.getElementById('filter');
            filter.value = 'BO'; filter.dispatchEvent(new Event('input')); out.push(cells(0).join(' '));
            filter.value = ''; filter.dispatchEvent(new Event('input'));
            const link = document.querySelector('tbody a'); out.push(link.getAttribute('href'));
            location.hash = link.getAttribute('href'); window.dispatchEvent(new Event('hashchange'));
            out.push(document.querySelector('h2').textContent + ' ' + document.querySelector('aside td:nth-child(2)').textContent);
            location.hash = '#/'; window.dispatchEvent(new Event('hashchange'));
            out.push(document.querySelectorAll('svg rect').length + ' ' + document.querySelectorAll('svg path').length);
            return out.join('; ');
            """
        let answer = Self.run(page, script, in: lab)
        let parts = answer.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        try #require(parts.count == 7, "\(answer)")
        #expect(parts[0] == "ann bob cid dee eve fay gil hal")
        #expect(parts[1] == "cid hal dee ann eve bob gil fay")
        #expect(parts[2] == "60 45 45 31 31 19 0 null")
        #expect(parts[3].contains("bob"))
        #expect(parts[4].hasPrefix("#/"))
        #expect(parts[5].hasPrefix("Company ") || parts[5].hasPrefix("Person "))
        #expect(parts[6] == "4 14")
    }

    @Test(.enabled(if: browser != nil)) func aHundredThousandRowsAreUsable() throws {
        let lab = WriteLab()
        _ = lab.shell(
            "seq 100000 | sed 's/.*/{\"_id\":&,\"name\":\"name &\"}/' "
                + "| $W -q --create --infer --key _id big.realm T")
        let page = Self.page(lab.path("big.realm"), "-L", "100000")
        let script = """
            location.hash = '#/T'; window.dispatchEvent(new Event('hashchange'));
            const grid = document.querySelector('.grid');
            const rows = document.querySelectorAll('tbody tr').length;
            grid.scrollTop = 50000 * 28; grid.dispatchEvent(new Event('scroll'));
            const middle = document.querySelectorAll('tbody tr')[30].children[0].textContent;
            const filter = document.getElementById('filter');
            filter.value = 'name 9999'; filter.dispatchEvent(new Event('input'));
            return rows + ' ' + middle + ' ' + document.getElementById('status').textContent;
            """
        let answer = Self.run(page, script, in: lab)
        let parts = answer.split(separator: " ")
        try #require(parts.count > 4, "\(answer)")
        #expect(Int(parts[0]).map { $0 < 200 } == true)
        #expect(Int(parts[1]).map { $0 > 49_000 && $0 < 51_000 } == true)
        #expect(answer.hasSuffix("11 of 100,000"), "\(answer)")
    }

    @Test(.enabled(if: browser != nil)) func hostileTextRunsNoScript() throws {
        let lab = WriteLab()
        let page = Self.page(try Self.hostileFile(lab))
        let script = """
            location.hash = '#/' + encodeURIComponent('</td>'); window.dispatchEvent(new Event('hashchange'));
            document.querySelector('tbody tr').click();
            return document.querySelector('h2').textContent.length + ' ' + document.querySelectorAll('tbody tr').length
              + ' ' + document.querySelectorAll('img, b:not(nav b)').length;
            """
        #expect(Self.run(page, script, in: lab) == "5 8 0")
    }
}
