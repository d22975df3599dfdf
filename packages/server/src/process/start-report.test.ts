import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { BY_NAME, BY_NPM } from '../config/called-as.ts';
import { ingestReport, type StartFacts, startLine, startReport } from './start-report.ts';

const LIVE = 'svc_live_0123456789abcdefghijABCDEFGHIJ';
const TEST = 'svc_test_0123456789abcdefghijABCDEFGHIJ';
const facts: StartFacts = {
  version: '1.2.3',
  addresses: {
    portal: 'http://127.0.0.1:8080',
    rest: 'http://127.0.0.1:8080',
    stream: 'ws://127.0.0.1:8080/v1',
    internal: 'http://127.0.0.1:9464',
    mailbox: null,
    echo: null,
  },
  data: resolve('./data'),
  seconds: 1.25,
  cluster: null,
  keys: { account: 'demo', secrets: { live: LIVE, test: TEST } },
  calledAs: BY_NPM,
  chart: null,
  example: { instrument: 'BTC.c.0', dataset: null },
};
const report = (changed: Partial<StartFacts> = {}) =>
  startReport({ ...facts, ...changed }).join('\n');

test('a first start shows both keys, with a curl and a stream line ready to paste', () => {
  const text = report();
  assert.match(text, /is ready after 1\.3 s/);
  assert.match(text, new RegExp(`^ {2}live key {2}${LIVE}\n {2}test key {2}${TEST}$`, 'm'));
  assert.ok(
    text.includes(
      `  curl -H "Authorization: Bearer ${LIVE}" http://127.0.0.1:8080/v1/instruments\n`,
    ),
  );
  assert.ok(text.includes(`  TAPELOOM_KEY=${LIVE} npm run stream -- BTC.c.0 footprint\n`));
});

test('a replay shows the link to its chart in place of the way to own its account', () => {
  const chart = 'http://127.0.0.1:8080/sign-in?next=%2Fdocs%2Findicators%2Ffootprint%3Flive#token';
  const text = report({ chart });
  assert.ok(text.includes(`The link works once and for 15 minutes:\n\n  ${chart}\n`));
  assert.doesNotMatch(text, /account claim/);
  assert.match(report(), /account claim demo/);
});

test('the directory is named at once and when all is ready, that of an accelerated service as its own', () => {
  assert.equal(
    startLine('1.2.3', { data: '/srv/t', speed: null }),
    'Tapeloom 1.2.3 starts, data in /srv/t',
  );
  assert.match(
    startLine('1.2.3', { data: '/srv/t-speed', speed: 60 }),
    /60 times faster than real time, data in \/srv\/t-speed, separate from the directory of real time/,
  );
  assert.match(report({ data: '/srv/t-speed' }), /^ {2}data {6}\/srv\/t-speed$/m);
});

test('a replay says what it plays, from when on and how fast, and shows its own instrument', () => {
  const from = 1_773_153_000_000_000_000n as EpochNs;
  const replay = { contract: { symbol: 'ESH6' }, from, isHeld: false };
  assert.equal(
    startLine('1.2.3', { data: '/tmp/r', speed: null }, replay),
    'Tapeloom 1.2.3 starts and replays ESH6 from 2026-03-10T14:30:00.000Z on, data in /tmp/r',
  );
  assert.match(
    startLine('1.2.3', { data: '/tmp/r', speed: 10 }, { ...replay, isHeld: true }),
    /on as soon as a stream is open, 10 times faster than real time, data in/,
  );
  assert.match(
    report({ example: { instrument: 'ESH6', dataset: null } }),
    /stream -- ESH6 footprint$/m,
  );
});

