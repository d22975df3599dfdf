/** A network that remembers its requests: how long each took, and what the venue answered. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { PageAnswer, PageRequest } from '../feed.ts';
import type { Network } from '../network.ts';

export interface RecordedRequest {
  readonly host: string;
  readonly atNs: EpochNs;
  readonly ms: number;
  readonly answer: PageAnswer;
}

export class RecordingNetwork implements Network {
  readonly answered: RecordedRequest[] = [];
  readonly connect: Network['connect'];
  readonly #network: Network;
  readonly #now: () => EpochNs;

  constructor(network: Network, now: () => EpochNs) {
    this.#network = network;
    this.#now = now;
    this.connect = (address, handlers) => network.connect(address, handlers);
  }

  async request(request: PageRequest, signal: AbortSignal): Promise<PageAnswer> {
    const from = this.#now();
    const answer = await this.#network.request(request, signal);
    const atNs = this.#now();
    const { host } = new URL(request.url);
    this.answered.push({ host, atNs, ms: Number((atNs - from) / MS_NS_BIG), answer });
    return answer;
  }
}
