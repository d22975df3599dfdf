/** An account created by signing in has its id as its name, which is not worth showing. */

export function isNamed(account: string): boolean {
  return !/^acc_[0-9a-f]+$/.test(account);
}
