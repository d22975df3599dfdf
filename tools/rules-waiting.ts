/**
 * Assigns each rule to the step of the roadmap that proves it. A key is an area, an id, or a range of ids
 * (`PLAN-08..15`). An id or a range overrides its area; rules without a key belong to the first step. A rule waits
 * until `stepNow` reaches its step, and is open from then until proven.
 */

export const stepNow = 11;

export const stepTitles: Readonly<Record<number, string>> = {
  1: 'foundation',
  2: 'catalogue',
  3: 'accounts',
  4: 'stream',
  5: 'history',
  6: 'right results on any machine',
  7: 'nobody shut out',
  8: 'client and command line',
  9: 'portal',
  10: 'payment providers and docs',
  11: 'the house of the past',
  12: 'real markets from files',
  13: 'many machines',
};

export const stepOfRules: Readonly<Record<string, number>> = {
  KEY: 3,
  // The portal manages the same keys, and only there can keys exist that no key created.
  'KEY-33': 9,
  MGMT: 3,

  TOK: 3,
  'TOK-12': 4,
  // Advice to customers, given in the documentation.
  'TOK-13': 9,

  AUTH: 3,
  // Shown by the portal, the first web page.
  'AUTH-12': 9,
  'AUTH-16': 5,
  'AUTH-22..23': 5,
  // Two of the three public routes come with the portal.
  'AUTH-24': 9,

  'INST-03..04': 4,
  'INST-05': 3,
  // The REST half of the comparison is a history query.
  'INST-06': 5,
  'INST-07..10': 3,
  'INST-11..15': 5,

  // Resuming from a cursor.
  'OBJ-09': 4,

  // Stream tokens need accounts.
  'WS-05..08': 4,

  // The first stream accepts only `from: live`.
  'SUB-10': 4,
  'SUB-14..21': 4,

  'EVT-01': 4,
  // Events after a resume or a reset.
  'EVT-05..07': 4,
  'EVT-15..17': 4,
  // The client's part.
  'EVT-09': 8,
  'EVT-18': 8,
  // Resuming from an `hb`, and roll notices.
  'EVT-23..24': 4,
  'EVT-26': 4,

  CLOSE: 4,
  FLOW: 4,
  // Slow consumers.
  'CLOSE-12': 1,
  'FLOW-04..05': 1,

  HIST: 5,
  EXP: 5,

  USE: 3,
  // Counts what history queries return.
  'USE-10': 5,

  PLAN: 3,
  'PLAN-01..02': 5,
  'PLAN-05': 5,
  'PLAN-07': 5,
  'PLAN-08..15': 4,
  'PLAN-16..22': 5,

  'COUNT-01..04': 3,
  'COUNT-05..11': 4,
  'COUNT-12..15': 5,
  'COUNT-16..21': 4,
  'COUNT-22..30': 5,

  RATE: 3,
  'RATE-06': 9,

  // Compares a rejected subscription with a rejected history query.
  'ERR-02': 5,
  'ERR-10..12': 5,
  // No route accepts a body before keys can be created.
  'ERR-14..16': 3,
  'ERR-18..24': 5,
  'ERR-25': 4,
  'ERR-26': 3,
  // Half of each concerns sign-in links, offers or payment providers.
  'ERR-27': 9,
  'ERR-28..29': 5,
  'ERR-30': 9,
  'ERR-31..32': 3,
  'ERR-33..34': 9,
  'ERR-35': 4,
  'ERR-36': 9,

  // No route accepts a body before keys can be created.
  'HTTP-01': 3,

  PORTAL: 9,
  BILL: 9,
  CLIENT: 8,

  // The client's generated types, and the documentation's statement about message texts.
  'VER-02': 8,
  'VER-04': 9,

  // Catch-up and rings come with resuming.
  'DET-13': 6,
  'DET-14': 4,
  'DET-16': 6,
  'DET-17': 5,
  'DET-19..21': 5,
  'DET-22..23': 4,

  'SEC-01..06': 3,
  // Also over the socket.
  'SEC-07': 7,
  'SEC-08..09': 3,
  'SEC-10..14': 9,
  'SEC-15..17': 4,
  'SEC-18': 6,
  'SEC-19..20': 4,
  'SEC-21': 3,
  'SEC-23': 3,
  'SEC-24': 5,
  'SEC-25': 6,
  'SEC-26': 4,
  'SEC-27': 3,
  'SEC-28': 5,
  'SEC-29..30': 9,
  'SEC-34..35': 3,
  'SEC-37..42': 7,
};
