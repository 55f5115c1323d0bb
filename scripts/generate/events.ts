import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { banner, code, table } from './markdown.ts';

const folder = 'packages/server/src/core/events/';
const eventsFile = `${folder}events.ts`;
const auditFile = `${folder}audit-events.ts`;

interface Member {
  readonly name: string;
  /** Its type. `Members<'event', 'member' | …>` is written as the members of this event. */
  readonly payload: string;
  readonly description: string;
}

export function eventsDocument() {
  const events = membersOf(eventsFile, 'ControllerEvents', () => null);
  const audited = membersOf(auditFile, 'AuditEvents', (type, file) => pickedFrom(events, type, file));
  return `${banner(`${folder}*.ts`)}

# Events

In a process that embeds the controller, \`controller.events.on(name, listener)\` adds a listener and returns a function that
removes it. The controller emits an event after the change is stored. No payload contains a secret. An error in a listener
does not affect the request.

${table(['Event', 'Payload', 'When'], rowsOf(events))}

## The audit log

[Operations](operations.md#the-audit-log) says how to read and verify it. These are its entries:

${table(['Entry', 'Details', 'When'], rowsOf(audited))}
`;
}

const rowsOf = (members: readonly Member[]) =>
  members.map(({ name, payload, description }) => [code(name), code(payload), description]);

function membersOf(
  path: string,
  interfaceName: string,
  picked: (type: ts.TypeNode, file: ts.SourceFile) => string | null,
): readonly Member[] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = file.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === interfaceName);
  if (!found || !ts.isInterfaceDeclaration(found)) throw new Error(`${path} has no interface ${interfaceName}`);
  return found.members.filter(ts.isPropertySignature).map((member) => {
    const name = ts.isStringLiteral(member.name) ? member.name.text : member.name.getText(file);
    const description = ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(member)[0]?.comment);
    if (!description || !member.type) throw new Error(`the event ${name} in ${path} has no doc comment or no type`);
    return { name, payload: picked(member.type, file) ?? payload(member.type.getText(file)), description };
  });
}

/** The members of an event that `Members<'event', 'member' | …>` picks. */
function pickedFrom(events: readonly Member[], type: ts.TypeNode, file: ts.SourceFile): string | null {
  const text = type.getText(file);
  if (text === 'Record<string, never>') return '{}';
  if (!ts.isTypeReferenceNode(type)) return null;
  const [event = '', ...names] = [...text.matchAll(/'(\w+)'/g)].map(([, word = '']) => word);
  const all =
    events
      .find(({ name }) => name === event)
      ?.payload.slice(2, -2)
      .split('; ') ?? [];
  const members = names.map((name) =>
    all.find((member) => member.startsWith(`${name}:`) || member.startsWith(`${name}?:`)),
  );
  if (members.includes(undefined)) throw new Error(`${text}: the event has no such members`);
  return `{ ${members.join('; ')} }`;
}

const payload = (type: string) => type.replaceAll(/\s+/g, ' ').replaceAll('; }', ' }');
