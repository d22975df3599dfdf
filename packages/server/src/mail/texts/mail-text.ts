/** Renders a mail's content as complete plain text and as the same in HTML. */

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
