/** The requests of a dialect as a network, to read descriptions of contracts. */

import type { Network } from '../../src/markets/live/network.ts';
import type { Dialect } from './dialect.ts';

export function requestsTo(dialect: Dialect): Network {
  return {
    connect: () => {
      throw new Error('only requests');
    },
    request: async (request) => {
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
