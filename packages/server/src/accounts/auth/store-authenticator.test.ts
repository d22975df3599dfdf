import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { AuthenticatorDesk, START } from '../../../testing/accounts/auth/authenticator-desk.ts';
import { MemoryAccounts } from '../../../testing/accounts/memory-accounts.ts';
import { digestOf, isSoundText, newKeyText, newTokenText } from './secret.ts';
import { StoreAuthenticator } from './store-authenticator.ts';

test('a key is recognised behind the word Bearer in any case, with its account and rights', async () => {
  await using desk = await AuthenticatorDesk.open();
  const accountId = await desk.accounts.account('live');
  const { text, record } = await desk.accounts.key(accountId, { scopes: ['stream'] });
  for (const word of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    const found = await desk.authenticator.authenticate(`${word} ${text}`);
    assert.ok(found.verdict === 'accepted');
    const { caller } = found;
    assert.deepEqual(
      [caller.accountId, caller.keyId, caller.isSuspended, caller.entitlements.plan],
      [accountId, record.id, false, 'live'],
    );
    assert.ok(caller.entitlements.hasScope('stream') && !caller.entitlements.hasScope('keys'));
  }
});

test('a missing header, a malformed one and an unknown key are told apart; only the last is looked up', async () => {
  await using desk = await AuthenticatorDesk.open();
  const { text } = await desk.accounts.key(await desk.accounts.account());
  const before = desk.accounts.callCount();
  const wrongSum = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
  for (const header of [
    text,
    `Bearer  ${text}`,
    `Bearer ${text} `,
    `Basic ${text}`,
    'Bearer svc_live_short',
    `Bearer ${text}!`,
    `Bearer ${text}, Bearer ${text}`,
    `Bearer ${wrongSum}`,
    `Bearer ${text.replace('live', 'test')}`,
    `Bearer ${newTokenText(randomBytes)}`,
  ]) {
    const { verdict } = await desk.authenticator.authenticate(header);
    assert.equal(verdict, 'malformed', JSON.stringify(header));
  }
  for (const header of [undefined, '', 'Bearer', 'bearer ']) {
    assert.equal(
      (await desk.authenticator.authenticate(header)).verdict,
      'missing',
      String(header),
    );
  }
  assert.equal(desk.accounts.callCount(), before);
  const invented = { text: newKeyText('live', randomBytes) };
  assert.equal((await desk.authenticate(invented)).verdict, 'unknown');
  assert.equal(desk.accounts.callCount(), before + 1);
});

