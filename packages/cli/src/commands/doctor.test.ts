import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { leaveServiceNote } from '@tapeloom/server/platform/service-note';
import { VERSION } from '@tapeloom/server/platform/version';
import { MailDrop } from '../../../server/testing/mail/mail-drop.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';
import type { Finding } from '../doctor/finding.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-cli-doctor-'));
after(() => rmSync(directory, { recursive: true }));
const PORTS = { TAPELOOM_PORT: '0', TAPELOOM_INTERNAL_PORT: '0' };
let made = 0;
function newData(): string {
  made += 1;
  const data = join(directory, `data-${made}`);
  mkdirSync(data, { mode: 0o700 });
  return data;
}

async function doctor(env: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const data = env.TAPELOOM_DATA ?? newData();
  const { code, out, err } = await runRecorded(commands, ['doctor', '--json', ...words], {
    env: { ...PORTS, ...env, TAPELOOM_DATA: data },
  });
  const { isWell, findings } = JSON.parse(out || '{"findings":[]}') as {
    readonly isWell?: boolean;
    readonly findings: readonly Finding[];
  };
  const of = (check: string) => findings.filter((finding) => finding.check === check);
  return { code, err, isWell, findings, of };
}

/** Every file with its size and time. */
const state = (data: string) =>
  readdirSync(data, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const { size, mtimeMs, mode } = statSync(path);
    return [path, size, mtimeMs, mode];
  });

test('a machine that is well gives OK for every check, ends with 0, and is left as it was', async () => {
  const data = newData();
  using _lock = lockDirectory(data);
  _lock[Symbol.dispose]();
  const before = state(data);
  const { code, findings, of, isWell } = await doctor({ TAPELOOM_DATA: data });
  assert.deepEqual([code, isWell], [0, true]);
  assert.deepEqual(state(data), before);
  const checks = ['settings', 'rights', 'port', 'disk', 'instruments', 'mail', 'proxies', 'memory'];
  for (const check of checks) assert.ok(of(check).length > 0, check);
  assert.deepEqual(
    findings.filter(({ outcome }) => outcome === 'error'),
    [],
  );
  for (const { outcome, advice, check } of findings) {
    assert.equal(advice === null, outcome === 'ok' || outcome === 'skipped', check);
  }
});

test('the table names every check with its outcome, and below stands what to do', async () => {
  const env = { ...PORTS, TAPELOOM_DATA: newData(), TAPELOOM_PUBLIC_URL: 'http://tape.example' };
  const { code, out } = await runRecorded(commands, ['doctor'], { env });
  assert.equal(code, 0);
  assert.match(out, /^check +outcome +found$/m);
  assert.match(out, /^rights +OK +/m);
  assert.match(
    out,
    /^mail +warning +no mail server; mails are written to files in .* and not sent$/m,
  );
  assert.match(out, /^What to do:$/m);
  assert.match(out, /^ {2}mail: Set TAPELOOM_SMTP_URL/m);
});

test('wrong settings, a port in use and a directory that is none are errors with advice, and end with 1', async () => {
  const wrong = await doctor({ TAPELOOM_PORT: '80a' });
  assert.equal(wrong.code, 1);
  assert.match(wrong.of('settings')[0]!.detail, /^TAPELOOM_PORT must be .*; got "80a"/);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const taken = await doctor({ TAPELOOM_PORT: String(port) });
  server.close();
  assert.equal(taken.code, 1);
  const [used] = taken.of('port');
  assert.equal(used!.outcome, 'error');
  assert.match(used!.detail, /EADDRINUSE/);
  assert.match(used!.advice!, /TAPELOOM_PORT/);
  const [elsewhere] = (await doctor({ TAPELOOM_HOST: '203.0.113.9' })).of('port');
  assert.equal(elsewhere!.detail, '203.0.113.9:0: this machine does not have that address');
  assert.match(elsewhere!.advice!, /^Set TAPELOOM_HOST to an address of this machine/);
  const file = join(directory, 'a-file');
  writeFileSync(file, '');
  const [found] = (await doctor({ TAPELOOM_DATA: file })).of('rights');
  assert.match(found!.detail, /is not a directory/);
  const link = join(directory, 'a-link');
  symlinkSync(newData(), link);
  assert.equal((await doctor({ TAPELOOM_DATA: link })).of('rights')[0]!.outcome, 'ok');
});

