import type { EnrollmentFacts } from './enrollment-facts.ts';
import type { PathStep } from './enrollment-path.ts';
import { enrollmentPath } from './enrollment-path.ts';
import type { Obstacle } from './obstacles.ts';
import { obstaclesOf, openEnrollments } from './obstacles.ts';
import { RemedyButton } from './remedy-button.tsx';
import './enrollment.css';

const marks: Readonly<Record<PathStep['state'], readonly [mark: string, word: string]>> = {
  done: ['✓', 'Done'],
  next: ['→', 'Next'],
  open: ['!', 'Still open'],
  stuck: ['!', 'Stuck'],
  later: ['·', 'Later'],
};

interface PathViewProps {
  readonly facts: EnrollmentFacts;
  readonly onEnroll: () => void;
}

/** How far an identity is on its way to the first sign-in, and what is in its way. */
export function PathView({ facts, onEnroll }: PathViewProps) {
  const list = (label: string, className: string, obstacles: readonly Obstacle[]) =>
    obstacles.length > 0 && (
      <ul className={className} aria-label={label}>
        {obstacles.map(({ text, remedy }) => (
          <li key={text} className="row spread">
            <span>{text}</span>
            {remedy && <RemedyButton remedy={remedy} identityId={facts.identity.id} onEnroll={onEnroll} />}
          </li>
        ))}
      </ul>
    );
  return (
    <>
      <ol className="path" aria-label="Path of the enrollment">
        {enrollmentPath(facts).map((step) => (
          <Step key={step.title} step={step} />
        ))}
      </ol>
      {list('What is in the way', 'obstacles', obstaclesOf(facts))}
      {list('What is still open', 'obstacles open', openEnrollments(facts))}
    </>
  );
}

function Step({ step: { title, state, text } }: { readonly step: PathStep }) {
  const [mark, word] = marks[state];
  return (
    <li className={`path-step ${state}`}>
      <span className="mark" aria-hidden="true">
        {mark}
      </span>
      <span>
        <strong>{title}</strong> <span className="path-word">{word}</span>
        <br />
        <span className="soft">{text}</span>
      </span>
    </li>
  );
}
