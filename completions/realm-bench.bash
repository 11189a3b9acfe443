# bash completion for realm-bench, generated from its option table.

_realm_bench() {
    local word=${COMP_WORDS[COMP_CWORD]} index=$((COMP_CWORD - 1))
    COMPREPLY=()
    # bash takes --option=value apart into three words.
    if [[ $word == "=" ]]; then
        word=
    elif [[ ${COMP_WORDS[index]} == "=" ]]; then
        index=$((index - 1))
    fi
    case ${COMP_WORDS[index]} in
        -r | --runs | -N | --num | -T | --time | --warmup | -R | --rate | --late-after | --seed | --inject | --query | --value-size | --batch | --readers | --writers | --pin | --gate | -j | --threads | --max-memory)
            return
            ;;
        --distribution)
            mapfile -t COMPREPLY < <(compgen -W "uniform zipfian latest sequential" -- "$word")
            return
            ;;
        --cache)
            mapfile -t COMPREPLY < <(compgen -W "warm cold" -- "$word")
            return
            ;;
        --file | -b | --baseline | -o | --output | --save | --hgrm | --plot | -K | --encryption-key-file)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        --durability)
            mapfile -t COMPREPLY < <(compgen -W "full unsafe memory" -- "$word")
            return
            ;;
        --dir)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
            return
            ;;
        --against)
            mapfile -t COMPREPLY < <(compgen -W "sqlite3" -- "$word")
            return
            ;;
        -f | --format)
            mapfile -t COMPREPLY < <(compgen -W "auto text json csv" -- "$word")
            return
            ;;
        --color | --progress)
            mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$word")
            return
            ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "--list -r --runs -N --num -T --time --warmup -R --rate --late-after --seed --distribution --cache --inject --file --query --value-size --batch --durability --encrypted --readers --writers --pin --dir --keep --against -b --baseline --compare --gate --allow-different-machine -f --format --json -o --output --force --save --histogram --hgrm --plot -K --encryption-key-file --wait -j --threads --max-memory -h --help -V --version -q --quiet -v --verbose --color --progress" -- "$word")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "open readseq readreverse readrandom readhot readmissing export check compact query-int query-int-index query-string query-string-index query-like query-links query-fulltext query-in sort sort-limit distinct aggregate link-walk list-iterate fillseq fillrandom fillbatch fillsync empty-commit overwrite updaterandom deleteseq deleterandom churn pinned-growth import list-append create-index readwhilewriting readwhileidle readlocked writewhilereading notify tickwhilewriting tickwhileidle tickandwrite commit-async commit-grouped ycsb-a ycsb-b ycsb-c ycsb-d ycsb-e ycsb-f core-empty-commit core-non-initiator-open core-initiator-open core-add-table core-transaction-duplicate core-iterate-table-by-index-no-primary-key core-iterate-table-by-index-int-primary-key core-iterate-table-by-index-string-primary-key core-iterate-table-by-iterator core-iterate-table-by-iterator-index core-sort core-sort-int core-sort-int-list core-sort-int-dictionary core-sort-then-limit core-unordered-table-view-clear core-unordered-table-view-clear-indexed core-get-string core-set-string core-get-link-list core-insert core-create-index core-get-long-string core-set-long-string core-find-all-string-few-dupes core-find-all-string-many-dupes core-find-all-fulltext-string-many-dupes core-find-first-string-few-dupes core-find-first-string-many-dupes core-count-string-many-dupes-non-indexed core-count-string-many-dupes-indexed core-query core-query-long-string core-query-insensitive-string core-query-insensitive-string-indexed core-query-chained-or-strings core-query-chained-or-strings-indexed core-query-chained-or-strings-view-filter-predicate core-query-not-chained-or-strings core-query-not-chained-or-strings-indexed core-query-not core-query-chained-or-ints core-query-chained-or-ints-indexed core-query-chained-or-ints-count core-query-int-equality core-query-int-equality-indexed core-query-with-foreign-agg-avg core-query-ints-vs-double-columns core-query-string-over-links core-subquery-strings core-query-list-of-primitive-ints-size core-query-equal-mixed-indexed core-query-equal-mixed core-query-equal-uuid-indexed core-query-equal-uuid core-query-equal-object-id-indexed core-query-equal-object-id core-query-equal-timestamp-indexed core-query-equal-timestamp core-query-equal-int-indexed core-query-equal-string-indexed core-query-equal-bool-indexed core-query-equal-bool core-query-insensitive-equal-mixed core-query-insensitive-equal-mixed-indexed core-query-insensitive-equal-string core-query-insensitive-equal-string-indexed core-query-chained-or-equality-5000-uuid-indexed core-query-chained-or-equality-5000-object-id-indexed core-query-chained-or-equality-5000-uuid core-query-chained-or-equality-5000-object-id core-query-parsed-in-5000-uuid-indexed core-query-parsed-in-5000-object-id-indexed core-query-parsed-in-5000-uuid core-query-parsed-in-5000-object-id core-query-parsed-in-5-uuid-indexed core-query-parsed-in-5-object-id-indexed core-query-parsed-in-5-uuid core-query-parsed-in-5-object-id core-query-range-int core-query-range-timestamp core-create-index-for-string core-create-index-for-int core-create-index-for-timestamp core-insert-with-index-string core-insert-with-index-int core-insert-with-index-timestamp core-insert-pk-string core-insert-pk-int core-erase-object-string core-erase-object-int core-erase-object-timestamp core-erase-object-string-nullable-indexed core-erase-object-int-nullable-indexed core-erase-object-timestamp-nullable-indexed core-query-timestamp-greater-over-links core-query-timestamp-greater core-query-timestamp-greater-equal core-query-timestamp-less core-query-timestamp-less-equal core-query-timestamp-equal core-query-timestamp-not-equal core-query-timestamp-not-null core-query-timestamp-equal-null core-int-uids-random-order-seq-access core-int-uids-random-order-random-access core-int-uids-random-order-random-delete core-int-uids-random-order-random-create core-assign-geo-points core-assign-geo-points-from-null core-fetch-geo-points core-geo-points-within-box core-geo-points-within-box-rql core-geo-points-within-circle core-geo-points-within-circle-rql core-geo-points-within-polygon core-geo-points-within-polygon-rql quick standard ycsb core all" -- "$word")
}

complete -F _realm_bench realm-bench