const refusalMissing = process.geteuid?.() === 0 && 'root may write everything';
test('files that the user cannot write are named', {
  skip: refusalMissing,
}, async () => {
  const data = newData();
  writeFileSync(join(data, 'format.json'), '{"format":1,"program":"0.1.0"}', { mode: 0o400 });
  const { code, of } = await doctor({ TAPELOOM_DATA: data });
  assert.equal(code, 1);
  assert.match(of('rights')[0]!.detail, /cannot read and write format\.json/);
});

test('accounts that others can read, and a format of a newer version, are found', async () => {
  const data = newData();
  mkdirSync(join(data, 'accounts'));
  writeFileSync(join(data, 'accounts/accounts.db'), '');
  chmodSync(join(data, 'accounts/accounts.db'), 0o644);
  writeFileSync(join(data, 'format.json'), '{"format":99,"program":"9.0.0"}');
  const { code, of } = await doctor({ TAPELOOM_DATA: data });
  assert.equal(code, 1);
  assert.ok(of('rights').some(({ outcome }) => outcome === 'warning'));
  assert.match(of('format')[0]!.detail, /format 99/);
});

test('a tape that is ahead of the clock is an error', async () => {
  const data = newData();
  mkdirSync(join(data, 'tape/SIM/log'), { recursive: true });
  writeFileSync(join(data, 'tape/SIM/log/20991231.log'), '');
  const { code, of } = await doctor({ TAPELOOM_DATA: data });
  assert.equal(code, 1);
  assert.match(of('clock').at(-1)!.detail, /the tape contains the day 20991231/);
});

test('instruments without days, and products whose last contract has expired, are told', async () => {
  const data = newData();
  const contracts = { from: '2020-03', to: '2020-06' };
  const datasets = { GLBX: { products: { ES: { extends: 'ES', contracts } } } };
  writeFileSync(join(data, 'instruments.yaml'), JSON.stringify({ datasets }));
  const { code, of } = await doctor({ TAPELOOM_DATA: data });
  assert.equal(code, 0);
  assert.deepEqual(
    of('instruments').map(({ outcome, detail }) => [outcome, detail]),
    [
      ['warning', 'GLBX: 2 contracts, but no day was imported'],
      ['warning', 'GLBX: ESM0, the last contract of ES, expired on 2020-06-19'],
    ],
  );
});

test('the mail server is asked, gets a test mail only where that is asked for, and a closed one is an error', async () => {
  await using drop = await MailDrop.open();
  const env = {
    TAPELOOM_SMTP_URL: `smtp://127.0.0.1:${drop.port}`,
    TAPELOOM_MAIL_FROM: 'no-reply@tapeloom.example.com',
  };
  assert.equal((await doctor(env)).of('mail')[0]!.outcome, 'ok');
  assert.equal(drop.has('me@example.com', ''), false);
  const sent = await doctor(env, '--mail-to', 'me@example.com');
  assert.match(sent.of('mail')[0]!.detail, /accepted a test mail to me@example\.com/);
  assert.equal(drop.has('me@example.com', ''), true);
  const closed = await doctor({ ...env, TAPELOOM_SMTP_URL: 'smtp://127.0.0.1:1' });
  assert.equal(closed.code, 1);
  assert.equal(closed.of('mail')[0]!.outcome, 'error');
  const nobody = await doctor({}, '--mail-to', 'me@example.com');
  assert.deepEqual([nobody.code, nobody.findings], [2, []]);
  assert.match(nobody.err, /TAPELOOM_SMTP_URL/);
});

test('a service that holds the directory and does not answer is an error; another version wants a restart', async () => {
  const data = newData();
  using _lock = lockDirectory(data);
  const starting = await doctor({ TAPELOOM_DATA: data });
  assert.equal(starting.of('service')[0]!.outcome, 'warning');
  const { pid } = process;
  const at = { portal: null, internal: 'http://127.0.0.1:1' };
  using _note = leaveServiceNote(data, { pid, version: '0.0.1', ...at });
  const { code, of } = await doctor({ TAPELOOM_DATA: data });
  assert.equal(code, 1);
  const [health, version] = of('service');
  assert.match(health!.detail, /does not respond/);
  assert.match(version!.detail, new RegExp(`it runs 0\\.0\\.1, but ${VERSION} is installed`));
});
