/**
 * Mails that must outlive the process: what is of use for longer than an hour is kept on disk until it is delivered or
 * given up, for its owner's eyes only. After a crash a mail may be sent twice, never not at all.
 */

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OWNER_ONLY_DIRECTORY, replacePrivateFile } from '../platform/private-file.ts';
import type { OutgoingMail } from './mailer.ts';

const NAME = /^[0-9a-f]{32}\.json$/;

export interface SpooledMail {
  readonly mail: OutgoingMail;
  /** Nanoseconds since 1970. */
  readonly uselessAt: bigint;
}

export class MailSpool {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The name it is kept under. */
  async keep({ mail, uselessAt }: SpooledMail): Promise<string> {
    const name = `${randomBytes(16).toString('hex')}.json`;
    const content = JSON.stringify({ mail, uselessAt: String(uselessAt) });
    await mkdir(this.#directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
    await replacePrivateFile(this.#directory, name, content);
    return name;
  }

  async drop(name: string): Promise<void> {
    await rm(join(this.#directory, name), { force: true });
  }

  /** What a process before this one left, by name. What cannot be read is removed: it never was whole. */
  async kept(): Promise<ReadonlyMap<string, SpooledMail>> {
    const mails = new Map<string, SpooledMail>();
    for (const name of await this.#names()) {
      const spooled = NAME.test(name) ? await this.#read(name) : null;
      if (spooled === null) await this.drop(name);
      else mails.set(name, spooled);
    }
    return mails;
  }

  async #names(): Promise<readonly string[]> {
    try {
      return (await readdir(this.#directory)).sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  async #read(name: string): Promise<SpooledMail | null> {
    const text = await readFile(join(this.#directory, name), 'utf8');
    try {
      const { mail, uselessAt } = JSON.parse(text) as { mail: OutgoingMail; uselessAt: string };
      const isMail = [mail.to, mail.subject, mail.text, mail.html].every(
        (part) => typeof part === 'string',
      );
      return isMail ? { mail, uselessAt: BigInt(uselessAt) } : null;
    } catch {
      return null;
    }
  }
}
