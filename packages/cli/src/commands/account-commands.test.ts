import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { digestOf, isSoundText } from '@tapeloom/server/accounts/auth/secret';
import { accountsPath } from '@tapeloom/server/accounts/store/sqlite/accounts-path';
import { backupAccounts } from '@tapeloom/server/accounts/store/sqlite/backup';
import { openSqliteAccountStore } from '@tapeloom/server/accounts/store/sqlite/sqlite-account-store';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { fixtureOf } from '../../../server/testing/accounts/store/migration-fixture.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-cli-accounts-'));
after(() => rmSync(directory, { recursive: true }));
let directories = 0;

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Key {
  readonly id: string;
  readonly key: string;
  readonly [field: string]: unknown;
}

/** A new data directory, and the commands on it. */
function operator() {
  directories += 1;
  const data = join(directory, String(directories));
  const run = async (...words: readonly string[]): Promise<Outcome> => {
    return runRecorded(commands, words, { env: { TAPELOOM_DATA: data } });
  };
  const json = async <T>(...words: readonly string[]): Promise<T> => {
    const { code, out, err } = await run(...words, '--json');
    assert.equal(code, 0, err);
    return JSON.parse(out) as T;
  };
  return { data, run, json };
}

const NEW_KEY = ['--name', 'app', '--environment', 'live', '--scopes', 'keys,stream'];

test('an account is created, listed, shown, changed, suspended and resumed', async () => {
  const { run, json } = operator();
  const created = await run('account', 'create', 'acme', '--plan', 'live', '--until', '30d');
  assert.equal(created.code, 0, created.err);
  assert.match(created.out, /acme has been created with the plan live.*key create --account acme/s);
  assert.equal((await run('account', 'create', 'bob@example.com')).code, 0);

  const list = await run('account', 'list');
  assert.match(list.out, /^name +owner +plan +until +state +created +id\nacme +- +live +20\d\d-/);
  assert.match(list.out, /^bob@example\.com +- +sandbox +- +active +20/m);

  const shown = await run('account', 'show', 'acme');
  assert.match(shown.out, /^plan +live\ngrant +live, until .*\nvalid keys +0 of 10\n/m);
  assert.match(shown.out, /^compute units +none in this plan$/m);

  assert.equal(
    (await run('account', 'plan', 'acme', 'live_history')).out,
    'acme: live → live_history\n',
  );
  const now = await json<{ plan: string; grants: unknown[] }>('account', 'show', 'acme');
  assert.equal(now.plan, 'live_history');
  assert.deepEqual(now.grants, [
    { plan: 'live', until: null },
    { plan: 'history', until: null },
  ]);

  assert.equal((await run('account', 'suspend', 'acme')).out, 'acme is suspended.\n');
  assert.match((await run('account', 'suspend', 'acme')).out, /suspended, as it was before/);
  assert.match((await run('account', 'list')).out, /^acme +- +live_history +- +suspended/m);
  assert.equal((await run('account', 'resume', 'acme')).out, 'acme is active.\n');
});

test('an account shows which of its keys used what this month', async () => {
  const { data, run, json } = operator();
  const { id: accountId } = await json<Key>('account', 'create', 'acme');
  const key = await json<Key>('key', 'create', '--account', 'acme', ...NEW_KEY);
  const { period } = (await json<{ usage: { period: string } }>('account', 'show', 'acme')).usage;
  {
    await using store = await openSqliteAccountStore(accountsPath(data));
    const whose = { accountId, keyId: key.id, isTest: false, period };
    await store.addUsage([{ ...whose, restRequests: 1_234 }]);
  }
  const used = `used by +${key.id} \\(live\\): 0 units, 0 items, 0 bytes, 1,234 requests`;
  assert.match((await run('account', 'show', 'acme')).out, new RegExp(`^${used}$`, 'm'));
  const { usage } = await json<{ usage: { byKey: { keyId: string }[] } }>(
    'account',
    'show',
    'acme',
  );
  assert.deepEqual(
    usage.byKey.map(({ keyId }) => keyId),
    [key.id],
  );
});

