import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * Reads the doc comments of the schemas in a folder. Returns a function: name of a schema on the wire, or of its constant →
 * `{ text, members }`. The comments are the only place with these texts.
 */
export function readDocs(folder) {
  const constants = [];
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    const source = ts.createSourceFile(name, readFileSync(join(folder, name), 'utf8'), ts.ScriptTarget.Latest, true);
    for (const statement of source.statements) constants.push(...declared(statement));
  }
  const byId = new Map();
  const byName = new Map();
  for (const { name, text, value } of constants) {
    const { id, noun, schemas } = registered(value);
    const docs = { text, members: membersOf(value, constants) };
    if (id === undefined) byName.set(name, docs);
    else byId.set(id, docs);
    if (noun === undefined) continue;
    for (const [suffix, textOf] of Object.entries(schemas)) {
      byId.set(`${noun}${suffix}`, { ...docs, text: textOf(words(noun), text) });
    }
  }
  return (id) => byId.get(id) ?? byId.get(id.replace(/Patch$/, '')) ?? byName.get(id);
}

const entitySchemas = {
  Detail: (_noun, text) => text,
  Create: (noun) => `The body that creates ${withArticle(noun)}.`,
  Update: (noun) => `The body that replaces every writable field of ${withArticle(noun)}.`,
  Patch: (noun) => `The body that changes fields of ${withArticle(noun)}. What is absent or null stays as it is.`,
};

const assignmentSchemas = {
  Detail: (_noun, text) => text,
  Assign: (noun) => `What assigns or removes ${withArticle(noun)}.`,
};

/** `authPolicy` or `auth-policy` → `auth policy`. */
export function words(name) {
  const text = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('-', ' ');
  return text.replace(/\b(ca|jwt|api)\b/g, (word) => word.toUpperCase());
}

const withArticle = (noun) => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;

function declared(statement) {
  if (!ts.isVariableStatement(statement)) return [];
  const named = statement.declarationList.declarations.filter(({ initializer }) => initializer);
  return named.map(({ name, initializer }) => ({ name: name.getText(), text: docOf(statement), value: initializer }));
}

function docOf(node) {
  const comment = (node.jsDoc ?? []).at(-1)?.comment;
  return comment === undefined ? '' : ts.getTextOfJSDocComment(comment).replace(/\s*\n(?=\S)(?!- )/g, ' ');
}

function registered(value) {
  if (!ts.isCallExpression(value)) return {};
  const called = value.expression.getText();
  if (called === 'define') return { id: value.arguments[0].text };
  if (called === 'entity') return { noun: property(value.arguments[0], 'noun').text, schemas: entitySchemas };
  if (called === 'assignment') return { noun: property(value.arguments[0], 'noun').text, schemas: assignmentSchemas };
  return {};
}

function property(object, name) {
  return object.properties.find((one) => one.name?.getText() === name)?.initializer;
}

/** The doc comments of the members of an expression: an object, a schema, or something that is made from them. */
function membersOf(value, constants) {
  if (ts.isIdentifier(value)) {
    const named = constants.filter(({ name }) => name === value.text);
    const constant = named.find((one) => one.value.getSourceFile() === value.getSourceFile()) ?? named[0];
    return constant === undefined ? new Map() : membersOf(constant.value, constants);
  }
  if (ts.isPropertyAccessExpression(value)) return membersOf(value.expression, constants);
  if (ts.isObjectLiteralExpression(value)) return new Map(value.properties.flatMap((one) => memberOf(one, constants)));
  if (!ts.isCallExpression(value)) return new Map();
  const called = value.expression.getText();
  if (called === 'define') return membersOf(value.arguments[1], constants);
  if (called === 'entity')
    return new Map([...base(constants), ...membersOf(property(value.arguments[0], 'fields'), constants)]);
  if (called === 'z.object') return membersOf(value.arguments[0], constants);
  if (called.endsWith('.extend')) {
    return new Map([...membersOf(value.expression.expression, constants), ...membersOf(value.arguments[0], constants)]);
  }
  return new Map();
}

const base = (constants) => membersOf(constants.find(({ name }) => name === 'baseEntity').value, constants);

function memberOf(member, constants) {
  if (ts.isSpreadAssignment(member)) return [...membersOf(member.expression, constants)];
  const text = docOf(member);
  return text === '' ? [] : [[member.name.text, text]];
}
