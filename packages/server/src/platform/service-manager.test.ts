import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { ServiceManager } from './service-manager.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-systemd-'));
const told = join(directory, 'told');
after(() => rmSync(directory, { recursive: true }));
const systemdMissing = process.platform === 'win32' ? 'systemd is of Linux' : false;

/** Replaces systemd's program, which sends its arguments to the socket. */
writeFileSync(join(directory, 'systemd-notify'), '#!/bin/sh\necho "$*" >> "$NOTIFY_SOCKET"\n');
chmodSync(join(directory, 'systemd-notify'), 0o755);

function manager(env: Readonly<Record<string, string>>, faults: string[] = []) {
  const clock = new ManualClock(0n);
  writeFileSync(told, '');
  const made = ServiceManager.of({
    env: { PATH: `${directory}:${process.env.PATH}`, ...env },
    clock,
    monotonicUsec: () => 17n,
    onFault: (why) => faults.push(why),
  });
  return { clock, manager: made };
}

/** The notifications, once there are `count` lines. */
async function lines(count: number): Promise<readonly string[]> {
  const watcher = watch(told);
  try {
    for (;;) {
      const found = readFileSync(told, 'utf8').split('\n').slice(0, -1);
      if (found.length >= count) return found;
      await once(watcher, 'change');
    }
  } finally {
    watcher.close();
  }
}

test('without a socket nobody is told', { skip: systemdMissing }, () => {
  assert.equal(manager({}).manager, null);
});

test('systemd is asked for time during the start, and then told of readiness, life, reloads and the end', {
  skip: systemdMissing,
}, async () => {
  const made = manager({ NOTIFY_SOCKET: told, WATCHDOG_USEC: '60000000' });
  using it = made.manager!;
  const { clock } = made;
  assert.deepEqual(await lines(1), ['EXTEND_TIMEOUT_USEC=60000000']);
  clock.advance(10_000);
  await lines(2);
  let isAlive = true;
  it.ready(() => isAlive);
  assert.deepEqual((await lines(3)).slice(2), ['READY=1']);
  clock.advance(20_000);
  assert.deepEqual((await lines(4)).slice(3), ['WATCHDOG=1']);
  isAlive = false;
  clock.advance(60_000);
  await it.reloading(async () => undefined);
  assert.deepEqual((await lines(6)).slice(4), ['RELOADING=1 MONOTONIC_USEC=17', 'READY=1']);
  it.stopping();
  assert.deepEqual((await lines(7)).slice(6), ['STOPPING=1']);
  assert.equal(clock.timerCount, 0);
});

test('without a watchdog nothing is told of life', { skip: systemdMissing }, () => {
  const { clock, manager: it } = manager({ NOTIFY_SOCKET: told });
  it!.ready(() => true);
  assert.equal(clock.timerCount, 0);
  it![Symbol.dispose]();
});

test('where systemd cannot be told, that is said once, with the reason', {
  skip: systemdMissing,
}, async () => {
  const broken = mkdtempSync(join(directory, 'broken-'));
  const { promise, resolve } = Promise.withResolvers<string>();
  const faults: string[] = [];
  const it = ServiceManager.of({
    env: { PATH: '/usr/bin:/bin', NOTIFY_SOCKET: join(broken, 'none') },
    clock: new ManualClock(0n),
    onFault: (why) => {
      faults.push(why);
      resolve(why);
    },
  });
  assert.match(await promise, /systemd-notify|notify/i);
  it!.ready(() => true);
  it![Symbol.dispose]();
  assert.equal(faults.length, 1);
});
