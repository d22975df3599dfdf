/** Every TCP connection of the public port takes a slot among its sockets before a byte of it is read. */

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { IpRange } from '@tapeloom/core/entitlement/ip-range';
import { neighbourhood } from '../../accounts/auth/address-throttle.ts';
import { clientAddress, isTrustedProxy } from '../../platform/network/client-address.ts';
import type { DoorSockets } from '../../platform/network/door-sockets.ts';

export function watchConnections(
  server: Server,
  sockets: DoorSockets,
  trustedProxies: () => readonly IpRange[],
): void {
  // One more than the limit, so that an existing connection can give way to the new one.
  server.maxConnections = sockets.limits.all + 1;
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    const peer = neighbourhood(clientAddress(remoteAddress, undefined, []));
    sockets.open(socket, peer, isTrustedProxy(remoteAddress, trustedProxies()));
  });
}
