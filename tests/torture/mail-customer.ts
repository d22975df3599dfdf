/**
 * A customer that buys, withdraws and leaves while the service is killed. Every acknowledged action
 * is owed a mail; an unacknowledged one may or may not send it.
 */

import assert from 'node:assert/strict';
import { DEFAULT_PRICING } from '@tapeloom/server/billing/offers-default';
import type { MailDrop } from '../../packages/server/testing/mail/mail-drop.ts';
import type { RunningService } from '../running-service.ts';

/** A mail that must arrive, by the beginning of its id. */
export interface Owed {
  readonly to: string;
  readonly id: string;
}

export class MailCustomer {
  readonly #email: string;
  readonly #cookie: string;
  readonly #order: { readonly id: string; readonly url: string };
  readonly #deletion: string;

  private constructor(
    email: string,
    cookie: string,
    order: { readonly id: string; readonly url: string },
    deletion: string,
  ) {
    this.#email = email;
    this.#cookie = cookie;
    this.#order = order;
    this.#deletion = deletion;
  }

  /** Signs in, orders without paying, and requests a link that confirms the account's deletion. */
  static async signIn(
    service: RunningService,
    drop: MailDrop,
    name: string,
  ): Promise<MailCustomer> {
    const email = `${name}@example.com`;
    const asked = await post(service, '/v1/portal/sign-in', { email });
    assert.equal(asked.status, 202, await asked.clone().text());
    const token = await drop.token(email);
    const signedIn = await post(service, '/v1/portal/session', { token });
    assert.equal(signedIn.status, 200, await signedIn.clone().text());
    const [cookie] = signedIn.headers.getSetCookie()[0]!.split(';');
    const { version } = DEFAULT_PRICING.waiver;
    const wish = { offer: 'live', country: 'DE', waiver: { accepted: true, version } };
    const ordered = await post(service, '/v1/portal/checkout', wish, cookie);
    assert.equal(ordered.status, 201, await ordered.clone().text());
    const { order } = (await ordered.json()) as { order: { id: string; url: string } };
    const leaving = await post(service, '/v1/portal/deletion', {}, cookie);
    assert.equal(leaving.status, 202, await leaving.clone().text());
    return new MailCustomer(email, cookie!, order, await drop.token(email));
  }

  /** Returns the mails owed: none when the service died before it acknowledged. */
  async act(service: RunningService, act: 'pay' | 'withdraw' | 'leave'): Promise<readonly Owed[]> {
    try {
      return await this.#act(service, act);
    } catch {
      return [];
    }
  }

  async #act(service: RunningService, act: 'pay' | 'withdraw' | 'leave'): Promise<readonly Owed[]> {
    const to = this.#email;
    const { id } = this.#order;
    if (act === 'pay') {
      const path = new URL(this.#order.url).pathname;
      const url = new URL(path, service.address('REST'));
      const form = { method: 'POST', body: new URLSearchParams({ action: 'pay' }) };
      const { origin } = new URL(service.address('portal'));
      const paid = await fetch(url, { ...form, headers: { origin }, redirect: 'manual' });
      return paid.status === 303 ? [{ to, id: `order-confirmed.${id}@` }] : [];
    }
    if (act === 'withdraw') {
      const path = `/v1/portal/orders/${id}/withdrawal`;
      const done = await post(service, path, { confirm: true }, this.#cookie);
      return done.status === 200 ? [{ to, id: `withdrawal-received.${id}@` }] : [];
    }
    const confirm = { token: this.#deletion };
    const done = await post(service, '/v1/portal/deletion/confirm', confirm, this.#cookie);
    return done.status === 200 ? [{ to, id: 'deletion-asked.' }] : [];
  }
}

async function post(
  service: RunningService,
  path: string,
  body: object,
  cookie?: string,
): Promise<Response> {
  return await fetch(new URL(path, service.address('REST')), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: new URL(service.address('portal')).origin,
      // Random addresses: one address range may create five accounts a day.
      'x-forwarded-for': [10, random(), random(), random()].join('.'),
      ...(cookie === undefined ? {} : { cookie }),
    },
    body: JSON.stringify(body),
  });
}

function random(): number {
  return Math.floor(Math.random() * 256);
}
