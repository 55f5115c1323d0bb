import { afterAll, afterEach, expect } from 'vitest';
import { takeUnlisted } from './observe-responses.ts';

// A test fails when it got a response that differs from the reference without a reason. Vitest runs this for every file.

const expectNone = () => expect(takeUnlisted(), 'differences from the reference that its table lacks').toEqual([]);

afterEach(expectNone);
afterAll(expectNone);
