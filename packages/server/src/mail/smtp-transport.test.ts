import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { ownCertificate } from '../../testing/rest/own-authority.ts';
import type { SmtpServerAddress } from '../config/smtp-server-address.ts';
import { MailFault } from './mail-transport.ts';
import type { OutgoingMail } from './mailer.ts';
import { mimeMessage } from './mime-message.ts';
import { SmtpTransport, type SmtpTransportOptions } from './smtp-transport.ts';
import { signInMail } from './texts/sign-in-mails.ts';

const CERTIFICATE = ownCertificate();
const EXPIRED = ownCertificate('127.0.0.1', Date.now() - 10 * 86_400_000);
const ELSEWHERE = ownCertificate('127.0.0.9');
const LINK = 'https://tapeloom.example.com/sign-in#c2VjcmV0IHRva2VuIG9mIGEgbGluaw';
const MAIL: OutgoingMail = {
  to: 'Ada@example.com',
  ...signInMail({ link: LINK, expiresInMinutes: 15 }),
};
const LOGIN = { user: 'tapeloom', password: 'p@ss word' };
const SENDER = { name: 'Tapeloom', address: 'no-reply@tapeloom.example.com' };
const AT = new Date('2026-11-16T09:00:00Z');
const NEVER = new AbortController().signal;

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly isSecure: boolean;
  readonly user: string | undefined;
  readonly message: string;
}

