/** The host in a configured server address. */

import { isIP } from 'node:net';

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;
const HOST = /^[0-9a-z](?:[0-9a-z.-]{0,252}[0-9a-z])?$/i;

/** Without the brackets of an IPv6 address. */
export function serverHostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function isServerHost(host: string): boolean {
  return isIP(host) !== 0 || HOST.test(host);
}

export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host);
}
