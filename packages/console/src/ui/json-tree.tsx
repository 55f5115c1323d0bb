import { isRow } from '@edge-controller/operation-tables';
import { useState } from 'react';
import { Button } from './button.tsx';
import './json-tree.css';

/** Members of an object or array that are shown at once. */
const pageSize = 100;

interface JsonTreeProps {
  readonly value: unknown;
  /** The name of the member; without it, the value is the root. */
  readonly name?: string;
}

/** Any value of JSON: objects and arrays can be opened. */
export function JsonTree({ value, name }: JsonTreeProps) {
  const [isOpen, setIsOpen] = useState(name === undefined);
  const label = name === undefined ? null : <span className="json-name">{name}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="json-line">
        {label}
        <code>{value === undefined ? 'nothing' : JSON.stringify(value)}</code>
      </div>
    );
  }
  const members = Object.entries(value);
  if (name === undefined) return <Members members={members} />;
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="json-line">
        {label}
        <span className="soft">{isRow(value) ? `{ ${members.length} }` : `[ ${members.length} ]`}</span>
      </summary>
      {isOpen && <Members members={members} />}
    </details>
  );
}

function Members({ members }: { readonly members: readonly (readonly [string, unknown])[] }) {
  const [count, setCount] = useState(pageSize);
  return (
    <div className="json-members">
      {members.slice(0, count).map(([key, member]) => (
        <JsonTree key={key} name={key} value={member} />
      ))}
      {members.length === 0 && <span className="soft">Empty</span>}
      {members.length > count && (
        <Button kind="quiet" onPress={() => setCount(count + pageSize)}>
          Show more of {members.length}
        </Button>
      )}
    </div>
  );
}
