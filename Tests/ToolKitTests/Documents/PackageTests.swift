import Glibc
import Testing

@testable import ToolKit
@testable import ToolSupport

/// Packages of `.ci/package` can be unpacked, installed and removed, and are reproducible.
@Suite struct PackageTests {
    private let lab = ScratchDirectory()

    /// Makes packages in `one` and `two`. A script that calls the tools already built replaces the
    /// release build, which would take minutes.
    private func script(_ text: String) -> ToolProcess {
        ToolProcess.shell(
            """
            cd '\(lab.path)' || exit; umask 022
            printf '#!/bin/bash\\nexec -a "$0" %s "$@"\\n' "$TOOL" > program; chmod +x program
            for place in one two; do
              '\(packageRoot)/.ci/package' $place program > $place.log || exit; sleep 1.1; umask 077
            done
            \(text)
            """)
    }

    @Test func archivesAreReproducible() {
        let run = script(
            """
            for file in one/*; do cmp $file two/${file#one/} || echo different; done
            tar -tzvf one/*.tar.gz | awk '{ print $2 }' | sort -u
            tar -tzf one/*.tar.gz | sort -c && echo sorted
            mkdir place && tar -C place --strip-components 1 -xzf one/*.tar.gz && cd place
            for tool in bin/*; do $tool --version | head -n 1 | cut -d ' ' -f 1; done
            find share -type f | sed 's|/[^/]*$||' | sort | uniq -c | sed 's/^ *//'
            """)
        #expect(
            run.text == """
                0/0
                sorted
                realm-bench
                realm-compact
                realm-query
                realm-versions
                realm-write
                5 share/bash-completion/completions
                3 share/doc/realm-tools
                5 share/fish/vendor_completions.d
                5 share/man/man1
                1 share/man/man7
                5 share/zsh/site-functions

                """, "\(run.errorText)")
    }

    private static let hasDpkg = ToolProcess.has("dpkg-deb", "dpkg")
    private static let isRoot = geteuid() == 0

    @Test(.enabled(if: hasDpkg && isRoot)) func theDebianPackageInstalls() {
        let run = script(
            """
            lintian() { type -P lintian > /dev/null || return 0; command lintian "$@" 2>/dev/null; }
            lintian --fail-on error,warning one/*.deb && echo clean
            mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates; touch root/var/lib/dpkg/status
            on() { dpkg --root=root --log=/dev/null --force-depends "$@" > /dev/null; }
            on -i one/*.deb && root/usr/bin/realm-write --version | head -n 1 | cut -d ' ' -f 1
            ls root/usr/share/man/man7 root/usr/share/zsh/vendor-completions | grep -e tools -e query
            on -r realm-tools; find root/usr -type f -o -type l
            """)
        #expect(
            run.text == "clean\nrealm-write\nrealm-tools.7.gz\n_realm-query\n", "\(run.errorText)")
    }

    /// SwiftPM compiles and runs the plugins of every package that it checks out.
    @Test(.enabled(if: ToolProcess.has("swift", "jq"))) func checkoutsOfDependenciesHaveNoTools() {
        func targets(in directory: String) -> String {
            ToolProcess.shell(
                """
                mkdir -p '\(lab.path)/\(directory)' && cd '\(lab.path)/\(directory)' || exit
                cp '\(packageRoot)/Package.swift' .
                swift package dump-package | jq -r '.targets[] | .name + " " + .type'
                """
            ).text
        }
        #expect(
            targets(in: "app/.build/checkouts/realm-tools") == """
                CRealmCrypto regular
                CRealmSystem regular
                RealmEngine regular
                RealmRecords regular
                RealmActors regular
                RealmSwift regular

                """)
        #expect(targets(in: "checkouts/realm-tools").contains("DescribeVersion plugin\n"))
    }
}
