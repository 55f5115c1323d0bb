import type { FailedServiceRequest } from '@edge-controller/sdk';
import { Link } from '@tanstack/react-router';
import { titleOf } from '../../api/titles.ts';
import { Notice } from '../../ui/notice.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { missingParts } from './missing-parts.ts';
import type { Advice, Pair } from './read-access.ts';
import { useCircumstances } from './read-access.ts';

interface VerdictProps {
  readonly advice: Advice;
  readonly pair: Pair;
}

/** The answer in words: whether the identity can dial the service, and what is in the way. */
export function Verdict({ advice, pair }: VerdictProps) {
  const { identityName, serviceName, isBindAllowed } = advice;
  const { isDisabled, refusal, terminators } = useCircumstances(pair);
  const missing = missingParts(advice);
  const isAble = missing.length === 0 && !isDisabled;
  return (
    <section className="stack" aria-label="Answer">
      <Notice kind={isAble ? 'good' : 'bad'}>
        <strong>
          {identityName} {isAble ? 'can' : 'cannot'} dial {serviceName}.
        </strong>
        {isBindAllowed && ` ${identityName} may host it.`}
      </Notice>
      {!isAble && (
        <div className="card">
          <h2>What is missing</h2>
          <ul className="missing">
            {isDisabled && <li>{identityName} is disabled and cannot sign in.</li>}
            {missing.map(({ text, resource }) => (
              <li key={text}>
                {text}{' '}
                <Link to="/entities/$resource" params={{ resource }}>
                  {titleOf(resource)}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
      {terminators === 0 && <Notice>Nobody hosts {serviceName} now: it has no terminator.</Notice>}
      {refusal && <PostureRefusal refusal={refusal} name={identityName} />}
    </section>
  );
}

/** The last time that posture checks kept the identity from the service. */
function PostureRefusal({ refusal, name }: { readonly refusal: FailedServiceRequest; readonly name: string }) {
  const checks = refusal.policyFailures.flatMap((failure) => failure.checks.map((check) => check.postureCheckName));
  return (
    <Notice>
      Posture checks refused {name} at <Timestamp at={refusal.when} />: {[...new Set(checks)].join(', ')}
    </Notice>
  );
}