class MailServer implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly #server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      ...CERTIFICATE,
      authOptional: true,
      logger: false,
      onAuth: ({ username, password }, _session, done) => {
        const isRight = username === LOGIN.user && password === LOGIN.password;
        done(isRight ? null : new Error('who is that'), isRight ? { user: username! } : undefined);
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          this.received.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            isSecure: session.secure,
            user: session.user as string | undefined,
            message: Buffer.concat(chunks).toString('utf8'),
          });
          done();
        });
      },
      ...options,
    });
    this.#server.on('error', () => undefined);
  }

  static async start(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
    const started = new MailServer(options);
    started.#server.listen(port, '127.0.0.1');
    await once(started.#server.server, 'listening');
    return started;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function transportTo(
  port: number,
  server: Partial<SmtpServerAddress> = {},
  options: Partial<SmtpTransportOptions> = {},
): SmtpTransport {
  return new SmtpTransport({
    server: { host: '127.0.0.1', port, tls: 'upgrade', login: null, ...server },
    sender: SENDER,
    now: () => AT,
    authorities: CERTIFICATE.cert,
    ...options,
  });
}

async function faultOf(
  transport: SmtpTransport,
  mail = MAIL,
  signal = NEVER,
): Promise<MailFault & { told: string }> {
  try {
    await transport.deliver(mail, signal);
  } catch (error) {
    assert.ok(error instanceof MailFault, String(error));
    // The logged text: neither the recipient, nor a secret, nor a word of the mail.
    const told = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    for (const secret of [/ada@/i, /c2VjcmV0/, /p@ss/, /Sign in/])
      assert.doesNotMatch(told, secret);
    return Object.assign(error, { told: error.message });
  }
  return assert.fail('the mail was delivered');
}

test('a mail arrives by STARTTLS with its link, plain text first [PORTAL-01]', async () => {
  await using server = await MailServer.start();
  await transportTo(server.port, { login: LOGIN }).deliver(MAIL, NEVER);
  const [received] = server.received;
  assert.deepEqual(
    { ...received, message: '' },
    {
      from: SENDER.address,
      to: ['Ada@example.com'],
      isSecure: true,
      user: LOGIN.user,
      message: '',
    },
  );
  const { message } = received!;
  assert.ok(message.indexOf('text/plain') < message.indexOf('text/html'));
  const parsed = await PostalMime.parse(message);
  assert.equal(parsed.subject, 'Sign in to Tapeloom');
  assert.deepEqual(parsed.from, { name: 'Tapeloom', address: SENDER.address });
  assert.deepEqual(parsed.to, [{ name: '', address: 'Ada@example.com' }]);
  assert.equal(parsed.date, '2026-11-16T09:00:00.000Z');
  assert.equal(parsed.text?.trim().replaceAll('\r\n', '\n'), MAIL.text.trim());
  assert.ok(parsed.html?.includes(`href="${LINK}"`));
  assert.equal(parsed.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated');
});

test('a mail that is tried again bears the same Message-ID', async () => {
  await using server = await MailServer.start();
  const transport = transportTo(server.port);
  for (let tries = 0; tries < 2; tries += 1) {
    await transport.deliver({ ...MAIL, id: 'order-confirmed.ord_1' }, NEVER);
  }
  const parsed = await Promise.all(server.received.map(({ message }) => PostalMime.parse(message)));
  assert.deepEqual(
    parsed.map(({ messageId }) => messageId),
    Array(2).fill('<order-confirmed.ord_1@tapeloom.example.com>'),
  );
});

test('a server with TLS from the first byte is used as well', async () => {
  await using server = await MailServer.start({ secure: true });
  await transportTo(server.port, { tls: 'start' }).deliver(MAIL, NEVER);
  assert.equal(server.received.length, 1);
});

test('a server that offers no STARTTLS hears nothing: neither password nor mail', async () => {
  const heard: string[] = [];
  await using server = await MailServer.start({
    disabledCommands: ['STARTTLS'],
    onAuth: (_auth, _session, done) => {
      heard.push('password');
      done(new Error('no'));
    },
    onMailFrom: (_address, _session, done) => {
      heard.push('mail');
      done();
    },
  });
  const fault = await faultOf(transportTo(server.port, { login: LOGIN }));
  assert.equal(fault.of, 'server');
  assert.deepEqual(heard, []);
});

test('on this machine alone mail goes in plain text', async () => {
  await using server = await MailServer.start({ disabledCommands: ['STARTTLS'] });
  await transportTo(server.port, { tls: 'none' }).deliver(MAIL, NEVER);
  assert.equal(server.received[0]?.isSecure, false);
});

test('a certificate that is expired, of nobody we trust or of another host is refused', async () => {
  await using expired = await MailServer.start(EXPIRED);
  await using elsewhere = await MailServer.start(ELSEWHERE);
  for (const { port } of [expired, elsewhere]) {
    const authorities = [EXPIRED.cert, ELSEWHERE.cert];
    const fault = await faultOf(transportTo(port, { login: LOGIN }, { authorities }));
    assert.deepEqual([fault.of, fault.isFinal], ['server', false]);
    assert.match(fault.told, /certificate/i);
  }
  await using server = await MailServer.start();
  const fault = await faultOf(transportTo(server.port, {}, { authorities: ownCertificate().cert }));
  assert.match(fault.told, /certificate/i);
  assert.equal(server.received.length, 0);
});

test('a wrong password is the server’s fault to wait for, and says so', async () => {
  await using server = await MailServer.start();
  const login = { user: LOGIN.user, password: 'p@ss wrong' };
  const fault = await faultOf(transportTo(server.port, { login }));
  assert.deepEqual([fault.of, fault.isFinal], ['server', false]);
  assert.equal(fault.told, 'the mail server refused user and password (535)');
});

test('a reader who is refused for good is given up, one who is put off is tried again', async () => {
  const answers = [550, 451];
  await using server = await MailServer.start({
    onRcptTo: ({ address }, _session, done) => {
      const error = new Error(`no mailbox ${address} here`);
      done(Object.assign(error, { responseCode: answers.shift() }));
    },
  });
  const transport = transportTo(server.port);
  for (const [isFinal, code] of [
    [true, 550],
    [false, 451],
  ] as const) {
    const fault = await faultOf(transport);
    assert.deepEqual([fault.of, fault.isFinal], ['mail', isFinal]);
    assert.equal(fault.told, `the mail server refused the reader (${code})`);
  }
});

test('a mail that is refused at its end, and a sender that is refused, are told apart', async () => {
  await using strict = await MailServer.start({
    onData: (stream, _session, done) => {
      stream.resume();
      stream.on('end', () => done(Object.assign(new Error('spam'), { responseCode: 554 })));
    },
  });
  const refused = await faultOf(transportTo(strict.port));
  assert.deepEqual([refused.of, refused.isFinal], ['mail', true]);
  await using unknown = await MailServer.start({
    onMailFrom: (_address, _session, done) => {
      done(Object.assign(new Error('not you'), { responseCode: 550 }));
    },
  });
  const sender = await faultOf(transportTo(unknown.port));
  assert.deepEqual([sender.of, sender.isFinal], ['server', false]);
  assert.equal(sender.told, 'the mail server refused MAIL FROM (550)');
});

test('a server that is down is a fault, and once it is up mail arrives', async () => {
  const first = await MailServer.start();
  const { port } = first;
  await first[Symbol.asyncDispose]();
  const transport = transportTo(port);
  const fault = await faultOf(transport);
  assert.deepEqual([fault.of, fault.isFinal], ['server', false]);
  assert.match(fault.told, /ECONNREFUSED/);
  await using server = await MailServer.start({}, port);
  await transport.deliver(MAIL, NEVER);
  assert.equal(server.received.length, 1);
});

test('a server that says nothing, says it without end, or is given up on is left', async () => {
  const sockets = new Set<Socket>();
  let greet: (socket: Socket) => void = () => {};
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    greet(socket);
  });
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const silent = { timeoutsMs: { greetingTimeout: 30 } };
  assert.match((await faultOf(transportTo(port, {}, silent))).told, /Greeting never received/);
  greet = (socket) => socket.write('220 hello\r\n');
  const idle = { timeoutsMs: { socketTimeout: 60 } };
  assert.match((await faultOf(transportTo(port, {}, idle))).told, /Timeout/);
  greet = (socket) => socket.write(`220-${'x'.repeat(100_000)}`);
  assert.match((await faultOf(transportTo(port))).told, /exceeds/);
  greet = (socket) => socket.end('421 closing\r\n');
  assert.equal((await faultOf(transportTo(port))).of, 'server');
  greet = (socket) => socket.destroy();
  assert.equal((await faultOf(transportTo(port))).of, 'server');
  const given = new AbortController();
  greet = () => given.abort();
  const fault = await faultOf(transportTo(port), MAIL, given.signal);
  assert.equal(fault.told, 'the mail server took too long');
  assert.match((await faultOf(transportTo(port), MAIL, given.signal)).told, /took too long/);
  for (const socket of sockets) socket.destroy();
  tcp.close();
});

test('neither a reader nor a subject can bring a header of their own', async () => {
  await using server = await MailServer.start();
  const transport = transportTo(server.port);
  for (const to of ['ada@example.com\r\nBcc: eve@example.com', 'a@example.com,b@example.com', '']) {
    const fault = await faultOf(transport, { ...MAIL, to });
    assert.deepEqual([fault.of, fault.isFinal], ['mail', true]);
  }
  await transport.deliver({ ...MAIL, subject: 'Hello\r\nBcc: eve@example.com\r\n\r\nbody' }, NEVER);
  const parsed = await PostalMime.parse(server.received[0]!.message);
  assert.equal(parsed.bcc, undefined);
  assert.deepEqual(server.received[0]!.to, ['Ada@example.com']);
  assert.equal(parsed.text?.trim().replaceAll('\r\n', '\n'), MAIL.text.trim());
});

test('a domain of another script is written to as the name system has it', async () => {
  const { to, bytes } = await mimeMessage({ ...MAIL, to: 'Ada@MÜNCHEN.example' }, SENDER, AT);
  assert.equal(to, 'Ada@xn--mnchen-3ya.example');
  assert.match(bytes.toString(), /^To: Ada@xn--mnchen-3ya\.example\r$/m);
});
