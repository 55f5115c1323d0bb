/** For runtimes whose `fetch` trusts the CAs of the platform only. */
export const trustingFetch: typeof import('./trusting-fetch.ts').trustingFetch = () => {
  throw new TypeError('ca and caFile work in Node only; elsewhere the platform decides which CAs fetch trusts');
};
