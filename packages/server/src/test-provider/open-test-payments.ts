/** The provider `test` of a running service, with files below the data directory and webhooks by HTTP. */

import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log/log.ts';
import { testPaymentsPath } from './payment-files.ts';
import { TestPayments, type Webhook } from './test-payments.ts';

const WEBHOOK_MS_MAX = 10_000;
const WEBHOOK_PATH = '/v1/webhooks/test';

export interface OpenTestPaymentsOptions {
  /** The data directory. */
  readonly data: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly publicUrl: () => string;
}

/** For the operator to resolve; the message is complete. */
export class TestPaymentsError extends Error {}

export async function openTestPayments(options: OpenTestPaymentsOptions): Promise<TestPayments> {
  const { data, clock, log, publicUrl } = options;
  const directory = testPaymentsPath(data);
  const webhookUrl = () => `${publicUrl()}${WEBHOOK_PATH}`;
  try {
    return await TestPayments.open({ directory, clock, log, webhookUrl, send: sendWebhook });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `the payments of the provider test in ${directory} cannot be used: ${why}`;
    throw new TestPaymentsError(message, { cause: error });
  }
}

async function sendWebhook({ url, headers, body }: Webhook, signal: AbortSignal): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(WEBHOOK_MS_MAX)]),
  });
  await response.body?.cancel();
  return response.status;
}
