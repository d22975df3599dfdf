import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { replayFault } from './cluster-settings.ts';
import { ConfigError, readConfig } from './config.ts';

const FILES: Readonly<Record<string, string>> = {
  '/run/pg-password': 'hunter2\n',
  '/etc/ca.pem': '-----BEGIN CERTIFICATE-----',
  '/run/nats.creds': '-----BEGIN NATS USER JWT-----',
  '/run/nats-token': 's3cret\n',
  '/etc/node.pem': '-----BEGIN CERTIFICATE-----',
  '/run/node-key.pem': '-----BEGIN PRIVATE KEY-----',
  '/run/empty': '\n',
};
const CLUSTER = {
  TAPELOOM_POSTGRES_URL: 'postgresql://loom@db.example.com/tapeloom',
  TAPELOOM_NATS_URL: 'nats://10.0.0.1:4222, tls://nats-2.example.com:4222',
};

function read(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const readFile = (path: string) => {
    const content = FILES[path];
    if (content === undefined) throw new Error('no such file');
    return content;
  };
  return readConfig({ env, args, readFile });
}

function faultsOf(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  try {
    read(env, args);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.faults;
  }
  return assert.fail('the configuration was accepted');
}

test('two servers make a node of a cluster, with both roles and the name of its host', () => {
  assert.deepEqual(read(CLUSTER).cluster, {
    roles: { ingest: true, serve: true },
    node: hostname(),
    internalUrl: null,
    postgres: { url: CLUSTER.TAPELOOM_POSTGRES_URL, passwordFile: null, caFile: null },
    nats: {
      servers: ['nats://10.0.0.1:4222', 'tls://nats-2.example.com:4222'],
      credsFile: null,
      tokenFile: null,
      caFile: null,
      certFile: null,
      keyFile: null,
      isTlsFirst: false,
      monitors: [],
      isSyncAssured: false,
    },
  });
  const { cluster } = read({
    ...CLUSTER,
    TAPELOOM_ROLES: 'serve',
    TAPELOOM_NODE: 'serve-1',
    TAPELOOM_INTERNAL_URL: 'http://10.0.0.12:9464',
    TAPELOOM_POSTGRES_PASSWORD_FILE: '/run/pg-password',
    TAPELOOM_POSTGRES_CA_FILE: '/etc/ca.pem',
    TAPELOOM_NATS_CREDS_FILE: '/run/nats.creds',
    TAPELOOM_NATS_CA_FILE: '/etc/ca.pem',
    TAPELOOM_NATS_MONITOR: 'http://10.0.0.1:8222/,http://10.0.0.2:8222',
    TAPELOOM_NATS_SYNC: 'assured',
  });
  assert.deepEqual(cluster!.roles, { ingest: false, serve: true });
  assert.equal(cluster!.node, 'serve-1');
  assert.equal(cluster!.internalUrl, 'http://10.0.0.12:9464');
  assert.equal(cluster!.postgres.passwordFile, resolve('/run/pg-password'));
  assert.deepEqual(cluster!.nats.monitors, ['http://10.0.0.1:8222', 'http://10.0.0.2:8222']);
  assert.equal(cluster!.nats.isSyncAssured, true);
});

test('a token, a certificate of ours, and TLS before a greeting', () => {
  const { nats } = read({
    ...CLUSTER,
    TAPELOOM_NATS_TOKEN_FILE: '/run/nats-token',
    TAPELOOM_NATS_CERT_FILE: '/etc/node.pem',
    TAPELOOM_NATS_KEY_FILE: '/run/node-key.pem',
    TAPELOOM_NATS_TLS: 'first',
  }).cluster!;
  assert.equal(nats.tokenFile, resolve('/run/nats-token'));
  assert.equal(nats.certFile, resolve('/etc/node.pem'));
  assert.equal(nats.keyFile, resolve('/run/node-key.pem'));
  assert.equal(nats.isTlsFirst, true);
});

test('half of a pair, two who we are, and TLS that nobody speaks are refused', () => {
  const pair = {
    TAPELOOM_NATS_CERT_FILE: '/etc/node.pem',
    TAPELOOM_NATS_KEY_FILE: '/run/node-key.pem',
  };
  const { TAPELOOM_NATS_CERT_FILE, TAPELOOM_NATS_KEY_FILE } = pair;
  assert.match(
    faultsOf({ ...CLUSTER, TAPELOOM_NATS_CERT_FILE }).join(),
    /^TAPELOOM_NATS_KEY_FILE is required when TAPELOOM_NATS_CERT_FILE is set\. /,
  );
  assert.match(
    faultsOf({ ...CLUSTER, TAPELOOM_NATS_KEY_FILE }).join(),
    /^TAPELOOM_NATS_CERT_FILE is required when TAPELOOM_NATS_KEY_FILE is set\. /,
  );
  const plain = { ...CLUSTER, ...pair, TAPELOOM_NATS_URL: 'nats://10.0.0.1:4222' };
  assert.deepEqual(
    faultsOf({
      ...plain,
      TAPELOOM_NATS_CREDS_FILE: '/run/nats.creds',
      TAPELOOM_NATS_TOKEN_FILE: '/run/nats-token',
      TAPELOOM_NATS_TLS: 'first',
    }).map((fault) => fault.split(/[: ]/)[0]),
    ['TAPELOOM_NATS_TOKEN_FILE', 'TAPELOOM_NATS_CERT_FILE', 'TAPELOOM_NATS_TLS'],
  );
});

