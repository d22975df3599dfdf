/** A customer at the routes of keys: short words for what tests ask there again and again. */

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

/** A sound body, but for these fields. */
export function keyBody(fields: object = {}): Record<string, unknown> {
  return { name: 'robot', environment: 'live', scopes: ['stream'], ...fields };
}

export class KeyRequests {
  readonly #service: RestService;

  constructor(service: RestService) {
    this.#service = service;
  }

  /** A millisecond later than whatever was before, so that the newest is known. */
  create(key: string, fields: object = {}): Promise<RestAnswer<CreatedKey>> {
    this.#service.clock.advance(1);
    return this.#service.post<CreatedKey>('/v1/keys', { key, body: keyBody(fields) });
  }

  /** A key that was really created. */
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

  /** The status of a request that any valid key may make. */
  async use(key: string): Promise<number> {
    return (await this.#service.get('/v1/usage', { key })).status;
  }
}

/** The pointers of a refused request, in order. */
export async function refusedAt(answer: Promise<RestAnswer<unknown>>): Promise<string[]> {
  const problem = checkProblem(await answer, DOCS_URL, { status: 400, code: 'INVALID_PARAMETERS' });
  return problem.errors!.map(({ path }) => path).sort();
}
