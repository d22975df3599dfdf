/** `tapeloom billing test`: simulates events at the built-in provider `test`. */

import { createClock } from '@tapeloom/server/platform/system-clock';
import {
  askTestProvider,
  ORDER_ACTIONS,
  PROVIDER_ACTIONS,
} from '@tapeloom/server/test-provider/ask-test-provider';
import { COMMON_USAGE, writeJson } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';

export const billingTestCommand = operatorCommand({
  usage: `Usage: tapeloom billing test <action> [<order>] [--data <directory>] [--json]

Simulates an event at the built-in payment provider. The service must run on this data directory. It
learns of it as from any provider: from a signed webhook, or when it asks.

  <action>            of an order: ${ORDER_ACTIONS.join(', ')};
                      of the provider itself: ${PROVIDER_ACTIONS.join(', ')}
  <order>             the order's id, if the action is about an order
${COMMON_USAGE}

Examples:
  tapeloom billing test renew ord_0f3b6c1d2e4a5968778a
  tapeloom billing test down`,
  words: null,
  run,
});

async function run({ words, isJson, data, io }: OperatorCall): Promise<number> {
  const asked = readAsked(words);
  const clock = createClock({ kind: 'system' });
  const answer = await askTestProvider(data, asked, clock);
  if (isJson) writeJson(io, answer);
  else if ('refused' in answer) io.stderr(`${answer.refused}\n`);
  else io.stdout(`${asked.orderId ?? 'the provider test'}: ${answer.done}\n`);
  return 'refused' in answer ? ExitCode.failure : ExitCode.ok;
}

function readAsked(words: readonly string[]): {
  readonly action: string;
  readonly orderId: string | null;
} {
  const [action, orderId, ...rest] = words;
  if (action === undefined) throw new UsageError('the action is missing');
  if (rest.length > 0) throw new UsageError(`unexpected argument: ${rest[0]}`);
  if (PROVIDER_ACTIONS.includes(action)) {
    if (orderId !== undefined) throw new UsageError(`${action} takes no order; got ${orderId}`);
    return { action, orderId: null };
  }
  if (!ORDER_ACTIONS.includes(action)) {
    const all = [...ORDER_ACTIONS, ...PROVIDER_ACTIONS].join(', ');
    throw new UsageError(`the action must be one of ${all}; got ${action}`);
  }
  if (orderId === undefined) throw new UsageError('the id of the order is missing');
  return { action, orderId };
}
