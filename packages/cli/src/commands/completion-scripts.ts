/**
 * The scripts that shells load. They pass the words to `edge complete` and take each line of its output as it is: names come from
 * the controller, and anybody may have chosen them. So no script evaluates a word or a line.
 */
export const completionScripts: Readonly<Record<string, string>> = {
  bash: `_edge() {
  local line=\${COMP_LINE:0:COMP_POINT} words cur prefix='' breaks='' value
  read -ra words <<< "$line"
  [[ $line == *' ' ]] && words+=('')
  cur=\${words[\${#words[@]}-1]}
  for value in @ = :; do [[ $COMP_WORDBREAKS == *"$value"* ]] && breaks+=$value; done
  # Readline replaces only what follows the last of these characters.
  [[ -n $breaks ]] && prefix=\${cur%"\${cur##*[$breaks]}"}
  while IFS= read -r value; do
    value=\${value%%$'\\t'*}
    [[ $value == "$prefix"* ]] && COMPREPLY+=("\${value#"$prefix"}")
  done < <(edge complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _edge edge
`,
  zsh: `#compdef edge
_edge() {
  local -a values
  values=("\${(@f)$(edge complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  values=("\${(@)values%%$'\\t'*}")
  values=("\${(@)values:#}")
  if (( \${#values} )); then compadd -a -- values; else _files; fi
}
compdef _edge edge
`,
  fish: `function __edge_complete
  set -l words (commandline -opc)
  set -l values (edge complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $values) -gt 0
    printf '%s\\n' $values
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c edge -f -a '(__edge_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName edge -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '' }
  edge complete -- @words 2>$null | ForEach-Object {
    $value, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}
`,
};