test('a key is created with its secret shown once, listed without it, and revoked', async () => {
  const { data, run, json } = operator();
  await run('account', 'create', 'acme');
  const made = await json<Key>(
    'key',
    'create',
    '--account',
    'acme',
    ...NEW_KEY,
    '--expires',
    '90d',
  );
  assert.ok(isSoundText(made.key));
  assert.deepEqual(made.scopes, ['stream', 'keys']);
  assert.equal(made.state, 'expiring');
  const told = await run('key', 'create', '--account', 'acme', ...NEW_KEY);
  const secret = /^ {2}(svc_live_\w+)$/m.exec(told.out)![1]!;
  assert.ok(isSoundText(secret));

  const listed = await run('key', 'list', '--account', 'acme');
  assert.match(listed.out, new RegExp(`^${made.id} +app +svc_live_…${made.hint} +expiring`, 'm'));
  const records = await json<Key[]>('key', 'list', '--account', 'acme');
  assert.equal(records.length, 2);
  const later = [listed.out, JSON.stringify(records), (await run('account', 'show', 'acme')).out];
  later.push((await run('audit')).out, readFileSync(accountsPath(data), 'latin1'));
  for (const text of later) {
    assert.ok(!text.includes(secret) && !text.includes(made.key), 'shown once');
  }
  assert.ok(!later.slice(0, -1).some((text) => text.includes(digestOf(secret).hash)));

  const unasked = await run('key', 'revoke', made.id);
  assert.equal(unasked.code, 2, 'nobody is there to be asked');
  assert.match(unasked.err, /no terminal to ask on; add --yes/);
  const revoked = await run('key', 'revoke', made.id, '--yes');
  assert.match(revoked.out, /^The key "app" of acme was revoked at 20/);
  assert.deepEqual(await run('key', 'revoke', made.id), revoked, 'and stays so');
  assert.match((await run('key', 'revoke', 'key_nope')).err, /no key has the id key_nope/);
});

test('restrictions of a key are checked like over REST', async () => {
  const { run, json } = operator();
  await run('account', 'create', 'acme');
  const create = (...words: string[]) => run('key', 'create', '--account', 'acme', ...words);
  const restricted = await json<Key>(
    ...['key', 'create', '--account', 'acme', ...NEW_KEY],
    ...['--instruments', 'ES.c.0, BTC.c.0,ES.c.0', '--ips', '10.0.0.0/8,2001:db8::1'],
  );
  assert.deepEqual(restricted.instruments, ['ES.c.0', 'BTC.c.0']);
  assert.deepEqual(restricted.allowedIps, ['10.0.0.0/8', '2001:db8::1']);
  const wrong: readonly (readonly [RegExp, readonly string[]])[] = [
    [/--name is missing/, ['--environment', 'live', '--scopes', 'stream']],
    [/--name must have 1 to 64/, [...NEW_KEY, '--name', '']],
    [/--name must have 1 to 64/, [...NEW_KEY, '--name', 'x'.repeat(65)]],
    [/--name must have no control characters/, [...NEW_KEY, '--name', 'a\u009b31m']],
    [/--name must have no control characters/, [...NEW_KEY, '--name', '\u202ered']],
    [/--name must not be blank/, [...NEW_KEY, '--name', '  ']],
    [/--ips must be .*; got ::ffff:10\.0\.0\.1\/8/, [...NEW_KEY, '--ips', '::ffff:10.0.0.1/8']],
    [/--environment must be live or test; got prod/, [...NEW_KEY, '--environment', 'prod']],
    [/--scopes must be .*; got none/, [...NEW_KEY, '--scopes', '']],
    [/--scopes must be .*; got admin/, [...NEW_KEY, '--scopes', 'stream,admin']],
    [
      /no contract or alias is called es\.c\.0; did you mean ES\.c\.0/,
      [...NEW_KEY, '--instruments', 'es.c.0'],
    ],
    [/--instruments takes 1 to 32/, [...NEW_KEY, '--instruments', '']],
    [/--ips must be addresses or CIDR ranges/, [...NEW_KEY, '--ips', '10.0.0.0/33']],
    [
      /--ips takes 1 to 32/,
      [...NEW_KEY, '--ips', Array.from({ length: 33 }, (_, i) => `10.0.0.${i}`).join()],
    ],
    [/--expires must be in the future/, [...NEW_KEY, '--expires', '2020-01-01']],
    [/--expires must be before 2262/, [...NEW_KEY, '--expires', '2300-01-01']],
    [/--expires must be a date/, [...NEW_KEY, '--expires', 'soon']],
  ];
  for (const [message, words] of wrong) {
    const { code, out, err } = await create(...words);
    assert.equal(code, 2, `${words.join(' ')}: ${out}${err}`);
    assert.match(err, message);
  }
  assert.equal((await json<Key[]>('key', 'list', '--account', 'acme')).length, 1);
});

