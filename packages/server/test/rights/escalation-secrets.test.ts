import { describe, expect, it } from 'vitest';
import { storePairs } from '../support/controller.ts';
import { allowed, enrollment, identity, lacking, withSubjects } from '../support/rights.ts';
import type { Subject } from '../support/subjects.ts';

const api = '/edge/management/v1';

describe.each(storePairs)('secrets on $stores', ({ open }) => {
  const t = withSubjects(open);
  const { holder, read, send } = t;
  const tokensIn = (text: string, subject: Subject) => subject.secrets.filter((secret) => text.includes(secret));
  const everything = (subject: Subject) => [
    ...['/identities?limit=500', identity(subject), '/enrollments?limit=500', `${identity(subject)}/enrollments`],
    ...['/api-sessions?limit=500', `/api-sessions/${subject.ids.apiSessions}`, enrollment(subject)],
  ];
  const seenBy = async (caller: Subject, subject: Subject) => {
    const answers = await Promise.all(everything(subject).map((path) => send(caller, 'GET', path)));
    return [...new Set(answers.flatMap(({ text }) => tokensIn(text, subject)))];
  };

  it('of an administrator, and of whoever has other rights, are shown to administrators alone', async () => {
    const readers = [
      await holder('admin_readonly'),
      await holder('identity', 'enrollment', 'ops'),
      await holder('identity.read', 'enrollment.read', 'ops.read'),
    ];
    const other = await holder('service.read', 'config');
    for (const subject of [t.boss, other]) {
      expect((await seenBy({ ...t.boss, token: t.admin }, subject)).toSorted()).toEqual(subject.secrets.toSorted());
      for (const reader of readers) expect(await seenBy(reader, subject)).toEqual([]);
    }
  });

  it('of anybody else are shown to who could have made them', async () => {
    const [sessionToken = '', ...ofEnrollment] = t.somebody.secrets;
    const makers = [['enrollment'], ['enrollment.read', 'enrollment.create'], ['identity', 'ops']];
    for (const permissions of makers) {
      expect((await seenBy(await holder(...permissions), t.somebody)).toSorted()).toEqual(ofEnrollment.toSorted());
    }
    for (const permissions of [['admin_readonly'], ['enrollment.read', 'ops'], ['identity.read', 'identity.update']]) {
      expect(await seenBy(await holder(...permissions), t.somebody)).toEqual([]);
    }
    const { token, ...session } = (await send(await holder('ops'), 'GET', '/api-sessions?limit=1')).body.data[0];
    expect([token, session.id]).toEqual(['', expect.any(String)]);
    expect(sessionToken).not.toBe('');
  });

  it('are not found by filters, and their enrollments are not listed or counted', async () => {
    const helper = await holder('enrollment', 'identity');
    const own = `identity = "${t.boss.ids.identities}"`;
    for (const path of ['/enrollments?', `${identity(t.boss)}/enrollments?`]) {
      const list = await send(helper, 'GET', `${path}filter=${encodeURIComponent(own)}`);
      expect(list.body).toMatchObject({ data: [], meta: { pagination: { totalCount: 0 } } });
    }
    expect((await read(`${identity(t.boss)}/enrollments`)).length).toBe(1);
    expect(await send(helper, 'GET', enrollment(t.boss))).toMatchObject(lacking);
    expect(await send(helper, 'GET', enrollment(t.somebody))).toMatchObject(allowed);
    const pending = (await send(helper, 'GET', identity(t.boss))).body.data.enrollment.ott;
    expect(pending).toEqual({ id: t.boss.ids.enrollments, token: '', jwt: '', expiresAt: expect.any(String) });
    for (const symbol of ['token', 'jwt']) {
      for (const path of ['/enrollments', '/identities', '/api-sessions']) {
        const filter = encodeURIComponent(`${symbol} contains "a"`);
        const reader = path === '/api-sessions' ? await holder('ops') : helper;
        expect((await send(reader, 'GET', `${path}?filter=${filter}`)).status, path + symbol).toBe(400);
      }
    }
  });

  it('are shown to their owner, whoever asks at the same time', async () => {
    const reader = await holder('admin_readonly');
    const current = ({ token }: Subject) => t.server.wire('GET', `${api}/current-identity`, { token });
    for (let round = 0; round < 5; round++) {
      const all = [reader, t.boss, t.somebody];
      const answers = await Promise.all(all.map(current));
      for (const [at, subject] of all.entries()) {
        expect(answers[at]?.body.data.enrollment.ott.token).toBe(subject.secrets[1]);
        for (const other of all) if (other !== subject) expect(tokensIn(answers[at]?.text ?? '', other)).toEqual([]);
      }
    }
  });
});
