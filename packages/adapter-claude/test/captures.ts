/** What devflow must make of each capture in fixtures/; the README there says how each was made. */

export interface Expected {
  /** Exit status of the program, as a shell sees it. */
  readonly status: number;
  readonly outcome: 'completed' | 'failed' | 'crashed' | 'auth' | 'rate-limited';
  readonly turn: 'finished' | 'failed' | 'open';
  /** How the id of its session begins; left out: it names none. */
  readonly session?: string;
  readonly failure?: 'failed' | 'rate-limited' | 'auth';
  readonly resetsAt?: string;
  readonly costUsd?: number;
  /** Tokens in, out, read from the cache, written to the cache. */
  readonly usage?: string;
  readonly structuredOutput?: unknown;
  readonly denials?: number;
  readonly openCalls?: number;
  /** `…` in flight, `!` not ok, `~` of a sub-agent. */
  readonly events: string;
}

const WORK = 'session text edit… edit text git… other git text end';
const NOTHING_TO_COMMIT = 'session text edit… edit text git… git! text end';
const RETRIED = `session ${'error! '.repeat(10)}error! end!`;
const REFUSED = 'session error! end!';
const COMMAND_DENIED = 'session text edit… edit text command… attention! command! text end';

const DONE = { status: 0, outcome: 'completed', turn: 'finished' } as const;
const THREE_CALLS = { ...DONE, costUsd: 0.01722, usage: '3600/135/600/0' };
const TWO_CALLS = { ...DONE, costUsd: 0.01148, usage: '2400/90/400/0' };
const ONE_CALL = { ...DONE, costUsd: 0.00574, usage: '1200/45/200/0' };
const NOTHING_SPENT = { status: 1, turn: 'failed', costUsd: 0, usage: '0/0/0/0' } as const;
const AUTH = { ...NOTHING_SPENT, outcome: 'auth', failure: 'auth' } as const;
const LIMITED = { ...NOTHING_SPENT, outcome: 'rate-limited', failure: 'rate-limited' } as const;
const UNREACHED = { ...NOTHING_SPENT, outcome: 'failed', failure: 'failed' } as const;
const FAILED = { outcome: 'failed', turn: 'failed', failure: 'failed' } as const;
const SAID_NOTHING = { status: 1, outcome: 'failed', turn: 'open', events: '' } as const;

