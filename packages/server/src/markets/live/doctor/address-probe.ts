/** Checks whether the addresses of a venue can be reached: names, and certificates. */

import { DAY_MS, MINUTE_MS } from '@tapeloom/core/units';
import { reasonOf } from '../reason-of.ts';
import type { VenueAddresses } from '../venue-kind.ts';
import { type DoctorFinding, found } from './finding.ts';

const EXPIRES_SOON_MS = 7 * DAY_MS;
const PORTS: Readonly<Record<string, number>> = { 'wss:': 443, 'https:': 443 };

/** The names and certificates of the internet. */
export interface AddressProbe {
  resolve(host: string): Promise<readonly string[]>;
  /** Resolves if a trusted authority has signed a certificate for this host. `validToMs`: until when. */
  certificate(host: string, port: number): Promise<{ readonly validToMs: number }>;
}

export async function checkAddresses(
  { stream, rest }: VenueAddresses,
  probe: AddressProbe,
  nowMs: number,
): Promise<readonly DoctorFinding[]> {
  const hosts = new Map<string, Host>();
  for (const address of [stream, rest]) {
    const url = URL.parse(address);
    // A venue may have no requests.
    if (url === null) continue;
    const { protocol, hostname, port: written } = url;
    const secure = PORTS[protocol] ?? null;
    const port = secure === null ? null : Number(written) || secure;
    hosts.set(`${hostname}:${port}`, { hostname, port });
  }
  const all = await Promise.all(
    [...hosts.values()].map(async ({ hostname, port }) => {
      const name = await checkName(hostname, probe);
      if (port === null || name.outcome === 'failed') return [name];
      return [name, await checkCertificate(hostname, port, probe, nowMs)];
    }),
  );
  const findings = all.flat();
  // Two ports of one host have the same name.
  return findings.filter(({ check }, at) => findings.findIndex((it) => it.check === check) === at);
}

interface Host {
  readonly hostname: string;
  /** Null: without TLS. */
  readonly port: number | null;
}

async function checkName(host: string, probe: AddressProbe): Promise<DoctorFinding> {
  const check = `DNS of ${host}`;
  try {
    const addresses = await probe.resolve(host);
    if (addresses.length === 0) return found(check, 'failed', 'no address');
    return found(check, 'ok', addresses.slice(0, 4).join(', '));
  } catch (error) {
    return found(check, 'failed', reasonOf(error));
  }
}

async function checkCertificate(
  host: string,
  port: number,
  probe: AddressProbe,
  nowMs: number,
): Promise<DoctorFinding> {
  const check = `TLS of ${host}:${port}`;
  try {
    const { validToMs } = await probe.certificate(host, port);
    const leftMs = validToMs - nowMs;
    const until = `valid until ${new Date(validToMs).toISOString().slice(0, 10)}`;
    if (leftMs < MINUTE_MS) return found(check, 'failed', `was ${until}, by our clock`);
    return found(check, leftMs < EXPIRES_SOON_MS ? 'warning' : 'ok', until);
  } catch (error) {
    return found(check, 'failed', reasonOf(error));
  }
}
