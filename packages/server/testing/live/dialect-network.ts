/** The requests of a dialect behind the port of the network, for what is asked before a feed runs. */

import type { Network } from '../../src/markets/live/network.ts';
import type { Dialect } from './dialect.ts';

/** `requested`: receives the addresses. */
export function dialectNetwork(dialect: Dialect, requested: string[] = []): Network {
  return {
    connect: () => {
      throw new Error('only requests');
    },
    async request(request) {
      requested.push(request.url);
      const page = dialect.page(request, () => [], 0);
      return page?.answer([]) ?? { status: 404, headers: {}, body: 'no such address' };
    },
  };
}

/** Answers every request with this document. */
export function answering(document: unknown, status = 200): Network {
  return {
    connect: () => {
      throw new Error('only requests');
    },
    request: async () => ({ status, headers: {}, body: JSON.stringify(document) }),
  };
}
