/** The followers of a tape, in order of arrival: none sees today before the days it depends on are there. */

import type { MessagePort } from 'node:worker_threads';
import type { TapePublisher } from '../../tape/write/tape-publisher.ts';

export class JoiningFollowers {
  readonly #publisher: TapePublisher;
  /** Followers waiting for the first days; null once those are there. */
  #waiting: MessagePort[] | null = [];

  constructor(publisher: TapePublisher) {
    this.#publisher = publisher;
  }

  follow(port: MessagePort): void {
    if (this.#waiting === null) this.#publisher.addFollower(port);
    else this.#waiting.push(port);
  }

  /** The first days are there. */
  letJoin(): void {
    for (const port of this.#waiting ?? []) this.#publisher.addFollower(port);
    this.#waiting = null;
  }
}
