import type { AgentCapabilities } from '../../../../adapter/index.js';
import { type ConformanceCase, judged } from '../../case.js';
import { configured } from '../place.js';
import type { AdapterSubject } from '../subject.js';

const FLAGS = [
  'continue', 'fork', 'models', 'effort', 'instructions', 'mcp', 'structuredOutput', 'ownSandbox',
] as const satisfies readonly (keyof AgentCapabilities)[]; // prettier-ignore
const REPORTING = ['live', 'at-end', 'none'];

export const namesItself: ConformanceCase<AdapterSubject> = {
  name: 'names-itself',
  run({ subject, observe }) {
    const { adapter } = subject;
    const { name, capabilities } = adapter;
    observe(`name "${name}", capabilities ${JSON.stringify(capabilities)}`);
    const withOptions = configured(subject);
    return judged(
      [
        /^[a-z][a-z0-9-]*$/.test(name)
          ? undefined
          : `the name "${name}" is not lower-case letters, digits and hyphens`,
        adapter.name === name && withOptions.name === name
          ? undefined
          : `the name changes, to "${withOptions.name}" with a profile's options`,
        ...wrongCapabilities(capabilities),
        JSON.stringify(withOptions.capabilities) === JSON.stringify(capabilities)
          ? undefined
          : "the capabilities change with a profile's options",
      ],
      `it is called ${name} and declares what it can do`,
    );
  },
};

function wrongCapabilities(capabilities: AgentCapabilities): (string | undefined)[] {
  const { modes, usage } = capabilities;
  const known = modes.every((mode) => mode === 'work' || mode === 'review');
  const wrong = FLAGS.filter(
    (flag) => !['boolean', 'undefined'].includes(typeof capabilities[flag]),
  );
  const reported = usage === undefined ? [] : [usage.tokens, usage.usd];
  return [
    modes.length > 0 && known && new Set(modes).size === modes.length
      ? undefined
      : `modes are ${JSON.stringify(modes)}, not work, review or both`,
    wrong.length === 0 ? undefined : `neither true nor false: ${wrong.join(', ')}`,
    reported.every((word) => REPORTING.includes(word))
      ? undefined
      : `usage is ${JSON.stringify(usage)}, not of ${REPORTING.join(', ')}`,
    capabilities.fork === true && capabilities.continue !== true
      ? 'it forks sessions that it cannot continue'
      : undefined,
  ];
}
