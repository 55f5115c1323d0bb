import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** One entry into a file: a call of one of its functions, or one that goes on after it has waited. */
export interface Visit {
  readonly file: string;
  readonly kind: 'called' | 'resumed';
}

/**
 * Rewrites the matching files as they are loaded, so that each entry into them is appended to the array returned. A
 * caller that gets control back from a plain call enters nothing.
 */
export function traceVisits(isTraced: (url: string) => boolean): Visit[] {
  const visits: Visit[] = [];
  const tracers = new Map<string, { called(): void; resumed<T>(value: T): T }>();
  Object.assign(globalThis, { __visit: tracers });
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!isTraced(url) || loaded.source == null) return loaded;
      const called: Visit = { file: fileURLToPath(url), kind: 'called' };
      const resumed: Visit = { ...called, kind: 'resumed' };
      tracers.set(url, {
        called: () => void visits.push(called),
        resumed(value) {
          visits.push(resumed);
          return value;
        },
      });
      return { ...loaded, source: instrument(url, loaded.source.toString()) };
    },
  });
  return visits;
}

function instrument(url: string, text: string): string {
  const insertions: { readonly at: number; readonly text: string }[] = [];
  const visit = (node: ts.Node): void => {
    // Before its children: of two texts inserted at one place, that of the outer node comes first.
    const body = ts.isFunctionLike(node) && 'body' in node ? (node.body as ts.Node | undefined) : undefined;
    if (body && ts.isBlock(body)) insertions.push({ at: body.getStart(source) + 1, text: '__here.called();' });
    else if (body) wrap(body, '(__here.called(), ');
    if (ts.isAwaitExpression(node) || ts.isYieldExpression(node)) wrap(node, '__here.resumed(');
    ts.forEachChild(node, visit);
  };
  const wrap = (node: ts.Node, opening: string) => {
    insertions.push({ at: node.getStart(source), text: opening }, { at: node.end, text: ')' });
  };
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest);
  visit(source);
  let result = '';
  let end = 0;
  for (const { at, text: inserted } of insertions.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(end, at) + inserted;
    end = at;
  }
  return `const __here = globalThis.__visit.get(${JSON.stringify(url)});${result}${text.slice(end)}`;
}
