import { Link } from '@tanstack/react-router';
import { titleOf } from '../../api/titles.ts';
import { Notice } from '../../ui/notice.tsx';
import type { AccessFacts, Condition, Remedy } from './access-facts.ts';
import { judgeAccess, worstOf } from './judge-access.ts';
import type { Advice, Pair } from './read-access.ts';
import { useAccessFacts } from './use-access-facts.ts';

interface VerdictProps {
  readonly advice: Advice;
  readonly pair: Pair;
}

/** The answer in words: whether the identity can dial the service, and each condition with its state. */
export function Verdict({ advice, pair }: VerdictProps) {
  const facts = useAccessFacts(pair, advice);
  return (
    <section className="stack" aria-label="Answer">
      {facts === null ? <p className="soft">Loading …</p> : <Answer facts={facts} />}
    </section>
  );
}

const noticeKinds = { ok: 'good', bad: 'bad', unknown: undefined } as const;
const badges = { ok: ['good', 'OK'], bad: ['bad', 'Not OK'], unknown: ['warn', 'Unknown'] } as const;

function Answer({ facts }: { readonly facts: AccessFacts }) {
  const { identityName, serviceName, isBindAllowed } = facts.advice;
  const conditions = judgeAccess(facts);
  const state = worstOf(conditions);
  const headlines = {
    ok: `${identityName} can dial ${serviceName}.`,
    bad: `${identityName} cannot dial ${serviceName}.`,
    unknown: `It is not known whether ${identityName} can dial ${serviceName}.`,
  };
  return (
    <>
      <Notice {...(noticeKinds[state] && { kind: noticeKinds[state] })}>
        <strong>{headlines[state]}</strong>
        {isBindAllowed && ` ${identityName} may host it.`}
      </Notice>
      <ul className="card conditions" aria-label="What it needs">
        {conditions.map((condition) => (
          <ConditionLine key={condition.title} condition={condition} />
        ))}
      </ul>
    </>
  );
}

function ConditionLine({ condition: { title, state, text, remedy } }: { readonly condition: Condition }) {
  const [kind, word] = badges[state];
  return (
    <li>
      <span className={`badge ${kind}`}>{word}</span>
      <span>
        <strong>{title}</strong> {text}
      </span>
      {remedy && <RemedyLinks remedy={remedy} />}
    </li>
  );
}

function RemedyLinks({ remedy: { resource, fields } }: { readonly remedy: Remedy }) {
  return (
    <span className="row">
      {fields && (
        <Link to="/entities/$resource/new" params={{ resource }} search={fields}>
          Create a policy
        </Link>
      )}
      <Link to="/entities/$resource" params={{ resource }}>
        {titleOf(resource)}
      </Link>
    </span>
  );
}
