/**
 * The checks of `tapeloom billing doctor` for one provider, with the operator's keys: its own findings, its clock, the
 * countries and, on request, a checkout. No money moves, and no data of ours changes.
 */

import { randomBytes } from 'node:crypto';
import { MINUTE_MS, MS_NS_BIG } from '@tapeloom/core/units';
import { isLoopbackUrl } from '../config/public-address.ts';
import type { Clock } from '../platform/clock.ts';
import type { OfferBook } from './offer-book.ts';
import { type Finding, type PaymentProvider, UpstreamError } from './payment-provider.ts';

/** For each provider; an operator waits for it. */
export const EXAMINATION_MS_MAX = MINUTE_MS;
/** Webhook signatures are valid for five minutes before and after their time. */
const SKEW_S_FAULT = 240;
const SKEW_S_WARNING = 30;

export interface DoctorOptions {
  readonly provider: PaymentProvider;
  readonly apiUrl: string;
  readonly offers: OfferBook;
  readonly publicUrl: string;
  /** Whether these keys move money; null: unknown. */
  readonly isLive: boolean | null;
  /** Whether to try a checkout; never done with live keys. */
  readonly triesCheckout: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Reads the provider's clock; the platform's `fetch` by default. */
  readonly request?: typeof fetch;
}

export async function examineProvider(options: DoctorOptions): Promise<readonly Finding[]> {
  const findings = [countriesFinding(options), addressFinding(options)];
  findings.push(await clockFinding(options));
  findings.push(...(await said(options)));
  if (options.triesCheckout) findings.push(await checkoutFinding(options));
  return findings;
}

/** The provider's own findings; a provider that does not respond is one finding. */
async function said({ provider, signal }: DoctorOptions): Promise<readonly Finding[]> {
  try {
    return await provider.examine(signal);
  } catch (error) {
    return [{ what: 'answers', outcome: 'fault', detail: messageOf(error) }];
  }
}

function countriesFinding({ provider, offers }: DoctorOptions): Finding {
  const what = 'countries';
  const all = offers.countries.filter((one) => one.provider === provider.name);
  if (all.length > 0) {
    return { what, outcome: 'ok', detail: all.map(({ code }) => code).join(', ') };
  }
  const detail = 'it sells in no country: the file of TAPELOOM_OFFERS assigns no country to it';
  return { what, outcome: 'warning', detail };
}

function addressFinding({ provider, publicUrl }: DoctorOptions): Finding {
  const what = 'webhook address';
  const detail = `${publicUrl}/v1/webhooks/${provider.name}`;
  if (isLoopbackUrl(publicUrl)) {
    const why =
      'is reachable from this machine only, so no webhook arrives: set TAPELOOM_PUBLIC_URL';
    return { what, outcome: 'warning', detail: `${detail} ${why}` };
  }
  if (publicUrl.startsWith('https:')) return { what, outcome: 'ok', detail };
  return { what, outcome: 'fault', detail: `${detail} has no TLS: no webhook is sent there` };
}

async function clockFinding({
  apiUrl,
  clock,
  signal,
  request = fetch,
}: DoctorOptions): Promise<Finding> {
  const what = 'clock';
  try {
    const response = await request(apiUrl, { redirect: 'manual', signal });
    await response.body?.cancel();
    const theirs = Date.parse(response.headers.get('date') ?? '');
    if (Number.isNaN(theirs)) {
      return { what, outcome: 'warning', detail: "the provider's response has no Date header" };
    }
    const skew = Math.round((Number(clock.now() / MS_NS_BIG) - theirs) / 1_000);
    const seconds = Math.abs(skew);
    const outcome =
      seconds >= SKEW_S_FAULT ? 'fault' : seconds >= SKEW_S_WARNING ? 'warning' : 'ok';
    if (outcome === 'ok') return { what, outcome, detail: 'agrees with the provider’s' };
    const detail = `ours is ${seconds} s ${skew > 0 ? 'ahead' : 'behind'}; at 300 s every webhook is refused`;
    return { what, outcome, detail };
  } catch (error) {
    return { what, outcome: 'fault', detail: `${apiUrl} cannot be reached: ${messageOf(error)}` };
  }
}

async function checkoutFinding(options: DoctorOptions): Promise<Finding> {
  const what = 'checkout';
  if (options.isLive !== false) {
    const detail = 'not tried: these keys may move money; use those of the test mode';
    return { what, outcome: 'warning', detail };
  }
  try {
    return { what, outcome: 'ok', detail: await tryCheckout(options) };
  } catch (error) {
    return { what, outcome: 'fault', detail: messageOf(error) };
  }
}

async function tryCheckout({
  provider,
  offers,
  publicUrl,
  signal,
}: DoctorOptions): Promise<string> {
  const [price] = offers.prices;
  const offer = offers.offers.find(({ id }) => id === price?.offer);
  const country = offers.countries.find((one) => one.provider === provider.name)?.code ?? 'DE';
  if (price === undefined || offer === undefined) throw new UpstreamError('nothing is sold');
  const { ref } = await provider.startCheckout(
    {
      orderId: `ord_${randomBytes(10).toString('hex')}`,
      accountId: 'doctor',
      // A placeholder: some providers require an address, and mail only buyers who have paid.
      email: 'billing-doctor@example.com',
      kind: offer.billing === 'monthly' ? 'subscription' : 'purchase',
      offer: offer.id,
      offerName: offer.name,
      amountMinor: price.amountMinor,
      currency: offers.currency,
      taxIncluded: offers.taxIncluded,
      country,
      returnUrl: `${publicUrl}/orders`,
      backUrl: `${publicUrl}/plans`,
    },
    signal,
  );
  const open = await provider.fetch(ref, signal);
  await provider.closeCheckout(ref, signal);
  const closed = await provider.fetch(ref, signal);
  if (open?.state !== 'open') throw new UpstreamError(`${ref} was ${open?.state} when it was new`);
  if (closed?.state !== 'failed') {
    throw new UpstreamError(`${ref} is ${closed?.state} after it was closed`);
  }
  return `${ref} was opened, read and closed`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