test('where nothing can be streamed, the list of what there is of the past is shown alone', () => {
  const text = report({ example: { instrument: null, dataset: 'GLBX.MDP3' } });
  assert.match(text, /\/v1\/instruments\?dataset=GLBX\.MDP3'$/m);
  assert.doesNotMatch(text, /footprint/);
});

test('who develops is told where mails can be read', () => {
  const mailbox = 'http://127.0.0.1:9464/mailbox';
  assert.doesNotMatch(report(), /mailbox/);
  const text = report({ addresses: { ...facts.addresses, mailbox } });
  assert.match(text, new RegExp(`^ {2}mails {5}${mailbox}$`, 'm'));
});

test('a first start says how somebody becomes the owner of the account', () => {
  assert.match(report(), /^ {2}npm run tapeloom -- account claim demo$/m);
  const portal = 'https://tapeloom.example.com';
  const elsewhere = report({ addresses: { ...facts.addresses, portal }, data: '/srv/t' });
  assert.match(elsewhere, new RegExp(`^ {2}portal {4}${portal}/$`, 'm'));
  const claim = `account claim demo --data /srv/t --url ${portal}`;
  assert.match(elsewhere, new RegExp(`^ {2}npm run tapeloom -- ${claim}$`, 'm'));
});

test('a later start shows no key, but how to make one in this very directory', () => {
  const keys = { account: 'demo', secrets: null };
  const text = report({ keys });
  assert.doesNotMatch(text, /svc_/);
  assert.match(
    text,
    /^ {2}npm run tapeloom -- key create --account demo --name mine --environment live --scopes stream,history,export,keys$/m,
  );
  assert.match(text, /^ {2}npm run stream -- BTC\.c\.0 footprint$/m);
  const elsewhere = report({ keys: { account: "o'neil", secrets: null }, data: '/srv/my data' });
  assert.ok(elsewhere.includes(`--account 'o'\\''neil' `));
  assert.ok(elsewhere.includes(` --data '/srv/my data'\n`));
  assert.match(report({ keys: null }), /key create --account demo/);
});

test('who runs an installed service is shown the lines of the installed command', () => {
  const text = report({ calledAs: BY_NAME });
  assert.ok(text.includes(`  TAPELOOM_KEY=${LIVE} tapeloom stream BTC.c.0 footprint\n`));
  const later = report({ calledAs: BY_NAME, keys: { account: 'demo', secrets: null } });
  assert.match(later, /^ {2}tapeloom key create --account demo /m);
  assert.doesNotMatch(`${text}${later}`, /npm/);
});

test('another address is told to the stream command', () => {
  const addresses = { ...facts.addresses, stream: 'ws://127.0.0.1:9999/v1' };
  assert.match(report({ addresses }), /footprint --url ws:\/\/127\.0\.0\.1:9999\/v1$/m);
});

test('the echo has a line only when it was asked for', () => {
  assert.doesNotMatch(report(), /echo/);
  const addresses = { ...facts.addresses, echo: 'ws://127.0.0.1:9001' };
  assert.match(report({ addresses }), /^ {2}echo {6}ws:\/\/127\.0\.0\.1:9001$/m);
});

test('a node names itself, what it does and its servers, and no password', () => {
  const cluster = {
    roles: { ingest: false, serve: true },
    node: 'serve-1',
    internalUrl: null,
    postgres: {
      url: 'postgresql://loom:hunter2@db.example.com/tapeloom',
      passwordFile: null,
      caFile: null,
    },
    nats: {
      servers: ['nats://10.0.0.1:4222', 'nats://10.0.0.2:4222'],
      ...{ credsFile: null, tokenFile: null, caFile: null, certFile: null, keyFile: null },
      ...{ isTlsFirst: false, monitors: [], isSyncAssured: true },
    },
  };
  const text = report({ cluster });
  assert.match(text, /^ {2}node {6}serve-1 \(serve\)$/m);
  assert.match(text, /^ {2}accounts {2}PostgreSQL, db\.example\.com:5432\/tapeloom$/m);
  assert.match(text, /^ {2}tape {6}NATS, nats:.*:4222, whose syncing is not checked \(assured\)$/m);
  const { version, data, seconds } = facts;
  const roles = { ingest: true, serve: false };
  const internal = 'http://127.0.0.1:9464';
  const both = [
    text,
    ingestReport({ version, data, seconds, cluster: { ...cluster, roles }, internal }).join('\n'),
  ];
  assert.match(both[1]!, /^ {2}doors {5}none: /m);
  assert.match(both[1]!, /^ {2}node {6}serve-1 \(ingest\)$/m);
  assert.doesNotMatch(both.join(), /hunter2|loom@/);
});
