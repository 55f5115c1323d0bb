import type { ClientExternalJwtSignerDetail, Session } from '@edge-controller/sdk';
import {
  createEdgeClient,
  isEdgeApiError,
  isEdgeNetworkError,
  isWrongCredentials,
  webStorage,
} from '@edge-controller/sdk';
import type { Oidc } from '@edge-controller/sdk/oidc';
import { createOidc, isEdgeOidcError } from '@edge-controller/sdk/oidc';

const controllerUrl = new URL(document.querySelector<HTMLMetaElement>('meta[name=controller]')?.content ?? '');
const storage = webStorage(sessionStorage);
const edge = createEdgeClient(controllerUrl, {
  storage,
  // For people whose auth policy asks for the provider as a second factor.
  secondaryToken: { getToken: (request) => oidc?.getToken(request) ?? null },
});

const views = ['sign-in', 'second-factor', 'session'] as const;
/** The signer at whose provider this tab has begun a sign-in. */
const signerKey = 'signer';

let signers: ClientExternalJwtSignerDetail[] = [];
let oidc: Oidc | null = null;

function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

function showMessage(text: string | null): void {
  element('message').textContent = text;
  element('message').hidden = text === null;
}

/** Shows the view for the state of the session: none, partial or full. */
function render(session: Session | null): void {
  const view = session === null ? 'sign-in' : session.state === 'partial' ? 'second-factor' : 'session';
  for (const name of views) element(name).hidden = name !== view;
  if (session === null) element<HTMLFormElement>('sign-in').reset();
  element('name').textContent = session?.identity.name ?? '';
  element('state').textContent = session?.state ?? '';
  element('state').className = `badge ${session?.state ?? ''}`;
}

function explain(error: unknown): string {
  if (isEdgeNetworkError(error)) return `The controller at ${controllerUrl.origin} cannot be reached.`;
  if (isEdgeOidcError(error, 'REFUSED')) return 'You have not signed in at the provider.';
  if (isEdgeOidcError(error, 'UNREACHABLE')) return 'The provider cannot be reached.';
  if (!isEdgeApiError(error)) return String(error);
  if (error.challenge?.error === 'missing') return 'Nobody here has the name that you have at the provider.';
  if (isWrongCredentials(error) && error.challenge === null) return 'User name or password are not right.';
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
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

function useSigner(id: string | null): Oidc | null {
  const signer = signers.find((one) => one.id === id);
  if (signer === undefined) return null;
  sessionStorage.setItem(signerKey, signer.id);
  oidc = createOidc({ signer, redirectUri: `${location.origin}/`, tokenStorage: storage });
  return oidc;
}

/** Sends the person to the provider, which asks who it is, also when it knows somebody already. */
const goTo = async (signerId: string | null) => useSigner(signerId)?.redirect({ prompt: 'login' });

/** After a reload, or when the provider has sent the person back. */
async function resume(): Promise<void> {
  signers = (await edge.signers()).filter(({ externalAuthUrl, clientId }) => externalAuthUrl && clientId);
  const buttons = signers.map(({ id, name }) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = `Sign in with ${name}`;
    button.addEventListener('click', () => void perform(() => goTo(id)));
    return button;
  });
  element('providers').replaceChildren(...buttons);
  const provider = useSigner(sessionStorage.getItem(signerKey));
  const isBack = await provider?.callback();
  // A session that waited for the provider is full now, because the client sends the token with every request.
  const session = await edge.restore();
  if (isBack && provider && session === null) await edge.signIn.extJwt({ getToken: provider.getToken });
}

async function signOut(): Promise<void> {
  await edge.signOut();
  await oidc?.forget();
}

async function useSession(): Promise<void> {
  element('external-id').textContent = (await edge.client.currentIdentity.get()).externalId ?? 'none';
}

const actions: Readonly<Record<string, () => Promise<unknown>>> = {
  confirm: () => goTo(edge.session?.authQueries.find((query) => query.typeId === 'EXT-JWT')?.id ?? null),
  use: useSession,
  'sign-out': signOut,
};

document.addEventListener('click', (event) => {
  const name = event.target instanceof HTMLElement ? event.target.dataset.do : undefined;
  const action = name === undefined ? undefined : actions[name];
  if (action) void perform(action);
});

element<HTMLFormElement>('sign-in').addEventListener('submit', (event) => {
  event.preventDefault();
  const data = new FormData(element<HTMLFormElement>('sign-in'));
  const [username, password] = [String(data.get('username')), String(data.get('password'))];
  void perform(() => edge.signIn.password({ username, password }));
});

edge.on('session', render);
edge.on('signedOut', () => render(null));
edge.on('expired', () => render(null));

element('controller').textContent = controllerUrl.host;
await perform(resume);
render(edge.session);
