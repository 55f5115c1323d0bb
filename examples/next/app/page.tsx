import { pageRequest, sessions } from '../sessions';

const problems: Readonly<Record<string, string>> = {
  credentials: 'User name or password are not right.',
  code: 'The code is not right.',
};

interface PageProps {
  readonly searchParams: Promise<{ readonly problem?: string; readonly left?: string }>;
}

/** Renders the form that the session needs. All forms work without JavaScript. */
export default async function Page({ searchParams }: PageProps) {
  const { session } = await sessions.read(await pageRequest(), { allowPartial: true });
  const { problem = '', left } = await searchParams;
  return (
    <>
      {session === null && <SignIn />}
      {session?.state === 'partial' && <SecondFactor />}
      {session?.state === 'full' && (
        <>
          <h1>Signed in</h1>
          <p>
            <a href="/account">Account of {session.identity.name}</a>
          </p>
        </>
      )}
      {session !== null && (
        <form method="post" action="/sign-out">
          <button type="submit">Sign out</button>
        </form>
      )}
      {problem in problems && (
        <p role="alert">
          {problems[problem]} {/^\d+$/.test(left ?? '') && `Attempts left: ${left}`}
        </p>
      )}
    </>
  );
}

function SignIn() {
  return (
    <>
      <h1>Sign in</h1>
      <form method="post" action="/sign-in">
        <label>
          User name <input name="username" autoComplete="username" required />
        </label>
        <label>
          Password <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <button type="submit">Sign in</button>
      </form>
    </>
  );
}

function SecondFactor() {
  return (
    <>
      <h1>Second factor</h1>
      <form method="post" action="/answer">
        <label>
          Code <input name="code" autoComplete="one-time-code" required />
        </label>
        <button type="submit">Continue</button>
      </form>
    </>
  );
}
