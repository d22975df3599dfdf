/** Owed mails over a store, delivered on command. */

import type { AccountStore } from '../../src/accounts/store/account-store.ts';
import type { MailTransport } from '../../src/mail/mail-transport.ts';
import { OwedMailTexts, type OwedMailTextsOptions } from '../../src/mail/owed-mail-texts.ts';
import { OwedMails } from '../../src/mail/owed-mails.ts';
import type { Clock } from '../../src/platform/clock.ts';

const NEVER: Disposable = { [Symbol.dispose]: () => undefined };

export interface OwedMailDesk
  extends Pick<OwedMailTextsOptions, 'offers' | 'publicUrl'>,
    Partial<Pick<OwedMailTextsOptions, 'receiptOf'>> {
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly deliver: MailTransport['deliver'];
  /** Its reports, a word and a mail each. */
  readonly told?: string[];
}

export function owedMailsOver({ clock, deliver, told = [], ...options }: OwedMailDesk): OwedMails {
  const texts = new OwedMailTexts({ receiptOf: async () => null, ...options });
  return new OwedMails({
    store: options.store,
    clock: {
      now: () => clock.now(),
      after: (ms, call) => clock.after(ms, call),
      every: () => NEVER,
    },
    transport: { deliver },
    textOf: (mail) => texts.textOf(mail),
    inTurn: (work) => work(),
    onFailing: () => told.push('failing'),
    onWorking: () => told.push('working'),
    onLost: (outcome, mail) => told.push(`${outcome} ${mail}`),
    onFault: (error, mail) => told.push(`${mail} ${error}`),
  });
}
