/**
 * A TOTP or recovery code as the controller compares it: without white space, in capitals. A character that no code has
 * becomes `?`, because headers do not carry all of them: the controller then refuses the code as it does any wrong one.
 */
export function codeToSend(typed: string): string {
  return typed
    .replace(/\s/g, '')
    .replace(/[^\x21-\x7e]/g, '?')
    .toUpperCase();
}
