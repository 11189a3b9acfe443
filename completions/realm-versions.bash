# bash completion for realm-versions, generated from its option table.

_realm_versions() {
    local word=${COMP_WORDS[COMP_CWORD]} index=$((COMP_CWORD - 1))
    COMPREPLY=()
    # bash takes --option=value apart into three words.
    if [[ $word == "=" ]]; then
        word=
    elif [[ ${COMP_WORDS[index]} == "=" ]]; then
        index=$((index - 1))
    fi
    case ${COMP_WORDS[index]} in
        -g | --get)
            mapfile -t COMPREPLY < <(compgen -W "file bytes logical-bytes format age encrypted schema-version history history-bytes history-entries version live-versions oldest-version free-bytes free-percent pinned-bytes pinned-percent live-bytes classes objects lock-layout openers streaming compact slot previous-version applied" -- "$word")
            return
            ;;
        -E | --expect)
            return
            ;;
        --space-map | --plot | -o | --output | -K | --encryption-key-file)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        -f | --format)
            mapfile -t COMPREPLY < <(compgen -W "auto text table json ndjson" -- "$word")
            return
            ;;
        --access)
            mapfile -t COMPREPLY < <(compgen -W "auto shared immutable" -- "$word")
            return
            ;;
        --color)
            mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$word")
            return
            ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "-g --get -E --expect --openers --no-openers --slots --growth --history --list -w --watch --space-map --plot -f --format --json -o --output --force -K --encryption-key-file --access --wait -h --help -V --version -q --quiet -v --verbose --color" -- "$word")
        return
    fi
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

complete -F _realm_versions realm-versions
