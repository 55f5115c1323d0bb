import { describe, expect, it } from 'vitest';
import { newRecoveryCodes, withoutCode } from './recovery-codes.ts';
import { codeOfStep, matchingSteps, newSecret, provisioningUrl, stepAt } from './totp.ts';

/** `12345678901234567890`, the secret in the test values of RFC 4226 and RFC 6238. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('codes', () => {
  it('are those of RFC 4226, appendix D', () => {
    expect(Array.from({ length: 10 }, (_, counter) => codeOfStep(secret, counter))).toEqual([
      ...['755224', '287082', '359152', '969429', '338314'],
      ...['254676', '287922', '162583', '399871', '520489'],
    ]);
  });

  it.each([
    [59, 1, '94287082'],
    [1_111_111_109, 0x23523ec, '07081804'],
    [1_111_111_111, 0x23523ed, '14050471'],
    [1_234_567_890, 0x273ef07, '89005924'],
    [2_000_000_000, 0x3f940aa, '69279037'],
    [20_000_000_000, 0x27bc86aa, '65353130'],
  ])('are those of RFC 6238, appendix B, at %i s', (seconds, step, eightDigits) => {
    expect(stepAt(seconds * 1_000)).toBe(step);
    expect(codeOfStep(secret, step)).toBe(eightDigits.slice(-6));
  });
});

describe('the window', () => {
  const now = 2_000_000_000_000;
  const step = stepAt(now);
  const matching = (offset: number) => matchingSteps({ secret, code: codeOfStep(secret, step + offset), now });

  it('is the present step and one on either side', () => {
    expect([-2, -1, 0, 1, 2].map(matching)).toEqual([[], [step - 1], [step], [step + 1], []]);
  });

  it('ends after its last millisecond', () => {
    const code = codeOfStep(secret, step);
    const at = (moment: number) => matchingSteps({ secret, code, now: moment });
    expect(at((step - 1) * 30_000 - 1)).toEqual([]);
    expect(at((step - 1) * 30_000)).toEqual([step]);
    expect(at((step + 2) * 30_000 - 1)).toEqual([step]);
    expect(at((step + 2) * 30_000)).toEqual([]);
  });
});

describe('secrets and recovery codes', () => {
  it('are 160 random bits in base32 without padding', () => {
    const secrets = Array.from({ length: 100 }, () => newSecret());
    for (const made of secrets) expect(made).toMatch(/^[A-Z2-7]{32}$/);
    expect(new Set(secrets).size).toBe(100);
  });

  it('are twenty different codes, sorted, and none has the form of a TOTP code', () => {
    for (let round = 0; round < 200; round += 1) {
      const codes = newRecoveryCodes();
      expect(codes).toHaveLength(20);
      expect(new Set(codes).size).toBe(20);
      expect(codes).toEqual([...codes].sort());
      for (const code of codes) expect(code).toMatch(/^(?=.*[A-Z])[A-Z2-7]{6}$/);
    }
  });

  it('are used up one by one and are case-sensitive', () => {
    expect(withoutCode(['AAAAAA', 'BBBBBB'], 'AAAAAA')).toEqual(['BBBBBB']);
    for (const code of ['CCCCCC', 'aaaaaa', 'AAAAAA ', 'AAAAA', '']) {
      expect(withoutCode(['AAAAAA', 'BBBBBB'], code)).toBe(null);
    }
  });
});

describe('the provisioning URL', () => {
  const identity = { id: 'Xy.-1', name: 'anna' };

  it('has issuer, account and secret', () => {
    expect(provisioningUrl({ issuer: 'Edge', label: '{name}', identity, secret })).toBe(
      `otpauth://totp/Edge:anna?issuer=Edge&secret=${secret}`,
    );
  });

  it.each(['a b', 'a:b/c?d=e&f#g%20', 'snow ☃ 🎉', '$& {id} $1', '+1@host'])('escapes %s', (name) => {
    const text = provisioningUrl({ issuer: 'My Edge & Co', label: '{name}', identity: { ...identity, name }, secret });
    const url = new URL(text);
    expect(text).toMatch(/^[!-~]+$/);
    expect(url.pathname.split(':').map(decodeURIComponent)).toEqual(['/My Edge & Co', name]);
    expect([...url.searchParams]).toEqual([
      ['issuer', 'My Edge & Co'],
      ['secret', secret],
    ]);
    expect(url.hash).toBe('');
  });

  it('replaces the placeholders of the label and cuts a long label between two characters', () => {
    const of = (name: string, label: string) => {
      const url = provisioningUrl({ issuer: 'Edge', label, identity: { ...identity, name }, secret });
      return decodeURIComponent(/:\/\/totp\/Edge:([^?]*)/.exec(url)?.[1] ?? '');
    };
    expect(of('anna', '{name} ({id})')).toBe('anna (Xy.-1)');
    expect(of('a'.repeat(500), '{name}')).toBe('a'.repeat(200));
    expect(of('🎉'.repeat(250), '{name}')).toBe('🎉'.repeat(16));
    expect(of('half \ud83c', '{name}')).toBe('half \ufffd');
  });
});
