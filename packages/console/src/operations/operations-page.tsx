import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ConsoleOperation } from '../api/console-operations.ts';
import { consoleOperations, searchOperations } from '../api/console-operations.ts';
import { useTable } from '../api/tables.ts';
import { titleOf } from '../api/titles.ts';
import { plainText } from '../entities/form/field-text.ts';
import { TextField } from '../ui/text-field.tsx';
import './operations.css';
import { PageHeading } from '../ui/page-heading.tsx';

/** Every operation of both APIs. */
export function OperationsPage() {
  const [text, setText] = useState('');
  const all = consoleOperations({ management: useTable('management'), client: useTable('client') });
  const found = searchOperations(all, text);
  return (
    <>
      <PageHeading title="Operations" />
      <p className="soft">Everything that the controller can do. Each operation has a page that runs it.</p>
      <TextField
        label="Search"
        description="Words of the name, the summary, the method or the permission."
        type="search"
        value={text}
        onChange={setText}
        autoComplete="off"
      />
      <p role="status" className="soft">
        {found.length} of {all.length} operations
      </p>
      <ApiOperations title="Management API" operations={found.filter(({ api }) => api === 'management')} />
      <ApiOperations title="Client API" operations={found.filter(({ api }) => api === 'client')} />
    </>
  );
}

interface ApiOperationsProps {
  readonly title: string;
  readonly operations: readonly ConsoleOperation[];
}

function ApiOperations({ title, operations }: ApiOperationsProps) {
  if (operations.length === 0) return null;
  const resources = Map.groupBy(operations, ({ resource }) => resource);
  return (
    <section className="stack" aria-label={title}>
      <h2>{title}</h2>
      <div className="operation-cards">
        {[...resources].map(([resource, own]) => (
          <section key={resource} className="card" aria-label={`${title}: ${titleOf(resource)}`}>
            <h3>{titleOf(resource)}</h3>
            <ul className="operation-list">
              {own.map(({ api, verb, entry }) => (
                <li key={verb}>
                  <Link to="/operations/$api/$resource/$verb" params={{ api, resource, verb }}>
                    {titleOf(verb)}
                  </Link>
                  <span className="soft">{plainText(entry.summary)}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </section>
  );
}
