import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { RecordedIo } from '../../testing/recorded-io.ts';
import { UsageError } from '../command.ts';
import { customerClient, keyPrefix, readKey, readUrl, servicePlace } from './customer-options.ts';
import { NotSignedInError } from './failure.ts';
import { profilesPath, writeProfiles } from './profiles.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tapeloom-place-'));
const HOME = { XDG_CONFIG_HOME: scratch };
const key = (letter: string) => `svc_live_${letter.repeat(33)}`;

before(async () => {
  await writeProfiles(
    profilesPath(HOME)!,
    new Map([
      ['default', { url: 'https://kept.example', key: key('k') }],
      ['work', { url: 'https://work.example', key: key('w') }],
    ]),
  );
});
after(() => rmSync(scratch, { recursive: true }));

const place = (values: Parameters<typeof servicePlace>[0], env: Record<string, string> = HOME) =>
  servicePlace(values, new RecordedIo({ env }));

test('an option goes before a variable, a variable before what login has kept', async () => {
  const variables = { ...HOME, TAPELOOM_URL: 'https://v.example', TAPELOOM_KEY: key('v') };
  const options = { url: 'https://o.example', key: key('o') };
  assert.deepEqual(await place(options, variables), options);
  assert.deepEqual(await place({}, variables), { url: 'https://v.example', key: key('v') });
  assert.deepEqual(await place({}), { url: 'https://kept.example', key: key('k') });
  assert.deepEqual(await place({ profile: 'work' }), {
    url: 'https://work.example',
    key: key('w'),
  });
  const byVariable = await place({}, { ...HOME, TAPELOOM_PROFILE: 'work' });
  assert.equal(byVariable.key, key('w'));
  const empty = { ...HOME, TAPELOOM_URL: '', TAPELOOM_KEY: '', TAPELOOM_PROFILE: '' };
  assert.deepEqual(await place({}, empty), { url: 'https://kept.example', key: key('k') });
});

test('without anything it is the service of this machine, and no key', async () => {
  assert.deepEqual(await place({}, {}), { url: 'http://127.0.0.1:8080', key: null });
  const port = { TAPELOOM_PORT: '9000' };
  assert.deepEqual(await place({}, port), { url: 'http://127.0.0.1:9000', key: null });
  const io = new RecordedIo();
  await assert.rejects(customerClient({}, io), NotSignedInError);
});

test('a kept key goes to no other address than its own', async () => {
  assert.deepEqual(await place({ url: 'https://other.example' }), {
    url: 'https://other.example',
    key: null,
  });
  const elsewhere = { ...HOME, TAPELOOM_URL: 'http://kept.example' };
  assert.equal((await place({}, elsewhere)).key, null, 'also not without encryption');
  assert.equal((await place({ url: 'wss://kept.example/v1/' })).key, key('k'));
});

test('a profile that nobody signed in to is told by its name', async () => {
  await assert.rejects(
    place({ profile: 'home' }),
    /not signed in with the profile home\. .*--profile home/,
  );
  await assert.rejects(place({ profile: '../x' }), UsageError);
});

test('addresses are taken as people paste them', () => {
  assert.equal(readUrl('http://127.0.0.1:8080'), 'http://127.0.0.1:8080');
  assert.equal(readUrl('ws://127.0.0.1:8080/v1'), 'http://127.0.0.1:8080');
  assert.equal(readUrl('wss://x.example/behind/v1/'), 'https://x.example/behind');
  for (const text of ['', 'x', 'ftp://x.example', 'https://ada:secret@x.example', key('k')]) {
    assert.throws(
      () => readUrl(text),
      (error: Error) => error instanceof UsageError && !/secret|kkk/.test(error.message),
    );
  }
});

test('a key is judged before it is sent, shown by its beginning, and never quoted', () => {
  assert.equal(readKey(`  ${key('k')}\n`), key('k'));
  assert.equal(keyPrefix(key('k')), 'svc_live_kkkk…');
  for (const text of ['', 'hunter2', key('k').slice(1), `${key('k')}k`]) {
    assert.throws(
      () => readKey(text),
      (error: Error) => error instanceof UsageError && !/hunter2|kkkk/.test(error.message),
    );
  }
});
