/** The probe of this machine: its resolver, and TLS with the authorities that Node trusts. */

import { lookup } from 'node:dns/promises';
import { connect } from 'node:tls';
import type { AddressProbe } from './address-probe.ts';

const HANDSHAKE_MS_MAX = 10_000;

export const webProbe: AddressProbe = {
  async resolve(host) {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  },

  certificate: (host, port) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host, port, servername: host });
      socket.setTimeout(HANDSHAKE_MS_MAX, () => {
        socket.destroy(new Error('no answer within 10 s'));
      });
      socket.once('error', reject);
      socket.once('secureConnect', () => {
        resolve({ validToMs: Date.parse(socket.getPeerCertificate().valid_to) });
        socket.destroy();
      });
    }),
};
