/** The shells that can be taught. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

/**
 * What a shell reads to complete `hall`: it asks the program itself, so that a newer one needs no newer script. What
 * comes back is one candidate a line, behind a tab what it is about; or `:files`, `:folders`.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# hall completion bash: put this into ~/.bashrc:  source <(hall completion bash)
_hall() {
  local answer
  answer=$("\${COMP_WORDS[0]}" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case $answer in
    :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}") ;;
    :folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "\${COMP_WORDS[COMP_CWORD]}") ;;
    '') COMPREPLY=() ;;
    *) mapfile -t COMPREPLY < <(cut -f 1 <<<"$answer") ;;
  esac
}
complete -F _hall hall
`,
  zsh: `#compdef hall
# hall completion zsh: put this into ~/.zshrc, behind compinit:  source <(hall completion zsh)
_hall() {
  local answer line name
  local -a found
  answer=$("\${words[1]}" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  case $answer in
    :files) _files ;;
    :folders) _files -/ ;;
    *)
      for line in "\${(@f)answer}"; do
        [[ -n $line ]] || continue
        name=\${\${line%%$'\\t'*}//:/\\\\:}
        [[ $line = *$'\\t'* ]] && found+=("$name:\${line#*$'\\t'}") || found+=("$name")
      done
      _describe hall found ;;
  esac
}
compdef _hall hall
`,
  fish: `# hall completion fish: hall completion fish > ~/.config/fish/completions/hall.fish
function __hall_complete
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    set -q typed[1]; or set typed ''
    set -l answer ($before[1] completion fish -- $before[2..-1] $typed 2>/dev/null)
    switch "$answer"
        case :files
            __fish_complete_path (commandline -ct)
        case :folders
            __fish_complete_directories (commandline -ct)
        case '*'
            printf '%s\\n' $answer
    end
end
complete -c hall -f -a '(__hall_complete)'
`,
};
