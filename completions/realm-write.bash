# bash completion for realm-write, generated from its option table.

_realm_write() {
    local word=${COMP_WORDS[COMP_CWORD]} index=$((COMP_CWORD - 1))
    COMPREPLY=()
    # bash takes --option=value apart into three words.
    if [[ $word == "=" ]]; then
        word=
    elif [[ ${COMP_WORDS[index]} == "=" ]]; then
        index=$((index - 1))
    fi
    case ${COMP_WORDS[index]} in
        -i | --input-format)
            mapfile -t COMPREPLY < <(compgen -W "ndjson json csv tsv changes" -- "$word")
            return
            ;;
        --delimiter)
            mapfile -t COMPREPLY < <(compgen -W "; tab |" -- "$word")
            return
            ;;
        --encoding)
            mapfile -t COMPREPLY < <(compgen -W "utf-8 utf-16 utf-16le utf-16be windows-1252 latin-1" -- "$word")
            return
            ;;
        -m | --mode)
            mapfile -t COMPREPLY < <(compgen -W "insert upsert merge update delete apply" -- "$word")
            return
            ;;
        --class-field | --map | --const | --commit-records | --commit-interval | --commit-bytes | --max-errors | --skip-records | --where | --set | --arg | --argjson | --zone | --expect-count | --schema-version | --rename | --drop | --index | --unindex | --optional | --required | --type | --primary-key | --no-primary-key | --embed | --unembed | --key | --link | -j | --threads | --max-memory)
            return
            ;;
        --links)
            mapfile -t COMPREPLY < <(compgen -W "strict create null" -- "$word")
            return
            ;;
        --guid)
            mapfile -t COMPREPLY < <(compgen -W "standard dotnet" -- "$word")
            return
            ;;
        --durability)
            mapfile -t COMPREPLY < <(compgen -W "full unsafe" -- "$word")
            return
            ;;
        --on-error)
            mapfile -t COMPREPLY < <(compgen -W "stop skip" -- "$word")
            return
            ;;
        --rejects | --new-encryption-key-file | --schema-file | -o | --output | -K | --encryption-key-file)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        --case)
            mapfile -t COMPREPLY < <(compgen -W "unicode reference" -- "$word")
            return
            ;;
        --on-misfit)
            mapfile -t COMPREPLY < <(compgen -W "refuse null default skip" -- "$word")
            return
            ;;
        -f | --format)
            mapfile -t COMPREPLY < <(compgen -W "auto text json" -- "$word")
            return
            ;;
        --color | --progress)
            mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$word")
            return
            ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "-i --input-format --delimiter --encoding --ragged -m --mode --class-field --map --const --ignore-unknown --links --guid --commit-records --commit-interval --commit-bytes -1 --single-transaction --durability --ack --resume --on-error --rejects --max-errors --skip-records --where --set --delete --arg --argjson --case --zone --expect-count --create --new-encryption-key-file --schema-file --schema-version --infer --rename --drop --index --unindex --optional --required --type --on-misfit --primary-key --no-primary-key --embed --unembed --key --link --csv-booleans -f --format --json -o --output --force -n --dry-run -K --encryption-key-file --wait -j --threads --max-memory -h --help -V --version -q --quiet -v --verbose --color --progress" -- "$word")
        return
    fi
    local IFS=$'\n'
    mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" --complete=class "$word" \
        "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2> /dev/null)
    [[ ${#COMPREPLY[@]} -gt 0 ]] && return
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

complete -F _realm_write realm-write
