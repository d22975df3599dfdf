/**
 * Opens the payment providers that the settings name. The SDK of an unused provider is never loaded: that would cost
 * every start time and memory. Risky settings are logged for the operator.
 */

import type { OfferBook } from '../../billing/offer-book.ts';
import { openPaddle, openStripe } from '../../billing/open-adapters.ts';
import type { PaymentProvider } from '../../billing/payment-provider.ts';
import { isPaddleLive, isStripeLive, type PaymentSettings } from '../../config/payment-settings.ts';
import { StartRefusedError } from '../../operations/start/start-refused-error.ts';
import type { PageRoute } from '../../pages/page-route.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/log.ts';

export interface OpenProvidersOptions {
  readonly config: PaymentSettings & { readonly data: string };
  readonly offers: OfferBook;
  readonly publicAddress: { readonly origin: string; readonly isLoopback: boolean };
  readonly clock: Clock;
  readonly log: Log;
}

export interface OpenedProviders extends AsyncDisposable {
  readonly providers: readonly PaymentProvider[];
  readonly pages: readonly PageRoute[];
}

export async function openProviders(options: OpenProvidersOptions): Promise<OpenedProviders> {
  tellOfSales(options);
  await using opening = new AsyncDisposableStack();
  const test = await openTest(options);
  opening.use(test.payments);
  const { config, publicAddress, clock, log } = options;
  const providers: PaymentProvider[] = [test.provider];
  const pages: PageRoute[] = [test.page];
  const stripe = await openStripe(config, clock, log);
  if (stripe !== null) providers.push(stripe);
  const paddle = await openPaddle(config, () => publicAddress.origin, clock, log);
  if (paddle !== null) providers.push(paddle);
  pages.push(...(await paddlePage(config)));
  const opened = opening.move();
  return { providers, pages, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function openTest({ config, publicAddress, clock, log }: OpenProvidersOptions) {
  const room = await import('../../test-provider/open-test-payments.ts');
  const { TestProvider } = await import('../../test-provider/test-provider.ts');
  const { paymentPages } = await import('../../test-provider/payment-page.ts');
  const publicUrl = () => publicAddress.origin;
  try {
    const payments = await room.openTestPayments({ data: config.data, clock, log, publicUrl });
    const provider = new TestProvider(payments, publicUrl);
    return { payments, provider, page: paymentPages(payments) };
  } catch (error) {
    if (!(error instanceof room.TestPaymentsError)) throw error;
    throw new StartRefusedError(error.message, { cause: error });
  }
}

async function paddlePage(settings: PaymentSettings): Promise<readonly PageRoute[]> {
  const { paddleKey: key, paddleClientToken: clientToken } = settings;
  if (key === null || clientToken === null) return [];
  const { paddlePages } = await import('../../billing/paddle/paddle-page.ts');
  const { paddleEnvironment } = await import('../../billing/paddle/paddle-environment.ts');
  return [paddlePages({ clientToken, environment: paddleEnvironment(key, clientToken) })];
}

/** Risky settings are allowed for trying things out, but logged. */
export function tellOfSales({
  config,
  offers,
  publicAddress,
  log,
}: Omit<OpenProvidersOptions, 'clock'>): void {
  const isSelling = (name: string) => offers.countries.some(({ provider }) => provider === name);
  const { isLoopback } = publicAddress;
  if (isSelling('test') && !isLoopback) {
    log.warn('the payment provider test takes no money: anybody can get any plan with it');
  }
  const modes = [
    ['stripe', config.stripeKey === null ? null : isStripeLive(config.stripeKey)],
    ['paddle', isPaddleLive(config.paddleKey)],
  ] as const;
  for (const [provider, isLive] of modes) {
    if (isLive === true && isLoopback) {
      const message =
        'payments are live, but no webhook can arrive: TAPELOOM_PUBLIC_URL is reachable from this machine only';
      log.warn({ provider }, message);
    }
    if (isLive === false && !isLoopback && isSelling(provider)) {
      log.warn({ provider }, 'its test-mode keys take no money: anybody can get any plan');
    }
  }
}
