/** Accounts that were made by signing in have their id for a name, which says nothing to anybody. */

export function isNamed(account: string): boolean {
  return !/^acc_[0-9a-f]+$/.test(account);
}
