/** The contents of a backup of the accounts, in one line. */

import type { BackupContents } from '@tapeloom/server/accounts/store/sqlite/backup-contents';

export function contentsText({ accounts, keys, auditEvents, bytes }: BackupContents): string {
  const counted = (count: number, word: string) =>
    `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
  return [
    counted(accounts, 'account'),
    counted(keys, 'key'),
    counted(auditEvents, 'audit event'),
    counted(bytes, 'byte'),
  ].join(', ');
}
