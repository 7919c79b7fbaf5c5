/// A shell that can complete command lines.
enum Shell: String, CaseIterable {
  case bash
  case fish
  case zsh

  /// The completion script for a shell; it asks the program for candidates.
  var script: String {
    switch self {
    case .bash:
      """
      # Completion for bash: source <(gatehouse completion bash)
      _gatehouse() {
        local IFS=$'\\n'
        COMPREPLY=($(gatehouse completion candidates -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
      }
      complete -o default -F _gatehouse gatehouse
      """
    case .fish:
      """
      # Completion for fish: gatehouse completion fish | source
      function __gatehouse_candidates
        set -l words (commandline -opc) (commandline -ct)
        gatehouse completion candidates -- $words[2..-1] 2>/dev/null
      end
      complete -c gatehouse -f -a '(__gatehouse_candidates)'
      complete -c gatehouse -n '__fish_seen_subcommand_from keys logs policy' -F
      complete -c gatehouse -l session -l ca -r -F
      """
    case .zsh:
      """
      # Completion for zsh, after compinit: source <(gatehouse completion zsh)
      _gatehouse() {
        local -a candidates
        candidates=(${(f)"$(gatehouse completion candidates -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
        if (( $#candidates )); then compadd -a candidates; else _files; fi
      }
      compdef _gatehouse gatehouse
      """
    }
  }
}
