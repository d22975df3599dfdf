/**
 * A NATS server that requires TLS before its greeting, a client certificate and a token. Every
 * command and node must provide all of them; an error names a missing or wrong one.
 */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownCertificate } from '../../packages/server/testing/rest/own-authority.ts';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import { ClusterNode } from './cluster-node.ts';
import { ClusterRig } from './cluster-rig.ts';

test('TLS first, a certificate of ours and a token: commands and nodes', {
  skip: natsServerMissing,
}, async () => {
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'tapeloom-guarded-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const file = async (name: string, text: string) => {
    await writeFile(join(directory, name), text, { mode: 0o600 });
    return join(directory, name);
  };
  const [server, own, stranger] = [ownCertificate(), ownCertificate('node'), ownCertificate('x')];
  const serverCert = await file('server.pem', server.cert);
  const serverKey = await file('server-key.pem', server.key);
  const clients = await file('clients.pem', own.cert);
  const proof = `cert_file: "${serverCert}", key_file: "${serverKey}", ca_file: "${clients}"`;
  const rig = started.use(
    await ClusterRig.make({
      nodes: { only: 'ingest,serve' },
      replicas: 1,
      nats: {
        count: 1,
        scheme: 'tls',
        more: () => `tls { ${proof}, verify: true, handshake_first: true }
          authorization { token: "of-a-test" }`,
      },
      env: {
        TAPELOOM_NATS_CA_FILE: serverCert,
        TAPELOOM_NATS_CERT_FILE: await file('node.pem', own.cert),
        TAPELOOM_NATS_KEY_FILE: await file('node-key.pem', own.key),
        TAPELOOM_NATS_TOKEN_FILE: await file('token', 'of-a-test\n'),
        TAPELOOM_NATS_TLS: 'first',
      },
    }),
  );
  const node = rig.node('only');
  await node.start();
  const status = await rig.command('cluster', 'status', '--json');
  const { nodes } = JSON.parse(status.stdout) as { readonly nodes: readonly unknown[] };
  assert.equal(nodes.length, 1, status.stderr);
  assert.equal(await node.stop(), 0, node.isRunning ? node.service.errors : '');

  const wrong: readonly (readonly [RegExp, Readonly<Record<string, string>>])[] = [
    [
      /TAPELOOM_NATS_TOKEN_FILE: tls:.* rejects the credentials in /,
      { TAPELOOM_NATS_TOKEN_FILE: await file('other', 'other\n') },
    ],
    [
      /TAPELOOM_NATS_CERT_FILE: tls:.* rejects the certificate in .*: unknown ca/,
      {
        TAPELOOM_NATS_CERT_FILE: await file('stranger.pem', stranger.cert),
        TAPELOOM_NATS_KEY_FILE: await file('stranger-key.pem', stranger.key),
      },
    ],
    [
      /TAPELOOM_NATS_TLS: tls:.* sends no greeting: set TAPELOOM_NATS_TLS to first/,
      { TAPELOOM_NATS_TLS: 'greeted' },
    ],
  ];
  for (const [sentence, env] of wrong) {
    const told = await rig.commandWith(env, 'cluster', 'status');
    assert.match(`${told.stdout}${told.stderr}`, sentence);
    assert.equal(told.code, 1);
  }
  const [sentence, env] = wrong[1]!;
  const { setting } = node;
  const refused = new ClusterNode({ ...setting, env: { ...setting.env, ...env } });
  const service = refused.launch();
  assert.equal(await service.ended, 1);
  assert.match(service.errors, sentence);
});
