/**
 * Mails under kills: SIGKILL ends the service up to 300 ms after customers pay, withdraw or request
 * a deletion. In the end every acknowledged action has its mail. A round is one kill.
 */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MailDrop } from '../../packages/server/testing/mail/mail-drop.ts';
import { builtProgram } from '../../tools/build/built-program.ts';
import { killServices, RunningService, WAIT_LIMIT_MS } from '../running-service.ts';
import { MailCustomer, type Owed } from './mail-customer.ts';

const KILL_WITHIN_MS = 300;
/** Customers sign in before their kills, so that each kill interrupts only an action. */
const CUSTOMERS_AT_ONCE = 4;
const NO_MARKET = { TAPELOOM_SIM_DAYS: '0', TAPELOOM_SIM_SCALE: '0.001' };
const ACTS = ['pay', 'withdraw', 'leave'] as const;

export async function run({ rounds }: { readonly rounds: number }): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-mails-'));
  await using drop = await MailDrop.open();
  const owed: Owed[] = [];
  const env = {
    ...NO_MARKET,
    TAPELOOM_SMTP_URL: `smtp://127.0.0.1:${drop.port}`,
    TAPELOOM_MAIL_FROM: 'no-reply@tapeloom.example',
    TAPELOOM_TRUSTED_PROXIES: '127.0.0.1',
  };
  // The published program, which starts in half the time.
  const cache = join(import.meta.dirname, '../../node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const program = [await builtProgram(join(cache, 'built')), 'serve'];
  const start = async () => {
    const service = new RunningService({ data: join(directory, 'data'), env, program });
    await service.ready();
    return service;
  };
  try {
    const customers: MailCustomer[] = [];
    for (let kills = 0; kills < rounds; kills += 1) {
      const service = await start();
      const act = ACTS[kills % ACTS.length]!;
      while (customers.length < CUSTOMERS_AT_ONCE && act === 'pay') {
        customers.push(await MailCustomer.signIn(service, drop, `c${kills}.${customers.length}`));
      }
      const acting = customers.map((customer) => customer.act(service, act));
      // Alternates between a kill after the call and after the first response.
      if (Math.floor(kills / ACTS.length) % 2 === 0) await Promise.race(acting);
      await pause(Math.random() * KILL_WITHIN_MS);
      await service.stop('SIGKILL');
      for (const done of await Promise.all(acting)) owed.push(...done);
      if (act === 'leave') customers.length = 0;
      if ((kills + 1) % 10 === 0) console.log(`${kills + 1} kills, ${owed.length} mails owed`);
    }
    const service = await start();
    await arrive(drop, owed);
    await service.stop('SIGTERM');
    const ids = new Set(owed.map(({ to, id }) => `${to} ${id}`));
    console.log(`${rounds} kills: ${ids.size} mails owed, none lost, ${drop.repeated} sent twice`);
  } finally {
    killServices();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Waits for all mails: one that a killed process had claimed is retried after two minutes. */
async function arrive(drop: MailDrop, owed: readonly Owed[]): Promise<void> {
  const deadline = performance.now() + 2 * WAIT_LIMIT_MS;
  for (;;) {
    const missing = owed.filter(({ to, id }) => !drop.has(to, id));
    if (missing.length === 0) return;
    const names = missing.map(({ to, id }) => `${to} ${id}`).join(', ');
    assert.ok(
      performance.now() < deadline,
      `${missing.length} of ${owed.length} are lost: ${names}`,
    );
    await pause(500);
  }
}
