/** Checkout. */

import './checkout.css';
import { PageHead } from '../../shell/page-head.tsx';

export function CheckoutPage() {
  return <PageHead title="Checkout" />;
}
