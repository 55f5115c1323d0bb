import { useSession } from '@edge-controller/sdk/react';
import { Suspense } from 'react';
import { lazyPart } from '../ui/lazy-part.ts';
import { SignInForm } from './sign-in-form.tsx';

const NextStep = lazyPart(() => import('./next-step.tsx').then(({ NextStep }) => NextStep));

/** What the person has to do next to have a full session. */
export function SignInSteps() {
  const { session } = useSession();
  const [query] = session?.authQueries ?? [];
  if (query === undefined) return <SignInForm />;
  return (
    <Suspense fallback={<p className="soft">Loading …</p>}>
      <NextStep query={query} />
    </Suspense>
  );
}
