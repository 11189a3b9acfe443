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
        --file | -o | --output)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        --query | -r | --runs | -N | --num | --value-size | --batch | --warmup | --seed | -j | --threads | --max-memory)
            return
            ;;
        --durability)
            mapfile -t COMPREPLY < <(compgen -W "full unsafe" -- "$word")
            return
            ;;
        --dir)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
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
        mapfile -t COMPREPLY < <(compgen -W "--file --query --list -r --runs -N --num --value-size --batch --durability --dir --keep --warmup --seed -f --format --json -o --output --force --wait -j --threads --max-memory -h --help -V --version -q --quiet -v --verbose --color --progress" -- "$word")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "open readseq readrandom export fillseq fillrandom fillbatch fillsync overwrite updaterandom deleteseq deleterandom churn create-index query-int query-int-index query-string query-string-index query-like query-links query-fulltext query-in sort sort-limit distinct aggregate" -- "$word")
}

complete -F _realm_bench realm-bench
