// The page at /edge/docs. `?api=` chooses the document.
const apis = ['client', 'management'];
const asked = new URLSearchParams(location.search).get('api');
const api = apis.find((name) => name === asked) ?? apis[0];

document.querySelector(`nav a[href$="api=${api}"]`).setAttribute('aria-current', 'page');

SwaggerUIBundle({
  url: `/edge/${api}/v1/openapi.json`,
  dom_id: '#document',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  // To read only: nobody types a token into this page.
  supportedSubmitMethods: [],
  plugins: [{ wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null } }],
});
