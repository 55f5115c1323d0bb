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
  // The words stand in a variable: PowerShell may drop an empty argument, and the script with which npm starts a program drops `--`.
  // Values are quoted: an unquoted @ is splatting there, and # begins a comment.
  powershell: `Register-ArgumentCompleter -Native -CommandName edge -ScriptBlock {
  param($word, $ast, $position)
  $elements = @($ast.CommandElements | Where-Object { $_.Extent.StartOffset -lt $position })
  $words = @($elements | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() }
  })
  if ($elements[-1].Extent.EndOffset -lt $position) { $words += '' }
  $env:EDGE_COMPLETE = $words -join "\`n"
  try {
    edge complete 2>$null | ForEach-Object {
      $value, $about = $_ -split "\`t", 2
      if (-not $about) { $about = $value }
      $text = if ($value -match '^[\\w.+:/-]+$') { $value } else { "'$value'" }
      [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
  } finally {
    Remove-Item Env:EDGE_COMPLETE
  }
}
`,
};
