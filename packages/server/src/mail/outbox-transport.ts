/**
 * Mail as files, when no mail server is configured. Each mail is a file for any mail program, readable by its owner
 * only, and complete or absent. The folder keeps the newest; other files in it are left alone.
 */

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MailSender } from '../config/mail-sender.ts';
import { OWNER_ONLY_DIRECTORY, replacePrivateFile } from '../platform/disk/private-file.ts';
import { SerialQueue } from '../platform/waiting/serial-queue.ts';
import { MailFault, type MailTransport } from './mail-transport.ts';
import type { OutgoingMail } from './mailer.ts';
import { mimeMessage } from './mime-message.ts';

const FILES_MAX = 200;
/** Begins with the time, so names sort in the order of the mails. */
const OURS = /^\d{8}T\d{9}Z-[0-9a-f]{16}\.eml$/;
const UNFINISHED = /^\d{8}T\d{9}Z-[0-9a-f]{16}\.eml\.tmp$/;

export interface OutboxTransportOptions {
  /** The folder, created with the first mail. */
  readonly directory: string;
  readonly sender: MailSender;
  readonly now: () => Date;
  readonly filesMax?: number;
}

export class OutboxTransport implements MailTransport {
  readonly #options: OutboxTransportOptions;
  /** One at a time, so that the count of files is right. */
  readonly #deliveries = new SerialQueue();
  #filesCount = 0;

  constructor(options: OutboxTransportOptions) {
    this.#options = options;
  }

  /** Mails in the folder, as of the last delivery. */
  get filesCount(): number {
    return this.#filesCount;
  }

  deliver(mail: OutgoingMail): Promise<void> {
    return this.#deliveries.run(() => this.#write(mail));
  }

  async #write(mail: OutgoingMail): Promise<void> {
    const { directory, sender, now } = this.#options;
    const at = now();
    const { bytes } = await mimeMessage(mail, sender, at);
    const time = at.toISOString().replace(/[-:.]/g, '');
    const name = `${time}-${randomBytes(8).toString('hex')}.eml`;
    try {
      await mkdir(directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
      await chmod(directory, OWNER_ONLY_DIRECTORY);
      await replacePrivateFile(directory, name, bytes);
      await this.#trim();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const fault = `the folder ${directory} cannot be written (${code})`;
      throw new MailFault(fault, { of: 'server', isFinal: false });
    }
  }

  async #trim(): Promise<void> {
    const { directory, filesMax = FILES_MAX } = this.#options;
    const names = await readdir(directory);
    const mails = names.filter((name) => OURS.test(name)).sort();
    const over = mails.slice(0, Math.max(0, mails.length - filesMax));
    // No file is being written now, so unfinished ones belong to a process that died.
    for (const name of [...over, ...names.filter((name) => UNFINISHED.test(name))]) {
      await rm(join(directory, name), { force: true });
    }
    this.#filesCount = mails.length - over.length;
  }
}
