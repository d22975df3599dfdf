/** A customer that signs in to a node's portal by a mailed link, and orders there. */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_PRICING } from '@tapeloom/server/billing/offers-default';
import { WAIT_LIMIT_MS } from '../running-service.ts';
import type { ClusterNode } from './cluster-node.ts';

const LOOK_MS = 50;

export interface OrderSeen {
  readonly id: string;
  readonly state: string;
  readonly paidUntil: string | null;
}

export class ClusterBuyer {
  readonly #node: ClusterNode;
  readonly #cookie: string;

  private constructor(node: ClusterNode, cookie: string) {
    this.#node = node;
    this.#cookie = cookie;
  }

  static async signIn(node: ClusterNode, email: string): Promise<ClusterBuyer> {
    const asked = await post(node, '/v1/portal/sign-in', { email });
    assert.equal(asked.status, 202, await asked.text());
    const signedIn = await post(node, '/v1/portal/session', { token: await linkTo(node, email) });
    assert.equal(signedIn.status, 200, await signedIn.clone().text());
    const [cookie] = signedIn.headers.getSetCookie()[0]!.split(';');
    return new ClusterBuyer(node, cookie!);
  }

  async order(): Promise<OrderSeen> {
    const { version } = DEFAULT_PRICING.waiver;
    const answer = await post(
      this.#node,
      '/v1/portal/checkout',
      { offer: 'live', country: 'DE', waiver: { accepted: true, version } },
      this.#cookie,
    );
    assert.equal(answer.status, 201, await answer.clone().text());
    return ((await answer.json()) as { readonly order: OrderSeen }).order;
  }

  /** Null when the session or the order does not exist any more. */
  async orderNow(id: string): Promise<OrderSeen | null> {
    const { host, port } = this.#node;
    const headers = { cookie: this.#cookie };
    const answer = await fetch(`http://${host}:${port}/v1/portal/orders/${id}`, { headers });
    const seen = (await answer.json()) as OrderSeen;
    return answer.status === 200 ? seen : null;
  }
}

async function post(
  { host, port }: ClusterNode,
  path: string,
  body: object,
  cookie?: string,
): Promise<Response> {
  const origin = `http://${host}:${port}`;
  return await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin,
      ...(cookie === undefined ? {} : { cookie }),
    },
    body: JSON.stringify(body),
  });
}

/** The token of the newest link, from the development mailbox. */
async function linkTo(node: ClusterNode, email: string): Promise<string> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  for (;;) {
    const mails = (await (await node.internal('/mailbox')).text()).split('<article');
    const mail = mails.find((it) => it.includes(email));
    const token = /\/sign-in#(svc_link_\w+)/.exec(mail ?? '')?.[1];
    if (token !== undefined) return token;
    assert.ok(performance.now() < deadline, `no link came to ${email}`);
    await pause(LOOK_MS);
  }
}
