import ToolKit

extension QueryTable {
    static let batchRequests: [ManualBlock] = [
        .paragraph(
            "A request of `--batch` is one JSON object per line. All members are optional. An "
                + "unknown member is an error that names the nearest known one."),
        .definitions([
            ("`id`", "any value; the answer has the same `id`"),
            ("`class`", "the name of the class; by default the operand CLASS"),
            ("`where`", "the predicate, as a string; by default all objects are selected"),
            (
                "`args`",
                "an array with the values of `$0`, `$1` and so on, in the form of `--argjson`"
            ),
            (
                "`sort`, `distinct`, `fields`",
                "as `--sort`, `--distinct` and `--fields`: LIST as one string, or an array of its "
                    + "items, in which a comma needs no backslash"
            ),
            ("`limit`, `offset`", "as `--limit` and `--offset`: whole numbers"),
            ("`count`", "as `--count`: with `true`, the answer has only the number of objects"),
            (
                "`aggregate`, `groupBy`",
                "as `--aggregate` and `--group-by`: LIST as one string, or an array of its items. "
                    + "`groupBy` needs `aggregate`. A request with `aggregate` must not have "
                    + "`count` or `fields`, and may have `limit` and `offset` only together with "
                    + "`groupBy`"
            ),
        ]),
        .paragraph(
            "`where` may end in SORT, DISTINCT and LIMIT, which are applied before `sort`, "
                + "`distinct`, `limit` and `offset`. Requests and their answers:"),
        .literal([
            #"{"id":1,"where":"age > 40","sort":"-age,name","limit":2,"fields":"name,age"}"#,
            #"{"id":1,"count":2,"objects":[{"name":"Ann","age":71},{"name":"Bo","age":70}]}"#,
            #"{"id":2,"where":"age > 40","count":true}"#,
            #"{"id":2,"count":31}"#,
            #"{"id":3,"aggregate":"avg(age),stddev(age)"}"#,
            #"{"id":3,"count":90,"aggregate":{"avg(age)":38.5,"stddev(age)":11.25}}"#,
            #"{"id":4,"aggregate":["count"],"groupBy":["city"],"sort":"-count","limit":1}"#,
            #"{"id":4,"count":1,"groups":[{"city":"Oslo","count":17}]}"#,
            #"{"id":5,"were":"age > 40"}"#,
            #"{"id":5,"error":{"code":"InvalidArgument","reason":"unknown-member", ...}}"#,
        ]),
        .paragraph(
            "In an answer, `count` is the number of objects or groups that follow. With "
                + "`aggregate` but no `groupBy`, it is the number of objects that match. All "
                + "requests use one version of the database."),
    ]
}