test('a key is recognised by its digest, and no secret is on disk [SEC-01]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapeloom-secrets-'));
  const clock = new ManualClock(START);
  const accounts = await MemoryAccounts.open(clock, join(folder, 'accounts.db'));
  const key = await accounts.key(await accounts.account());
  const token = await accounts.token(key);
  {
    using authenticator = new StoreAuthenticator({ store: accounts.store, clock, onFault() {} });
    const found = await authenticator.authenticate(`Bearer ${key.text}`);
    assert.equal(found.verdict, 'accepted');
  }
  const filesHold = async (text: string) => {
    const files = await readdir(folder);
    const contents = await Promise.all(files.map((file) => readFile(join(folder, file))));
    return contents.some((bytes) => bytes.includes(text));
  };
  assert.ok(await filesHold(digestOf(key.text).hash));
  for (const secret of [key.text, token]) {
    assert.ok(isSoundText(secret));
    // 27 characters of base 62 hold 160 bits.
    const random = secret.slice(-33, -6);
    assert.equal(await filesHold(random), false);
  }
  await accounts[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test('a key seen before costs no call to the store, and parallel first look-ups share one', async () => {
  await using desk = await AuthenticatorDesk.open();
  const key = await desk.accounts.key(await desk.accounts.account());
  const first = await Promise.all(Array.from({ length: 50 }, () => desk.verdict(key)));
  assert.deepEqual(new Set(first), new Set(['accepted']));
  assert.equal(desk.accounts.callCount('findKey'), 1);
  const before = desk.accounts.callCount();
  for (let call = 0; call < 1_000; call += 1) assert.equal(await desk.verdict(key), 'accepted');
  assert.equal(desk.accounts.callCount(), before);
});

test('the key unused for longest is forgotten first, and guesses push nobody out', async () => {
  await using desk = await AuthenticatorDesk.open({ validKeysRememberedMax: 2 });
  const accountId = await desk.accounts.account();
  const [a, b, c] = [
    await desk.accounts.key(accountId),
    await desk.accounts.key(accountId),
    await desk.accounts.key(accountId),
  ];
  const lookUps = () => desk.accounts.callCount('findKey');
  for (const key of [a, b, a, c]) await desk.verdict(key);
  assert.equal(lookUps(), 3);
  for (let guess = 0; guess < 100; guess += 1) {
    await desk.authenticate({ text: newKeyText('live', randomBytes) });
  }
  assert.equal(lookUps(), 103);
  for (const key of [a, c]) await desk.verdict(key);
  assert.equal(lookUps(), 103);
  await desk.verdict(b);
  assert.equal(lookUps(), 104);
});

test('keys that have ended push no valid one out of the memory, and are remembered up to a limit [SEC-36][SEC-37]', async () => {
  await using desk = await AuthenticatorDesk.open({
    validKeysRememberedMax: 2,
    endedKeysRememberedMax: 3,
  });
  const valid = await desk.accounts.key(await desk.accounts.account());
  await desk.verdict(valid);
  const accountId = await desk.accounts.account();
  for (let made = 0; made < 5; made += 1) {
    const expiring = await desk.accounts.key(accountId, { expiresAt: desk.at(made + 1) });
    await desk.verdict(expiring);
    desk.clock.advanceTo(desk.at(made + 1));
    assert.equal(await desk.verdict(expiring), 'expired');
    const revoked = await desk.accounts.key(accountId);
    await desk.accounts.revoke(revoked);
    assert.equal(await desk.verdict(revoked), 'revoked');
  }
  assert.ok(desk.authenticator.size <= 1 + 3, `${desk.authenticator.size} remembered`);
  const before = desk.accounts.callCount();
  assert.equal(await desk.verdict(valid), 'accepted');
  assert.equal(desk.accounts.callCount(), before);
});

test('a revoked key is refused from the moment the revocation has resolved', async () => {
  await using desk = await AuthenticatorDesk.open();
  const accountId = await desk.accounts.account();
  const [key, other] = [await desk.accounts.key(accountId), await desk.accounts.key(accountId)];
  await desk.verdict(key);
  await desk.accounts.revoke(key);
  assert.equal(await desk.verdict(key), 'revoked');
  assert.equal(await desk.verdict(other), 'accepted');
  const before = desk.accounts.callCount();
  assert.equal(await desk.verdict(key), 'revoked');
  assert.equal(desk.accounts.callCount(), before);
});

test('expiry is judged by the clock at every call, without a look-up', async () => {
  await using desk = await AuthenticatorDesk.open();
  const accountId = await desk.accounts.account();
  const key = await desk.accounts.key(accountId, { expiresAt: desk.at(60) });
  assert.equal(await desk.verdict(key), 'accepted');
  desk.clock.advanceTo(desk.at(60) - 1n);
  assert.equal(await desk.verdict(key), 'accepted');
  desk.clock.advanceTo(desk.at(60));
  assert.equal(await desk.verdict(key), 'expired');
  assert.equal(desk.accounts.callCount('findKey'), 1);
});

test('a grant that runs out changes the rights of the next call', async () => {
  await using desk = await AuthenticatorDesk.open();
  const key = await desk.accounts.key(await desk.accounts.account('live', desk.at(60)));
  assert.equal((await desk.caller(key)).entitlements.limits.delaySeconds, 0);
  desk.clock.advanceTo(desk.at(60));
  assert.equal((await desk.caller(key)).entitlements.limits.delaySeconds, 600);
  assert.equal(desk.accounts.callCount('findKey'), 1);
});

test('a change that meets a look-up under way is not overlooked', async () => {
  await using desk = await AuthenticatorDesk.open();
  for (let round = 0; round < 20; round += 1) {
    const key = await desk.accounts.key(await desk.accounts.account());
    const looking = desk.verdict(key);
    const revoking = desk.accounts.revoke(key);
    for (let turns = 0; turns < round % 4; turns += 1) await turn();
    await Promise.all([looking, revoking]);
    assert.equal(await desk.verdict(key), 'revoked');
  }
});

test('a token is good once, for the rights of its key, and not after a minute', async () => {
  await using desk = await AuthenticatorDesk.open();
  const accountId = await desk.accounts.account('live');
  const key = await desk.accounts.key(accountId, { scopes: ['stream'] });
  const consume = (token: string) => desk.authenticator.consumeToken(token);
  const token = await desk.accounts.token(key);
  const used = await consume(token);
  assert.ok(used.verdict === 'accepted' && used.caller.keyId === key.record.id);
  assert.equal((await consume(token)).verdict, 'unknown');
  const late = await desk.accounts.token(key);
  desk.clock.advance(60_000);
  assert.equal((await consume(late)).verdict, 'unknown');
  const before = desk.accounts.callCount();
  for (const text of ['', 'bad', key.text, `${late}0`, late.toUpperCase()]) {
    assert.equal((await consume(text)).verdict, 'malformed', text);
  }
  assert.equal(desk.accounts.callCount(), before);
});
