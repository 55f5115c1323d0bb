import type { OperationEntry, Row } from '@edge-controller/operation-tables';
import { isRow, textOf } from '@edge-controller/operation-tables';
import { pageOf } from '../../api/rows.ts';
import { titleOf } from '../../api/titles.ts';
import { Button } from '../../ui/button.tsx';
import { CopyIconButton } from '../../ui/copy-icon-button.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { Notice } from '../../ui/notice.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { RowsTable } from '../list/rows-table.tsx';
import { EntityMembers, isOwnMember } from './members.tsx';
import './answer.css';

interface AnswerProps {
  readonly entry: OperationEntry;
  readonly answer: unknown;
  /** The name of a file that the answer is saved as, without its ending. */
  readonly fileName: string;
  /** Shows an object as it is on the wire, for developers. */
  readonly isRaw?: boolean;
}

/** Rows of an answer that are shown. */
const maxRows = 500;

/** What an operation resolved to: a table for a list, texts that can be copied, otherwise its members. */
export function Answer({ entry, answer, fileName, isRaw = false }: AnswerProps) {
  if (answer instanceof Blob) return <SavedFile name={fileName} content={answer} />;
  if (typeof answer === 'string') return <AnswerText name="Answer" text={answer} fileName={fileName} />;
  if (answer === undefined || answer === null || entry.result === 'empty') return <Notice kind="good">Done.</Notice>;
  if (entry.result === 'list') return <AnswerRows entry={entry} answer={answer} />;
  const shown = isRow(answer) ? withoutLinks(answer) : answer;
  return (
    <div className="stack">
      <Notice kind="good">Done.</Notice>
      {textsOf(shown).map(([name, text]) => (
        <AnswerText key={name} name={titleOf(name)} text={text} fileName={`${fileName}-${name}`} />
      ))}
      <div className="card">
        {isRow(shown) && !isRaw ? (
          <EntityMembers row={{ ...absentOf(entry), ...shown }} fields={[]} isShown={isOwnMember} />
        ) : (
          <JsonTree value={shown} />
        )}
        <div className="row">
          <CopyIconButton name="Copy the answer as JSON" text={JSON.stringify(shown, undefined, 2)} />
        </div>
      </div>
    </div>
  );
}

function AnswerRows({ entry, answer }: Pick<AnswerProps, 'entry' | 'answer'>) {
  const { rows, total } = namedPage(answer);
  const columns = entry.columns?.length ? entry.columns : Object.keys(rows[0] ?? { name: '' });
  return (
    <div className="stack">
      <p role="status">
        {Math.min(rows.length, maxRows).toLocaleString()} of {total.toLocaleString()} rows
      </p>
      <RowsTable label="Answer" columns={columns} rows={rows.slice(0, maxRows)} />
    </div>
  );
}

/** Some lists have texts instead of objects. */
function namedPage(answer: unknown) {
  const data = isRow(answer) ? answer.data : answer;
  if (!Array.isArray(data) || data.every(isRow)) return pageOf(answer);
  return { rows: data.map((one): Row => (isRow(one) ? one : { name: textOf(one) })), total: data.length };
}

interface AnswerTextProps {
  readonly name: string;
  readonly text: string;
  readonly fileName: string;
}

function AnswerText({ name, text, fileName }: AnswerTextProps) {
  return (
    <section className="card" aria-label={name}>
      <div className="row spread">
        <strong>{name}</strong>
        <span className="row">
          <CopyIconButton name={`Copy ${name}`} text={text} />
          <Button
            aria-label={`Download ${name}`}
            onPress={() =>
              saveFile(`${fileName}.${isJwt(text) ? 'jwt' : text.includes('-----BEGIN') ? 'pem' : 'txt'}`, text)
            }
          >
            Download
          </Button>
        </span>
      </div>
      <pre className="answer-text">{text}</pre>
    </section>
  );
}

function SavedFile({ name, content }: { readonly name: string; readonly content: Blob }) {
  const ending = content.type.split('/')[1]?.split(/[+;]/)[0] ?? 'bin';
  return (
    <div className="card">
      <p>
        A file of {content.size.toLocaleString()} bytes{content.type && `, ${content.type}`}
      </p>
      <div className="row">
        <Button onPress={() => saveFile(`${name}.${ending}`, content)}>Download the file</Button>
      </div>
    </div>
  );
}

/** The members that people take along: JWTs and PEM. */
function textsOf(value: unknown): readonly (readonly [string, string])[] {
  if (!isRow(value)) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    typeof one === 'string' && (isJwt(one) || one.includes('-----BEGIN')) ? [[name, one] as const] : [],
  );
}

function isJwt(text: string): boolean {
  return /^ey[\w-]+\.[\w-]+\.[\w-]*$/.test(text.trim());
}

/** What an answer may have, for a person to see what it has not. */
function absentOf({ columns = [] }: OperationEntry): Row {
  return Object.fromEntries(columns.filter((name) => !name.includes('.')).map((name) => [name, undefined]));
}

function withoutLinks({ _links, ...row }: Row): Row {
  return row;
}
