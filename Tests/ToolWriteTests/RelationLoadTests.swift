import Testing

@testable import ToolKit
@testable import ToolSupport

/// Tables of one collection, as written by `realm-query --output-dir`.
@Suite struct RelationLoadTests {
    private let lab = WriteLab()

    init() { _ = lab.makeZoo() }

    private func animals(_ fields: String) -> String {
        lab.shell("$Q -f ndjson -F \(fields) zoo.realm Animal").text
    }

    @Test func listsSetsAndDictionariesAreLoaded() {
        lab.write("a.csv", "id,name\n1,a\n2,b\n3,c\n")
        lab.write("friends.csv", "owner,index,value\n1,0,2\n1,1,3\n3,0,3\n")
        lab.write("names.csv", "owner,value\n1,x\n1,\"\"\n2,y\n")
        lab.write("scores.csv", "owner,key,value\n2,k,1\n2,l,2\n")
        let script = """
            $W -q -i csv --const weight=1 zoo.realm Animal a.csv &&
            $W -q -i csv zoo.realm Animal.friends friends.csv &&
            $W -q -i csv zoo.realm Animal.names names.csv &&
            $W -q -i csv zoo.realm Animal.scores scores.csv
            """
        #expect(lab.shell(script).status == 0)
        #expect(
            animals("id,friends,names,scores") == """
                {"id":1,"friends":[2,3],"names":["","x"],"scores":{}}
                {"id":2,"friends":[],"names":["y"],"scores":{"k":1,"l":2}}
                {"id":3,"friends":[3],"names":[],"scores":{}}

                """)
    }

    @Test(arguments: [
        ("owner,index,value\n9,0,1\n", "an object of Animal"),
        ("owner,index,value\n1,1,1\n", "index 0"),
        ("owner,index,value\n1,0,x\n", "a link to Animal"),
        ("owner,index,value\n1,0,8\n", "an object of Animal, got no object with the key 8"),
    ])
    func invalidRelationRowsAreRefused(_ text: String, _ message: String) {
        lab.write("a.csv", "id\n1\n")
        _ = lab.shell("$W -q -i csv --const weight=1 zoo.realm Animal a.csv")
        lab.write("friends.csv", text)
        let result = lab.shell("$W -i csv zoo.realm Animal.friends friends.csv")
        #expect(result.status == 8)
        #expect(result.errorText.contains(message), "\(result.errorText)")
        #expect(animals("friends") == "{\"friends\":[]}\n")
    }

    @Test func invalidHeadersAreRefused() {
        let result = lab.shell("printf 'owner,value\\n' | $W -i csv zoo.realm Animal.friends")
        #expect(result.status == 2)
    }

    @Test func objectsMayLinkToThemselves() {
        lab.write("a.csv", "id,weight,mother\n1,1,1\n2,2,3\n3,3,2\n")
        let result = lab.shell("$W -i csv -m upsert --links create zoo.realm Animal a.csv")
        #expect(result.status == 0, "\(result.errorText)")
        #expect(
            animals("id,weight,mother") == """
                {"id":1,"weight":1.0,"mother":1}
                {"id":3,"weight":3.0,"mother":2}
                {"id":2,"weight":2.0,"mother":3}

                """)
    }

    /// All values that CSV can represent are preserved: the tables of the copy have the rows of the
    /// fixture's, in the order in which links created the objects. CSV does not contain the type of
    /// mixed values: an id is read back as the text or number that it looks like.
    @Test(arguments: ["bags", "bulk", "orders", "places", "social", "text", "types"])
    func relationsArePreserved(name: String) {
        let lab = WriteLab()
        let result = lab.shell(
            """
            set -e
            F='\(packageRoot)/Tests/Fixtures/query/\(name).realm'
            $Q --schema --json "$F" > schema.json
            $Q -q --all --output-dir one --format csv "$F"
            $W -q --create --schema-file schema.json new.realm
            cd one
            for f in *.csv; do case $f in *.*.csv) ;; *)
              $W -q -1 -i csv -m upsert --links create ../new.realm "${f%.csv}" "$f" ;; esac; done
            for f in *.*.csv; do [ -e "$f" ] || continue
              $W -q -i csv --links create ../new.realm "${f%.csv}" "$f"; done
            cd ..
            $Q -q --all --output-dir two --format csv new.realm
            rm -f one/*_any.csv two/*_any.csv
            sed -i -E 's/,0{23}([0-9])/,\\1/g' one/*.csv two/*.csv
            for f in one/*.csv two/*.csv; do LC_ALL=C sort -o "$f" "$f"; done
            diff -r one two >&2
            """)
        #expect(result.status == 0, "\(result.errorText.prefix(2000))")
    }
}
