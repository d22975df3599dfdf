/** The part of the client library that the tools use. */

import type { RestClient } from '@tapeloom/client';

export type Service = Pick<
  RestClient,
  'indicators' | 'instruments' | 'estimate' | 'history' | 'usage'
>;
