/** The checks of `tapeloom billing doctor` for Paddle: keys, permissions, webhooks and page. They change nothing. */

import type { Paddle } from '@paddle/paddle-node-sdk';
import { type Finding, UpstreamError } from '../payment-provider.ts';
import { type PaddleApi, PaddleRefusal } from './paddle-api.ts';
import { clientTokenFault, type PaddleEnvironment } from './paddle-environment.ts';
import { PADDLE_EVENTS } from './paddle-events.ts';
import { PADDLE_PAGE } from './paddle-page-address.ts';

const WEBHOOK_PATH = '/v1/webhooks/paddle';
const DESTINATIONS_MAX = 200;

export interface Examined {
  readonly api: PaddleApi;
  readonly environment: PaddleEnvironment;
  readonly clientToken: string;
  readonly webhookSecrets: readonly string[];
  readonly publicUrl: string;
}

/** The resources that we read and write; only reading is tried, since it does no harm. */
const READ: Readonly<Record<string, (paddle: Paddle) => Promise<unknown>>> = {
  products: (paddle) => paddle.products.list({ perPage: 1 }).next(),
  customers: (paddle) => paddle.customers.list({ perPage: 1 }).next(),
  transactions: (paddle) => paddle.transactions.list({ perPage: 1 }).next(),
  subscriptions: (paddle) => paddle.subscriptions.list({ perPage: 1 }).next(),
  adjustments: (paddle) => paddle.adjustments.list({ perPage: 1 }).next(),
  events: (paddle) => paddle.events.list({ perPage: 1 }).next(),
};

export async function examinePaddle(examined: Examined, signal: AbortSignal) {
  const key = await keyFinding(examined, signal);
  const findings: Finding[] = [key, tokenFinding(examined), pageFinding(examined)];
  // With a rejected key, all other checks would report the same.
  if (key.outcome === 'fault') return findings;
  return [
    ...findings,
    await rightsFinding(examined, signal),
    await webhookFinding(examined, signal),
  ];
}

async function keyFinding({ api, environment }: Examined, signal: AbortSignal): Promise<Finding> {
  const what = 'API key';
  const fault = await faultOf(signal, () =>
    api.ask('list event types', signal, (paddle) => paddle.eventTypes.list()),
  );
  if (fault !== null) return { what, outcome: 'fault', detail: fault };
  const money = environment === 'sandbox' ? 'sandbox: no money moves' : 'live: real money';
  return { what, outcome: 'ok', detail: `Paddle accepts the key (${money}).` };
}

function tokenFinding({ clientToken, environment }: Examined): Finding {
  const what = 'client token';
  const fault = clientTokenFault(clientToken, environment);
  if (fault !== null) return { what, outcome: 'fault', detail: `${fault}.` };
  return { what, outcome: 'ok', detail: `It looks like a token of the ${environment} account.` };
}

function pageFinding({ publicUrl }: Examined): Finding {
  const what = 'payment page';
  const page = `${publicUrl}${PADDLE_PAGE}`;
  const ask = 'Paddle must have approved the domain and have it as the default payment link';
  if (publicUrl.startsWith('https:')) return { what, outcome: 'ok', detail: `${page}. ${ask}.` };
  return { what, outcome: 'warning', detail: `${page} is not https, which Paddle wants. ${ask}.` };
}

async function rightsFinding({ api }: Examined, signal: AbortSignal): Promise<Finding> {
  const what = 'rights of the key';
  const refused: string[] = [];
  for (const [name, read] of Object.entries(READ)) {
    const fault = await faultOf(signal, () => api.ask(`read ${name}`, signal, read));
    if (fault !== null) refused.push(`${name} (${fault})`);
  }
  if (refused.length > 0) {
    return { what, outcome: 'fault', detail: `It cannot read ${refused.join(', ')}.` };
  }
  const names = Object.keys(READ).join(', ');
  return { what, outcome: 'ok', detail: `It reads ${names}. Writing was not tried.` };
}

async function webhookFinding(examined: Examined, signal: AbortSignal): Promise<Finding> {
  const what = 'webhooks';
  const { api, publicUrl, webhookSecrets } = examined;
  const url = `${publicUrl}${WEBHOOK_PATH}`;
  const destinations: Awaited<ReturnType<Paddle['notificationSettings']['list']>> = [];
  const fault = await faultOf(signal, async () => {
    const listed = await api.ask('list notification settings', signal, (paddle) =>
      paddle.notificationSettings.list({ active: true, perPage: DESTINATIONS_MAX }),
    );
    destinations.push(...listed);
  });
  if (fault !== null)
    return { what, outcome: 'warning', detail: `They could not be read: ${fault}.` };
  const ours = destinations.find(({ type, destination }) => type === 'url' && destination === url);
  if (ours === undefined) {
    return { what, outcome: 'fault', detail: `No active notification destination is ${url}.` };
  }
  if (!webhookSecrets.includes(ours.endpointSecretKey)) {
    const detail = `The secret of ${url} is not in TAPELOOM_PADDLE_WEBHOOK_SECRETS.`;
    return { what, outcome: 'fault', detail };
  }
  const sent = ours.subscribedEvents.map(({ name }) => String(name));
  const missing = PADDLE_EVENTS.filter((name) => !sent.includes(name));
  if (missing.length > 0) {
    const detail = `${url} does not receive ${missing.join(', ')}. Select these events in Paddle.`;
    return { what, outcome: 'fault', detail };
  }
  return { what, outcome: 'ok', detail: `${url} receives all required events.` };
}

async function faultOf(signal: AbortSignal, ask: () => Promise<unknown>): Promise<string | null> {
  try {
    await ask();
    return null;
  } catch (error) {
    if (signal.aborted || !(error instanceof UpstreamError)) throw error;
    return error instanceof PaddleRefusal ? error.code : error.message;
  }
}
