/// Section of realm-tools(7) about change streams between machines: guarantees and transports.
extension ToolsPage {
    static let streams: [ManualBlock] =
        [
            .paragraph(
                "`realm-query --watch` prints the changes that programs commit on one machine. Any "
                    + "number of machines can follow them, each with its own database, by "
                    + "`realm-write -m apply --resume`. The changes are sent through a pipe, or "
                    + "through a message log that keeps the order of messages, such as Redis, "
                    + "Kafka or NATS JetStream."),
            .definitions([
                (
                    "Guaranteed",
                    "Each follower applies the versions of the source in order, each as a whole or "
                        + "not at all. This holds even if programs are killed or messages are "
                        + "delivered again. Objects, keys, links and schema are the same, and so "
                        + "are the digests of `realm-query --digest`. Records that are missing, "
                        + "repeated or out of order are detected and refused."
                ),
                (
                    "Not guaranteed",
                    "Several commits in quick succession may become one version of a follower. A "
                        + "follower that other programs have written to may differ from the "
                        + "source. Changes flow in one direction only; to merge changes made on "
                        + "several machines, a synchronisation service is needed. A watch that is "
                        + "restarted may be unable to resume, because the version at which it "
                        + "stopped can no longer be read. It then sends all objects again; see "
                        + "CHANGE RECORDS in `realm-query(1)`."
                ),
                (
                    "Size of the log",
                    "The log must still contain the last `commit` that the slowest follower has "
                        + "applied. A record takes about the size of its object as JSON plus 80 "
                        + "bytes, and a resync has one record per object. The log is large enough "
                        + "if it can hold two resyncs, and the changes made in the longest time "
                        + "that a follower may be disconnected. A new follower needs a resync in "
                        + "the log, or a copy of the source. To make a copy, run `realm-compact -o "
                        + "b.realm a.realm` while nothing is written. Then store the `version` and "
                        + "`source` of the last `commit` in `b.realm.applied`, as `VERSION@SOURCE "
                        + "1`."
                ),
            ]),
            .paragraph(
                "With Redis 7, the following script, `publish a.realm log`, adds changes to the "
                    + "Redis stream `log`. A message has one change record, in its field `r`. The "
                    + "id of a message begins with the version, so a follower finds its position "
                    + "from its last applied version. A restarted publisher resumes from the last "
                    + "`commit` in the log. A log has only one publisher. `appendfsync always` "
                    + "preserves the log through a power failure."
            ),
            .literal(publisher),
            .paragraph(
                "On each machine, with a database created by `realm-write --create b.realm`, run "
                    + "`follow b.realm log`:"
            ),
            .literal(follower),
            .paragraph(
                "With Kafka, use a topic with one partition, which keeps the order of messages; a "
                    + "follower skips messages that it receives again. A publisher that is "
                    + "restarted searches the last messages for the `commit` from which to resume. "
                    + "A follower may begin at any message before the first that it needs:"),
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
