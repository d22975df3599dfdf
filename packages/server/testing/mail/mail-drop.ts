/** A mail server outside the service: accepts every mail, and records it by reader and `Message-ID`. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A mail that has not arrived by then never will. */
const LINK_WITHIN_MS = 180_000;

export class MailDrop implements AsyncDisposable {
  readonly #server: SMTPServer;
  /** How often each id arrived, per reader. */
  readonly #taken = new Map<string, Map<string, number>>();
  readonly #texts = new Map<string, string>();

  private constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      logger: false,
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const to = session.envelope.rcptTo[0]!.address;
          void this.#take(to, Buffer.concat(chunks)).then(() => done());
        });
      },
    });
    this.#server.on('error', () => undefined);
  }

  static async open(): Promise<MailDrop> {
    const drop = new MailDrop();
    drop.#server.listen(0, '127.0.0.1');
    await once(drop.#server.server, 'listening');
    return drop;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** The number of mails that arrived more than once. */
  get repeated(): number {
    return [...this.#taken.values()].flatMap((ids) => [...ids.values()]).filter((it) => it > 1)
      .length;
  }

  /** `id`: a prefix. */
  has(to: string, id: string): boolean {
    return [...(this.#taken.get(to)?.keys() ?? [])].some((it) => it.startsWith(`<${id}`));
  }

  /** The token of the newest link to a reader; waits for one. */
  async token(to: string): Promise<string> {
    const deadline = performance.now() + LINK_WITHIN_MS;
    for (;;) {
      const token = /\/sign-in#(svc_link_\w+)/.exec(this.#texts.get(to) ?? '')?.[1];
      if (token !== undefined) {
        this.#texts.delete(to);
        return token;
      }
      if (performance.now() > deadline) throw new Error(`no link came to ${to}`);
      await pause(10);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #take(to: string, bytes: Buffer): Promise<void> {
    const { messageId = '', text = '' } = await PostalMime.parse(bytes);
    const ids = this.#taken.getOrInsertComputed(to, () => new Map<string, number>());
    ids.set(messageId, (ids.get(messageId) ?? 0) + 1);
    if (text.includes('/sign-in#')) this.#texts.set(to, text);
  }
}
