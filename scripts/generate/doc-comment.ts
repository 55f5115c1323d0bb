/** Prints a doc comment. Parts are separated by empty lines. */
export function docComment(parts: readonly string[], indent = '') {
  const lines = parts.join('\n\n').split('\n').flatMap(wrap);
  const only = `${indent}/** ${lines[0]} */\n`;
  if (lines.length === 1 && only.length <= width) return only;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

const width = 120;

function wrap(line: string) {
  return line.match(new RegExp(`.{1,${width - 10}}(?:\\s+|$)`, 'g'))?.map((part) => part.trimEnd()) ?? [''];
}
