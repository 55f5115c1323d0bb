/** Exit codes of the executable. */
export const exit = { ok: 0, unexpected: 1, usage: 2, unreachable: 3, fault: 4, tampered: 5 } as const;
