/** Makes a mail of what it says: a plain text that says all, and the same as HTML. */

import { shownText } from '@tapeloom/core/person/plain-text';
import type { MailText } from '../mailer.ts';
import type { MailContent } from './mail-content.ts';
import { htmlOf } from './mail-html.ts';
import { plainTextOf } from './mail-plain-text.ts';

export function mailText(content: MailContent): MailText {
  return {
    subject: shownText(content.subject),
    text: plainTextOf(content),
    html: htmlOf(content),
    ...(content.action === undefined ? {} : { link: content.action.link }),
  };
}
