import { testPaymentProvider } from '../payment-provider.contract.ts';
import { PaddleRig } from './paddle-rig.ts';

testPaymentProvider('paddle', () => PaddleRig.open());
