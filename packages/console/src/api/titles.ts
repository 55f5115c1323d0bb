/** `authPolicies` → `Auth policies`, `isAdmin` → `Is admin`, `primary.updb.allowed` → `Primary updb allowed`. */
export function titleOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[-.]/g, ' ')
    .toLowerCase()
    .replaceAll(/\b(id|ids|jwt|jwts|ca|cas|totp|mac|mfa|url|api|pem|ip|sdk|os|spiffe)\b/g, (word) =>
      word.endsWith('s') && word !== 'os' ? `${word.slice(0, -1).toUpperCase()}s` : word.toUpperCase(),
    );
  return words.charAt(0).toUpperCase() + words.slice(1);
}
