/** Every route that the portal calls, by name. All except the public ones need the session's cookie. */

import { ask, type CallOptions, call, publicAsk, publicCall } from './call.ts';
import { withPasskey } from './passkey-request.ts';
import type {
  AccountView,
  CreatedKey,
  InstrumentView,
  KeyList,
  KeyView,
  LinkView,
  NewCheckout,
  NewCredential,
  NewKey,
  OffersView,
  OperatorPage,
  OrderView,
  PasskeyAct,
  PasskeyAssertion,
  PasskeyList,
  PasskeyView,
  PricingView,
  ReceiptView,
  RotatedKey,
  StatusHistoryView,
  StatusView,
  StreamToken,
  UsageView,
  WithdrawalView,
} from './portal-shapes.ts';

const at = encodeURIComponent;

export const portalApi = {
  /** Public: requests a link by mail. The response is the same for every address. */
  askForLink: (email: string) => publicCall<object>('POST', '/v1/portal/sign-in', { email }),
  /** Public: what a link would do. Does not consume the link. */
  lookAtLink: (token: string, options?: CallOptions) =>
    publicCall<LinkView>('POST', '/v1/portal/sign-in/look', { token }, options),
  /** Public: consumes the link and begins a session; some accounts also need a passkey. */
  signIn: (token: string, passkey?: PasskeyAssertion) =>
    publicCall<{ readonly email: string; readonly isNew: boolean }>('POST', '/v1/portal/session', {
      token,
      ...(passkey === undefined ? {} : { passkey }),
    }),
  /** Public: the challenge for a passkey sign-in. */
  askForPasskeySignIn: () =>
    publicCall<PublicKeyCredentialRequestOptionsJSON>('POST', '/v1/portal/sign-in/passkey', {}),
  /** Public: begins a session. */
  signInByPasskey: (passkey: PasskeyAssertion) =>
    publicCall<{ readonly email: string }>('POST', '/v1/portal/session/passkey', { passkey }),
  /** Public: requests the removal of lost passkeys, by a link. */
  beginRecovery: (token: string) =>
    publicCall<{ readonly dueAt: string }>('POST', '/v1/portal/recovery', { token }),
  /** Public: cancels that removal. */
  stopRecoveryByLink: (token: string) =>
    publicCall<object>('POST', '/v1/portal/recovery/stop', { token }),
  /** Public: requests a link that makes this address the owner of the token's account. */
  claim: (token: string, email: string) =>
    publicCall<object>('POST', '/v1/portal/claim', { token, email }),
  signOut: () => call<object>('DELETE', '/v1/portal/session'),

  account: (options?: CallOptions) => ask<AccountView>('/v1/portal/account', options),
  endOtherSessions: () => call<{ readonly ended: number }>('DELETE', '/v1/portal/sessions'),
  endSession: (id: string) => call<object>('DELETE', `/v1/portal/sessions/${at(id)}`),
  changeEmail: (email: string) =>
    withPasskey('email', (options) => call<object>('POST', '/v1/portal/email', { email }, options)),
  /** A 401 of a link route may concern the link as well as the session. */
  confirmEmail: (token: string) =>
    publicCall<{ readonly email: string }>('POST', '/v1/portal/email/confirm', { token }),
  approveEmail: (token: string) =>
    publicCall<{ readonly email: string }>('POST', '/v1/portal/email/approve', { token }),
  askForDeletion: () =>
    withPasskey('deletion', (options) => call<object>('POST', '/v1/portal/deletion', {}, options)),
  confirmDeletion: (token: string) =>
    publicCall<{ readonly dueAt: string }>('POST', '/v1/portal/deletion/confirm', { token }),
  /** Stops offering the missing half of an order for both. */
  declineOtherHalf: () => call<object>('DELETE', '/v1/portal/other-half'),
  chooseMails: (mails: AccountView['mails']) =>
    call<AccountView['mails']>('POST', '/v1/portal/mails', mails),
  withdrawDeletion: () => call<object>('DELETE', '/v1/portal/deletion'),

  passkeys: (options?: CallOptions) => ask<PasskeyList>('/v1/portal/passkeys', options),
  /** The challenge for confirming an act. */
  askForPasskey: (act: PasskeyAct, options?: CallOptions) =>
    call<PublicKeyCredentialRequestOptionsJSON>(
      'POST',
      '/v1/portal/passkeys/confirm',
      { act },
      options,
    ),
  beginPasskey: () =>
    withPasskey('add-passkey', (options) =>
      call<PublicKeyCredentialCreationOptionsJSON>('POST', '/v1/portal/passkeys/new', {}, options),
    ),
  addPasskey: (name: string, credential: NewCredential) =>
    call<PasskeyView>('POST', '/v1/portal/passkeys', { name, credential }),
  removePasskey: (id: string) =>
    withPasskey('remove-passkey', (options) =>
      call<object>('DELETE', `/v1/portal/passkeys/${at(id)}`, undefined, options),
    ),
  chooseSecondFactor: (isOn: boolean) =>
    withPasskey('second-factor', (options) =>
      call<object>('POST', '/v1/portal/passkeys/second-factor', { isOn }, options),
    ),
  askForRecoveryLink: () => call<object>('POST', '/v1/portal/recovery/link', {}),
  stopRecovery: () => call<object>('DELETE', '/v1/portal/recovery'),

  keys: (options?: CallOptions) => ask<KeyList>('/v1/portal/keys', options),
  createKey: (key: NewKey) =>
    withPasskey('key', (options) => call<CreatedKey>('POST', '/v1/portal/keys', key, options)),
  rotateKey: (id: string, gracePeriodSeconds: number) =>
    withPasskey('key', (options) =>
      call<RotatedKey>('POST', `/v1/portal/keys/${at(id)}/rotate`, { gracePeriodSeconds }, options),
    ),
  revokeKey: (id: string) => call<KeyView>('DELETE', `/v1/portal/keys/${at(id)}`),
  streamToken: () => call<StreamToken>('POST', '/v1/portal/stream-tokens', {}),
  instruments: (options?: CallOptions) =>
    ask<{ readonly instruments: readonly InstrumentView[] }>('/v1/portal/instruments', options),
  /** Without a period: the current month. */
  usage: (period: string | null, options?: CallOptions) =>
    ask<UsageView>(`/v1/portal/usage${period === null ? '' : `?period=${at(period)}`}`, options),

  offers: (options?: CallOptions) => publicAsk<OffersView>('/v1/offers', options),
  pricing: (options?: CallOptions) => publicAsk<PricingView>('/v1/pricing', options),
  startCheckout: (checkout: NewCheckout) =>
    call<{ readonly url: string; readonly order: OrderView }>(
      'POST',
      '/v1/portal/checkout',
      checkout,
    ),
  orders: (options?: CallOptions) =>
    ask<{ readonly orders: readonly OrderView[] }>('/v1/portal/orders', options),
  order: (id: string, options?: CallOptions) =>
    ask<OrderView>(`/v1/portal/orders/${at(id)}`, options),
  /** Takes effect at the end of the paid period. */
  cancelOrder: (id: string) => call<OrderView>('POST', `/v1/portal/orders/${at(id)}/cancel`, {}),
  /** Withdraws a cancellation. */
  keepOrder: (id: string) => call<OrderView>('POST', `/v1/portal/orders/${at(id)}/keep`, {}),
  /** For an unpaid order. */
  dropOrder: (id: string) => call<OrderView>('POST', `/v1/portal/orders/${at(id)}/drop`, {}),
  receipts: (id: string, options?: CallOptions) =>
    ask<{ readonly receipts: readonly ReceiptView[] }>(
      `/v1/portal/orders/${at(id)}/receipts`,
      options,
    ),
  /** The provider's page for changing the card. */
  providerPortal: (id: string) =>
    call<{ readonly url: string }>('POST', `/v1/portal/orders/${at(id)}/provider-portal`, {}),

  withdrawal: (id: string, options?: CallOptions) =>
    ask<WithdrawalView>(`/v1/portal/orders/${at(id)}/withdrawal`, options),
  /** Withdraws from the contract; `name` may be empty. */
  withdraw: (id: string, name: string) =>
    call<WithdrawalView>('POST', `/v1/portal/orders/${at(id)}/withdrawal`, {
      confirm: true,
      ...(name === '' ? {} : { name }),
    }),

  status: (options?: CallOptions) => publicAsk<StatusView>('/v1/status', options),
  statusHistory: (options?: CallOptions) =>
    publicAsk<StatusHistoryView>('/v1/status/history', options),
  /** Public: a page that the operator wrote (`imprint`, `privacy`, `terms`). */
  operatorPage: (name: string, options?: CallOptions) =>
    publicAsk<OperatorPage>(`/v1/portal/pages/${at(name)}`, options),
};

/** A link, not a request: the browser saves the file. */
export const EXPORT_PATH = '/v1/portal/export';
