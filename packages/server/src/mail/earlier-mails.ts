/**
 * Earlier versions kept outgoing mails as files in `<data>/mails-waiting`. They become owed mails, and each file is
 * removed once the database has its mail. An unreadable file stays, is reported, and does not block the others.
 */

import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { MailsStore, NewMail } from '../accounts/mails/mails-store.ts';
import type { OutgoingMail } from './mailer.ts';

const NAME = /^([0-9a-f]{32})\.json$/;
const UNFINISHED = /^[0-9a-f]{32}\.json\.tmp$/;

export interface EarlierMailsOptions {
  readonly directory: string;
  readonly mails: Pick<MailsStore, 'oweMail'>;
  readonly now: () => EpochNs;
  readonly onUnreadable: (path: string, error: unknown) => void;
}

/** Rejects when the database cannot be written; the next call handles the rest. */
export async function takeOverEarlierMails(options: EarlierMailsOptions): Promise<void> {
  const { directory, mails, now, onUnreadable } = options;
  for (const name of await namesIn(directory)) {
    const path = join(directory, name);
    // It was never complete: the process died while it wrote the file.
    if (UNFINISHED.test(name)) await rm(path, { force: true });
    const id = NAME.exec(name)?.[1];
    if (id === undefined) continue;
    let mail: NewMail;
    try {
      mail = readMail(id, await readFile(path, 'utf8'));
    } catch (error) {
      onUnreadable(path, error);
      continue;
    }
    await mails.oweMail(now(), mail);
    await rm(path, { force: true });
  }
  // Removes the directory only if it is empty.
  await rmdir(directory).catch(() => undefined);
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readMail(id: string, content: string): NewMail {
  const { mail } = JSON.parse(content) as { readonly mail: OutgoingMail };
  const { to, subject, text, html, link } = mail;
  if (![to, subject, text, html].every((part) => typeof part === 'string')) {
    throw new Error('it is not a mail');
  }
  const details = { subject, text, html, ...(link === undefined ? {} : { link }) };
  return { id: `composed.${id}`, kind: 'composed', reader: to, orderId: null, details };
}
