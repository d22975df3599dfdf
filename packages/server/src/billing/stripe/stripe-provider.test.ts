import { testPaymentProvider } from '../payment-provider.contract.ts';
import { StripeRig } from './stripe-rig.ts';

testPaymentProvider('stripe', () => StripeRig.open());
