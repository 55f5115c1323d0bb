import { createEdgeClient, isEdgeNetworkError, isWrongCredentials } from '@edge-controller/sdk';

const controller = document.querySelector<HTMLMetaElement>('meta[name=controller]')?.content ?? '';
const edge = createEdgeClient(controller, { keepAlive: true });

function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

function log(text: string): void {
  const line = document.createElement('li');
  line.textContent = text;
  element('log').append(line);
}

function render(): void {
  const { session, state } = edge;
  element('sign-in').hidden = session !== null;
  element('session').hidden = session === null;
  element('name').textContent = session?.identity.name ?? '';
  element('state').textContent = state;
  element('state').className = `badge ${session?.state}`;
  showTimeLeft();
}

function showTimeLeft(): void {
  const expiresAt = edge.session?.expiresAt?.getTime();
  element('left').textContent =
    expiresAt === undefined ? '' : `${Math.max(0, (expiresAt - Date.now()) / 1_000).toFixed(0)} s`;
}

element<HTMLFormElement>('sign-in').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = new FormData(event.target as HTMLFormElement);
  const message = element('message');
  try {
    message.hidden = true;
    await edge.signIn.password({ username: String(form.get('username')), password: String(form.get('password')) });
  } catch (error) {
    message.textContent = isWrongCredentials(error) ? 'User name or password are not right.' : String(error);
    message.hidden = false;
  }
});

element('use').addEventListener('click', () =>
  edge.client.currentApiSession.get().then(
    () => log('used'),
    (error) => log(isEdgeNetworkError(error) ? 'the controller cannot be reached' : String(error)),
  ),
);

edge.on('stateChange', ({ state }) => {
  log(state);
  render();
});
edge.on('extended', () => log('extended'));
setInterval(showTimeLeft, 500);
render();
