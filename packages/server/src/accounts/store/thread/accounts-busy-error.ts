/** Too many calls wait for the store already: of one account or address, or of all. It is counted, not logged. */

import { AccountsUnavailableError } from '../account-store.ts';

export class AccountsBusyError extends AccountsUnavailableError {}
