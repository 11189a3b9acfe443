import Testing

@testable import ToolKit
@testable import ToolSupport
@testable import ToolVersion

/// Version in the output of `--version`, derived from git.
@Suite struct ToolVersionTests {
    private let scratch = ScratchDirectory()

    /// Runs commands in a directory and returns the output of the script `describe.sh` for it.
    private func described(_ commands: String) -> String {
        ToolProcess.shell(
            """
            cd '\(scratch.path)' && mkdir -p sources && cd sources
            export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b \
                GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
            commit() { git commit -q --allow-empty -m "$1"; }
            \(commands)
            sh '\(packageRoot)/Sources/ToolVersion/describe.sh' . ../out && cat ../out
            """
        ).text
    }

    @Test func theVersionIsDescribedByGit() {
        #expect(described("") == "let described = \"\"\n")
        let first = described("git init -q . && commit one")
        #expect(first.contains(#/^let described = "g[0-9a-f]{7,}"\n$/#), "\(first)")
        #expect(described("git tag 1.2.3") == "let described = \"1.2.3\"\n")
        let later = described("commit two; commit three")
        #expect(later.contains(#/^let described = "1\.2\.3-2-g[0-9a-f]{7,}"\n$/#), "\(later)")
        #expect(described("git tag '4\"+f()+\"'") == "let described = \"\"\n")
        #expect(
            described("git tag -d '4\"+f()+\"' > /dev/null; git tag v5.0")
                == "let described = \"v5.0\"\n")
        // A directory inside of another repository is not described.
        #expect(described("mkdir -p inner && cd inner") == "let described = \"\"\n")
    }

    @Test func theReleaseIsUsedWithoutGitTags() {
        #expect(ToolVersion.text(described: "", release: "0.1.0") == "0.1.0")
        #expect(ToolVersion.text(described: "g5aa95ee", release: "0.1.0") == "0.1.0-g5aa95ee")
        #expect(ToolVersion.text(described: "v5.0", release: "0.1.0") == "5.0")
        #expect(
            ToolVersion.text(described: "1.2.3-14-g5aa95ee", release: "0.1.0")
                == "1.2.3-14-g5aa95ee")
    }

    /// The release in the source is the newest release in the changelog.
    @Test func theReleaseIsTheNewestInTheChangelog() throws {
        let changes = String(
            decoding: contents(of: packageRoot + "/.github/CHANGELOG.md") ?? [], as: UTF8.self)
        let newest = try #require(changes.firstMatch(of: #/(?m)^## (\d+\.\d+\.\d+)/#))
        #expect(newest.output.1 == Capabilities.version)
    }

    /// An archive made by git contains its commit.
    @Test func archivesContainTheirCommit() {
        let attributes = String(
            decoding: contents(of: packageRoot + "/.gitattributes") ?? [], as: UTF8.self)
        #expect(attributes.contains("Sources/ToolVersion/describe.sh export-subst"))
        let made = described(
            """
            rm -rf .git && git init -q . && mkdir -p tool && echo 'tool/describe.sh export-subst' > .gitattributes
            cp '\(packageRoot)/Sources/ToolVersion/describe.sh' tool && git add -A && commit one && git tag 7.1
            git archive --prefix=unpacked/ HEAD | tar -x -C ..
            sh ../unpacked/tool/describe.sh ../unpacked ../archived && cat ../archived
            """)
        #expect(made.hasPrefix("let described = \"7.1\"\n"), "\(made)")
    }
}
