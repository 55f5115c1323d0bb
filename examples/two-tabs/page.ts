import { createEdgeClient, isWrongCredentials, webStorage } from '@edge-controller/sdk';

const controller = document.querySelector<HTMLMetaElement>('meta[name=controller]')?.content ?? '';
const edge = createEdgeClient(controller, {
  storage: webStorage('local'),
  reauthenticate: askAgain,
  reauthenticateTimeout: 5 * 60_000,
});
// For calls from the console of the browser.
Object.assign(window, { edge });
/** Ends the wait for a person who has to sign in again. */
let signedInAgain: (() => void) | null = null;

function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

/** Adds a line with the time to the list of the page. */
function log(text: string): void {
  const line = document.createElement('li');
  line.dataset.at = String(performance.timeOrigin + performance.now());
  line.textContent = text;
  element('log').append(line);
}

function showMessage(text: string | null): void {
  element('message').textContent = text;
  element('message').hidden = text === null;
}

function render(): void {
  const { session } = edge;
  const isAsking = session === null || signedInAgain !== null;
  element('sign-in').hidden = !isAsking;
  element('session').hidden = isAsking;
  element('name').textContent = session?.identity.name ?? '';
  element('session-id').textContent = session?.id ?? '';
}

/** The client calls it in one tab only. The calls of all tabs wait for its end. */
async function askAgain({ signal }: { signal: AbortSignal }): Promise<void> {
  log('asked to sign in again');
  showMessage('Your session has ended. Sign in again, here or in another tab.');
  await new Promise<void>((resolve, reject) => {
    signedInAgain = resolve;
    signal.addEventListener('abort', () => reject(signal.reason));
    render();
  }).finally(() => {
    signedInAgain = null;
    showMessage(null);
    render();
  });
}

element<HTMLFormElement>('sign-in').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = new FormData(event.target as HTMLFormElement);
  try {
    await edge.signIn.password({ username: String(form.get('username')), password: String(form.get('password')) });
    signedInAgain?.();
  } catch (error) {
    showMessage(isWrongCredentials(error) ? 'User name or password are not right.' : String(error));
  }
});

element('use').addEventListener('click', async () => {
  element('result').textContent = '';
  const calls = Array.from({ length: 5 }, () => edge.client.currentIdentity.get());
  const outcomes = await Promise.allSettled(calls);
  const served = outcomes.filter(({ status }) => status === 'fulfilled').length;
  element('result').textContent = `${served} of ${calls.length} calls were served`;
});

element('sign-out').addEventListener('click', () => edge.signOut());

edge.on('stateChange', ({ state }) => {
  log(state);
  render();
});
edge.on('session', render);

// After a reload, and in a new tab, the page uses the session that the tabs share.
await edge.restore().catch((error) => showMessage(String(error)));
render();
