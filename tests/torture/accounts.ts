/**
 * Everything an account shares, under many clients: 64 clients in four processes on one store (a
 * round is five requests each), first undisturbed, then with one process killed; then 64 clients at
 * the endpoints of a real service, which is killed among their requests.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAccounts } from '../account-maker.ts';
import { RunningService } from '../running-service.ts';
import {
  assertKept,
  killAmongCreations,
  openAll,
  raceForKeys,
  raceForSubscriptions,
  raceForToken,
} from './accounts-doors.ts';
import { raceOnStore } from './accounts-store.ts';

const PROCESSES = 4;
const CLIENTS_EACH = 16;
const CLIENTS = PROCESSES * CLIENTS_EACH;
const REQUESTS_PER_ROUND = 5;
/** Rounds on the store for each round at the endpoints, which starts a service. */
const ROUNDS_PER_KILL = 40;

export async function run({ rounds }: { readonly rounds: number }): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-accounts-'));
  try {
    for (const isKilled of [false, true]) {
      const race = { directory, processes: PROCESSES, clientsEach: CLIENTS_EACH, isKilled };
      const startMs = performance.now();
      await raceOnStore({ ...race, requests: rounds * REQUESTS_PER_ROUND, seed: isKilled ? 2 : 1 });
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      console.log(
        `store: ${CLIENTS} clients held in ${seconds} s${isKilled ? ', one killed' : ''}`,
      );
    }
    const data = join(directory, 'data');
    for (let round = 0; round < Math.ceil(rounds / ROUNDS_PER_KILL); round += 1) {
      await raceAtTheDoors(data, round);
      console.log(`doors: round ${round + 1} held`);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function raceAtTheDoors(data: string, round: number): Promise<void> {
  const service = new RunningService({ data });
  let restarted: RunningService | null = null;
  try {
    await service.ready();
    const names = ['keys', 'tokens', 'subscriptions', 'kill'].map((name) => `${name}-${round}`);
    const [keys, tokens, subscriptions, kill] = await makeAccounts(data, names);
    await raceForKeys(service, keys!, { clients: CLIENTS, requests: 6 });
    for (let token = 0; token < 10; token += 1) await raceForToken(service, tokens!, CLIENTS);
    await raceForSubscriptions(service, subscriptions!, 30);
    await openAll(service, kill!);
    const crowd = { clients: CLIENTS, requests: 300 };
    const acknowledged = await killAmongCreations(service, kill!, crowd);
    restarted = new RunningService({ data });
    await restarted.ready();
    await assertKept(restarted, kill!, acknowledged);
    await openAll(restarted, kill!);
  } finally {
    await service.stop('SIGKILL');
    await restarted?.stop('SIGKILL');
  }
}
