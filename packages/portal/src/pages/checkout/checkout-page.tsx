/**
 * Checkout: offer, billing country, full withdrawal text, and the order beside them. The consent box is never ticked in
 * advance. Pressing the button repeatedly places one order. Returning from the payment page reloads this page.
 */

import './checkout.css';
import { PLAN_NAMES } from '@tapeloom/core/entitlement/plan';
import type { Ref } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { portalApi } from '../../api/portal-api.ts';
import type { PortalError } from '../../api/portal-error.ts';
import type { OfferId, WaiverText } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { CheckField, SelectField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { dayOf } from '../../components/time-text.ts';
import { WhenLoaded } from '../../components/when-loaded.tsx';
import { useAccount } from '../../shell/account-context.tsx';
import { PageHead } from '../../shell/page-head.tsx';
import { BOTH, type BothStep, bothSteps } from '../plans/both-offers.ts';
import { type Holding, holdingOf, isBuyable } from '../plans/holding.ts';
import { offerText, priceText, waiverText } from '../plans/plan-facts.ts';
import { type OwnShopProps, type Shop, useOwnShop } from '../plans/use-shop.ts';
import { type BillToFields, billToFault, billToOf, fieldsOf } from './bill-to.ts';
import { BillToCard } from './bill-to-card.tsx';
import { countryName, countryOptions, likelyCountry } from './billing-country.ts';
import { BothCard } from './both-card.tsx';
import { OrderSummary } from './order-summary.tsx';

const NO_PAYMENT_THERE = 'Payments from this country are not possible. Choose another country.';
const NO_COUNTRY = 'Choose the country of your billing address.';
const NOT_AGREED = 'Agree to this first, so that your access can begin today.';
const NEW_TEXT = 'The text has changed since you opened this page. Read it, and agree again.';

export function CheckoutPage() {
  const account = useAccount();
  const loaded = useOwnShop();
  useFreshAfterBack();
  return (
    <>
      <PageHead title="Checkout">
        {account?.value && <span class="badge">You have: {PLAN_NAMES[account.value.plan]}</span>}
      </PageHead>
      <WhenLoaded
        loaded={loaded}
        loading="The checkout is loading"
        lines={4}
        failed="The checkout did not load"
        note="Nothing was ordered."
      >
        {(own) => <Choosing {...own} reload={loaded.reload} />}
      </WhenLoaded>
    </>
  );
}

function Choosing(props: OwnShopProps) {
  const { account, shop } = props;
  const wanted = useLocation().query.offer;
  const buyable = shop.offers.offers
    .map(({ id }) => id)
    .filter((id) => isBuyable(holdingOf(id, account, shop.orders)));
  const [chosen, setChosen] = useState<OfferId | null>(null);
  const steps = wanted === BOTH ? bothSteps((id) => buyable.includes(id)) : null;
  const now = steps?.find(({ state }) => state === 'now')?.offer;
  const first = now ?? buyable.find((id) => id === wanted) ?? buyable[0];
  const offer = chosen !== null && buyable.includes(chosen) ? chosen : first;
  if (offer === undefined) return <NothingLeft />;
  // Each step is a form of its own: consent to one order does not carry over to the next.
  return (
    <CheckoutForm
      key={steps === null ? 'one' : offer}
      {...props}
      {...{ offer, steps }}
      onOffer={setChosen}
    />
  );
}

function NothingLeft() {
  return (
    <div class="card empty">
      <h2>You already have everything</h2>
      <p>You own Live and Historical. Billing shows when they renew and how to end them.</p>
      <ButtonLink href="/orders">Billing</ButtonLink>
    </div>
  );
}

interface FormProps extends OwnShopProps {
  readonly offer: OfferId;
  readonly onOffer: (offer: OfferId) => void;
  /** The steps of an order for both offers. */
  readonly steps: readonly BothStep[] | null;
}

function CheckoutForm(props: FormProps) {
  const { account, shop, offer, onOffer, steps, reload } = props;
  const { pricing } = shop;
  const text = waiverText(pricing, offer);
  const [country, setCountry] = useState(() =>
    likelyCountry(pricing, shop.orders, navigator.languages),
  );
  const [billed, setBilled] = useState(() => fieldsOf(shop.orders));
  const [agreedTo, setAgreedTo] = useState<string | null>(null);
  const [faults, setFaults] = useState<Faults>({});
  const box = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const isAgreed = agreedTo === text.text;
  const [refused, setRefused] = useState('');
  const pay = useAction(async () => {
    const waiver = { accepted: isAgreed, version: text.version };
    setRefused(country);
    const billTo = billToOf(billed);
    const both = steps !== null;
    const wish = { offer, country, waiver, both, ...(billTo === null ? {} : { billTo }) };
    const { url } = await portalApi.startCheckout(wish);
    location.assign(url);
    // Stays busy until the browser leaves this page.
    await new Promise<never>(() => {});
  });
  const isRefused = (pay.error?.fault('/country') ?? null) !== null;
  useNewText(pay.error, reload, () => {
    setAgreedTo(null);
    setFaults({ waiver: NEW_TEXT });
    box.current?.focus();
  });
  const submit = () => {
    const found = faultsOf(country, isAgreed, billed);
    setFaults(found);
    if (found.country !== undefined) form.current?.querySelector('select')?.focus();
    else if (found.billed !== undefined) billName(form.current)?.focus();
    else if (found.waiver !== undefined) box.current?.focus();
    else void pay.run();
  };
  return (
    <Form formRef={form} class="checkout" onSubmit={submit}>
      <div>
        {steps === null ? (
          <OfferCard account={account} shop={shop} offer={offer} onOffer={onOffer} />
        ) : (
          <BothCard shop={shop} steps={steps} />
        )}
        <CountryCard
          shop={shop}
          country={country}
          error={faults.country ?? (isRefused && country === refused ? NO_PAYMENT_THERE : null)}
          onCountry={(code) => {
            setCountry(code);
            setFaults(({ country: _, ...others }) => others);
          }}
        />
        <BillToCard
          fields={billed}
          error={faults.billed ?? pay.error?.fault('/billTo/name')}
          onChange={(fields) => {
            setBilled(fields);
            setFaults(({ billed: _, ...others }) => others);
          }}
        />
        <WaiverCard
          text={text}
          inputRef={box}
          isAgreed={isAgreed}
          error={faults.waiver}
          onAgreed={(isChecked) => {
            setAgreedTo(isChecked ? text.text : null);
            setFaults(({ waiver: _, ...others }) => others);
          }}
        />
      </div>
      <OrderSummary account={account} shop={shop} offer={offer} steps={steps} country={country}>
        <CheckoutError error={pay.error} />
        <Button
          type="submit"
          kind="primary"
          size="lg"
          icon="lock"
          isBlock
          busy={pay.isBusy && 'Opening the payment page'}
        >
          Continue to payment, {priceText(pricing, offer).amount}
        </Button>
      </OrderSummary>
    </Form>
  );
}

interface Faults {
  readonly country?: string;
  readonly waiver?: string;
  readonly billed?: string;
}

function faultsOf(country: string, isAgreed: boolean, billed: BillToFields): Faults {
  const unbilled = billToFault(billed);
  return {
    ...(country === '' ? { country: NO_COUNTRY } : {}),
    ...(isAgreed ? {} : { waiver: NOT_AGREED }),
    ...(unbilled === null ? {} : { billed: unbilled }),
  };
}

function billName(form: HTMLFormElement | null): HTMLInputElement | null {
  return form?.querySelector<HTMLInputElement>('[name=bill-name]') ?? null;
}

function WaiverCard(props: {
  readonly text: WaiverText;
  readonly inputRef: Ref<HTMLInputElement>;
  readonly isAgreed: boolean;
  readonly error: string | undefined;
  readonly onAgreed: (isAgreed: boolean) => void;
}) {
  const { text } = props;
  return (
    <Card
      title="Right of withdrawal"
      aside={<span class="badge mono">Text {text.version}</span>}
      body="card-body stack"
    >
      <div class="waiver">
        {text.text.split('\n\n').map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
      </div>
      <CheckField
        inputRef={props.inputRef}
        isChecked={props.isAgreed}
        error={props.error}
        title="Begin now. I know what this means for my right of withdrawal."
        onChange={props.onAgreed}
      >
        We store the text’s version, the time, your IP address and your account with the order, and
        confirm it by e-mail.
      </CheckField>
    </Card>
  );
}

function OfferCard(props: Omit<FormProps, 'reload' | 'steps'>) {
  const { account, shop, offer, onOffer } = props;
  return (
    <Card
      title="What to add"
      aside={
        <ButtonLink kind="ghost" size="sm" href="/plans">
          Compare all limits
        </ButtonLink>
      }
      body="card-body"
    >
      <fieldset class="offers">
        <legend class="visually-hidden">Offer</legend>
        {shop.offers.offers.map(({ id, name }) => {
          const holding = holdingOf(id, account, shop.orders);
          const isHeld = !isBuyable(holding);
          const { amount, per } = priceText(shop.pricing, id);
          return (
            <label key={id} class="choice">
              <input
                type="radio"
                name="offer"
                value={id}
                checked={!isHeld && id === offer}
                disabled={isHeld}
                onChange={() => onOffer(id)}
              />
              <b>{name}</b>
              <span class="amount">{isHeld ? 'Yours' : amount}</span>
              <span>
                {offerText(shop.offers, id)} {heldText(holding)}
              </span>
              <span class="per">{isHeld ? '' : per}</span>
            </label>
          );
        })}
      </fieldset>
    </Card>
  );
}

function heldText(holding: Holding | null): string {
  if (holding === null) return '';
  if (holding.by === 'trial') return `Given to you until ${dayOf(holding.until)}.`;
  if (holding.by === 'gift') return 'Given to you without an end date.';
  const { order } = holding;
  if (order.interval === null) return `For life, since ${dayOf(order.paidAt ?? order.createdAt)}.`;
  if (order.state === 'cancelled') return `Cancelled, active until ${dayOf(order.paidUntil!)}.`;
  return `Since ${dayOf(order.paidAt ?? order.createdAt)}.`;
}

function CountryCard(props: {
  readonly shop: Shop;
  readonly country: string;
  readonly error: string | null | undefined;
  readonly onCountry: (code: string) => void;
}) {
  const { shop, country } = props;
  const none = { value: '', label: 'Choose a country' };
  const options = countryOptions(shop.pricing);
  const last = shop.orders[0]?.country;
  return (
    <Card title="Billing country" body="card-body two">
      <SelectField
        label="Country"
        hint="Decides the tax and the payment provider."
        value={country}
        options={country === '' ? [none, ...options] : options}
        autocomplete="country"
        error={props.error}
        onChange={props.onCountry}
      />
      {last !== undefined && (
        <p class="small muted country-note">
          Your last order was from {countryName(last)}. An account stays with the payment provider
          of its first order.
        </p>
      )}
    </Card>
  );
}

function CheckoutError({ error }: { readonly error: PortalError | null }) {
  if (error === null || error.code === 'WITHDRAWAL_WAIVER_REQUIRED') return null;
  if (error.fault('/country') !== null || error.fault('/billTo/name') !== null) return null;
  const title =
    error.code === 'UPSTREAM_ERROR'
      ? 'The payment provider does not respond.'
      : 'Nothing was ordered.';
  return (
    <div class="summary-error">
      <ErrorNotice title={title} error={error} />
    </div>
  );
}

/** Reloads when the operator changed the withdrawal text while this page was open. */
function useNewText(error: PortalError | null, reload: () => void, onNew: () => void): void {
  const latest = useRef({ reload, onNew });
  latest.current = { reload, onNew };
  const isNew = error?.code === 'WITHDRAWAL_WAIVER_REQUIRED';
  useEffect(() => {
    if (!isNew) return;
    latest.current.reload();
    latest.current.onNew();
  }, [isNew]);
}

/** The browser may restore this page as it was left: busy, and possibly paid since. */
function useFreshAfterBack(): void {
  useEffect(() => {
    const shown = (event: PageTransitionEvent) => {
      if (event.persisted) location.reload();
    };
    addEventListener('pageshow', shown);
    return () => removeEventListener('pageshow', shown);
  }, []);
}
