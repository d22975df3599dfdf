/**
 * Mail by SMTP, one connection for each mail. The server's certificate must be valid, and if TLS is required, nothing
 * is sent without it. Every delivery has a time limit, whatever the server sends. Only the code of a server's reply is
 * logged, since its text may contain the recipient's address.
 */

import type { ConnectionOptions } from 'node:tls';
import { KIB } from '@tapeloom/core/units';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SMTPError } from 'nodemailer/lib/smtp-connection';
import type { MailSender } from '../config/mail-sender.ts';
import type { SmtpServerAddress } from '../config/smtp-server-address.ts';
import { MailFault, type MailTransport } from './mail-transport.ts';
import type { OutgoingMail } from './mailer.ts';
import { type MimeMessage, mimeMessage } from './mime-message.ts';

const TIMEOUTS_MS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 15_000,
  socketTimeout: 30_000,
} as const;
const RESPONSE_BYTES_MAX = 64 * KIB;
/** Replies to these commands concern this mail only. */
const MAIL_COMMANDS: ReadonlySet<unknown> = new Set(['RCPT TO', 'DATA']);
/** The server is shutting down. */
const CLOSING = 421;

export interface SmtpTransportOptions {
  readonly server: SmtpServerAddress;
  readonly sender: MailSender;
  readonly now: () => Date;
  /** Trusted certificate authorities; the machine's by default. */
  readonly authorities?: ConnectionOptions['ca'];
  readonly timeoutsMs?: Partial<Record<keyof typeof TIMEOUTS_MS, number>>;
}

export class SmtpTransport implements MailTransport {
  readonly #options: SmtpTransportOptions;

  constructor(options: SmtpTransportOptions) {
    this.#options = options;
  }

  async deliver(mail: OutgoingMail, signal: AbortSignal): Promise<void> {
    const { sender, now } = this.#options;
    const message = await mimeMessage(mail, sender, now());
    await this.#talk(signal, (connection) => send(connection, message));
  }

  /** Tries the connection and the login without sending. Rejects as `deliver` does. */
  async check(signal: AbortSignal): Promise<void> {
    await this.#talk(signal, async () => undefined);
  }

  async #talk(
    signal: AbortSignal,
    work: (connection: SMTPConnection) => Promise<void>,
  ): Promise<void> {
    const connection = await this.#connection();
    const { promise: cut, reject } = Promise.withResolvers<never>();
    const abort = () => reject(new MailFault('the mail server took too long', SERVER_FAULT));
    // Any event of the connection ends the delivery, in whichever step it is.
    connection.on('error', reject);
    connection.on('end', () => reject(new MailFault('the mail server hung up', SERVER_FAULT)));
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    try {
      await Promise.race([cut, converse(connection, this.#options.server, work)]);
    } catch (error) {
      throw error instanceof MailFault ? error : faultOf(error);
    } finally {
      signal.removeEventListener('abort', abort);
      connection.close();
    }
  }

  async #connection(): Promise<SMTPConnection> {
    const { default: Connection } = await import('nodemailer/lib/smtp-connection');
    const { server, authorities, timeoutsMs, sender } = this.#options;
    return new Connection({
      host: server.host,
      port: server.port,
      name: sender.address.slice(sender.address.lastIndexOf('@') + 1),
      secure: server.tls === 'start',
      requireTLS: server.tls === 'upgrade',
      ignoreTLS: server.tls === 'none',
      tls: {
        minVersion: 'TLSv1.2',
        rejectUnauthorized: true,
        ...(authorities === undefined ? {} : { ca: authorities }),
      },
      maxResponseSize: RESPONSE_BYTES_MAX,
      allowInternalNetworkInterfaces: true,
      ...TIMEOUTS_MS,
      ...timeoutsMs,
    });
  }
}

const SERVER_FAULT = { of: 'server', isFinal: false } as const;

async function converse(
  connection: SMTPConnection,
  { login }: SmtpServerAddress,
  work: (connection: SMTPConnection) => Promise<void>,
): Promise<void> {
  await called((done) => connection.connect(done));
  if (login !== null) {
    const { user, password: pass } = login;
    await called((done) => connection.login({ user, pass }, done));
  }
  await work(connection);
  connection.quit();
}

async function send(connection: SMTPConnection, { from, to, bytes }: MimeMessage): Promise<void> {
  const envelope = { from, to: [to], size: bytes.length };
  await called((done) => connection.send(envelope, bytes, done));
}

function called(call: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => (error === undefined || error === null ? resolve() : reject(error)));
  });
}

function faultOf(error: unknown): MailFault {
  const { code, responseCode, command, message } = error as Partial<SMTPError>;
  const answer = responseCode === undefined ? '' : ` (${responseCode})`;
  if (code === 'EAUTH') {
    return new MailFault(`the mail server refused user and password${answer}`, SERVER_FAULT);
  }
  if (responseCode !== undefined && responseCode !== CLOSING && MAIL_COMMANDS.has(command)) {
    const what = command === 'DATA' ? 'mail' : 'reader';
    const isFinal = responseCode >= 500;
    return new MailFault(`the mail server refused the ${what}${answer}`, { of: 'mail', isFinal });
  }
  if (responseCode !== undefined) {
    const step = command === 'CONN' || command === undefined ? 'the connection' : command;
    return new MailFault(`the mail server refused ${step}${answer}`, SERVER_FAULT);
  }
  if (code === 'EMESSAGE') {
    return new MailFault('the mail server takes no mail that large', { of: 'mail', isFinal: true });
  }
  // This text is not from the server: an unknown host, a closed port, a bad certificate.
  const why = (message ?? code ?? '').replace(/\s+/g, ' ').trim();
  return new MailFault(`the mail server cannot be used: ${why}`, SERVER_FAULT);
}
