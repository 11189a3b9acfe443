# bash completion for realm-compact, generated from its option table.

_realm_compact() {
    local word=${COMP_WORDS[COMP_CWORD]} index=$((COMP_CWORD - 1))
    COMPREPLY=()
    # bash takes --option=value apart into three words.
    if [[ $word == "=" ]]; then
        word=
    elif [[ ${COMP_WORDS[index]} == "=" ]]; then
        index=$((index - 1))
    fi
    case ${COMP_WORDS[index]} in
        --top | --if-free | --enumerate | --at | --to-format | -j | --threads | --max-memory)
            return
            ;;
        --space-map | --new-encryption-key-file | -o | --output | -K | --encryption-key-file)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        -f | --format)
            mapfile -t COMPREPLY < <(compgen -W "auto text json ndjson" -- "$word")
            return
            ;;
        --access)
            mapfile -t COMPREPLY < <(compgen -W "auto shared immutable" -- "$word")
            return
            ;;
        --color | --progress)
            mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$word")
            return
            ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "--check --strict --analyze --top --salvage --space-map -n --dry-run --if-free --backup --verify --no-verify --drop-history --enumerate --at --new-encryption-key-file --decrypt --to-format --local -f --format --json -o --output --force -K --encryption-key-file --access --wait -j --threads --max-memory -h --help -V --version -q --quiet -v --verbose --color --progress" -- "$word")
        return
    fi
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

complete -F _realm_compact realm-compact
