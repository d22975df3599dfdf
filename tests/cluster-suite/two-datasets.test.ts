/**
 * A cluster with two live datasets, one simulated and one pushed: each has its stream and its leader, on different
 * nodes, and the death of a node moves only what it led. A node that does not lead names the leader to programs that
 * push trades. The cluster began with imported datasets only, so its first node has a shared tape without trades.
 */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { PushPosition, PushReceipt } from '@tapeloom/protocol/push';
import { applyInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import type { ClusterStatus } from '@tapeloom/server/operations/cluster/cluster-status';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import type { ClusterNode } from './cluster-node.ts';
import { ClusterRig } from './cluster-rig.ts';
import { until } from './in-the-end.ts';

const clock = createClock({ kind: 'system' });
const SECRET = 's'.repeat(32);

const dataset = (name: string, live: string) => `  ${name}:
${live}    calendars:
      always:
        zone: UTC
        hours:
          - { weekdays: mon-sun, open: "00:00", close: "24:00" }
    products:
      Q${name[0]}:
        name: An index
        exchange: ${name}
        currency: EUR
        tick: "0.5"
        lot: "1"
        pointValue: "10"
        calendar: always
        contracts:
          - { symbol: ${name}1, expiry: 2099-01-01 }
`;
const IMPORTED = `datasets:\n${dataset('OURS', '')}`;
const WITH_FEED = `${IMPORTED}${dataset('FEED', '    live: { source: push }\n')}`;

suite('a cluster with two live datasets', { skip: natsServerMissing }, () => {
  const env: Record<string, string> = { TAPELOOM_SIM: 'off' };
  let directory: string;
  let rig: ClusterRig;
  const node = (name: string) => rig.node(name);

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tapeloom-two-'));
    env.TAPELOOM_PUSH_SECRET_FILE = join(directory, 'secret');
    await writeFile(env.TAPELOOM_PUSH_SECRET_FILE, SECRET, { mode: 0o600 });
    rig = await ClusterRig.make({ nodes: {}, replicas: 1, nats: { count: 1 }, env });
    await nodeWith('first', IMPORTED);
    await node('first').start();
    await node('first').stop();
    env.TAPELOOM_SIM = 'on';
    await nodeWith('first', IMPORTED);
  });
  after(async () => {
    await rig?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  async function nodeWith(name: string, instruments: string): Promise<void> {
    const { setting } = await rig.addNode(name, 'ingest,serve');
    const now = clock.now();
    await applyInstruments(new NodeDisk(), setting.data, instruments, { now, beside: null });
  }

  /** A command of the operator, with the settings and instruments of a node. */
  const command = (of: string, ...words: readonly string[]) =>
    rig.commandWith({ TAPELOOM_DATA: node(of).setting.data }, ...words);

  async function status(of = 'third'): Promise<ClusterStatus> {
    const { stdout } = await command(of, 'cluster', 'status', '--json');
    return JSON.parse(stdout) as ClusterStatus;
  }

  async function led(by: Readonly<Record<string, string>>): Promise<ClusterStatus> {
    let now: ClusterStatus | undefined;
    await until(async () => {
      now = await status();
      const leaders = now.datasets.map(({ dataset: name, appends }) => [name, appends]);
      assert.deepEqual(Object.fromEntries(leaders), by);
    });
    return now!;
  }

  const internal = ({ setting }: ClusterNode) =>
    `http://${setting.place.host}:${setting.internalPort}`;

  /** The same for each repetition. */
  const bodies = new Map<number, string>();
  function bodyOf(id: number): string {
    return bodies.getOrInsertComputed(id, () => {
      const trade = { contract: 'FEED1', id, ts: clock.now().toString(), price: '100.5', size: 1 };
      return `${JSON.stringify({ ...trade, side: 'buy' })}\n`;
    });
  }

  const push = (to: ClusterNode, id: number) =>
    fetch(`${internal(to)}/internal/trades?dataset=FEED`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${SECRET}`,
        'content-type': 'application/x-ndjson',
        'tapeloom-batch': `batch-${id}`,
      },
      body: bodyOf(id),
    });

  async function redirected(from: ClusterNode, to: ClusterNode): Promise<void> {
    await until(async () => {
      const answer = await push(from, 1_000);
      assert.equal(answer.status, 307, await answer.text());
      const location = `${internal(to)}/internal/trades?dataset=FEED`;
      assert.equal(answer.headers.get('location'), location);
    });
  }

  async function taken(by: ClusterNode, id: number): Promise<void> {
    await until(async () => {
      const answer = await push(by, id);
      assert.equal(answer.status, 200, await answer.clone().text());
      assert.equal(((await answer.json()) as PushReceipt).batch, `batch-${id}`);
    });
    const answer = await fetch(`${internal(by)}/internal/trades/position?dataset=FEED`, {
      headers: { authorization: `Bearer ${SECRET}` },
    });
    const { contracts } = (await answer.json()) as PushPosition;
    assert.deepEqual(
      contracts.map(({ contract, lastId }) => [contract, Number(lastId)]),
      [['FEED1', id]],
    );
  }

  test('a node whose dataset has no stream does not start, and says what to do', async () => {
    await nodeWith('second', WITH_FEED);
    const refused = node('second').launch();
    assert.equal(await refused.ended, 1);
    assert.match(
      refused.output + refused.errors,
      /NATS has no tape of (?:SIM|FEED)\. Create it once with "tapeloom cluster init"/,
    );
    await node('second').kill();
  });

  test('init adds what is missing, and leaves what is there', async () => {
    const init = ['cluster', 'init', '--replicas', '1', '--json'];
    const made = async () => {
      const { stdout, stderr } = await command('second', ...init);
      const { datasets } = JSON.parse(stdout || stderr) as {
        readonly datasets: readonly { readonly dataset: string; readonly isNew: boolean }[];
      };
      return datasets.map(({ dataset: name, isNew }) => [name, isNew]);
    };
    assert.deepEqual(await made(), [
      ['SIM', true],
      ['FEED', true],
    ]);
    assert.deepEqual(await made(), [
      ['SIM', false],
      ['FEED', false],
    ]);
  });

  test('each dataset has its leader, and a pushed batch finds its own', async () => {
    // The first node knows of one live dataset only. It has a directory of a shared tape that it no longer shares.
    await node('first').start();
    await until(async () => assert.equal(await node('first').tapeState(), 'leading'));
    await node('second').start();
    await nodeWith('third', WITH_FEED);
    await node('third').start();
    const now = await led({ SIM: 'first', FEED: 'second' });
    assert.deepEqual([now.dataset, now.appends, now.stream?.name], ['SIM', 'first', 'TAPE_SIM']);
    await redirected(node('third'), node('second'));
    await taken(node('second'), 1);
    await until(async () => {
      for (const { dataset: name, watermark, lagMs } of (await status()).datasets) {
        assert.ok(watermark !== null && lagMs !== null, name);
      }
    });
    const { stdout } = await command('third', 'cluster', 'status');
    assert.match(stdout, /^SIM +first +20/m);
    assert.match(stdout, /^FEED +second +20/m);
  });

  test('the death of a node moves what it led, and nothing else', async () => {
    const takeovers = await node('first').metric('tapeloom_cluster_takeovers_total');
    await node('second').kill();
    await led({ SIM: 'first', FEED: 'third' });
    await taken(node('third'), 2);
    assert.equal(await node('first').metric('tapeloom_cluster_takeovers_total'), takeovers);
    await node('second').start();
    await redirected(node('second'), node('third'));
    await led({ SIM: 'first', FEED: 'third' });
  });

  test('the death of the other leader leaves the pushed dataset where it is', async () => {
    await node('first').kill();
    await until(async () => {
      const { appends } = (await status()).datasets[0]!;
      assert.ok(appends === 'second' || appends === 'third', String(appends));
    });
    assert.equal((await status()).datasets[1]!.appends, 'third');
    await taken(node('third'), 3);
  });
});
