import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contracts } from '@edge-controller/shared-types';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessRules } from '../../src/access/service-access/access-rules.ts';
import type { AnyDefinition } from '../../src/crud/entity.ts';
import { definitions } from '../../src/entities/index.ts';
import { readSources } from '../support/sources.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const names: ReadonlySet<string> = new Set(Object.keys(contracts));

/** One field of a definition that says what the field has to do with access. */
interface Place {
  /** Path in the repository. */
  readonly path: string;
  readonly entity: string;
  readonly field: string;
  readonly option: ts.PropertyAssignment;
  readonly effect: ts.PropertyAssignment;
}

const places = readSources('packages/server/src/entities').flatMap(({ path, nodes }) => {
  const calls = nodes.filter(ts.isCallExpression).filter(({ expression }) => expression.getText() === 'defineEntity');
  return calls.flatMap(({ arguments: [name, definition] }): Place[] =>
    membersOf(memberOf(definition, 'fields')?.initializer).flatMap((option) => {
      const effect = memberOf(option.initializer, 'access');
      if (!effect) return [];
      return [{ path, entity: (name as ts.StringLiteral).text, field: option.name.getText(), option, effect }];
    }),
  );
});

function membersOf(node: ts.Node | undefined): ts.PropertyAssignment[] {
  return node && ts.isObjectLiteralExpression(node) ? node.properties.filter(ts.isPropertyAssignment) : [];
}

function memberOf(node: ts.Node | undefined, name: string): ts.PropertyAssignment | undefined {
  return membersOf(node).find((member) => member.name.getText() === name);
}

/** The text of a file without a member of an object. */
function without(member: ts.PropertyAssignment): string {
  const text = member.getSourceFile().text;
  return text.slice(0, member.getStart()) + text.slice(member.end).replace(/^,/, '');
}

/** What the compiler says about each file, with the text that it is said of. */
function compile(files: ReadonlyMap<string, string>): Map<string, string> {
  const config = ts.readConfigFile(join(root, 'packages/server/tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, join(root, 'packages/server'));
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.fileExists = (name) => files.has(name) || fileExists(name);
  const program = ts.createProgram([...files.keys()], { ...options, noEmit: true }, host);
  return new Map(
    [...files.keys()].map((name) => {
      const source = program.getSourceFile(name)!;
      const found = program.getSemanticDiagnostics(source).map(({ start = 0, messageText }) => {
        const [line] = source.text.slice(start).split('\n');
        return `${ts.flattenDiagnosticMessageText(messageText, '\n')}\n${line}`;
      });
      return [name, found.join('\n')];
    }),
  );
}

describe('an entity that decides about access', () => {
  /** A copy beside the file, so that its imports lead to the same files. */
  const copyOf = ({ path, entity, field }: Place, change: string) =>
    join(root, path.replace(basename(path), `${entity}-${field}-${change}.ts`));
  let messages = new Map<string, string>();

  beforeAll(() => {
    const mutants = places.flatMap((place) => [
      [copyOf(place, 'effect'), without(place.effect)] as const,
      [copyOf(place, 'option'), without(place.option)] as const,
    ]);
    const originals = places.map(({ path }) => [join(root, path), readFileSync(join(root, path), 'utf8')] as const);
    messages = compile(new Map([...originals, ...mutants]));
  }, 120_000);

  it('compiles when each field has its effect', () => {
    const said = places.map(({ path }) => messages.get(join(root, path)));
    expect(new Set(said)).toEqual(new Set(['']));
  });

  it.each(places.map((place) => ({ ...place, title: `${place.entity}.${place.field}` })))(
    'does not compile without the effect of $title, and the compiler names the field',
    (place) => {
      expect(messages.get(copyOf(place, 'effect'))).toMatch(new RegExp(`'access' is missing[^]*\n${place.field}: {`));
      expect(messages.get(copyOf(place, 'option'))).toContain(`'${place.field}' is missing`);
    },
  );

  it('has the rule with its name, and each rule has an entity', () => {
    const decided = Object.entries(definitions).flatMap(([name, { definition }]) =>
      definition.access ? [[name, definition.access] as const] : [],
    );
    expect(Object.fromEntries<AnyDefinition['access']>(decided)).toEqual(accessRules);
    expect(new Set(places.map(({ entity }) => entity))).toEqual(new Set(Object.keys(accessRules)));
  });
});

it('what all entities share names none of them', () => {
  const sources = readSources('packages/server/src/crud').filter(({ path }) => !path.endsWith('.test.ts'));
  expect(sources.length).toBeGreaterThan(20);
  const named = sources.flatMap(({ path, nodes }) =>
    nodes.flatMap((node) => namesIn(node).map((name) => `${path} names ${name}`)),
  );
  expect(named).toEqual([]);
});

/** The names of entities, and of their tables, in a text or as a member. */
function namesIn(node: ts.Node): string[] {
  if (ts.isPropertyAccessExpression(node)) return names.has(node.name.text) ? [node.name.text] : [];
  const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
  if (!isText || ts.isImportDeclaration(node.parent)) return [];
  return [...node.text.matchAll(/\w+/g)].flatMap(([word]) => word.split('_')).filter((word) => names.has(word));
}
