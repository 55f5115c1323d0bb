import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The doc comments of a schema and of its members. */
export interface Docs {
  readonly text: string;
  readonly members: ReadonlyMap<string, string>;
}

interface Constant {
  readonly name: string;
  readonly text: string;
  readonly value: ts.Expression;
}

/**
 * Reads the doc comments of the schemas in a folder. Returns a function of the name of a schema on the wire, or of its
 * constant. The comments are the only place with these texts.
 */
export function readDocs(folder: string): (id: string) => Docs | undefined {
  const constants: Constant[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    const source = ts.createSourceFile(name, readFileSync(join(folder, name), 'utf8'), ts.ScriptTarget.Latest, true);
    for (const statement of source.statements) constants.push(...declared(statement));
  }
  const byId = new Map<string, Docs>();
  const byName = new Map<string, Docs>();
  for (const { name, text, value } of constants) {
    const { id, noun, schemas = {} } = registered(value);
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

/** The texts of the schemas that are made of one thing, by the ends of their names. */
type MadeSchemas = Readonly<Record<string, (noun: string, text: string) => string>>;

const entitySchemas: MadeSchemas = {
  Detail: (_noun, text) => text,
  Create: (noun) => `The body that creates ${withArticle(noun)}.`,
  Update: (noun) => `The body that replaces every writable field of ${withArticle(noun)}.`,
  Patch: (noun) => `The body that changes fields of ${withArticle(noun)}. What is absent or null stays as it is.`,
};

/** `authPolicy` or `auth-policy` → `auth policy`. */
export function words(name: string) {
  const text = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('-', ' ');
  return text.replace(/\b(ca|jwt|api)\b/g, (word) => word.toUpperCase());
}

const withArticle = (noun: string) => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;

function declared(statement: ts.Statement): Constant[] {
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
    initializer ? [{ name: name.getText(), text: docOf(statement), value: initializer }] : [],
  );
}

function docOf(node: ts.Node) {
  const comment = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1)?.comment;
  return ts.getTextOfJSDocComment(comment)?.replace(/\s*\n(?=\S)(?!- )/g, ' ') ?? '';
}

function registered(value: ts.Expression): { id?: string; noun?: string; schemas?: MadeSchemas } {
  if (!ts.isCallExpression(value)) return {};
  const called = value.expression.getText();
  const [first] = value.arguments;
  if (called === 'define') return { id: stringOf(first) };
  if (called === 'entity') return { noun: stringOf(property(first, 'noun')), schemas: entitySchemas };
  return {};
}

function stringOf(value: ts.Expression | undefined) {
  if (!value || !ts.isStringLiteral(value)) throw new Error(`${value?.getText()} is no string`);
  return value.text;
}

function property(object: ts.Expression | undefined, name: string) {
  const properties = object && ts.isObjectLiteralExpression(object) ? object.properties : undefined;
  const found = properties?.filter(ts.isPropertyAssignment).find((one) => one.name.getText() === name);
  return found?.initializer;
}

/** The doc comments of the members of an expression: an object, a schema, or something that is made from them. */
function membersOf(value: ts.Expression | undefined, constants: readonly Constant[]): Map<string, string> {
  if (!value) return new Map();
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
  if (ts.isPropertyAccessExpression(value.expression) && value.expression.name.text === 'extend') {
    return new Map([...membersOf(value.expression.expression, constants), ...membersOf(value.arguments[0], constants)]);
  }
  return new Map();
}

const base = (constants: readonly Constant[]) =>
  membersOf(constants.find(({ name }) => name === 'baseEntity')?.value, constants);

function memberOf(member: ts.ObjectLiteralElementLike, constants: readonly Constant[]): [string, string][] {
  if (ts.isSpreadAssignment(member)) return [...membersOf(member.expression, constants)];
  const text = docOf(member);
  return text === '' || !member.name ? [] : [[propertyName(member.name), text]];
}

const propertyName = (name: ts.PropertyName) => (ts.isStringLiteral(name) ? name.text : name.getText());
