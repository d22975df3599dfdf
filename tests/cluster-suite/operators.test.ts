/**
 * Reports to the operator while servers stop and start: which replica is away, what a node waits
 * for without NATS or PostgreSQL, and how a lost cluster is rebuilt.
 */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ownCertificate } from '../../packages/server/testing/rest/own-authority.ts';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import { WAIT_LIMIT_MS } from '../running-service.ts';
import { ClusterNode } from './cluster-node.ts';
import { ClusterRig, type ClusterRigOptions } from './cluster-rig.ts';
import { ForgetfulMonitor } from './forgetful-monitor.ts';
import { until } from './in-the-end.ts';
import { makeSharedAccounts } from './shared-accounts.ts';

const LOOK_MS = 100;

interface Status {
  readonly concerns: readonly string[];
  readonly stream: { readonly followers: readonly { readonly name: string }[] } | null;
}

suite('what operators are told', { skip: natsServerMissing }, () => {
  let directory: string;
  let rig: ClusterRig;
  let node: ClusterNode;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tapeloom-operators-'));
    rig = await ClusterRig.make({ nodes: { first: 'ingest,serve' }, ...(await guarded()) });
    node = rig.node('first');
    await node.start();
  });
  after(async () => {
    await rig?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  /** NATS as on reachable machines: TLS for clients and between servers, and a user. */
  async function guarded(): Promise<Pick<ClusterRigOptions, 'nats' | 'env'>> {
    const { cert, key } = ownCertificate();
    const file = async (name: string, text: string) => {
      await writeFile(join(directory, name), text, { mode: 0o600 });
      return join(directory, name);
    };
    const certFile = await file('cert.pem', cert);
    const proof = `cert_file: "${certFile}", key_file: "${await file('key.pem', key)}"`;
    const user = 'authorization { user: tapeloom, password: "of-a-test" }';
    return {
      nats: {
        scheme: 'tls',
        more: () => `tls { ${proof} }\n${user}`,
        moreInCluster: `, tls { ${proof}, ca_file: "${certFile}", verify: true }`,
      },
      env: {
        TAPELOOM_NATS_CA_FILE: certFile,
        TAPELOOM_NATS_CREDS_FILE: await file('user', 'tapeloom:of-a-test\n'),
      },
    };
  }

  test('a NATS server that was killed is away by name, and is not when it is back', async () => {
    const before = await settled(({ concerns }) => concerns.length === 0);
    const { name } = before.stream!.followers[0]!;
    const index = Number(name.slice(-1));
    await rig.nats.kill(index);
    const url = rig.nats.urls[index];
    await settled(({ concerns }) => {
      const isMissedBy = (what: string) =>
        concerns.some((it) => it.startsWith(what) && it.endsWith(`: ${name} is away`));
      const isAskedFor = concerns.some((it) => it.startsWith(`TAPELOOM_NATS_URL: ${url} does not`));
      return isMissedBy('TAPE') && isMissedBy('OBJ_TAPE') && isAskedFor;
    });
    await rig.nats.startAll();
    await settled((status) => status.concerns.length === 0);
  });

  test('a NATS server that lacks messages is named by status and counted by nodes, also where it takes itself for whole', async () => {
    const { name } = (await settled(({ concerns }) => concerns.length === 0)).stream!.followers[0]!;
    const index = Number(name.slice(-1));
    await using monitor = await ForgetfulMonitor.start(rig.nats.monitors[index]!);
    const env = { TAPELOOM_NATS_MONITOR: rig.nats.monitors.with(index, monitor.url).join() };
    await settled(
      ({ concerns }) =>
        concerns.some((it) => it.includes(`${name} reports itself as complete but is missing`)),
      env,
    );
    const repair = await rig.commandWith(env, 'cluster', 'repair', node.setting.data, '--yes');
    assert.equal(repair.code, 1, repair.stdout);
    assert.match(
      repair.stderr,
      new RegExp(`servers of the stream differ.*${name} reports itself`, 's'),
    );
    const counting = new ClusterNode({
      ...(await rig.addNode('second', 'serve')).setting,
      env: { ...node.setting.env, ...env },
    });
    rig.nodes.set('second', counting);
    await counting.start();
    await until(async () => {
      assert.equal(await counting.metric('tapeloom_cluster_servers_lacking'), 1);
    });
    assert.equal(await node.metric('tapeloom_cluster_servers_lacking'), 0);
    assert.equal(await counting.stop(), 0);
  });

  test('a node without NATS stops cleanly, says what it waits for, and comes up with it', async () => {
    await Promise.all([0, 1, 2].map((index) => rig.nats.kill(index)));
    const { service } = node;
    assert.equal(await node.stop(), 0, `${service.output}${service.errors}`);
    node.launch();
    await told(node, /waiting for the stream in NATS/);
    await rig.nats.startAll();
    await node.ready();
  });

  test('a node without PostgreSQL stops cleanly, says what it waits for, and comes up with it', async () => {
    await rig.postgres.stop();
    const { service } = node;
    assert.equal(await node.stop(), 0, `${service.output}${service.errors}`);
    node.launch();
    await told(node, /waiting for PostgreSQL, up to 20 s/);
    await rig.postgres.start();
    await readyInTheEnd();
  });

  test('after the loss of everything a dump and the directory of a node are the cluster again', async () => {
    const [key] = await makeSharedAccounts(rig.database, ['survivor']);
    assert.equal(await node.stop(), 0);
    // Stands for a restored dump: the PostgreSQL from npm has no tools for dumps.
    const TAPELOOM_POSTGRES_URL = await rig.postgres.database(rig.database);
    await rig.nats.loseAll();
    const init = await rig.commandWith({ TAPELOOM_POSTGRES_URL }, 'cluster', 'init');
    assert.match(init.stderr, /the tape is lost.* tapeloom cluster rebuild creates a new stream/);
    const words = ['cluster', 'rebuild', node.setting.data, '--yes', '--json'];
    const rebuilt = await rig.commandWith({ TAPELOOM_POSTGRES_URL }, ...words);
    assert.equal(rebuilt.code, 0, rebuilt.stderr);
    const { tape } = JSON.parse(rebuilt.stdout) as { readonly tape: { readonly days: unknown[] } };
    assert(tape.days.length > 0);
    const { setting } = node;
    const again = new ClusterNode({ ...setting, env: { ...setting.env, TAPELOOM_POSTGRES_URL } });
    rig.nodes.set('first', again);
    await again.start();
    assert.equal((await again.get('/v1/instruments', key!)).status, 200);
    await settled(({ concerns }) => concerns.length === 0, { TAPELOOM_POSTGRES_URL });
  });

  /** Restarts the node if it gave up because PostgreSQL was slow, as systemd does. */
  async function readyInTheEnd(): Promise<void> {
    const { service } = node;
    const hasGivenUp = service.ended.then(() => true);
    const isReady = node.ready().then(() => false);
    if (!(await Promise.race([hasGivenUp, isReady]))) return;
    assert.equal(await service.ended, 1, `${service.output}${service.errors}`);
    await node.start();
  }

  async function settled(
    isSo: (status: Status) => boolean,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Status> {
    const deadline = performance.now() + WAIT_LIMIT_MS;
    for (;;) {
      const asked = await rig.commandWith(env, 'cluster', 'status', '--json');
      const { stdout, stderr, code } = asked;
      assert(stdout !== '', stderr);
      const status = JSON.parse(stdout) as Status;
      assert.equal(code, status.concerns.length === 0 ? 0 : 1);
      if (isSo(status)) return status;
      assert(performance.now() < deadline, `it still says ${status.concerns.join(', ')}`);
      await pause(LOOK_MS);
    }
  }
});

async function told({ service }: ClusterNode, pattern: RegExp): Promise<void> {
  await until(() => assert.match(service.output + service.errors, pattern));
}