test('an eleventh valid key is refused, and possible again after a revocation', async () => {
  const { run, json } = operator();
  await run('account', 'create', 'acme');
  const create = () => run('key', 'create', '--account', 'acme', ...NEW_KEY, '--json');
  const made: Key[] = [];
  for (let count = 0; count < 10; count += 1) made.push(JSON.parse((await create()).out));
  const refused = await create();
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.err, /acme has 10 valid keys, which is the limit; revoke one first/);
  await run('key', 'revoke', made[0]!.id, '--yes');
  assert.equal((await create()).code, 0);
  assert.equal((await json<Key[]>('key', 'list', '--account', 'acme')).length, 11);
});

test('the audit log tells what happened, by account, newest last', async () => {
  const { run } = operator();
  for (const name of ['acme', 'other']) await run('account', 'create', name);
  const made = JSON.parse(
    (await run('key', 'create', '--account', 'acme', ...NEW_KEY, '--json')).out,
  );
  await run('account', 'plan', 'acme', 'history');
  await run('account', 'suspend', 'acme');
  await run('account', 'resume', 'acme');
  await run('key', 'revoke', made.id, '--yes');
  const { out } = await run('audit', '--account', 'acme', '--json');
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    events.map(({ kind }) => kind),
    [
      'account.created',
      'key.created',
      'account.plan-changed',
      'account.suspended',
      'account.resumed',
      'key.revoked',
    ],
  );
  assert.ok(events.every(({ actor }) => actor === 'operator'));
  const table = await run('audit', '--limit', '1');
  assert.match(
    table.out,
    /^ *# +at +times +account +what +key +by +details\n *\d+ .* 1 +acme +key\.revoked/,
  );
  assert.equal(table.out.split('\n').length, 3);
  assert.equal((await run('audit', '--limit', '0')).code, 2);
  const lines = async (since: string) =>
    (await run('audit', '--since', since, '--json')).out.split('\n').length - 1;
  assert.deepEqual(
    [await lines('1h'), await lines('2020-01-01'), await lines('2200-01-01')],
    [7, 7, 0],
  );
  assert.equal((await run('audit', '--since', '2200-01-01')).out, 'Nothing has happened since.\n');
  const wrong = await run('audit', '--since', 'yesterday');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /--since must be a date .* or a span until now like 7d.*; got yesterday/);
});

test('wrong names, plans, words and places are refused with a sentence', async () => {
  const { data, run } = operator();
  const none = await run('account', 'list');
  assert.equal(none.code, 1);
  assert.match(
    none.err,
    /there are no accounts in .*; npm start or tapeloom account create creates the first one/,
  );
  await run('account', 'create', 'acme');
  const cases: readonly (readonly [number, RegExp, string])[] = [
    [1, /an account called acme already exists/, 'account create acme'],
    [2, /the name must be 1 to 64 letters/, 'account create a/b'],
    [2, /the name of the account is missing/, 'account create'],
    [2, /unexpected argument: b/, 'account create a b'],
    [
      2,
      /the plan must be one of sandbox, live, history, live_history; got gold/,
      'account create x --plan gold',
    ],
    [2, /the sandbox plan never ends/, 'account create x --until 30d'],
    [1, /no account is called acm; did you mean acme\?/, 'account show acm'],
    [2, /the plan is missing/, 'account plan acme'],
    [
      1,
      /no account is called zzzzzzzz; tapeloom account list shows all/,
      'account suspend zzzzzzzz',
    ],
    [2, /--account is missing/, 'key list'],
    [2, /--account is missing/, 'key create'],
    [2, /the id of the key is missing/, 'key revoke'],
    [2, /unexpected argument: x/, 'audit x'],
    [2, /needs a subcommand/, 'account'],
  ];
  for (const [code, message, words] of cases) {
    const outcome = await run(...words.split(' '));
    assert.equal(outcome.code, code, `${words}: ${outcome.out}${outcome.err}`);
    assert.match(outcome.err, message);
  }
  writeFileSync(accountsPath(data), 'this is no database, and it is long enough to be read as one');
  const damaged = await run('account', 'list');
  assert.equal(damaged.code, 1);
  assert.match(damaged.err, /cannot open .*accounts\.db: /);
});

