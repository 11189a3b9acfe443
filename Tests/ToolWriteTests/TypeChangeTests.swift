import Testing

@testable import ToolKit
@testable import ToolSupport

/// `--type`, `--primary-key`, `--embed` and their opposites, as scripts use them.
@Suite struct TypeChangeTests {
    private let lab: WriteLab

    init() { lab = WriteLab() }

    /// Makes `shop.realm` with a class of the given properties and records.
    private func make(_ properties: String, _ records: String...) {
        lab.write("schema", "class Item\n" + properties + "\nclass Tag\n  *id  int\n")
        lab.write("in", records.joined(separator: "\n") + "\n")
        let made = lab.shell(
            "$W --create --schema-file schema shop.realm && $W --links create shop.realm Item in")
        #expect(made.status == 0, "\(made.errorText)")
    }

    private func items(_ fields: String) -> String {
        let result = lab.shell(
            "$C --check shop.realm > check.txt || cat check.txt >&2; "
                + "$Q -f ndjson -F \(fields) shop.realm Item")
        #expect(result.errorText == "")
        return result.text
    }

    @Test(arguments: [
        ("int", "7", "double", "7.0"), ("int", "-3", "string", #""-3""#),
        ("int", "1", "bool", "true"),
        ("int", "86400", "date", #""1970-01-02T00:00:00Z""#), ("int", "5", "decimal128", #""5""#),
        ("double", "2.0", "int", "2"), ("double", "0.1", "decimal128", #""0.1""#),
        ("decimal128", #""9223372036854775807""#, "int", "9223372036854775807"),
        ("decimal128", #""-9.007199254740993e15""#, "int", "-9007199254740993"),
        ("double", "0.5", "float", "0.5"), ("bool", "false", "int", "0"),
        ("string", #""42""#, "int", "42"), ("string", #""1.25""#, "double", "1.25"),
        ("string", #""2024-06-01T10:00:00Z""#, "date", #""2024-06-01T10:00:00Z""#),
        ("string", #""true""#, "bool", "true"), ("string", #""x""#, "list<string>", #"["x"]"#),
        ("date", #""1970-01-02T00:00:00Z""#, "int", "86400"), ("int", "9", "mixed", "9"),
        ("mixed", #""text""#, "string", #""text""#), ("list<int>", "[4]", "int", "4"),
        ("list<int>", "[4,5]", "list<string>", #"["4","5"]"#), ("int", "3", "int?", "3"),
        (
            "uuid", #""00112233-4455-6677-8899-aabbccddeeff""#, "string",
            #""00112233-4455-6677-8899-aabbccddeeff""#
        ),
    ])
    func convertsValues(_ old: String, _ value: String, _ new: String, _ expected: String) {
        make("  p  \(old)\n  other  string", #"{"p":\#(value),"other":"kept"}"#)
        let result = lab.shell("$W --type 'Item.p=\(new)' shop.realm")
        #expect(result.status == 0, "\(result.errorText)")
        #expect(items("p,other") == #"{"p":\#(expected),"other":"kept"}"# + "\n")
    }

    @Test func refusesValuesThatDoNotFitAndNamesThem() {
        make("  *id  int\n  price  string", #"{"id":1,"price":"2.5"}"#, #"{"id":7,"price":"n/a"}"#)
        let before = lab.shell("cksum shop.realm").text
        let refused = lab.shell("$W --type 'Item.price=double?' shop.realm")
        #expect(refused.status != 0)
        #expect(refused.errorText.contains("7 has 'n/a'"), "\(refused.errorText)")
        let unforced = lab.shell("$W --on-misfit null --type 'Item.price=double?' shop.realm")
        #expect(unforced.status != 0)
        #expect(unforced.errorText.contains("loses data"), "\(unforced.errorText)")
        #expect(lab.shell("cksum shop.realm").text == before)
        let forced = lab.shell("$W --force --on-misfit null --type 'Item.price=double?' shop.realm")
        #expect(forced.status == 0, "\(forced.errorText)")
        #expect(items("id,price") == "{\"id\":1,\"price\":2.5}\n{\"id\":7,\"price\":null}\n")
    }

    @Test(arguments: ["float", "double", "decimal128"])
    func refusesNumbersBeyondTheRange(_ type: String) {
        make("  *id  int\n  p  string", #"{"id":3,"p":"1e9999"}"#, #"{"id":4,"p":"-inf"}"#)
        let refused = lab.shell("$W --type 'Item.p=\(type)?' shop.realm")
        #expect(refused.status != 0)
        #expect(refused.errorText.contains("3 has '1e9999'"), "\(refused.errorText)")
        #expect(!refused.errorText.contains("-inf"), "\(refused.errorText)")
    }

    /// The plan reads the values of a property under the name that the file has.
    @Test func countsMisfitsOfRenamedProperties() {
        make(
            "  *id  int\n  price  string\n  other  string",
            #"{"id":1,"price":"2.5","other":"1"}"#, #"{"id":7,"price":"n/a","other":"2"}"#)
        let change = "--rename Item.price=cost --rename Item.other=price --type 'Item.cost=double?'"
        let refused = lab.shell("$W \(change) --type Item.price=int shop.realm")
        #expect(refused.errorText.contains("7 has 'n/a'"), "\(refused.errorText)")
        let unforced = lab.shell("$W --on-misfit null \(change) shop.realm")
        #expect(unforced.errorText.contains("loses data"), "\(unforced.errorText)")
        let plan = lab.shell("$W -n --on-misfit null \(change) --type Item.price=int shop.realm")
        #expect(plan.text.contains("2 values converted, 1 value lost"), "\(plan.text)")
        #expect(plan.text.contains("2 values converted)"), "\(plan.text)")
        let forced = lab.shell(
            "$W --force --on-misfit null \(change) --type Item.price=int shop.realm")
        #expect(forced.status == 0, "\(forced.errorText)")
        #expect(
            items("id,cost,price") == """
                {"id":1,"cost":2.5,"price":1}
                {"id":7,"cost":null,"price":2}

                """)
    }

    @Test func countsNullsOfRenamedProperties() {
        make("  p  string?", #"{"p":null}"#)
        let unforced = lab.shell("$W --rename Item.p=q --required Item.q shop.realm")
        #expect(unforced.errorText.contains("1 null lost"), "\(unforced.errorText)")
    }

    @Test func namesDuplicatesAmongConvertedValues() {
        make("  p  string", #"{"p":"1"}"#, #"{"p":"01"}"#, #"{"p":"2"}"#)
        let refused = lab.shell("$W --type Item.p=int --primary-key Item.p shop.realm")
        #expect(refused.errorText.contains("1 (2 objects)"), "\(refused.errorText)")
        #expect(lab.shell("$W --type Item.p=int --type Item.p=bool shop.realm").status != 0)
    }

    @Test func refusesPrimaryKeysOfOtherTypes() {
        make("  p  list<int>\n  q  double", #"{"p":[],"q":1}"#, #"{"p":[],"q":1}"#)
        for name in ["p", "q"] {
            let refused = lab.shell("$W --primary-key Item.\(name) shop.realm")
            #expect(refused.errorText.contains("a primary key is an int"), "\(refused.errorText)")
        }
    }

    /// Numbers that become texts stay different elements.
    @Test func countsRepeatedElementsOnly() {
        make("  p  list<int>", #"{"p":[10,2,33]}"#)
        let result = lab.shell("$W --type 'Item.p=set<string>' shop.realm")
        #expect(result.status == 0, "\(result.errorText)")
        #expect(items("p") == #"{"p":["10","2","33"]}"# + "\n")
        _ = lab.shell("$W --type 'Item.p=list<string>' shop.realm")
        lab.write("in", #"{"p":["7","7"]}"# + "\n")
        _ = lab.shell("$W shop.realm Item in")
        let unforced = lab.shell("$W --type 'Item.p=set<int>' shop.realm")
        #expect(unforced.errorText.contains("1 repeated value lost"), "\(unforced.errorText)")
    }

    @Test func refusesDecimalsBeyondTheRange() {
        make("  *id  int\n  p  decimal128", #"{"id":3,"p":"-1e400"}"#, #"{"id":4,"p":"inf"}"#)
        for type in ["double", "float"] {
            let refused = lab.shell("$W --type Item.p=\(type) shop.realm")
            #expect(refused.errorText.contains("1 of the values"), "\(refused.errorText)")
            #expect(refused.errorText.contains("3 has"), "\(refused.errorText)")
        }
    }

    @Test func roundingNeedsForce() {
        make("  p  double", #"{"p":0.1}"#)
        #expect(
            lab.shell("$W --type Item.p=float shop.realm").errorText.contains("1 value rounded"))
        #expect(lab.shell("$W --force --type Item.p=float shop.realm").status == 0)
        #expect(items("p") == "{\"p\":0.1}\n")
    }

    @Test func skipsElementsThatDoNotFit() {
        make("  p  list<string>", #"{"p":["1","x","3"]}"#)
        #expect(
            lab.shell("$W --force --on-misfit skip --type 'Item.p=list<int>' shop.realm").status
                == 0)
        #expect(items("p") == "{\"p\":[1,3]}\n")
    }

    @Test func linksBecomeListsAndBack() {
        make("  *id  int\n  tag  Tag", #"{"id":1,"tag":null}"#, #"{"id":2,"tag":5}"#)
        #expect(lab.shell("$W --type 'Item.tag=list<Tag>' shop.realm").status == 0)
        #expect(items("tag") == "{\"tag\":[]}\n{\"tag\":[5]}\n")
        #expect(lab.shell("$Q shop.realm Tag '@links.Item.tag.@count == 1' -c").text == "1\n")
        #expect(lab.shell("$W --type Item.tag=Tag shop.realm").status == 0)
        #expect(items("tag") == "{\"tag\":null}\n{\"tag\":5}\n")
    }

    @Test func aPrimaryKeyKeepsItsRole() {
        make("  *id  int\n  up  Item", #"{"id":1,"up":null}"#, #"{"id":2,"up":1}"#)
        #expect(lab.shell("$W --type Item.id=string shop.realm").status == 0)
        #expect(items("id,up") == "{\"id\":\"1\",\"up\":null}\n{\"id\":\"2\",\"up\":\"1\"}\n")
        #expect(lab.shell("$Q --schema shop.realm Item").text.contains("id"))
    }

    @Test func setsAndRemovesPrimaryKeys() {
        make("  a  int\n  b  string", #"{"a":1,"b":"x"}"#, #"{"a":1,"b":"y"}"#)
        let refused = lab.shell("$W --primary-key Item.a shop.realm")
        #expect(refused.errorText.contains("1 (2 objects)"), "\(refused.errorText)")
        #expect(lab.shell("$W --primary-key Item.b shop.realm").status == 0)
        #expect(lab.shell("echo '{\"b\":\"x\",\"a\":5}' | $W -m merge shop.realm Item").status == 0)
        #expect(items("a,b") == "{\"a\":5,\"b\":\"x\"}\n{\"a\":1,\"b\":\"y\"}\n")
        #expect(lab.shell("$W --no-primary-key Item shop.realm").status == 0)
        #expect(lab.shell("echo '{\"b\":\"x\"}' | $W shop.realm Item").status == 0)
        #expect(lab.shell("$Q -c shop.realm Item").text == "3\n")
    }

    @Test func embedsObjectsWithOneOwner() {
        lab.write("schema", "class Item\n  tag  Tag\nclass Tag\n  n  int\n")
        lab.write("in", #"{"n":3}"# + "\n")
        #expect(
            lab.shell(
                "$W --create --schema-file schema shop.realm && $W shop.realm Tag in && "
                    + "echo '{\"tag\":0}' | $W shop.realm Item"
            ).status == 0)
        #expect(lab.shell("$W --embed Tag shop.realm").status == 0)
        #expect(items("tag") == "{\"tag\":{\"n\":3}}\n")
        #expect(lab.shell("$W --unembed Tag shop.realm").status == 0)
        #expect(lab.shell("$Q -c shop.realm Tag").text == "1\n")
        _ = lab.shell("echo '{\"n\":9}' | $W shop.realm Tag")
        let refused = lab.shell("$W --embed Tag shop.realm")
        #expect(refused.status != 0)
        #expect(refused.errorText.contains("no incoming links"), "\(refused.errorText)")
    }

    @Test func refusesToEmbedObjectsThatContainThemselves() {
        lab.write("schema", "class Item\n  up  Item\n  bag  set<Item>\n")
        lab.write("in", "{\"_key\":0,\"up\":1}\n{\"_key\":1,\"up\":0}\n")
        let made = lab.shell(
            "$W --create --schema-file schema shop.realm && "
                + "$W shop.realm Item in")
        #expect(made.status == 0, "\(made.errorText)")
        for way in ["", "-n"] {
            let refused = lab.shell("$W \(way) --force --drop Item.bag --embed Item shop.realm")
            #expect(refused.errorText.contains("contains itself"), "\(refused.errorText)")
            let bag = lab.shell("$W \(way) --embed Item shop.realm")
            #expect(bag.errorText.contains("Item.bag"), "\(bag.errorText)")
        }
        #expect(lab.shell("$Q -c shop.realm Item").text == "2\n")
    }

    @Test(arguments: [
        ("Item.p=dictionary<int>", "dictionary"), ("Item.p=Nothing", "no class Nothing"),
        ("Item.p=Tag", "no value of one is a value of the other"),
        ("Item.p=list<list<int>>", "type"),
        ("Item=int", "CLASS.PROP"), ("Item.q=int", "no property q"),
    ])
    func refusesTypesWithoutMeaning(_ change: String, _ words: String) {
        make("  p  int", #"{"p":1}"#)
        let result = lab.shell("$W --type '\(change)' shop.realm")
        #expect(result.status != 0)
        #expect(result.errorText.contains(words), "\(result.errorText)")
    }

    @Test func thePlanIsPrintedWithoutChangingAnything() {
        make("  p  int", #"{"p":1}"#)
        let before = lab.shell("cksum shop.realm").text
        let plan = lab.shell("$W -n --type Item.p=string --primary-key Item.p shop.realm")
        #expect(plan.status == 0)
        let text = plan.text + plan.errorText
        #expect(text.contains("change type") && text.contains("Item.p -> string"), "\(text)")
        #expect(text.contains("1 value converted") && text.contains("set primary key"), "\(text)")
        #expect(lab.shell("cksum shop.realm").text == before)
    }
}
