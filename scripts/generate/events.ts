import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { authenticationMethods } from '../../packages/shared-types/src/index.ts';
import { banner, code, table } from './markdown.ts';

const path = 'packages/server/src/core/events/events.ts';
const file = ts.createSourceFile(
  path,
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'),
  ts.ScriptTarget.Latest,
  true,
);

const methods = Object.keys(authenticationMethods)
  .map((method) => `'${method}'`)
  .join(' | ');

/** What an entry of a change has instead of members of its payload. */
const changeDetails = '{ before: object | null; after: object | null }';

export function eventsDocument() {
  return `${banner(path)}

# Events

In a process that embeds the controller, \`controller.events.on(name, listener)\` adds a listener and returns a function that
removes it. Instead of one name, it takes an array. The controller emits an event after the change is stored. No payload contains a
secret. An error in a listener does not affect the request.

The audit log has an entry with the name of the event, unless the third column is empty. It has these details, besides who acted, on what,
the outcome, the address of the client and the id of the request. [Operations](operations.md#the-audit-log) says how to read and verify it.

${table(['Event', 'Payload', 'Details of its entry', 'When'], rows())}
`;
}

function rows() {
  return rowsOf(constant('events')).map(({ name, value, description }) => {
    const { payload, details } = callOf(value);
    return [code(name), code(payload), details === null ? '' : code(details), description];
  });
}

function rowsOf(value: ts.Expression) {
  const literal = ts.isAsExpression(value) ? value.expression : value;
  if (!ts.isObjectLiteralExpression(literal)) throw new Error(`the events in ${path} are no object literal`);
  return literal.properties.filter(ts.isPropertyAssignment).map(({ name, initializer: value }, at) => {
    const [comment] = ts.getJSDocCommentsAndTags(literal.properties[at] as ts.Node);
    const description = ts.getTextOfJSDocComment(comment?.comment);
    if (!ts.isStringLiteral(name) || !description) throw new Error(`${name.getText(file)} has no doc comment`);
    return { name: name.text, value, description };
  });
}

/** The payload and the details in `event<Payload>({ details })`. */
function callOf(value: ts.Expression): { payload: string; details: string | null } {
  if (ts.isIdentifier(value)) return callOf(constant(value.text));
  const [type] = ts.isCallExpression(value) ? (value.typeArguments ?? []) : [];
  if (!ts.isCallExpression(value) || !type) throw new Error(`${value.getText(file)} is no call with a payload`);
  const members = membersOf(type);
  const [entry] = value.arguments;
  return {
    payload: `{ ${members.join('; ')} }`,
    details: entry && ts.isObjectLiteralExpression(entry) ? detailsOf(entry, members) : null,
  };
}

function detailsOf(entry: ts.ObjectLiteralExpression, members: readonly string[]): string {
  const details = entry.properties.find((property) => property.name?.getText(file) === 'details');
  if (!details || !ts.isPropertyAssignment(details)) throw new Error(`${entry.getText(file)} has no details`);
  if (!ts.isArrayLiteralExpression(details.initializer)) return changeDetails;
  const names = details.initializer.elements.filter(ts.isStringLiteral).map(({ text }) => text);
  const shown = members.filter((member) => names.includes(member.replace(/\??:.*/s, '')));
  return shown.length === 0 ? '{}' : `{ ${shown.join('; ')} }`;
}

/** The members of a type, those of a named one and of an intersection, too. */
function membersOf(type: ts.TypeNode): readonly string[] {
  if (ts.isIntersectionTypeNode(type)) return type.types.flatMap(membersOf);
  if (ts.isTypeLiteralNode(type)) return type.members.map(textOf);
  const name = type.getText(file);
  const found = file.statements.filter(ts.isInterfaceDeclaration).find((declared) => declared.name.text === name);
  if (!found) throw new Error(`${path} does not declare ${name}`);
  return found.members.map(textOf);
}

/** A member in one line, with the unions that have a name written out. */
function textOf(member: ts.TypeElement): string {
  const text = member.getText(file).replaceAll(/\s+/g, ' ').replace(/;$/, '');
  const unions = file.statements.filter(ts.isTypeAliasDeclaration).filter((alias) => ts.isUnionTypeNode(alias.type));
  return unions
    .reduce((shown, { name, type }) => shown.replace(new RegExp(`\\b${name.text}\\b`), type.getText(file)), text)
    .replace(/\bAuthenticationMethod\b/, methods);
}

function constant(name: string): ts.Expression {
  const declarations = file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations);
  const value = declarations.find((declared) => declared.name.getText(file) === name)?.initializer;
  if (!value) throw new Error(`${path} has no constant ${name}`);
  return value;
}
