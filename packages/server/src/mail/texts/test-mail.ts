/** The mail with which an operator checks that mails arrive. */

import type { MailText } from '../mailer.ts';
import { mailText } from './mail-text.ts';

export function testMail(): MailText {
  return mailText({
    subject: 'Test mail from Tapeloom',
    heading: 'Mail works',
    lead: ['The operator of this service sent this mail to check that mails arrive.'],
    closing: ['Nothing has changed, and there is nothing to do.'],
  });
}
