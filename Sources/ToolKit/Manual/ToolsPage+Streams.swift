/// Section of realm-tools(7) about change streams between machines: guarantees and transports.
extension ToolsPage {
    static let streams: [ManualBlock] =
        [
            .paragraph(
                "What one program writes on one machine, `realm-query --watch` tells, and any number of "
                    + "machines can follow with a database of their own, each with "
                    + "`realm-write -m apply --resume`. In between there may be a pipe, or a log that "
                    + "keeps the order of its messages: Redis, Kafka, NATS JetStream."),
            .definitions([
                (
                    "Guaranteed",
                    "Each follower has the versions of the source in their order, each as a whole or "
                        + "not at all, however often anything is killed or delivered again; objects, "
                        + "keys, links and schema are the same, and so are the digests of "
                        + "`realm-query --digest`. What is missing, twice or out of order is noticed and "
                        + "refused, not guessed."
                ),
                (
                    "Not guaranteed",
                    "That every commit becomes a version of a follower: several that come close "
                        + "together may be one. That a follower which was written to by others stays "
                        + "equal: there is one writer, and nothing merges two; that is what a "
                        + "synchronisation service does. That a watch which was ended goes on where "
                        + "it was: if its version is gone (`realm-query(1)`, CHANGE RECORDS), "
                        + "everything there is follows once more."
                ),
                (
                    "Size of the log",
                    "It has to reach back to the last `commit` of the slowest follower. A record is about "
                        + "its object as JSON and 80 bytes, a resync has as many records as there are "
                        + "objects: a log that holds two of those and the changes of as long as a "
                        + "follower may be away is large enough. A new follower needs a resync in the "
                        + "log, or a copy: `realm-compact -o b.realm a.realm` while nothing is written, and "
                        + "in `b.realm.applied` the `version` and `source` of the last `commit`, as "
                        + "`VERSION@SOURCE 1`."
                ),
            ]),
            .paragraph(
                "With Redis 7: `publish a.realm log` brings changes into the stream `log`, one record in "
                    + "each message, in its field `r`. The id of a message begins with the version, so "
                    + "that a follower finds its place by what it has applied, and the last `commit` in "
                    + "the log is what a publisher that is started again goes on from. There is one "
                    + "publisher for a log; `appendfsync always` keeps the log through a power failure."
            ),
            .literal(publisher),
            .paragraph(
                "On each machine, with a database made by `realm-write --create b.realm`, `follow b.realm log`:"
            ),
            .literal(follower),
            .paragraph(
                "With Kafka, a topic of one partition keeps the order; what comes twice is passed over. "
                    + "A publisher finds what to go on from among the last messages, a follower may "
                    + "begin anywhere before what it lacks:"),
            .literal(kafka),
        ]

    static let publisher = #"""
        #!/bin/bash
        entry() { redis-cli -e --raw XREVRANGE "$log" "$1" - COUNT 1; }
        file=$1 log=$2
        mark=$'\n[{]"op":"commit","version":([0-9]+),.*"source":"([0-9a-f]+)"'
        while sleep 1; do
            entry=$(entry +) || continue
            last=${entry%%$'\n'*} since=0
            while [[ $entry ]]; do
                [[ $entry =~ $mark ]] &&
                    since=${BASH_REMATCH[1]}@${BASH_REMATCH[2]} && break
                entry=$(entry "(${entry%%-*}-0") || continue 2
            done
            realm-query --watch --types extended --heartbeat 5s --since "$since" "$file" |
                perl -ne 'BEGIN { $| = 1; $log = shift; ($v, $n) = split /-/, shift }
                    /^\{"op":"(\w+)","version":(\d+)/;
                    print "PING\r\n" and next if $1 eq "heartbeat";
                    ($v, $n) = ($2, 0) if $2 > $v; $n++; chomp;
                    print "*5\r\n", map { "\$" . length() . "\r\n$_\r\n" }
                        "XADD", $log, "$v-$n", "r", $_' "$log" "${last:-0-0}" |
                redis-cli --pipe
        done
        """#.split(separator: "\n").map(String.init)

    static let follower = #"""
        #!/bin/bash
        file=$1 log=$2
        records() {
            at=$(realm-versions -g applied "$file")
            at=${at%@*}-18446744073709551615
            while batch=$(redis-cli -e --raw \
                XREAD COUNT 5000 BLOCK 1000 STREAMS "$log" "$at"); do
                [[ $batch ]] || continue
                sed -n '4~3p' <<< "$batch" || break
                at=$(tail -n 3 <<< "$batch" | head -n 1)
            done
        }
        while sleep 1; do records | realm-write -q -m apply --resume "$file" -; done
        """#.split(separator: "\n").map(String.init)

    private static let kafka = #"""
        since=$(kcat -b broker -C -t log -p 0 -o -10000 -e -q | sed -n \
            's/^{"op":"commit","version":\([0-9]*\),.*"source":"\(.*\)"}$/\1@\2/p' | tail -n 1)
        realm-query --watch --types extended --since "${since:-0}" a.realm |
            kcat -b broker -P -t log -p 0 -X enable.idempotence=true
        kcat -b broker -C -t log -p 0 -o beginning -u -q |
            realm-write -m apply --resume b.realm -
        """#.split(separator: "\n").map(String.init)
}
