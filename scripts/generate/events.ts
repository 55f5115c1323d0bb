import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { banner, code, table } from './markdown.ts';

const source = 'packages/server/src/events/events.ts';

export function eventsDocument() {
  const text = readFileSync(new URL(`../../${source}`, import.meta.url), 'utf8');
  const file = ts.createSourceFile(source, text, ts.ScriptTarget.Latest, true);
  const events = file.statements.find(
    (node) => ts.isInterfaceDeclaration(node) && node.name.text === 'ControllerEvents',
  );
  if (!events || !ts.isInterfaceDeclaration(events)) throw new Error(`${source} has no interface ControllerEvents`);
  const rows = events.members.filter(ts.isPropertySignature).map((member) => {
    const name = member.name.getText(file);
    const description = ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(member)[0]?.comment);
    if (!description || !member.type) throw new Error(`the event ${name} in ${source} has no doc comment or no type`);
    return [code(name), code(payload(member.type.getText(file))), description];
  });
  return `${banner(source)}

# Events

In a process that embeds the controller, \`controller.events.on(name, listener)\` adds a listener and returns a function that
removes it. The controller emits an event after the change is stored. No payload contains a secret. An error in a listener
does not affect the request.

${table(['Event', 'Payload', 'When'], rows)}
`;
}

const payload = (type: string) => type.replaceAll(/\s+/g, ' ').replaceAll('; }', ' }');
