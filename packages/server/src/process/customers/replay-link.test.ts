import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { PortalBrowser } from '../../../testing/portal/portal-browser.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';
import { makeDemoAccount } from './demo-account.ts';
import { replayLink } from './replay-link.ts';

test("the link to a replay's chart signs in to its account, and leads to the page that draws", async () => {
  await using service = await RestService.start();
  const { store, clock, origin } = service;
  assert.equal(await replayLink(store, clock.now(), origin, randomBytes), null, 'no account yet');
  await makeDemoAccount(store, clock.now(), randomBytes);
  const link = (await replayLink(store, clock.now(), origin, randomBytes))!;
  const url = new URL(link);
  assert.equal(`${url.origin}${url.pathname}`, `${origin}/sign-in`);
  assert.equal(url.searchParams.get('next'), '/docs/indicators/footprint?live');
  const browser = new PortalBrowser(service);
  const begun = await browser.post('/v1/portal/session', { token: url.hash.slice(1) });
  assert.equal(begun.status, 200, begun.text);
  const { body } = await browser.get<{ name: string; plan: string }>('/v1/portal/account');
  assert.equal(body.plan, 'live_history');
  assert.equal(await replayLink(store, clock.now(), origin, randomBytes), null, 'it is owned');
  await service.deliverMails();
  assert.deepEqual(service.mails, []);
});
