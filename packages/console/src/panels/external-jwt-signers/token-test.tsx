import type { Row } from '@edge-controller/operation-tables';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { explainError } from '../../api/explain-error.ts';
import { edge } from '../../session/edge.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Notice } from '../../ui/notice.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { checkNames } from './check-names.ts';
import './token-test.css';

type Result = Awaited<ReturnType<typeof edge.management.externalJwtSigners.test>>;

/** Says of a JWT which checks of the signer it passes. The JWT is in this form and in one request, nowhere else. */
export function TokenTest({ entity }: { readonly entity: Row }) {
  const [token, setToken] = useState('');
  const { mutate, reset, isPending, data, error } = useMutation({
    mutationFn: () => edge.management.externalJwtSigners.test(String(entity.id), { token: token.trim() }),
  });

  function change(text: string): void {
    setToken(text);
    // A verdict never stands beside another JWT.
    reset();
  }

  return (
    <Form onSubmit={() => mutate()}>
      <TextField
        label="JWT"
        description="It is sent to the controller for this test only. Nobody is signed in, and nothing is stored or logged."
        rows={5}
        value={token}
        onChange={change}
        error={error === null ? undefined : explainError(error).text}
        autoComplete="off"
        spellCheck="false"
        isRequired
      />
      <div className="row">
        <Button type="submit" kind="primary" isDisabled={isPending}>
          Test the JWT
        </Button>
        <Button kind="quiet" onPress={() => change('')}>
          Clear
        </Button>
      </div>
      {data && <Verdict result={data} />}
    </Form>
  );
}

function Verdict({ result: { checks, identity, isAccepted } }: { readonly result: Result }) {
  const failed = checks.find(({ passed }) => !passed);
  return (
    <>
      {isAccepted ? (
        <Notice kind="good">
          The JWT would be accepted.
          {identity && (
            <>
              {' '}
              It signs in{' '}
              <Link to="/entities/$resource/$id" params={{ resource: 'identities', id: identity.id }}>
                {identity.name ?? identity.id}
              </Link>
              .
            </>
          )}
        </Notice>
      ) : (
        <Notice kind="bad">The JWT would be refused{failed && `: ${checkNames[failed.check].failed}`}.</Notice>
      )}
      <ol className="checks" aria-label="Checks">
        {checks.map(({ check, passed, expected, received }) => (
          <li key={check}>
            <span className={passed ? 'badge good' : 'badge bad'}>{passed ? 'passed' : 'failed'}</span>{' '}
            {checkNames[check].title}
            {(expected !== undefined || received !== undefined) && (
              <dl className="soft">
                {expected !== undefined && <Value name="expected" value={expected} />}
                {received !== undefined && <Value name="received" value={received} />}
              </dl>
            )}
          </li>
        ))}
      </ol>
      {!isAccepted && <p className="soft">The list ends with the first check that failed.</p>}
    </>
  );
}

function Value({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code>{value}</code>
      </dd>
    </>
  );
}
