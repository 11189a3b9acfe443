import ToolKit

extension QueryTable {
    static let batchRequests: [ManualBlock] = [
        .paragraph(
            "A request of `--batch` is a JSON object on a line of its own. All its members may be "
                + "left out; one of another name is an error, which names the nearest."),
        .definitions([
            ("`id`", "any value, which is the `id` of the answer"),
            ("`class`", "the class; CLASS if left out"),
            ("`where`", "the predicate, a string; all objects if left out"),
            ("`args`", "the values of `$0`, `$1` and so on, an array, as `--argjson` takes them"),
            (
                "`sort`, `distinct`, `fields`",
                "as `--sort`, `--distinct` and `--fields`: the option's LIST as one string, or an "
                    + "array of its items, in which a comma needs no backslash"
            ),
            ("`limit`, `offset`", "as `--limit` and `--offset`: whole numbers"),
            ("`count`", "as `--count`: `true` leaves the objects out"),
            (
                "`aggregate`, `groupBy`",
                "as `--aggregate` and `--group-by`, in the forms of `sort`. `groupBy` needs "
                    + "`aggregate`; `count` and `fields` cannot be used with it, `limit` and `offset` only "
                    + "with `groupBy`"
            ),
        ]),
        .paragraph(
            "`where` may end in SORT, DISTINCT and LIMIT of its own, which come before the "
                + "members. Requests and their answers:"),
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
            "`count` is the number of objects or groups that follow; with `aggregate` alone it is the "
                + "number of objects that the predicate chose. All requests are answered from one "
                + "version of the database."),
    ]
}
