import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connectionLimits } from '@tapeloom/server/operations/start/connection-limits';
import {
  killServices,
  NO_TRADES,
  RunningService,
  WAIT_LIMIT_MS,
  within,
} from './running-service.ts';

after(killServices);

const loopbacksMissing =
  process.platform === 'linux' ? false : 'only Linux has many loopback addresses without a setup';

test('sockets beyond the limit on open files take nothing from the tape and the accounts, and a key still gets in [SEC-39] [SEC-37]', {
  skip: loopbacksMissing,
}, async () => {
  const data = await mkdtemp(join(tmpdir(), 'tapeloom-files-'));
  const many = { openFiles: 10_000, cores: availableParallelism() };
  const openFiles = many.openFiles - connectionLimits(many).all + 64;
  const service = new RunningService({ data, env: NO_TRADES, openFiles });
  await service.ready();
  assert.match(
    service.errors,
    /at most 64 connections, because the process may open only \d+ files/,
  );
  const before = await service.open();
  const idle: Socket[] = [];
  for (let count = 0; count < openFiles + 20; count += 1) {
    const { port } = new URL(service.address('REST'));
    const localAddress = `127.0.1.${1 + (count % 40)}`;
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
    socket.on('error', () => {});
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    idle.push(socket);
  }
  const metric = async (name: string) => {
    const text = await (await service.internal('/metrics')).text();
    return Number(new RegExp(`^${RegExp.escape(name)} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  assert.ok((await metric('tapeloom_sockets{kind="all"}')) <= 64);
  // The last connections may still wait in the system's accept queue.
  const areCut = async () => {
    const cut = 'tapeloom_sockets_cut_total{kind="strangers"}';
    while ((await metric(cut)) <= openFiles - 64) await pause(20);
  };
  await within(WAIT_LIMIT_MS, 'the cut of those beyond', areCut());
  // Accounts, sealed days and the tape can still open the files they need.
  assert.equal((await service.send('POST', '/v1/stream-tokens')).status, 201);
  const late = await service.open();
  await late.send({ t: 'subscribe', sub: 'a', instrument: 'BTC.c.0', indicator: 'bars' });
  await late.first(({ t }) => t === 'snapshot');
  const promise = 'tapeloom_tape_promise_seconds';
  const promised = await metric(promise);
  const goesOn = async () => {
    while ((await metric(promise)) <= promised) await pause(20);
  };
  await within(WAIT_LIMIT_MS, 'the next promise', goesOn());
  await before.send({ t: 'ping', id: 'still here' });
  await before.first(({ t, id }) => t === 'pong' && id === 'still here');
  for (const socket of idle) socket.destroy();
  assert.equal((await service.stop('SIGTERM')).code, 0);
  assert.ok(!service.errors.includes('EMFILE'));
  await rm(data, { recursive: true });
});
