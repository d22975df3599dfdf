/**
 * The lines printed when the service is ready: its addresses, and commands to paste. The keys of a first start are
 * shown here and nowhere else; a later start explains how to create one.
 */

import { resolve } from 'node:path';
import { SCOPES } from '@tapeloom/core/entitlement/key-rights';
import type { Contract } from '@tapeloom/core/instrument/contract';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { CalledAs } from '../config/called-as.ts';
import type { ClusterConfig } from '../config/cluster-settings.ts';
import type { Config } from '../config/config.ts';
import { postgresAddress } from '../config/postgres-address.ts';
import type { PlayedTime } from '../markets/market.ts';
import { DEMO_ACCOUNT, type FirstKeys } from './customers/demo-account.ts';
import type { TryExample } from './days/trading-world.ts';
import type { ServiceAddresses } from './service.ts';

/** The addresses that commands use by default. */
const DEFAULT_PORTAL = 'http://127.0.0.1:8080';
const DEFAULT_STREAM = 'ws://127.0.0.1:8080/v1';

interface CommonFacts {
  readonly version: string;
  /** The data directory. */
  readonly data: string;
  readonly seconds: number;
  readonly cluster: ClusterConfig | null;
}

export interface IngestFacts extends CommonFacts {
  readonly internal: string;
}

export interface StartFacts extends CommonFacts {
  readonly addresses: ServiceAddresses;
  /** Null when the account database did not respond. */
  readonly keys: FirstKeys | null;
  readonly calledAs: CalledAs;
  /** A link that signs in and opens the chart of the replay; null without a replay. */
  readonly chart: string | null;
  /** The instrument or dataset that the example commands use. */
  readonly example: TryExample;
}

/** The first line of a start. An accelerated service and a replay do not use the configured data directory. */
export function startLine(
  version: string,
  { data, speed }: Pick<Config, 'data' | 'speed'>,
  replay?: Pick<PlayedTime, 'from' | 'isHeld'> & { readonly contract: Pick<Contract, 'symbol'> },
): string {
  if (replay !== undefined) {
    const { contract, from, isHeld } = replay;
    const begin = isHeld ? ' as soon as a stream is open' : '';
    const pace = speed === null || speed === 1 ? '' : `, ${speed} times faster than real time`;
    const time = new Date(Number(from / MS_NS_BIG)).toISOString();
    return `Tapeloom ${version} starts and replays ${contract.symbol} from ${time} on${begin}${pace}, data in ${data}`;
  }
  const how =
    speed === null
      ? `data in ${data}`
      : `${speed} times faster than real time, data in ${data}, separate from the directory of real time`;
  return `Tapeloom ${version} starts, ${how}`;
}

export function ingestReport({
  version,
  data,
  seconds,
  cluster,
  internal,
}: IngestFacts): readonly string[] {
  return [
    `Tapeloom ${version} is ready after ${seconds.toFixed(1)} s`,
    '',
    '  doors     none: this node ingests trades, and others serve them',
    `  metrics   ${internal}/metrics`,
    ...nodeLines(cluster),
    `  data      ${data}`,
    '',
  ];
}

export function startReport(facts: StartFacts): readonly string[] {
  const { version, addresses, data, seconds } = facts;
  return [
    `Tapeloom ${version} is ready after ${seconds.toFixed(1)} s`,
    '',
    `  portal    ${addresses.portal}/`,
    `  REST      ${addresses.rest}/v1/`,
    `  stream    ${addresses.stream}`,
    `  metrics   ${addresses.internal}/metrics`,
    ...(addresses.mailbox === null ? [] : [`  mails     ${addresses.mailbox}`]),
    ...(addresses.echo === null ? [] : [`  echo      ${addresses.echo}`]),
    ...nodeLines(facts.cluster),
    `  data      ${data}`,
    '',
    ...keyLines(facts),
    '',
  ];
}

/** The node's name, roles and addresses, without user or password. */
function nodeLines(cluster: ClusterConfig | null): readonly string[] {
  if (cluster === null) return [];
  const { node, roles, postgres, nats } = cluster;
  const { host, port, database } = postgresAddress(postgres.url)!;
  const does = Object.entries(roles).flatMap(([role, isOn]) => (isOn ? [role] : []));
  const assured = nats.isSyncAssured ? ', whose syncing is not checked (assured)' : '';
  return [
    `  node      ${node} (${does.join(', ')})`,
    `  accounts  PostgreSQL, ${host}:${port}/${database}`,
    `  tape      NATS, ${nats.servers.join(', ')}${assured}`,
  ];
}

function keyLines({
  keys,
  addresses,
  data,
  calledAs,
  chart,
  example: { instrument, dataset },
}: StartFacts): readonly string[] {
  const all = `${addresses.rest}/v1/instruments`;
  const list = dataset === null ? all : `'${all}?dataset=${encodeURIComponent(dataset)}'`;
  const curl = (key: string) => `  curl -H "Authorization: Bearer ${key}" ${list}`;
  const url = addresses.stream === DEFAULT_STREAM ? '' : ` --url ${addresses.stream}`;
  const stream = (before: string) =>
    instrument === null ? [] : [`  ${before}${calledAs.stream} ${instrument} footprint${url}`];
  const place = data === resolve('./data') ? '' : ` --data ${shellWord(data)}`;
  const portal = addresses.portal === DEFAULT_PORTAL ? '' : ` --url ${addresses.portal}`;
  if (keys !== null && keys.secrets !== null) {
    const { live, test } = keys.secrets;
    return [
      `The account "${keys.account}" with the plan live_history was created. Its keys, shown only this once:`,
      '',
      `  live key  ${live}`,
      `  test key  ${test}`,
      '',
      'Try in a second terminal:',
      '',
      curl(live),
      ...stream(`TAPELOOM_KEY=${live} `),
      '',
      ...(chart === null
        ? [
            'To own the account in the portal, open the link that this command prints:',
            '',
            `  ${calledAs.tapeloom} account claim ${shellWord(keys.account)}${place}${portal}`,
          ]
        : [
            'See the chart in a browser. The link works once and for 15 minutes:',
            '',
            `  ${chart}`,
          ]),
    ];
  }
  return [
    'Keys are shown once, when they are created. To create another one:',
    '',
    `  ${calledAs.tapeloom} key create --account ${shellWord(keys?.account ?? DEMO_ACCOUNT)} --name mine ` +
      `--environment live --scopes ${SCOPES.join(',')}${place}`,
    '',
    'Try in a second terminal, with a key in the variable TAPELOOM_KEY:',
    '',
    curl('$TAPELOOM_KEY'),
    ...stream(''),
  ];
}

function shellWord(text: string): string {
  return /^[\w./@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