test('one server without the other stops the start with the one that is missing', () => {
  const { TAPELOOM_POSTGRES_URL, TAPELOOM_NATS_URL } = CLUSTER;
  const [noNats, ...others] = faultsOf({ TAPELOOM_POSTGRES_URL });
  assert.match(
    noNats!,
    /^TAPELOOM_NATS_URL is required when TAPELOOM_POSTGRES_URL is set\. It must be a list of serv/,
  );
  assert.deepEqual(others, []);
  const [noPostgres] = faultsOf({ TAPELOOM_NATS_URL });
  assert.match(
    noPostgres!,
    /^TAPELOOM_POSTGRES_URL is required when TAPELOOM_NATS_URL is set\. It must be postgresql:/,
  );
});

test('what is about a cluster is refused without one, each by its name', () => {
  assert.equal(read({ TAPELOOM_ROLES: 'serve,ingest' }).cluster, null);
  assert.match(
    faultsOf({ TAPELOOM_ROLES: 'serve' }).join(),
    /^TAPELOOM_ROLES is serve, .* requires TAPELOOM_POSTGRES_URL and TAPELOOM_NATS_URL/,
  );
  const alone = {
    TAPELOOM_POSTGRES_PASSWORD_FILE: '/x',
    TAPELOOM_POSTGRES_CA_FILE: '/x',
    TAPELOOM_NATS_CREDS_FILE: '/x',
    TAPELOOM_NATS_TOKEN_FILE: '/x',
    TAPELOOM_NATS_CA_FILE: '/x',
    TAPELOOM_NATS_CERT_FILE: '/x',
    TAPELOOM_NATS_KEY_FILE: '/x',
    TAPELOOM_NODE: 'a',
    TAPELOOM_NATS_MONITOR: 'http://10.0.0.1:8222',
    TAPELOOM_NATS_TLS: 'first',
    TAPELOOM_NATS_SYNC: 'assured',
  };
  assert.deepEqual(
    faultsOf(alone).map((fault) => fault.split(' ')[0]),
    Object.keys(alone),
  );
});

test('a cluster has neither another speed nor replays', () => {
  assert.match(
    faultsOf(CLUSTER, ['--speed', '60'])[0]!,
    /^--speed 60 cannot be used in a cluster: its nodes share/,
  );
  assert.equal(replayFault(read({}).cluster), null);
  assert.match(replayFault(read(CLUSTER).cluster)!, /^TAPELOOM_POSTGRES_URL and TAPELOOM_NATS_URL/);
});

test('wrong values are named, and no password is ever shown', () => {
  const wrong = {
    TAPELOOM_ROLES: 'serve,serve',
    TAPELOOM_NODE: 'a b',
    TAPELOOM_POSTGRES_URL: 'postgresql://loom:hunter2@db.example.com/tapeloom?sslmode=require',
    TAPELOOM_POSTGRES_CA_FILE: '',
    TAPELOOM_NATS_URL: 'nats://loom:hunter2@10.0.0.1:4222',
    TAPELOOM_NATS_TLS: 'yes',
    TAPELOOM_NATS_MONITOR: '10.0.0.1:8222',
    TAPELOOM_NATS_SYNC: 'yes',
  };
  const faults = faultsOf(wrong);
  assert.deepEqual(
    faults.map((fault) => fault.split(/[: ]/)[0]),
    Object.keys(wrong),
  );
  assert.doesNotMatch(faults.join(), /hunter2/);
  const [shown] = faultsOf({ ...CLUSTER, TAPELOOM_NATS_URL: 'http://10.0.0.1:4222' });
  assert.match(shown!, /^TAPELOOM_NATS_URL must be a list .*; got "http:\/\/10.0.0.1:4222"\.$/);
  for (const roles of ['', 'ingest;serve', 'ingest,']) {
    assert.match(
      faultsOf({ TAPELOOM_ROLES: roles })[0]!,
      /^TAPELOOM_ROLES must be .*; got /,
      roles,
    );
  }
});

test('files that cannot be read or do not fit are named before anything starts', () => {
  assert.deepEqual(
    faultsOf({
      ...CLUSTER,
      TAPELOOM_POSTGRES_PASSWORD_FILE: '/run/none',
      TAPELOOM_NATS_CREDS_FILE: '/run/empty',
    }),
    [
      'TAPELOOM_POSTGRES_PASSWORD_FILE: cannot read /run/none: no such file',
      'TAPELOOM_NATS_CREDS_FILE: the file /run/empty is empty.',
    ],
  );
  const faults = faultsOf({
    TAPELOOM_POSTGRES_URL: 'postgresql://loom:hunter2@127.0.0.1/tapeloom',
    TAPELOOM_POSTGRES_PASSWORD_FILE: '/run/pg-password',
    TAPELOOM_POSTGRES_CA_FILE: '/etc/ca.pem',
    TAPELOOM_NATS_URL: 'nats://127.0.0.1',
    TAPELOOM_NATS_CA_FILE: '/etc/ca.pem',
  });
  assert.deepEqual(
    faults.map((fault) => fault.split(/[: ]/)[0]),
    ['TAPELOOM_POSTGRES_PASSWORD_FILE', 'TAPELOOM_POSTGRES_CA_FILE', 'TAPELOOM_NATS_CA_FILE'],
  );
  assert.doesNotMatch(faults.join(), /hunter2/);
});
