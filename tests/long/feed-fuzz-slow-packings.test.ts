import { testMutations } from './feed-mutations.ts';

testMutations('slowPackings');
