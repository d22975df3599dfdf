import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFilesMax } from '../../platform/open-files.ts';
import { connectionLimits, fewConnections } from './connection-limits.ts';
import { StartRefusedError } from './start-refused-error.ts';

test('connections are what the limit on open files leaves beside the reserve, which grows with the threads [SEC-39]', () => {
  const all = (openFiles: number | null, cores = 2) => connectionLimits({ openFiles, cores }).all;
  assert.equal(all(null), 20_000);
  assert.equal(all(1_048_576), 20_000);
  assert.equal(all(1_024), 1_024 - 240);
  assert.equal(all(1_025), all(1_024) + 1);
  assert.ok(all(4_096, 32) < all(4_096, 16));
  assert.ok(all(4_096, 256) > 1_000, 'a common limit is enough on any machine');
});

test('streams, requests and strangers have shares that leave room for each other [SEC-37]', () => {
  for (let openFiles = 304; openFiles < 30_000; openFiles = Math.ceil(openFiles * 1.3)) {
    const limits = connectionLimits({ openFiles, cores: 2 });
    const { all, streams, requests, strangers, strangersPerAddress } = limits;
    assert.ok(streams > 0 && requests > 0 && strangersPerAddress > 0);
    assert.ok(streams + requests < all);
    assert.ok(strangersPerAddress < strangers && strangers < all);
  }
});

test('a limit too small to work with stops the start with its number and what to do [SEC-39]', () => {
  const cores = 2;
  assert.equal(connectionLimits({ openFiles: 304, cores }).all, 64);
  assert.throws(
    () => connectionLimits({ openFiles: 303, cores }),
    (error: Error) => {
      assert.ok(error instanceof StartRefusedError);
      assert.match(error.message, /only 303 files.*240 for itself.*ulimit -n 65536.*LimitNOFILE/);
      return true;
    },
  );
});

test('an operator is told when the limit on open files leaves few connections', () => {
  const told = (openFiles: number | null) => {
    const machine = { openFiles, cores: 2 };
    return fewConnections(connectionLimits(machine), machine);
  };
  assert.equal(told(null), null);
  assert.equal(told(20_000), null);
  assert.equal(
    told(1_024),
    'at most 784 connections, because the process may open only 1024 files (ulimit -n)',
  );
});

test('the limit of this process is a number, or there is none', () => {
  const max = openFilesMax();
  assert.ok(max === null || (Number.isSafeInteger(max) && max > 0));
});
