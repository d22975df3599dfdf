import { testPaymentProvider } from '../../../testing/billing/payment-provider.contract.ts';
import { StripeRig } from '../../../testing/billing/stripe/stripe-rig.ts';

testPaymentProvider('stripe', () => StripeRig.open());
