import type { Session } from '@edge-controller/sdk';
import {
  createEdgeClient,
  isEdgeApiError,
  isEdgeNetworkError,
  isWrongCode,
  isWrongCredentials,
  webStorage,
} from '@edge-controller/sdk';

const controllerUrl = new URL(document.querySelector<HTMLMetaElement>('meta[name=controller]')?.content ?? '');
const edge = createEdgeClient(controllerUrl, { storage: webStorage(sessionStorage) });

const views = ['sign-in', 'second-factor', 'enroll', 'session'] as const;
type View = (typeof views)[number];
type Enrollment = Awaited<ReturnType<typeof edge.mfa.enroll>>;

let enrollment: Enrollment | null = null;

function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

function show(view: View): void {
  for (const name of views) element(name).hidden = name !== view;
  if (view !== 'enroll') removeSecrets();
  const form = element(view);
  if (form instanceof HTMLFormElement) {
    form.reset();
    form.querySelector('input')?.focus();
  }
}

/** Removes the secrets of an enrollment from the page. */
function removeSecrets(): void {
  const image = element<HTMLImageElement>('qr');
  URL.revokeObjectURL(image.src);
  image.removeAttribute('src');
  element('secret').textContent = '';
  element('recovery-codes').replaceChildren();
  enrollment = null;
}

function showMessage(text: string | null): void {
  element('message').textContent = text;
  element('message').hidden = text === null;
}

/** Shows the view for the state of the session: none, partial or full. */
function render(session: Session | null): void {
  if (session === null) {
    show('sign-in');
    return;
  }
  showFactor().catch((error) => showMessage(explain(error)));
  if (session.state === 'partial') {
    show('second-factor');
    return;
  }
  element('name').textContent = session.identity.name;
  element('session-id').textContent = session.id;
  element('state').textContent = session.state;
  element('state').className = `badge ${session.state}`;
  showTimeLeft();
  show('session');
}

async function showFactor(): Promise<void> {
  const isEnabled = await edge.mfa.isEnabled();
  element('factor').textContent = isEnabled ? 'authenticator app' : 'none';
  for (const button of document.querySelectorAll<HTMLElement>('[data-do=enroll]')) button.hidden = isEnabled;
}

function showTimeLeft(): void {
  const { session } = edge;
  if (!session?.expiresAt || !session.expirationSeconds) return;
  const seconds = Math.max(0, Math.round((session.expiresAt.getTime() - Date.now()) / 1_000));
  const minutes = Math.floor(seconds / 60);
  element('left').textContent = `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
  element<HTMLProgressElement>('remaining').value = seconds / session.expirationSeconds;
}

function explain(error: unknown): string {
  if (isEdgeNetworkError(error)) return `The controller at ${controllerUrl.origin} cannot be reached.`;
  if (isWrongCode(error)) {
    const left = error.attemptsRemaining;
    return left === null ? 'That code is not right.' : `That code is not right. Attempts left: ${left}.`;
  }
  if (isWrongCredentials(error)) return 'User name or password are not right.';
  if (!isEdgeApiError(error)) return String(error);
  if (error.code === 'MFA_NOT_ENROLLED') return 'A second factor is required: set up an authenticator app first.';
  if (error.retryAfter !== null) return `Too many attempts. Try again in ${Math.ceil(error.retryAfter / 60)} minutes.`;
  return error.message;
}

/** Runs an action. Disables all buttons meanwhile, and shows an error. */
async function perform(work: () => Promise<unknown>): Promise<void> {
  const buttons = document.querySelectorAll('button');
  for (const button of buttons) button.disabled = true;
  showMessage(null);
  try {
    await work();
  } catch (error) {
    showMessage(explain(error));
    // Other views stay visible, so that the typed text is not lost.
    if (edge.session === null && element('sign-in').hidden) render(null);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

function onSubmit(view: View, work: (data: FormData) => Promise<unknown>): void {
  const form = element<HTMLFormElement>(view);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void perform(() => work(new FormData(form)));
  });
}

const text = (data: FormData, name: string) => String(data.get(name) ?? '');

onSubmit('sign-in', (data) =>
  edge.signIn.password({ username: text(data, 'username'), password: text(data, 'password') }),
);
onSubmit('second-factor', (data) => edge.answer.totp(text(data, 'code').trim().toUpperCase()));
onSubmit('enroll', async (data) => {
  await enrollment?.verify(text(data, 'code'));
  render(edge.session);
});

async function enroll(): Promise<void> {
  enrollment = await edge.mfa.enroll();
  const image = element<HTMLImageElement>('qr');
  image.src = URL.createObjectURL(await enrollment.qr());
  element('secret').textContent = enrollment.secret;
  const codes = enrollment.recoveryCodes.map((code) => {
    const item = document.createElement('li');
    item.textContent = code;
    return item;
  });
  element('recovery-codes').replaceChildren(...codes);
  show('enroll');
}

const actions: Readonly<Record<string, () => Promise<unknown>>> = {
  enroll,
  use: () => edge.client.currentApiSession.get().then(showTimeLeft),
  'sign-out': () => edge.signOut(),
  back: async () => render(edge.session),
};

document.addEventListener('click', (event) => {
  const name = event.target instanceof HTMLElement ? event.target.dataset.do : undefined;
  const action = name === undefined ? undefined : actions[name];
  if (action) void perform(action);
});

edge.on('session', render);
edge.on('signedOut', () => render(null));
edge.on('expired', () => {
  render(null);
  showMessage('Your session has ended. Please sign in again.');
});
setInterval(showTimeLeft, 500);

element('controller').textContent = controllerUrl.host;
// After a reload the page uses the session of this tab.
await perform(() => edge.restore());
render(edge.session);
