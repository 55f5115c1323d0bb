import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A command of a document, and what it answers. */
export interface GuideStep {
  readonly command: string;
  /** Whether it goes on when it has answered. */
  readonly goesOn: boolean;
  /** Matches the answer. In the document, `…` stands for any text. */
  readonly answer: RegExp;
}

/** What a document tells its reader to write and to run. */
export interface Guide {
  readonly files: ReadonlyMap<string, string>;
  readonly steps: readonly GuideStep[];
}

/**
 * Reads a document of `docs`, whose text `change` may change first. A paragraph that begins with the name of a file stands
 * before the text of that file.
 */
export function readGuide(name: string, change: (text: string) => string): Guide {
  const text = change(readFileSync(fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)), 'utf8'));
  const blocks = [...text.matchAll(/^(?:`(\S+)`[^\n]*\n(?:[^\n]+\n)*\n)?( *)```(\w*)\n(.*?)^ *```$/gms)].map(
    ([, file, indent = '', kind = '', body = '']) => ({
      file,
      kind,
      body: body.replaceAll(`\n${indent}`, '\n').slice(indent.length),
    }),
  );
  const files = new Map(blocks.flatMap(({ file, kind, body }) => (file && kind ? [[file, body]] : [])));
  const steps = blocks.flatMap(({ kind, body }, index) => {
    const next = blocks[index + 1];
    return kind === 'sh' ? [stepOf(body.trim(), next?.kind === 'text' ? next.body.trim() : '')] : [];
  });
  return { files, steps };
}

function stepOf(line: string, answer: string): GuideStep {
  const goesOn = line.endsWith('&');
  const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return {
    ...{ command: goesOn ? line.slice(0, -1).trim() : line, goesOn },
    answer: new RegExp(answer.split('…').map(literal).join('[^]*')),
  };
}
