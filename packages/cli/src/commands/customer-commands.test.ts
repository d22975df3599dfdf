import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { RestService } from '../../../server/testing/rest/rest-service.ts';
import { RecordedIo, type RecordedIoOptions, runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';
import { profilesPath } from '../customer/profiles.ts';
import { ExitCode } from '../exit-codes.ts';
import { loginCommand } from './login.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tapeloom-customer-'));
let service: RestService;
let url: string;
let homes = 0;

before(async () => {
  service = await RestService.start();
  url = `http://127.0.0.1:${await service.listen()}`;
});
after(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true });
});

/** A customer's new machine, with its own directories. */
class Customer {
  readonly home = join(scratch, String(homes++));
  readonly env: Record<string, string>;

  constructor(variables: Record<string, string> = {}) {
    this.env = {
      XDG_CONFIG_HOME: join(this.home, 'config'),
      XDG_CACHE_HOME: join(this.home, 'cache'),
      ...variables,
    };
  }

  /** A customer with the key of a new account in a variable. */
  static async withKey(...plan: Parameters<RestService['customer']>): Promise<Customer> {
    const key = await service.customer(...plan);
    return new Customer({ TAPELOOM_URL: url, TAPELOOM_KEY: key });
  }

  run(words: string | readonly string[], options: RecordedIoOptions = {}) {
    const list = typeof words === 'string' ? words.split(' ') : words;
    return runRecorded(commands, list, { env: this.env, ...options });
  }

  async json<T>(words: string | readonly string[]): Promise<T> {
    const list = typeof words === 'string' ? words.split(' ') : words;
    const { code, out, err } = await this.run([...list, '--json']);
    assert.equal(code, ExitCode.ok, err);
    return JSON.parse(out) as T;
  }

  names(kind: string): string {
    return readFileSync(join(this.home, 'cache/tapeloom', kind), 'utf8');
  }
}

test('login asks for address and key, the key unseen, and the commands after it need neither', async () => {
  const customer = new Customer();
  const key = await service.customer('live');
  const io = new RecordedIo({ env: customer.env, answers: [url, key] });
  assert.equal(await loginCommand.run([], io), ExitCode.ok);
  assert.deepEqual(
    io.asked.map(({ isHidden }) => isHidden),
    [false, true],
  );
  assert.match(
    io.out,
    /^Signed in to http:\/\/127\.0\.0\.1:\d+ with svc_live_\w{4}… \(live\), stored in /,
  );
  assert.ok(!(io.out + io.err).includes(key.slice(13)), 'the key is not shown');
  assert.equal((await customer.json<{ plan: string }>('usage')).plan, 'live');
  assert.match(customer.names('instruments'), /^ES\.c\.0$/m);
  assert.match(customer.names('indicators'), /^footprint$/m);
});

test('shells know the profiles one is signed in as, after login, logout and at their start', async () => {
  const customer = new Customer();
  const piped = await service.customer();
  for (const profile of ['work', 'home']) {
    const words = ['login', '--url', url, '--key-stdin', '--profile', profile];
    await customer.run(words, { piped });
  }
  assert.equal(customer.names('profiles'), 'work\nhome\n');
  await customer.run('logout --profile work');
  assert.equal(customer.names('profiles'), 'home\n');
  rmSync(join(customer.home, 'cache'), { recursive: true });
  await customer.run('completion bash');
  assert.equal(customer.names('profiles'), 'home\n');
});

test('with --json a refusal of the service and an unknown name are JSON', async () => {
  const customer = await Customer.withKey();
  const errorOf = async (words: string) => {
    const { code, out, err } = await customer.run(`${words} --json`);
    const { error } = JSON.parse(err);
    assert.deepEqual([out, error.exitCode], ['', code]);
    return error;
  };
  const unknown = await errorOf('indicators footprnt');
  assert.deepEqual([unknown.code, unknown.exitCode], ['UNKNOWN_INDICATOR', ExitCode.notFound]);
  assert.match(unknown.message, /did you mean footprint\?/);
  const refused = await errorOf('keys revoke key_0 --yes');
  assert.equal(refused.code, 'NOT_FOUND');
  assert.match(refused.requestId, /./);
});

test('login --show says where one is signed in and with which key, but not the key', async () => {
  const customer = new Customer();
  const key = await service.customer();
  await customer.run(['login', '--url', url, '--key-stdin'], { piped: `${key}\n` });
  const { code, out } = await customer.run('login --show');
  assert.equal(code, ExitCode.ok);
  assert.ok(out.includes(url) && out.includes(`${key.slice(0, 13)}…`) && !out.includes(key));
  assert.deepEqual(await customer.json('login --show'), {
    profile: 'default',
    url,
    key: `${key.slice(0, 13)}…`,
    file: profilesPath(customer.env),
  });
});

