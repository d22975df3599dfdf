/** Billing. */

import { PageHead } from '../../shell/page-head.tsx';

export function OrdersPage() {
  return <PageHead title="Billing" />;
}
