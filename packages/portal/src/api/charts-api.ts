/** The routes that the chart workspace calls, apart from those of its stream and history. All need the session's cookie. */

import type { CatalogueIndicator, Instrument } from '@tapeloom/client';
import { ask, type CallOptions, call, publicAsk } from './call.ts';
import type {
  AccountView,
  LayoutList,
  LayoutStates,
  LayoutView,
  StreamToken,
  UsageView,
  WholeLayout,
} from './portal-shapes.ts';

const LAYOUTS = '/v1/portal/layouts';
const layoutAt = (id: string) => `${LAYOUTS}/${encodeURIComponent(id)}`;

export const chartsApi = {
  account: (options?: CallOptions) => ask<AccountView>('/v1/portal/account', options),
  usage: (options?: CallOptions) => ask<UsageView>('/v1/portal/usage', options),
  instruments: (options?: CallOptions) =>
    ask<{ readonly instruments: readonly Instrument[] }>('/v1/portal/try/instruments', options),
  /** Public. */
  catalogue: (options?: CallOptions) =>
    publicAsk<{ readonly indicators: readonly CatalogueIndicator[] }>('/v1/indicators', options),
  streamToken: () => call<StreamToken>('POST', '/v1/portal/stream-tokens', {}),

  layouts: (options?: CallOptions) => ask<LayoutList>(LAYOUTS, options),
  layout: (id: string, options?: CallOptions) => ask<WholeLayout>(layoutAt(id), options),
  createLayout: (name: string, layout: object) =>
    call<LayoutView>('POST', LAYOUTS, { name, layout }),
  /** `state`: the one that this page knows; another one is a `CONFLICT`, and changes nothing. */
  saveLayout: (id: string, state: number, layout: object) =>
    call<LayoutView>('PUT', layoutAt(id), { state, layout }),
  renameLayout: (id: string, name: string) => call<LayoutView>('PUT', layoutAt(id), { name }),
  deleteLayout: (id: string) => call<object>('DELETE', layoutAt(id)),
  undeleteLayout: (id: string) => call<LayoutView>('POST', `${layoutAt(id)}/undelete`, {}),
  layoutStates: (id: string, options?: CallOptions) =>
    ask<LayoutStates>(`${layoutAt(id)}/states`, options),
  /** The old state becomes the newest one, so this can be undone. */
  restoreLayout: (id: string, state: number) =>
    call<WholeLayout>('POST', `${layoutAt(id)}/restore`, { state }),
};
