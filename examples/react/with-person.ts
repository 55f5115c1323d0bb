import { randomUUID } from 'node:crypto';
import type { EdgeClient } from '@edge-controller/sdk/node';

/** The credentials of a person who exists for one test. */
export interface Person {
  readonly username: string;
  readonly password: string;
}

/** Creates a person, runs `use`, and deletes the person. `admin` is signed in as an administrator. */
export async function withPerson(admin: EdgeClient, use: (person: Person) => Promise<void>): Promise<void> {
  const person = { username: `person-${randomUUID()}`, password: randomUUID() };
  const { id } = await admin.management.identities.create({
    name: person.username,
    type: 'User',
    isAdmin: false,
    enrollment: { updb: person.username },
  });
  try {
    const { jwt = '' } = (await admin.management.identities.get(id)).enrollment.updb ?? {};
    await admin.enroll({ jwt }, { password: person.password });
    await use(person);
  } finally {
    await admin.management.identities.delete(id);
  }
}
