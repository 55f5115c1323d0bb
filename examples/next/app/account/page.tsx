import { redirect } from 'next/navigation';
import { pageRequest, sessions } from '../../sessions';
import { InPage } from './in-page';

/** A page for full sessions. The server calls the controller with the session of the user. */
export default async function Account() {
  const request = await pageRequest();
  const { session } = await sessions.read(request);
  if (session === null) redirect('/');
  await using edge = await sessions.client(request);
  const { name, createdAt } = await edge.client.currentIdentity.get();
  return (
    <>
      <h1>Account of {name}</h1>
      <p>
        The server has rendered this page. The identity was created at <time>{createdAt}</time>.
      </p>
      <InPage />
      <p>
        <a href="/">Back</a>
      </p>
    </>
  );
}
