/** Checks the public address and the proxies in front of it. */

import type { Config } from '@tapeloom/server/config/config';
import { PublicAddress } from '@tapeloom/server/config/public-address';
import type { ServiceNote } from '@tapeloom/server/platform/service-note';
import { type Finding, ok, warning } from './finding.ts';

const ANSWERED_WITHIN_MS = 10_000;

export async function checkAddress(
  { publicUrl, port, trustedProxies }: Config,
  note: ServiceNote | null,
): Promise<readonly Finding[]> {
  const address = new PublicAddress(publicUrl, port);
  const concerns = address.concerns(trustedProxies).map((concern) => {
    return warning('proxies', concern, 'See docs/operating/tls.md.');
  });
  const listed = `${trustedProxies.length} trusted`;
  const findings = concerns.length === 0 ? [ok('proxies', listed)] : concerns;
  if (note === null || publicUrl === null) return findings;
  return [...findings, await checkReached(publicUrl, note)];
}

/** A machine may be unable to reach its own public name, so a failure is only a warning. */
async function checkReached(publicUrl: string, { version }: ServiceNote): Promise<Finding> {
  const check = 'public address';
  const advice =
    'Try it from another network. If it fails there too, check DNS, proxy and firewall.';
  try {
    const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
    const response = await fetch(`${publicUrl}/v1/status`, { signal, redirect: 'manual' });
    const answered = (await response.json().catch(() => null)) as { version?: unknown } | null;
    if (response.ok && answered?.version === version) {
      return ok(check, `${publicUrl} leads to this service`);
    }
    const what = `${publicUrl} responds with ${response.status}, but not from this service`;
    return warning(check, what, 'Check where the proxy sends requests.');
  } catch (error) {
    const { cause, message } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    return warning(check, `${publicUrl} cannot be reached from here: ${why}`, advice);
  }
}
