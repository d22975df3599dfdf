import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { NewMail } from '../accounts/mails/mails-store.ts';
import { takeOverEarlierMails } from './earlier-mails.ts';

const NOW = 1_794_700_000_000_000_000n as EpochNs;
const root = mkdtempSync(join(tmpdir(), 'tapeloom-earlier-'));
after(() => rmSync(root, { recursive: true }));
let directories = 0;

/** A directory as an earlier version left it, with mails of these names. */
function left(...names: readonly string[]): string {
  directories += 1;
  const directory = join(root, String(directories));
  mkdirSync(directory);
  for (const name of names) {
    const mail = { to: `${name[0]}@example.com`, subject: 'Hello', text: 'text', html: '<p>' };
    writeFileSync(join(directory, name), JSON.stringify({ mail, uselessAt: '1' }));
  }
  return directory;
}

function name(letter: string): string {
  return `${letter.repeat(32)}.json`;
}

async function takeOver(directory: string, oweMail?: (mail: NewMail) => Promise<void>) {
  const owed: NewMail[] = [];
  const unreadable: string[] = [];
  const owe = oweMail ?? (async (mail: NewMail) => void owed.push(mail));
  await takeOverEarlierMails({
    directory,
    mails: { oweMail: (_, mail) => owe(mail) },
    now: () => NOW,
    onUnreadable: (path) => unreadable.push(path),
  });
  return { owed, unreadable };
}

test('mails that an earlier version kept as files are owed, however old, and their directory goes', async () => {
  const directory = left(name('a'), name('b'));
  writeFileSync(join(directory, `${'c'.repeat(32)}.json.tmp`), '{"mail"');
  const { owed, unreadable } = await takeOver(directory);
  assert.deepEqual(
    owed.map(({ id, kind, reader }) => [id, kind, reader]),
    [
      [`composed.${'a'.repeat(32)}`, 'composed', 'a@example.com'],
      [`composed.${'b'.repeat(32)}`, 'composed', 'b@example.com'],
    ],
  );
  assert.deepEqual(owed[0]!.details, { subject: 'Hello', text: 'text', html: '<p>' });
  assert.deepEqual([unreadable, readdirSync(root).includes(String(directories))], [[], false]);
  assert.deepEqual((await takeOver(directory)).owed, [], 'nor is it missed');
});

test('files that cannot be read keep no other back, are reported and stay', async () => {
  const directory = left(name('d'));
  mkdirSync(join(directory, name('0')));
  writeFileSync(join(directory, name('1')), '{"mail":{"to":');
  writeFileSync(join(directory, name('2')), '{"mail":{"to":"x"}}');
  const { owed, unreadable } = await takeOver(directory);
  assert.deepEqual(
    owed.map(({ reader }) => reader),
    ['d@example.com'],
  );
  const stayed = [name('0'), name('1'), name('2')];
  assert.deepEqual(readdirSync(directory).sort(), stayed);
  assert.deepEqual(
    unreadable,
    stayed.map((file) => join(directory, file)),
  );
});

test('a file stays until the database has its mail', async () => {
  const directory = left(name('e'), name('f'));
  const fails = async () => {
    throw new Error('no room');
  };
  await assert.rejects(takeOver(directory, fails), /no room/);
  assert.equal(readdirSync(directory).length, 2);
  assert.equal((await takeOver(directory)).owed.length, 2);
});
