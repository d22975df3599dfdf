/** Where the accounts' database lies in a data directory: for who has to know, and does not open it. */
export function accountsPath(dataDirectory: string): string {
  return `${dataDirectory}/accounts/accounts.db`;
}