test('login keeps nothing that the service does not accept', async () => {
  const customer = new Customer();
  const key = await service.customer();
  const other = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
  const refused = await customer.run(['login', '--url', url, '--key-stdin'], { piped: other });
  assert.equal(refused.code, ExitCode.refused);
  assert.ok(!(refused.out + refused.err).includes(other));
  assert.equal((await customer.run('login --show')).code, ExitCode.refused);
});

test('login takes no key from an option, nor from nobody', async () => {
  const customer = new Customer();
  const key = await service.customer();
  const option = await customer.run(['login', '--url', url, '--key', key]);
  assert.equal(option.code, ExitCode.usage);
  assert.ok(!option.err.includes(key));
  const typed = await customer.run(['login', '--url', url, '--key-stdin'], { answers: [key] });
  assert.equal(typed.code, ExitCode.usage, 'a terminal would show what is typed');
  const nobody = await customer.run(['login', '--url', url]);
  assert.equal(nobody.code, ExitCode.usage);
  assert.match(nobody.err, /--key-stdin/);
});

test('login warns before a key goes over an open line', async () => {
  const never = () => Promise.reject(new TypeError('fetch failed'));
  const words = ['login', '--url', 'http://api.example.com', '--key-stdin'];
  const key = await service.customer();
  const { code, err } = await new Customer().run(words, {
    piped: key,
    clientParts: { fetch: never },
  });
  assert.equal(code, ExitCode.unreachable);
  assert.match(err, /^Warning: http:\/\/api\.example\.com is not encrypted/);
});

test('several sign-ins stand beside each other, and logout forgets one', async () => {
  const customer = new Customer();
  for (const [profile, plan] of [
    ['default', 'sandbox'],
    ['work', 'history'],
  ] as const) {
    const words = ['login', '--url', url, '--key-stdin', '--profile', profile];
    await customer.run(words, { piped: await service.customer(plan) });
  }
  assert.equal((await customer.json<{ plan: string }>('usage')).plan, 'sandbox');
  assert.equal((await customer.json<{ plan: string }>('usage --profile work')).plan, 'history');
  assert.equal((await customer.run('logout')).out, 'Signed out of default.\n');
  assert.equal((await customer.run('logout')).out, 'Not signed in with the profile default.\n');
  assert.equal((await customer.run(['usage', '--url', url])).code, ExitCode.refused);
  assert.equal((await customer.json<{ plan: string }>('usage --profile work')).plan, 'history');
});

test('instruments are a table, one of them in full, and names for the shell', async () => {
  const customer = await Customer.withKey();
  const { out } = await customer.run('instruments');
  assert.match(
    out,
    /^alias +contract +market +name +exchange +tick +last trade \(UTC\) +history$/m,
  );
  assert.match(out, /^ES\.c\.0 +ESZ6 +open +.* +0\.25 USD +2026-/m);
  const one = await customer.run('instruments ES.c.0');
  assert.match(one.out, /^contract +ESZ6$/m);
  assert.match(one.out, /^means +ESZ6 from 2026-09-14 00:00:00Z$/m);
  const listed = await customer.json<{ instruments: { alias: string }[] }>('instruments');
  assert.ok(listed.instruments.some(({ alias }) => alias === 'ES.c.0'));
  assert.equal((await customer.json<{ symbol: string }>('instruments ESZ6')).symbol, 'ESZ6');
  assert.match(customer.names('instruments'), /^ESZ6$/m);
  const wrong = await customer.run('instruments ES.c.9');
  assert.equal(wrong.code, ExitCode.notFound);
  assert.match(wrong.err, /did you mean ES\.c\.0\?/);
});

