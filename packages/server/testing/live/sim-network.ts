/** The simulated venue behind the port of the network, for a `LiveSource` on a clock that the test moves. */

import type { FeedMessage, PageAnswer, PageRequest } from '../../src/markets/live/feed.ts';
import type { ConnectionHandlers, Network } from '../../src/markets/live/network.ts';
import type { SimVenue } from './sim-venue.ts';

export class SimNetwork implements Network {
  readonly #venue: SimVenue;
  readonly #nowMs: () => number;
  readonly #handlers = new Map<number, ConnectionHandlers>();
  readonly #answers = new Map<number, (answer: PageAnswer) => void>();
  #lastId = 0;

  constructor(venue: SimVenue, nowMs: () => number) {
    this.#venue = venue;
    this.#nowMs = nowMs;
  }

  connect(address: string, handlers: ConnectionHandlers) {
    this.#lastId += 1;
    const connection = this.#lastId;
    this.#handlers.set(connection, handlers);
    this.#venue.connect(connection, this.#nowMs(), address);
    return {
      send: (message: FeedMessage) => this.#venue.send(connection, message, this.#nowMs()),
      close: () => this.#venue.close(connection),
    };
  }

  request(request: PageRequest): Promise<PageAnswer> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#venue.request(id, request, this.#nowMs());
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  /** Hands over what has arrived. */
  deliver(): void {
    for (const [connection, event] of this.#venue.arrived(this.#nowMs())) {
      const handlers = this.#handlers.get(connection)!;
      if (event.kind === 'opened') handlers.opened();
      else if (event.kind === 'message') handlers.message(event.message);
      else if (event.kind === 'closed') handlers.closed(event.why);
    }
    for (const [id, answer] of this.#venue.answered(this.#nowMs())) this.#answers.get(id)!(answer);
  }
}
