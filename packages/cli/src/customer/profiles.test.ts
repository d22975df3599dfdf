import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { forgetProfile, profilesPath, readProfiles, writeProfiles } from './profiles.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tapeloom-profiles-'));
after(() => rmSync(scratch, { recursive: true }));

const KEY = `svc_live_${'k'.repeat(33)}`;
const PROFILE = { url: 'https://api.example.com', key: KEY };
const modesMissing = process.platform === 'win32' ? 'this platform has no modes' : false;

test('the file lies where each platform keeps the settings of a user', () => {
  const path = (env: Record<string, string>, platform: NodeJS.Platform) =>
    profilesPath(env, platform);
  const home = { HOME: '/home/ada' };
  assert.equal(path(home, 'linux'), '/home/ada/.config/tapeloom/credentials.json');
  assert.equal(
    path(home, 'darwin'),
    '/home/ada/Library/Application Support/tapeloom/credentials.json',
  );
  const elsewhere = { ...home, XDG_CONFIG_HOME: '/etc/ada' };
  assert.equal(path(elsewhere, 'linux'), '/etc/ada/tapeloom/credentials.json');
  const appData = { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' };
  assert.equal(
    path(appData, 'win32'),
    'C:\\Users\\ada\\AppData\\Roaming\\tapeloom\\credentials.json',
  );
  assert.equal(path({}, 'linux'), null);
});

test('what is written is read again, and is its owner’s alone whatever the umask', async () => {
  const path = join(scratch, 'deep', 'tapeloom', 'credentials.json');
  const umask = process.umask(0);
  try {
    await writeProfiles(path, new Map([['default', PROFILE]]));
  } finally {
    process.umask(umask);
  }
  assert.deepEqual(await readProfiles(path), new Map([['default', PROFILE]]));
  assert.deepEqual(readdirSync(dirname(path)), ['credentials.json'], 'no draft is left');
  if (modesMissing) return;
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(dirname(path)).mode & 0o777, 0o700);
});

test('a file that others can read or write is not used', { skip: modesMissing }, async () => {
  const path = join(scratch, 'exposed.json');
  await writeProfiles(path, new Map([['default', PROFILE]]));
  for (const [mode, what] of [
    [0o640, 'read'],
    [0o604, 'read'],
    [0o620, 'write'],
  ] as const) {
    chmodSync(path, mode);
    await assert.rejects(readProfiles(path), (error: Error) => {
      assert.match(
        error.message,
        new RegExp(`other users can ${what} .*exposed\\.json.*chmod 600`),
      );
      return !error.message.includes(KEY);
    });
  }
  assert.equal(await forgetProfile(path, 'default'), true, 'but it can be forgotten');
  assert.deepEqual(await readProfiles(path), new Map());
});

test('a file of another shape is told without a word of its content', async () => {
  const path = join(scratch, 'broken.json');
  for (const text of [KEY, '{}', '{"profiles":{"default":{"url":1}}}', '{"profiles":{"a":null}}']) {
    writeFileSync(path, text, { mode: 0o600 });
    await assert.rejects(readProfiles(path), (error: Error) => {
      assert.match(error.message, /delete it and sign in again/);
      return !error.message.includes(KEY) && error.cause === undefined;
    });
  }
});

test('profiles stand beside each other, and the last one takes the file with it', async () => {
  const path = join(scratch, 'two.json');
  await writeProfiles(
    path,
    new Map([
      ['default', PROFILE],
      ['work', PROFILE],
    ]),
  );
  assert.equal(await forgetProfile(path, 'nobody'), false);
  assert.equal(await forgetProfile(path, 'default'), true);
  assert.deepEqual([...(await readProfiles(path)).keys()], ['work']);
  assert.equal(await forgetProfile(path, 'work'), true);
  assert.equal(readdirSync(scratch).includes('two.json'), false);
  assert.equal(await forgetProfile(path, 'work'), false);
});
