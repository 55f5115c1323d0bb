import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { banner, code, table } from './markdown.mjs';

const source = 'packages/server/src/events/events.ts';

export function eventsDocument() {
  const text = readFileSync(new URL(`../../${source}`, import.meta.url), 'utf8');
  const file = ts.createSourceFile(source, text, ts.ScriptTarget.Latest, true);
  const events = file.statements.find(
    (node) => ts.isInterfaceDeclaration(node) && node.name.text === 'ControllerEvents',
  );
  const rows = events.members.map((member) => [
    code(member.name.getText(file)),
    code(payload(member.type.getText(file))),
    ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(member)[0]?.comment) ?? '',
  ]);
  return `${banner(source)}

# Events

\`controller.events.on(name, listener)\` in a process that embeds the controller; it returns the function that stops
listening. Events are told after the change is stored. No payload holds a secret, and a listener that throws affects
no request.

${table(['Event', 'Payload', 'When'], rows)}
`;
}

const payload = (type) => type.replaceAll(/\s+/g, ' ').replaceAll('; }', ' }');
