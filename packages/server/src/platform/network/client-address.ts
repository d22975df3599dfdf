/**
 * The address of a request's client: the socket's peer, unless that is a proxy the operator listed. Then
 * `X-Forwarded-For` is read from the right, and an address is trusted only if a listed proxy added it. Anything a
 * client wrote into the header is to the left of the first listed proxy's addition, and is never reached.
 */

import {
  contains,
  type Ip,
  type IpRange,
  ipText,
  parseIp,
} from '@tapeloom/core/entitlement/ip-range';

/** The text of an unknown address; it lies in no range. */
const UNKNOWN_ADDRESS = 'unknown';

/** `1.2.3.4:5678` or `[2001:db8::1]:5678`: some proxies add the port. */
const WITH_PORT = /^(?:([\d.]+):\d{1,5}|\[([\da-fA-F:.]+)\](?::\d{1,5})?)$/;

/**
 * The client's address in canonical text (IPv4 dotted, even if the socket shows it as IPv6). `unknown` if the socket no
 * longer has an address, or if a listed proxy forwarded an invalid one.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trusted: readonly IpRange[],
): string {
  let address = peerIp(socketAddress);
  const claims = forwardedFor?.split(',') ?? [];
  while (address !== null && isTrusted(address, trusted)) {
    const claim = claims.pop()?.trim();
    if (claim === undefined) break;
    // Header lists may contain empty elements.
    if (claim !== '') address = claimedIp(claim);
  }
  return address === null ? UNKNOWN_ADDRESS : ipText(address);
}

export function isTrustedProxy(
  socketAddress: string | undefined,
  trusted: readonly IpRange[],
): boolean {
  const address = trusted.length === 0 ? null : peerIp(socketAddress);
  return address !== null && isTrusted(address, trusted);
}

/** The system adds the interface to link-local peers: fe80::1%eth0. */
function peerIp(socketAddress: string | undefined): Ip | null {
  return parseIp(socketAddress?.split('%', 1)[0] ?? '');
}

function isTrusted(address: Ip, trusted: readonly IpRange[]): boolean {
  return trusted.some((range) => contains(range, address));
}

function claimedIp(claim: string): Ip | null {
  const withPort = WITH_PORT.exec(claim);
  return parseIp(withPort?.[1] ?? withPort?.[2] ?? claim);
}
