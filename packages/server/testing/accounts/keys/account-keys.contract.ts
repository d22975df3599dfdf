/** The account store's contract: keys and stream tokens. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyStateAt } from '@tapeloom/core/entitlement/key-rights';
import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import type { KeyRecord } from '../../../src/accounts/keys/keys-store.ts';
import { ALL_RIGHTS, DAY_NS, SECOND_NS, START, type StoreRig } from '../store/account-store-rig.ts';

const MINUTE_NS = 60n * SECOND_NS;
/** Of the interface. */
const VALID_KEYS_MAX = 10;

export function testKeys(adapter: string, start: () => Promise<StoreRig>): void {
  testRecords(adapter, start);
  testRotation(adapter, start);
  testKeyLimit(adapter, start);
  testTokens(adapter, start);
}

function testRecords(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a key is found by its digest with everything it was made with`, async () => {
    const rig = await start();
    const account = await rig.account([{ plan: 'live', until: null }]);
    const wanted = {
      name: 'naïve "quoted" \u{1F511}',
      environment: 'test',
      scopes: ['keys', 'stream'],
      instruments: ['ES.c.0', 'BTCX6'],
      allowedIps: ['10.0.0.0/8', '::1'],
      expiresAt: rig.later(DAY_NS),
    } as const;
    const secret = rig.secret();
    const key = await rig.store.createKey(rig.operator, account.id, wanted, secret);
    assert.ok('id' in key);
    assert.match(key.id, /^key_[0-9a-z]{16,}$/);
    assert.deepEqual(key, {
      ...wanted,
      id: key.id,
      accountId: account.id,
      createdAt: START,
      lastUsedAt: null,
      revokedAt: null,
      rotatedTo: null,
      hint: secret.hint,
    });
    assert.deepEqual(await rig.other.findKey(secret.hash), { key, account });
    assert.equal(await rig.store.findKey(rig.secret().hash), null);
    assert.equal(await rig.store.findKey(secret.hint), null);
  });

  test(`${adapter}: keys are listed newest first, and only those of the account`, async () => {
    const rig = await start();
    const [account, another] = [await rig.account(), await rig.account()];
    const made: KeyRecord[] = [];
    for (let index = 0; index < 3; index += 1) {
      made.unshift(await rig.key(account.id));
      await rig.key(another.id);
      rig.pass(1n);
    }
    assert.deepEqual(await rig.other.listKeys(rig.now, account.id), made);
    assert.deepEqual(await rig.store.listKeys(rig.now, 'acc_none'), []);
  });

  test(`${adapter}: a key that ended is listed for 30 days and found for ever [KEY-35]`, async () => {
    const rig = await start();
    const account = await rig.account();
    const secret = rig.secret();
    const revoked = await rig.store.createKey(rig.operator, account.id, ALL_RIGHTS, secret);
    assert.ok('id' in revoked);
    const expiring = await rig.key(account.id, { expiresAt: rig.later(DAY_NS) });
    const valid = await rig.key(account.id);
    const ids = async () => (await rig.store.listKeys(rig.now, account.id)).map(({ id }) => id);
    rig.pass(SECOND_NS);
    await rig.store.revokeKey(rig.operator, account.id, revoked.id);

    const [endedAt, shownFor] = [rig.now, 30n * DAY_NS];
    rig.now = (endedAt + shownFor - 1n) as EpochNs;
    assert.deepEqual((await ids()).sort(), [revoked.id, expiring.id, valid.id].sort());
    rig.now = (endedAt + shownFor) as EpochNs;
    assert.deepEqual((await ids()).sort(), [expiring.id, valid.id].sort());
    rig.now = (expiring.expiresAt! + shownFor - 1n) as EpochNs;
    assert.deepEqual((await ids()).sort(), [expiring.id, valid.id].sort());
    rig.now = (expiring.expiresAt! + shownFor) as EpochNs;
    assert.deepEqual(await ids(), [valid.id]);
    assert.equal((await rig.store.findKey(secret.hash))?.key.revokedAt, endedAt);
  });

  test(`${adapter}: revoking is at once, and revoking a key that ended changes nothing`, async () => {
    const rig = await start();
    const account = await rig.account();
    const key = await rig.key(account.id, { expiresAt: rig.later(DAY_NS) });
    const revoked = { ...key, revokedAt: rig.now };
    assert.deepEqual(await rig.store.revokeKey(rig.operator, account.id, key.id), revoked);
    rig.pass(SECOND_NS);
    assert.deepEqual(await rig.store.revokeKey(rig.operator, account.id, key.id), revoked);
    const expired = await rig.key(account.id, { expiresAt: rig.later(1n) });
    rig.pass(1n);
    assert.deepEqual(await rig.store.revokeKey(rig.operator, account.id, expired.id), expired);
  });

  test(`${adapter}: the last use is kept to the minute, and never goes back`, async () => {
    const rig = await start();
    const account = await rig.account();
    const [first, second] = [await rig.key(account.id), await rig.key(account.id)];
    const lastUsed = async (key: KeyRecord) => (await rig.listed(key))?.lastUsedAt;
    const minute = (instant: EpochNs) => instant - (instant % MINUTE_NS);
    const later = rig.later(10n * MINUTE_NS);
    await rig.store.touchKeys(new Map([[first.id, later]]));
    await rig.other.touchKeys(
      new Map([
        [first.id, rig.now],
        ['key_none', rig.now],
        [second.id, rig.now],
      ]),
    );
    assert.equal(await lastUsed(first), minute(later));
    assert.equal(await lastUsed(second), minute(rig.now));
    await rig.store.touchKeys(new Map());
  });
}

function testRotation(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a rotation's new key is like the old one [KEY-40] [KEY-41] [KEY-42]`, async () => {
    const rig = await start();
    const account = await rig.account();
    for (const rights of [
      {},
      { environment: 'test', scopes: ['keys'], instruments: ['ESZ6'], allowedIps: ['::/0'] },
      { expiresAt: rig.later(DAY_NS) },
    ] as const) {
      const old = await rig.key(account.id, rights);
      rig.pass(SECOND_NS);
      const secret = rig.secret();
      const rotation = await rig.store.rotateKey(rig.operator, account.id, old.id, 60, secret);
      assert.ok('created' in rotation);
      const { created, previous } = rotation;
      assert.deepEqual(created, {
        ...old,
        id: created.id,
        createdAt: rig.now,
        hint: secret.hint,
      });
      const expiresAt = rig.later(60n * SECOND_NS);
      assert.deepEqual(previous, { ...old, rotatedTo: created.id, expiresAt });
      assert.deepEqual((await rig.other.findKey(secret.hash))?.key, created);
      assert.deepEqual(await rig.listed(old), previous);
    }
  });

  test(`${adapter}: the old key ends by its own date or the grace period, whichever is first`, async () => {
    const rig = await start();
    const account = await rig.account();
    const soon = rig.later(5n * SECOND_NS);
    const cases = [
      [rig.later(DAY_NS), rig.later(60n * SECOND_NS)],
      [soon, soon],
      [null, rig.later(60n * SECOND_NS)],
    ] as const;
    for (const [expiresAt, expected] of cases) {
      const old = await rig.key(account.id, { expiresAt });
      const rotated = await rig.store.rotateKey(rig.operator, account.id, old.id, 60, rig.secret());
      assert.ok('previous' in rotated);
      assert.equal(rotated.previous.expiresAt, expected);
      assert.equal(rotated.created.expiresAt, expiresAt);
    }
  });

  test(`${adapter}: without grace the old key is revoked; with grace it can be revoked later`, async () => {
    const rig = await start();
    const account = await rig.account();
    const [atOnce, later] = [await rig.key(account.id), await rig.key(account.id)];
    const first = await rig.store.rotateKey(rig.operator, account.id, atOnce.id, 0, rig.secret());
    assert.ok('previous' in first);
    assert.deepEqual(first.previous, { ...atOnce, revokedAt: START, rotatedTo: first.created.id });
    const second = await rig.store.rotateKey(rig.operator, account.id, later.id, 60, rig.secret());
    assert.ok('previous' in second);
    rig.pass(SECOND_NS);
    assert.deepEqual(await rig.store.revokeKey(rig.operator, account.id, later.id), {
      ...second.previous,
      revokedAt: rig.now,
    });
  });

  test(`${adapter}: a second rotation, and one of a key that ended, change nothing [KEY-45]`, async () => {
    const rig = await start();
    const account = await rig.account();
    const rotate = (key: KeyRecord, grace: number, choice = 0) =>
      rig.either(choice).rotateKey(rig.operator, account.id, key.id, grace, rig.secret());
    const keys = [await rig.key(account.id), await rig.key(account.id)];
    await rotate(keys[0]!, 0);
    await rotate(keys[1]!, 60);
    const [revoked, expired] = [
      await rig.key(account.id),
      await rig.key(account.id, { expiresAt: rig.later(1n) }),
    ];
    await rig.store.revokeKey(rig.operator, account.id, revoked.id);
    rig.pass(1n);
    const before = await rig.store.listKeys(rig.now, account.id);
    for (const key of keys) {
      assert.deepEqual(await rotate(key, 0), { refused: 'already-rotated' });
      assert.deepEqual(await rotate(key, 60), { refused: 'already-rotated' });
    }
    for (const key of [revoked, expired]) {
      assert.deepEqual(await rotate(key, 60), { refused: 'ended' });
    }
    assert.deepEqual(await rig.other.listKeys(rig.now, account.id), before);

    const once = await rig.key(account.id);
    const raced = await Promise.all([0, 1, 2, 3].map((choice) => rotate(once, 60, choice)));
    assert.equal(raced.filter((one) => 'created' in one).length, 1);
    assert.equal((await rig.store.listKeys(rig.now, account.id)).length, before.length + 2);
  });
}

