import { type ConformanceCase, judged } from '../../case.js';
import { endOf, readAs, requireCaptures, whyNoCaptures } from '../captures.js';
import { runThroughEngine } from '../engine.js';
import { whyNoStub } from '../place.js';
import type { AdapterSubject } from '../subject.js';

export const finalTextOnStdout: ConformanceCase<AdapterSubject> = {
  name: 'final-text-on-stdout',
  unsupported: whyNoCaptures,
  run({ subject, observe }) {
    const { success } = requireCaptures(subject);
    const { finalText } = readAs(subject, success).result;
    observe(`final text: ${JSON.stringify(finalText)}`);
    return judged(
      [
        finalText?.trim() === success.says.finalText.trim()
          ? undefined
          : `the final text is not ${JSON.stringify(success.says.finalText)}`,
      ],
      "the agent's last text is read from its output",
    );
  },
};

/** How an agent ends, and what becomes of the attempt. 143 is how a shell tells of TERM. */
const ENDS = [
  [0, 'completed'],
  [1, 'failed'],
  [143, 'crashed'],
  ['TERM', 'crashed'],
] as const;

export const exitPassthrough: ConformanceCase<AdapterSubject> = {
  name: 'exit-passthrough',
  deadlineMs: 90_000,
  unsupported: (subject) => whyNoStub(subject) ?? whyNoCaptures(subject),
  async run(context) {
    const [mode = 'work'] = context.subject.adapter.capabilities.modes;
    const broken: string[] = [];
    for (const [end, expected] of ENDS) {
      const { attempt, result } = await runThroughEngine(context, { mode, end });
      const outcome = attempt?.outcome ?? result.reason;
      const how = end === 'TERM' ? 'the signal TERM' : `exit ${end}`;
      if (outcome !== expected) broken.push(`${how} came to ${outcome}, not ${expected}`);
    }
    return judged(broken, 'exit 0, exit 1, exit 143 and a signal are told apart');
  },
};

export const completionDetected: ConformanceCase<AdapterSubject> = {
  name: 'completion-detected',
  unsupported: whyNoCaptures,
  run({ subject, observe }) {
    const { success } = requireCaptures(subject);
    const reading = readAs(subject, success);
    const { outcome, completionSignal, openCalls, reasons } = reading;
    observe(endOf(reading));
    for (const { says, text } of reasons) observe(`${says}: ${text}`);
    return judged(
      [
        completionSignal ? undefined : 'the completion of the success capture is not detected',
        outcome === 'completed' ? undefined : `the success capture is judged ${outcome}`,
        openCalls === 0 ? undefined : `${openCalls} tool calls are still open at its end`,
      ],
      'a captured success is detected',
    );
  },
};
