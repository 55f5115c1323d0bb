import { createEdgeClient, isEdgeNetworkError, isWrongCredentials } from '/edge-controller.js';

const controller = new URLSearchParams(location.search).get('controller') ?? 'https://localhost:1280';
const edge = createEdgeClient(controller);
const result = document.getElementById('result');

/** @param {string} text */
function show(text) {
  if (result) result.textContent = text;
}

document.getElementById('sign-in')?.addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
  try {
    await edge.signIn.password({ username: String(form.get('username')), password: String(form.get('password')) });
    const { name } = await edge.client.currentIdentity.get();
    show(`Signed in as ${name}`);
  } catch (error) {
    if (isWrongCredentials(error)) show('User name or password are not right.');
    else if (isEdgeNetworkError(error)) show('The controller cannot be reached.');
    else throw error;
  }
});

document.getElementById('sign-out')?.addEventListener('click', async () => {
  await edge.signOut();
  show('Signed out');
});