test('indicators are a table, one of them with its parameters, and need no key', async () => {
  const customer = new Customer({ TAPELOOM_URL: url });
  const { code, out } = await customer.run('indicators');
  assert.equal(code, ExitCode.ok);
  assert.match(out, /^footprint +Bars with the volume traded at each price$/m);
  const one = await customer.run('indicators bars');
  assert.match(one.out, /^Bars \(bars\), 1 compute unit a trade$/m);
  assert.match(one.out, /^ {2}bar: time, tick, volume, range, delta, renko; default time\.$/m);
  assert.match(one.out, /^ {2}size: 1 to 1,000,000,000 seconds, trades.*; default by bar: 60 for/m);
  assert.match(one.out, /^ {2}depth: .*changes only what a snapshot shows\.$/m);
  assert.match(one.out, /^ {2}.+: --params '\{"bar":/m);
  assert.ok(one.out.split('\n').every((line) => line.length <= 100));
  const profile = await customer.run('indicators volume-profile');
  assert.match(profile.out, /^ {2}period: session, or 1 to 86,400 seconds; default session\.$/m);
  assert.equal((await customer.json<{ id: string }>('indicators vwap')).id, 'vwap');
  assert.match(customer.names('indicators'), /^vwap$/m);
  const wrong = await customer.run('indicators footprnt');
  assert.equal(wrong.code, ExitCode.notFound);
  assert.match(wrong.err, /did you mean footprint\?/);
});

test('keys are created with every option, listed, rotated and revoked', async () => {
  const customer = await Customer.withKey('live_history');
  const words = ['keys', 'create', '--name', 'my bot', '--scopes', 'stream, history'];
  const limits = ['--instruments', 'ES.c.0,NQ.c.0', '--ips', '127.0.0.1,192.0.2.0/24'];
  const created = await customer.run([...words, ...limits, '--expires', '2200-01-31']);
  assert.equal(created.code, ExitCode.ok, created.err);
  const shown =
    /^Key (key_\w+) "my bot", live, for stream, history, until 2200-01-31 00:00:00Z:\n\n {2}(svc_live_\w{33})\n/;
  const [, id, secret] = shown.exec(created.out)!;
  const bot = new Customer({ TAPELOOM_URL: url, TAPELOOM_KEY: secret! });
  assert.equal((await bot.json<{ plan: string }>('usage')).plan, 'live_history');

  const listed = await customer.run('keys list');
  const row = `^${id} +my bot +svc_live_…${secret!.slice(-4)} +expiring +stream,history +ES\\.c\\.0,NQ\\.c\\.0,127\\.0\\.0\\.1,192\\.0\\.2\\.0/24 +2200-01-31 `;
  assert.match(listed.out, new RegExp(row, 'm'));
  assert.ok(!listed.out.includes(secret!));

  const rotated = await customer.json<{ key: string; previous: { id: string; state: string } }>([
    ...['keys', 'rotate', id!, '--grace', '2h'],
  ]);
  assert.deepEqual([rotated.previous.id, rotated.previous.state], [id, 'expiring']);
  assert.notEqual(rotated.key, secret);
  assert.equal((await customer.run(['keys', 'rotate', id!])).code, ExitCode.failure);
  const unasked = await customer.run(['keys', 'rotate', id!, '--grace', '0s']);
  assert.equal(unasked.code, ExitCode.usage);
  assert.match(unasked.err, /--yes/);

  const declined = await customer.run(['keys', 'revoke', id!], { answers: ['n'] });
  assert.deepEqual([declined.code, declined.err], [ExitCode.failure, 'Nothing was revoked.\n']);
  assert.equal((await bot.run('usage')).code, ExitCode.ok);
  assert.equal((await customer.run(['keys', 'revoke', id!])).code, ExitCode.usage);
  const revoked = await customer.run(['keys', 'revoke', id!], { answers: ['yes'] });
  assert.match(revoked.out, /^The key "my bot" was revoked at 2026-/);
  const refused = await bot.run('usage');
  assert.equal(refused.code, ExitCode.refused);
  assert.match(refused.err, /tapeloom login.*\(UNAUTHORIZED, request /);
});

test('a test key makes test keys unless it is told otherwise', async () => {
  const { secret } = await service.key(await service.account(), { environment: 'test' });
  const customer = new Customer({ TAPELOOM_URL: url, TAPELOOM_KEY: secret });
  const words = ['keys', 'create', '--name', 'a', '--scopes', 'stream'];
  assert.equal((await customer.json<{ environment: string }>(words)).environment, 'test');
  const live = await customer.run([...words, '--environment', 'live']);
  assert.equal(live.code, ExitCode.refused);
});

test('what the service refuses is told by its field, and what does not exist by its code', async () => {
  const customer = await Customer.withKey();
  const words = ['keys', 'create', '--name', 'a', '--scopes'];
  const scopes = await customer.run([...words, 'strem']);
  assert.equal(scopes.code, ExitCode.usage);
  assert.match(scopes.err, /\/scopes\/0 must be .*\(INVALID_PARAMETERS, request /);
  const instruments = await customer.run([...words, 'stream', '--instruments', 'ES.c.0,XX']);
  assert.match(instruments.err, /\/instruments\/1 is not a symbol or alias/);
  assert.equal((await customer.run('keys revoke key_none --yes')).code, ExitCode.notFound);
  assert.equal((await customer.run('keys rotate key_none --grace soon')).code, ExitCode.usage);
});

test('an interrupted command ends with 130 and says nothing', async () => {
  const customer = await Customer.withKey();
  const stop = new AbortController();
  const fetch = (_url: unknown, { signal }: RequestInit = {}) => {
    stop.abort();
    return Promise.reject(signal!.reason);
  };
  const { signal } = stop;
  const outcome = await customer.run('usage', { signal, clientParts: { fetch } });
  assert.deepEqual(outcome, { code: ExitCode.interrupted, out: '', err: '' });
});

test('a service that is not there, and no key at all, have exit codes of their own', async () => {
  const customer = new Customer({ TAPELOOM_URL: 'http://127.0.0.1:1' });
  const nobody = await customer.run('indicators');
  assert.equal(nobody.code, ExitCode.unreachable);
  assert.match(nobody.err, /Is the service running, and is the address right/);
  const keyless = await customer.run('usage');
  assert.equal(keyless.code, ExitCode.refused);
  assert.match(keyless.err, /no API key for http:\/\/127\.0\.0\.1:1\. Sign in with/);
});
