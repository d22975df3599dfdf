/** The path of the accounts' database in a data directory, for code that does not open it. */
export function accountsPath(dataDirectory: string): string {
  return `${dataDirectory}/accounts/accounts.db`;
}
