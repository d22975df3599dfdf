/** A customer of the key routes: short methods for frequent requests. */

import assert from 'node:assert/strict';
import type { KeyView } from '../../src/http/routes/key-view.ts';
import { checkProblem } from '../rest/problem-check.ts';
import { DOCS_URL, type RestAnswer, type RestService } from '../rest/rest-service.ts';

export interface CreatedKey extends KeyView {
  readonly key: string;
}

export interface RotatedKey extends CreatedKey {
  readonly previous: { readonly id: string; readonly state: string; readonly expiresAt?: string };
}

/** A valid body, with these fields replaced. */
export function keyBody(fields: object = {}): Record<string, unknown> {
  return { name: 'robot', environment: 'live', scopes: ['stream'], ...fields };
}

export class KeyRequests {
  readonly #service: RestService;

  constructor(service: RestService) {
    this.#service = service;
  }

  /** Advances the clock by a millisecond, so that the newest key is unique. */
  create(key: string, fields: object = {}): Promise<RestAnswer<CreatedKey>> {
    this.#service.clock.advance(1);
    return this.#service.post<CreatedKey>('/v1/keys', { key, body: keyBody(fields) });
  }

  async made(key: string, fields: object = {}): Promise<CreatedKey> {
    const { status, text, body } = await this.create(key, fields);
    assert.equal(status, 201, text);
    return body;
  }

  rotate(key: string, id: string, gracePeriodSeconds: unknown): Promise<RestAnswer<RotatedKey>> {
    return this.#service.post(`/v1/keys/${id}/rotate`, { key, body: { gracePeriodSeconds } });
  }

  revoke(key: string, id: string): Promise<RestAnswer<KeyView>> {
    return this.#service.delete(`/v1/keys/${id}`, { key });
  }

  async list(key: string): Promise<KeyView[]> {
    return (await this.#service.get<{ keys: KeyView[] }>('/v1/keys', { key })).body.keys;
  }

  async stateOf(key: string, id: string): Promise<string | undefined> {
    return (await this.list(key)).find((listed) => listed.id === id)?.state;
  }

  /** The status of a request that every valid key may make. */
  async use(key: string): Promise<number> {
    return (await this.#service.get('/v1/usage', { key })).status;
  }
}

/** The sorted field pointers of a rejected request. */
export async function refusedAt(answer: Promise<RestAnswer<unknown>>): Promise<string[]> {
  const problem = checkProblem(await answer, DOCS_URL, { status: 400, code: 'INVALID_PARAMETERS' });
  return problem.errors!.map(({ path }) => path).sort();
}
