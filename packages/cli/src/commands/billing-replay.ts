/** `tapeloom billing replay`: makes the service ask a provider about an order or event again. */

import { paymentStateAt } from '@tapeloom/core/entitlement/payment';
import type {
  OrderRecord,
  PaymentEventRecord,
} from '@tapeloom/server/accounts/orders/orders-store';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { COMMON_USAGE, writeJson } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { findOrder, readWaitMs, WAIT_USAGE } from '../billing/billing-options.ts';
import { eventJson, orderJson } from '../billing/order-view.ts';
import { waitedText, waitForService } from '../billing/service-wait.ts';
import { ExitCode } from '../exit-codes.ts';

export const billingReplayCommand = operatorCommand({
  usage: `Usage: tapeloom billing replay <order or event> [--wait <seconds>] [--data <directory>] [--json]

Makes the running service ask the provider about an order again, or settle an event again, and waits for it. The
provider's answer decides, so it is safe to repeat.

  <order or event>    the id of an order, or of an event of a provider
${WAIT_USAGE}
${COMMON_USAGE}

Examples:
  tapeloom billing replay ord_0f3b6c1d2e4a5968778a
  tapeloom billing replay evt_5d41402abc4b2a76b9719d911017c592`,
  words: ['the id of an order or event'],
  options: ['wait'],
  run,
});

async function run(operator: OperatorCall): Promise<number> {
  const { words, values, isJson, io, open } = operator;
  const id = words[0]!;
  const waitMs = readWaitMs(values.wait);
  const store = await open();
  const events = await store.orders.findEvents({ id });
  const replayed =
    events.length > 0
      ? await replayEvents(store, events, operator, waitMs)
      : await replayOrder(store, await findOrder(store, id), operator, waitMs);
  if (isJson) writeJson(io, replayed.json);
  else io.stdout(replayed.text);
  return replayed.isDone ? ExitCode.ok : ExitCode.notNow;
}

interface Replayed {
  readonly isDone: boolean;
  readonly text: string;
  readonly json: unknown;
}

async function replayOrder(
  store: AccountStore,
  before: OrderRecord,
  { now, io, data }: OperatorCall,
  waitMs: number | undefined,
): Promise<Replayed> {
  await store.orders.lookAgain(before, now);
  const read = async () => (await store.orders.findOrder(null, before.id))!;
  const wasAsked = async () => (await read()).lookAt !== now;
  const waited = await waitForService({ io, data }, wasAsked, waitMs);
  const isOver = waited === 'done';
  const after = await read();
  const isDone = isOver && after.heardAsk > before.heardAsk;
  const states = [paymentStateAt(before, now), paymentStateAt(after, now)];
  const said = after.revision > before.revision ? states.join(' → ') : `${states[1]}, as before`;
  const failed =
    "the provider did not respond, or its response was invalid; see the service's log\n";
  const text = isDone ? `${after.id}: ${said}\n` : isOver ? failed : waitedText(waited, data);
  return { isDone, text, json: { isDone, ...orderJson(after, now) } };
}

async function replayEvents(
  store: AccountStore,
  events: readonly PaymentEventRecord[],
  { now, io, data }: OperatorCall,
  waitMs: number | undefined,
): Promise<Replayed> {
  for (const event of events) await store.orders.putOffEvent(event, { tryAt: now, fault: null });
  const read = () => store.orders.findEvents({ id: events[0]!.id });
  const wasTried = async () => (await read()).every(({ tryAt }) => tryAt !== now);
  const waited = await waitForService({ io, data }, wasTried, waitMs);
  const isOver = waited === 'done';
  const after = await read();
  const isDone = isOver && after.every(({ state }) => state === 'done');
  const lines = after.map(
    ({ id, provider, state, fault }) =>
      `${id} of ${provider}: ${state}${fault === null ? '' : `, ${fault}`}\n`,
  );
  return {
    isDone,
    text: isOver ? lines.join('') : waitedText(waited, data),
    json: { isDone, events: after.map(eventJson) },
  };
}
