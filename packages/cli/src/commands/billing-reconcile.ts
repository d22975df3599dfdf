/** `tapeloom billing reconcile`: makes the service ask providers about everything that may have changed. */

import { paymentStateAt } from '@tapeloom/core/entitlement/payment';
import { COMMON_USAGE, writeJson } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { readWaitMs, WAIT_USAGE } from '../billing/billing-options.ts';
import { isServiceMissing, waitedText, waitForService } from '../billing/service-wait.ts';
import { ExitCode } from '../exit-codes.ts';

/** Orders compared one by one before and after; beyond this, only their count is reported. */
const COMPARED_MAX = 10_000;

export const billingReconcileCommand = operatorCommand({
  usage: `Usage: tapeloom billing reconcile [--wait <seconds>] [--data <directory>] [--json]

Makes the running service list the providers' events, settle every pending event and ask about every order that can
still change, and waits for it. The service does the same by itself over time: use this after a provider's outage.

${WAIT_USAGE}
${COMMON_USAGE}

Examples:
  tapeloom billing reconcile
  tapeloom billing reconcile --wait 120 --json | jq .changed`,
  words: [],
  options: ['wait'],
  run,
});

async function run(operator: OperatorCall): Promise<number> {
  const { values, isJson, now, io, open, data } = operator;
  const waitMs = readWaitMs(values.wait);
  const store = await open();
  const before = new Map(
    (await store.orders.listOrders(COMPARED_MAX)).map((order) => [order.id, order]),
  );
  const asked = await store.orders.hurry(now);
  const left = async () => ({
    events: await store.orders.dueEvents(now, COMPARED_MAX),
    orders: await store.orders.dueOrders(now, COMPARED_MAX),
    listings: await store.orders.dueListings(now),
  });
  const isNothingLeft = async () => {
    const { events, orders, listings } = await left();
    return events.length + orders.length + listings.length === 0;
  };
  // Checked even when nothing is due: without a service, no provider has been asked.
  const waited = (await isServiceMissing(operator))
    ? 'no-service'
    : await waitForService(operator, isNothingLeft, waitMs);
  const isDone = waited === 'done';
  const after = await store.orders.listOrders(COMPARED_MAX);
  const changed = after.flatMap((order) => {
    const old = before.get(order.id);
    if (old === undefined || order.revision <= old.revision) return [];
    return [{ id: order.id, before: paymentStateAt(old, now), after: paymentStateAt(order, now) }];
  });
  const failed = after.filter(
    ({ id, heardAsk, lookAt }) =>
      before.has(id) &&
      before.get(id)!.lookAt !== null &&
      lookAt !== null &&
      heardAsk === before.get(id)!.heardAsk,
  ).length;
  if (isJson) {
    writeJson(io, { isDone, ...asked, failed, changed });
  } else {
    const asks = waited === 'no-service' ? 'to ask about' : 'asked about';
    io.stdout(`${asks} ${counted(asked.orders, 'order')} and ${counted(asked.events, 'event')}\n`);
    for (const one of changed) io.stdout(`${one.id}: ${one.before} → ${one.after}\n`);
    if (isDone && changed.length === 0) io.stdout('nothing changed\n');
    if (isDone && failed > 0) {
      io.stdout(
        `${counted(failed, 'order')} could not be checked; the service tries again by itself\n`,
      );
    }
    io.stdout(waitedText(waited, data));
  }
  return isDone && failed === 0 ? ExitCode.ok : ExitCode.notNow;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