export const EXPECTED: Readonly<Record<string, Expected>> = {
  'a-success': { ...THREE_CALLS, session: 'c65e4033', events: WORK },
  'b-401': { ...AUTH, session: 'c8b21dca', events: RETRIED },
  'b-401-maxretries0': { ...AUTH, session: '8a125bba', events: REFUSED },
  'b-403': { ...AUTH, session: '2540d772', events: REFUSED },
  'b-authtoken': { ...THREE_CALLS, session: '749c41cc', events: WORK },
  'b-nokey': { ...AUTH, session: '02012546', events: REFUSED },
  // Over three minutes of retries; `ra5` was told to wait five seconds.
  'c-429': { ...LIMITED, session: '404f01d2', events: RETRIED },
  'c-429-maxretries0': { ...LIMITED, session: 'cc5c34f2', events: REFUSED },
  'c-429-maxretries1': { ...LIMITED, session: 'd4fe147e', events: 'session error! error! end!' },
  'c-429ra5': { ...LIMITED, session: '6d634103', events: RETRIED },
  'c-limit': { ...LIMITED, session: '499d595d', events: RETRIED },
  'c-limit-maxretries0': { ...LIMITED, session: 'b9211f7e', events: REFUSED },
  'c-limit-oauth': {
    ...LIMITED,
    session: 'fd8fbbcf',
    resetsAt: '2026-11-30T10:37:24.000Z',
    events: 'session attention error! end!',
  },
  'd-500': { ...UNREACHED, session: '1bd582f7', events: RETRIED },
  'e-refused': { ...UNREACHED, session: '2cf28084', events: RETRIED },
  // Interrupted: exit 0, and no success.
  'f-INT': {
    ...FAILED,
    status: 0,
    session: '37be4689',
    costUsd: 0.00574,
    usage: '1200/45/200/0',
    events: 'session text command… command! prompt end!',
  },
  'f-KILL': {
    status: 137,
    outcome: 'crashed',
    turn: 'open',
    session: '431dec8c',
    openCalls: 1,
    events: 'session text command…',
  },
  'f-TERM': {
    status: 143,
    outcome: 'crashed',
    turn: 'open',
    session: '45c1843a',
    events: 'session text command… command!',
  },
  // The third and second run of one conversation: each states its own cost, not the sum.
  'g-resume': { ...THREE_CALLS, session: 'c65e4033', events: WORK },
  'g-resume-othercwd': { ...THREE_CALLS, session: 'c65e4033', events: NOTHING_TO_COMMIT },
  'g-resume-unknown': {
    ...FAILED,
    status: 1,
    session: '00000000',
    usage: '0/0/0/0',
    events: 'end!',
  },
  'g-session-id': { ...THREE_CALLS, session: '11111111', events: NOTHING_TO_COMMIT },
  // Refused before anything was printed.
  'g-session-id-dup': { ...SAID_NOTHING },
  'h-acceptEdits': { ...THREE_CALLS, session: '350c77b3', denials: 1, events: COMMAND_DENIED },
  'h-acceptEdits-allow': {
    ...THREE_CALLS,
    session: 'caf4b58b',
    denials: 1,
    events: COMMAND_DENIED,
  },
  'h-auto': {
    ...THREE_CALLS,
    session: 'cb9ecb40',
    denials: 1,
    events: 'session text edit… edit text command… other attention! command! text end',
  },
  'h-default': {
    ...THREE_CALLS,
    session: 'e590c2ce',
    denials: 2,
    events: 'session text edit… attention! edit! text command… attention! command! text end',
  },
  'h-disallowed': { ...ONE_CALL, session: '89fcf0b5', events: 'session text end' },
  'h-plan': {
    ...THREE_CALLS,
    session: 'ca91a4f1',
    denials: 2,
    events: 'session text edit… attention! edit! text command… other attention! command! text end',
  },
  'h-restricted': {
    ...TWO_CALLS,
    session: '59d36318',
    denials: 1,
    events: 'session text edit… attention! edit! text end',
  },
  'h-tools-readonly': { ...ONE_CALL, session: 'a34cf30c', events: 'session text end' },
  'i-flag-unknown': { ...SAID_NOTHING },
  'i-model-unknown': { ...THREE_CALLS, session: '5c159173', events: NOTHING_TO_COMMIT },
  'i-streamjson-noverbose': { ...SAID_NOTHING },
  'j-stdin': { ...THREE_CALLS, session: 'eb8bfc34', events: NOTHING_TO_COMMIT },
  'k-bare': {
    ...THREE_CALLS,
    session: '700639f6',
    events: 'other session text command… command text git… other git text end',
  },
  'k-hooks': {
    ...THREE_CALLS,
    session: 'efaf1822',
    events:
      'other other other other session text edit… other other other other edit text git… other other other other other git text other other end',
  },
  'k-json-schema': {
    ...ONE_CALL,
    session: 'a2987a49',
    structuredOutput: { status: 'success', summary: 'done' },
    events: 'session other… other end',
  },
  'k-json-schema-noncompliant': {
    ...FAILED,
    status: 1,
    session: '42fc977c',
    costUsd: 0.03444,
    usage: '7200/270/1200/0',
    events:
      'session text other… other! other… other! other… other! other… other! other… other! other… other! end!',
  },
  'k-max-budget': {
    ...FAILED,
    status: 1,
    session: '3b09fe95',
    costUsd: 0.02296,
    usage: '4800/180/800/0',
    events:
      'session text command… command text command… command text command… command text command… end!',
  },
  'k-mcp': { ...TWO_CALLS, session: 'fe34574e', events: 'session text other… other text end' },
  'k-partial': {
    ...ONE_CALL,
    session: '5d41a641',
    events: 'session other other other other other other other text other other other end',
  },
  'k-pretool-deny': { ...THREE_CALLS, session: '80594189', denials: 1, events: NOTHING_TO_COMMIT },
  // A hook wanted another turn: only its end is one.
  'k-stop-block': {
    ...DONE,
    session: 'cc52a703',
    costUsd: 0.02296,
    usage: '4800/180/800/0',
    events: 'session text edit… edit text git… git! text prompt other text end',
  },
  // One result and no stream: it states no cost of its own turn.
  'k-text': { ...DONE, session: 'feba975b', usage: '3600/135/600/0', events: 'end' },
  'l-phonehome': { ...THREE_CALLS, session: 'de2fc188', events: NOTHING_TO_COMMIT },
  'l-root-yes': { ...SAID_NOTHING },
  'n-nonroot': { ...THREE_CALLS, session: 'a87d8073', events: WORK },
  'p-402': { ...AUTH, session: '1a0a632c', events: REFUSED },
  'p-404-model': { ...UNREACHED, session: '9574a4b8', events: REFUSED },
  'p-529': { ...UNREACHED, session: 'bf9f6483', events: 'session error! error! end!' },
  'p-background': {
    ...DONE,
    session: '3f35f2d1',
    costUsd: 0.016506,
    usage: '3000/150/30/300',
    events: 'session text command… other other command text end other other other session text end',
  },
  'p-background-killed': {
    status: 137,
    outcome: 'crashed',
    turn: 'open',
    session: '3f35f2d1',
    costUsd: 0.011004,
    usage: '2000/100/20/200',
    openCalls: 1,
    events: 'session text command… other other command text end',
  },
  'p-credit': { ...AUTH, session: '2dd010f5', events: REFUSED },
  // A copy of a session: an id and a cost of its own.
  'p-fork': {
    ...DONE,
    session: '2193746e',
    costUsd: 0.005502,
    usage: '1000/50/10/100',
    events: 'session text end',
  },
  // Later than today, and in another year and zone.
  'p-limit-dated': {
    ...LIMITED,
    session: '1565f292',
    resetsAt: '2026-12-03T12:31:48.000Z',
    events: 'session attention error! end!',
  },
  'p-limit-next-year': {
    ...LIMITED,
    session: '96d0a164',
    resetsAt: '2027-01-09T12:31:48.000Z',
    events: 'session attention error! end!',
  },
  // Told to, it calls the tool of a server in a review.
  'p-mcp-review': {
    ...DONE,
    session: '42619d66',
    costUsd: 0.011004,
    usage: '2000/100/20/200',
    events: 'other session other… other text end',
  },
  'p-org-disabled': { ...AUTH, session: '2b8e483b', events: REFUSED },
  // Words instead of an answer by the schema: a success to the agent.
  'p-schema-unmet': {
    ...DONE,
    session: '5b94d7e3',
    costUsd: 0.011004,
    usage: '2000/100/20/200',
    events: 'session text prompt text end',
  },
  'p-subagent': {
    ...DONE,
    session: '5567d9f3',
    costUsd: 0.022008,
    usage: '4000/200/40/400',
    events:
      'session text subagent… other ~prompt other ~command… ~command other other subagent text end',
  },
  'p-subagent-background': {
    ...DONE,
    session: 'ada89fbd',
    costUsd: 0.02751,
    usage: '5000/250/50/500',
    events:
      'session text subagent… other other subagent text ~text ~command… other ~command ~text other other other session text end end',
  },
  'p-token-revoked': {
    ...AUTH,
    session: '4c7f8b9b',
    events: 'session error! error! error! error! end!',
  },
};
