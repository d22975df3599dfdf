/** Too many calls are queued for the store: of one account or address, or of all. It is counted, not logged. */

import { AccountsUnavailableError } from '../account-store.ts';

export class AccountsBusyError extends AccountsUnavailableError {}
