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
        -r | --runs | -N | --num | -T | --run-time | --warmup | -R | --rate | --late-after | --seed | --inject | --fail-above | --query | --value-size | --commit-operations | --readers | --writers | --pin | --gate | -j | --threads | --max-memory)
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
            mapfile -t COMPREPLY < <(compgen -W "sqlite3 sqlite3-inverse" -- "$word")
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
        mapfile -t COMPREPLY < <(compgen -W "--list -r --runs -N --num -T --run-time --warmup -R --rate --late-after --seed --distribution --cache --inject --scaling --fail-above --file --query --value-size --commit-operations --durability --encrypted --readers --writers --pin --dir --keep --against -b --baseline --compare --gate --allow-different-machine -f --format --json -o --output --force --save --histogram --hgrm --plot -K --encryption-key-file --wait -j --threads --max-memory -h --help -V --version -q --quiet -v --verbose --color --progress" -- "$word")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "open readseq readreverse readrandom readhot readmissing export check compact query-int query-int-index query-string query-string-index query-like query-links query-fulltext query-in sort sort-limit distinct aggregate link-walk list-iterate fillseq fillrandom fillbatch fillsync empty-commit overwrite updaterandom deleteseq deleterandom churn pinned-growth import list-append create-index readwhilewriting readwhileidle readlocked writewhilereading notify tickwhilewriting tickwhileidle tickandwrite commit-async commit-grouped object-get object-iterate object-each results-index object-find object-set freeze ycsb-a ycsb-b ycsb-c ycsb-d ycsb-e ycsb-f delete-linked delete-linked-half delete-linked-singly unlink relink drop-linked-class drop-link-property delete-in-list delete-in-set delete-in-dictionary delete-in-mixed-list delete-held-often list-append-int list-append-text list-insert-front list-insert-random list-set-random list-erase-front set-insert set-insert-text set-erase dictionary-insert dictionary-erase list-clear list-clear-mixed delete-indexed update-indexed clear-class drop-class drop-property add-property create-classes rename-classes drop-classes commit-many-classes create-wide-class fill-wide-class load load-by-1000 load-texts mail-commits update-commits delete-commits update-records merge-records delete-records infer-wide reapply-wide-schema commit-pinned inspect-pinned release-pinned sort-text sort-spilled distinct-text group-text diff-equal diff-changed diff-other-order diff-equal-sets diff-classes salvage quick standard ycsb bulk scaling all" -- "$word")
}

complete -F _realm_bench realm-bench
