import { type AgentCapabilities, shapeProblems } from '../../../../adapter/index.js';
import { type ConformanceCase, judged } from '../../case.js';
import { configured } from '../place.js';
import type { AdapterSubject } from '../subject.js';

export const namesItself: ConformanceCase<AdapterSubject> = {
  name: 'names-itself',
  run({ subject, observe }) {
    const { adapter } = subject;
    const { name, capabilities } = adapter;
    observe(`name "${name}", capabilities ${JSON.stringify(capabilities)}`);
    const withOptions = configured(subject);
    return judged(
      [
        ...shapeProblems(adapter),
        adapter.name === name && withOptions.name === name
          ? undefined
          : `the name changes, to "${withOptions.name}" with a profile's options`,
        ...contradictions(capabilities),
        JSON.stringify(withOptions.capabilities) === JSON.stringify(capabilities)
          ? undefined
          : "the capabilities change with a profile's options",
      ],
      `it is called ${name} and declares what it can do`,
    );
  },
};

function contradictions(can: AgentCapabilities): (string | undefined)[] {
  return [
    new Set(can.modes).size === can.modes.length
      ? undefined
      : `modes are ${JSON.stringify(can.modes)}`,
    can.fork === true && can.continue !== true
      ? 'it forks sessions that it cannot continue'
      : undefined,
  ];
}
