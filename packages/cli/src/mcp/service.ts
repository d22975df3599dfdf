/** The part of the client library that the tools stand on. */

import type { RestClient } from '@tapeloom/client';

export type Service = Pick<
  RestClient,
  'indicators' | 'instruments' | 'estimate' | 'history' | 'usage'
>;