test('a file of accounts that an earlier version made is checked and restored, and nothing is overwritten', async () => {
  const [first, second] = [operator(), operator()];
  assert.match((await first.run('backup', join(first.data, 'x'))).err, /there are no accounts in/);
  await first.run('account', 'create', 'acme');
  const made = await first.json<Key>('key', 'create', '--account', 'acme', ...NEW_KEY);
  const file = join(first.data, 'accounts.backup');
  await backupAccounts(first.data, file);
  assert.equal(statSync(file).mode & 0o077, 0, 'its owner reads it, nobody else');
  assert.ok(!readFileSync(file, 'latin1').includes(made.key));

  const restored = await second.run('restore', file);
  assert.equal(restored.code, 0, restored.err);
  assert.match(
    restored.out,
    /1 account, 1 key, .*revoked after the copy was made are valid again/s,
  );
  assert.match(restored.err, /has no checksum/);
  assert.deepEqual(
    await second.json('account', 'show', 'acme'),
    await first.json('account', 'show', 'acme'),
  );
  assert.match((await second.run('restore', file)).err, /already exists; it is not overwritten/);
});

test('a restore is refused while a service holds the directory, and of what is no sound copy', async () => {
  const [first, second] = [operator(), operator()];
  await first.run('account', 'create', 'acme');
  const file = join(first.data, 'accounts.backup');
  await backupAccounts(first.data, file);
  {
    using _lock = lockDirectory(second.data);
    const refused = await second.run('restore', file);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /is in use by process \d+/);
  }
  const damaged = join(first.data, 'damaged');
  writeFileSync(damaged, readFileSync(file).subarray(0, 5_000));
  for (const [words, message] of [
    [['restore', damaged], /not an intact copy of accounts/],
    [['restore', join(first.data, 'none')], /there is no folder/],
    [['restore'], /the folder to read is missing/],
    [['backup'], /the folder of backups is missing/],
  ] as const) {
    const outcome = await second.run(...words);
    assert.notEqual(outcome.code, 0, words.join(' '));
    assert.match(outcome.err, message);
  }
  assert.match(
    (await second.run('account', 'list')).err,
    /there are no accounts/,
    'nothing is left',
  );
});

/** The accounts as an earlier version left them. */
function earlierAccounts(data: string): string {
  const path = accountsPath(data);
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  database.exec(fixtureOf(6)!);
  database.close();
  return path;
}

function schemaIn(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare('select max(version) as newest from schema_version').get();
  database.close();
  return row?.newest;
}

test('no command upgrades accounts of an earlier version: it refuses, says what does, and changes nothing', async () => {
  const { data, run } = operator();
  const path = earlierAccounts(data);
  for (const words of [
    ['account', 'list'],
    ['account', 'show', 'fixture'],
    ['account', 'create', 'acme'],
    ['key', 'list', '--account', 'fixture'],
    ['billing', 'ls'],
  ]) {
    const { code, err } = await run(...words);
    assert.notEqual(code, 0, words.join(' '));
    assert.match(err, /schema version 6.*start the service/s, words.join(' '));
    assert.equal(schemaIn(path), 6, words.join(' '));
  }
});

test('every command refuses a directory of a newer format', async () => {
  const { data, run } = operator();
  assert.equal((await run('account', 'create', 'acme')).code, 0);
  writeFileSync(join(data, 'format.json'), '{"format":99,"program":"9.9.9"}');
  for (const words of [
    ['account', 'list'],
    ['account', 'create', 'bob'],
    ['key', 'list', '--account', 'acme'],
    ['tape', 'ls'],
    ['cache', 'ls'],
    ['cache', 'clear'],
    ['cluster', 'repair', data],
    ['study', 'bars', '--tape', 'ESZ6', '--from', '2026-11-02', '--to', '2026-11-03'],
    ['serve', '--replay', 'ESZ6', '--day', '2026-11-02'],
  ]) {
    const { code, err } = await run(...words);
    assert.notEqual(code, 0, words.join(' '));
    assert.match(err, /has format 99.*9\.9\.9/s, words.join(' '));
  }
});