function testKeyLimit(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: only valid keys count to the ten, and a rotation counts both [KEY-47]`, async () => {
    const rig = await start();
    const account = await rig.account();
    const expiring = await rig.key(account.id, { expiresAt: rig.later(SECOND_NS) });
    const keys = [expiring];
    while (keys.length < VALID_KEYS_MAX) keys.push(await rig.key(account.id));
    const createOne = () => rig.store.createKey(rig.operator, account.id, ALL_RIGHTS, rig.secret());
    const rotate = (grace: number) =>
      rig.store.rotateKey(rig.operator, account.id, keys[5]!.id, grace, rig.secret());
    assert.deepEqual(await createOne(), { refused: 'too-many-keys' });
    assert.deepEqual(await rotate(60), { refused: 'too-many-keys' });
    assert.deepEqual(await rig.listed(keys[5]!), keys[5]);
    assert.ok('created' in (await rotate(0)));
    assert.deepEqual(await createOne(), { refused: 'too-many-keys' });

    rig.now = expiring.expiresAt!;
    assert.ok('id' in (await createOne()));
    assert.deepEqual(await createOne(), { refused: 'too-many-keys' });
    await rig.store.revokeKey(rig.operator, account.id, keys[1]!.id);
    assert.ok('id' in (await createOne()));
    assert.deepEqual(await createOne(), { refused: 'too-many-keys' });
    await rig.key((await rig.account()).id);
  });

  test(`${adapter}: however calls overlap, there are never more than ten valid keys, and exactly those that were told [SEC-05]`, async () => {
    const rig = await start();
    const act = fc.record({
      what: fc.constantFrom('create', 'create', 'create', 'rotate', 'retire', 'revoke'),
      which: fc.nat({ max: 15 }),
      expires: fc.boolean(),
      choice: fc.nat({ max: 1 }),
    });
    const batches = fc.array(
      fc.record({
        acts: fc.array(act, { minLength: 1, maxLength: 16 }),
        passSeconds: fc.constantFrom(0n, 0n, 30n, 3_600n),
      }),
      { minLength: 1, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(batches, async (steps) => {
        const { id: accountId } = await rig.account();
        const known = new Set<string>();
        for (const { acts, passSeconds } of steps) {
          const ids = [...known];
          const answers = acts.map(async ({ what, which, expires, choice }) => {
            const store = rig.either(choice);
            const keyId = ids[which % ids.length] ?? 'key_none';
            const secret = rig.secret();
            if (what === 'create') {
              const expiresAt = expires ? rig.later(60n * SECOND_NS) : null;
              const wanted = { ...ALL_RIGHTS, expiresAt };
              return store.createKey(rig.operator, accountId, wanted, secret);
            }
            if (what === 'revoke') return store.revokeKey(rig.operator, accountId, keyId);
            const grace = what === 'rotate' ? 60 : 0;
            const answer = await store.rotateKey(rig.operator, accountId, keyId, grace, secret);
            return 'created' in answer ? answer.created : answer;
          });
          for (const answer of await Promise.all(answers)) {
            if ('id' in answer) known.add(answer.id);
          }
          const listed = await rig.store.listKeys(rig.now, accountId);
          const valid = listed.filter((key) => isValid(key, rig.now));
          assert.ok(valid.length <= VALID_KEYS_MAX, `${valid.length} valid keys`);
          assert.deepEqual(listed.map(({ id }) => id).sort(), [...known].sort());
          rig.pass(passSeconds * SECOND_NS);
        }
      }),
      { numRuns: 15 },
    );
  });
}

function testTokens(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a token is used once, in its time, while its key is valid`, async () => {
    const rig = await start();
    const account = await rig.account();
    const [key, doomed] = [await rig.key(account.id), await rig.key(account.id)];
    const token = (keyId: string) => ({
      hash: rig.secret().hash,
      keyId,
      expiresAt: rig.later(60n * SECOND_NS),
    });
    const [once, late, revoked] = [token(key.id), token(key.id), token(doomed.id)];
    for (const one of [once, late, revoked]) {
      assert.equal(await rig.store.issueToken(rig.now, one), true);
    }
    assert.equal(await rig.store.issueToken(rig.now, token('key_none')), false);
    assert.deepEqual(await rig.other.consumeToken(rig.now, once.hash), { key, account });
    assert.equal(await rig.store.consumeToken(rig.now, once.hash), null);
    assert.equal(await rig.store.consumeToken(rig.now, rig.secret().hash), null);

    await rig.store.revokeKey(rig.operator, account.id, doomed.id);
    assert.equal(await rig.store.consumeToken(rig.now, revoked.hash), null);
    assert.equal(await rig.store.issueToken(rig.now, token(doomed.id)), false);
    assert.equal(await rig.store.consumeToken(late.expiresAt, late.hash), null);
    assert.equal(await rig.store.consumeToken(rig.now, late.hash), null);
  });

  test(`${adapter}: a token does not outlive its key, and sweeping takes expired ones only`, async () => {
    const rig = await start();
    const account = await rig.account();
    const key = await rig.key(account.id, { expiresAt: rig.later(10n * SECOND_NS) });
    const tokens = [5n, 60n, 60n].map((seconds) => ({
      hash: rig.secret().hash,
      keyId: key.id,
      expiresAt: rig.later(seconds * SECOND_NS),
    }));
    for (const token of tokens) await rig.store.issueToken(rig.now, token);
    rig.pass(5n * SECOND_NS);
    await rig.store.sweep(rig.now);
    assert.ok((await rig.store.consumeToken(rig.now, tokens[1]!.hash)) !== null);
    rig.now = key.expiresAt!;
    assert.equal(await rig.store.consumeToken(rig.now, tokens[2]!.hash), null);
    assert.equal(await rig.store.issueToken(rig.now, { ...tokens[0]!, hash: 'x' }), false);
  });

  test(`${adapter}: of many that use one token at a time, one succeeds [SEC-05]`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const key = await rig.key(accountId);
    const uses = fc.array(fc.record({ token: fc.nat({ max: 3 }), choice: fc.nat({ max: 1 }) }), {
      minLength: 1,
      maxLength: 24,
    });
    await fc.assert(
      fc.asyncProperty(uses, async (callers) => {
        const expiresAt = rig.later(SECOND_NS);
        const hashes = [0, 1, 2, 3].map(() => rig.secret().hash);
        for (const hash of hashes) {
          await rig.store.issueToken(rig.now, { hash, keyId: key.id, expiresAt });
        }
        const answers = await Promise.all(
          callers.map(async ({ token, choice }) => {
            const hash = hashes[token]!;
            return (await rig.either(choice).consumeToken(rig.now, hash)) === null ? null : hash;
          }),
        );
        const used = answers.filter((hash) => hash !== null);
        const asked = new Set(callers.map(({ token }) => hashes[token]!));
        assert.deepEqual(used.sort(), [...asked].sort());
      }),
      { numRuns: 15 },
    );
  });
}

function isValid(key: KeyRecord, now: EpochNs): boolean {
  return ['active', 'expiring'].includes(keyStateAt(key, now));
}
