import type { ProfileDefinition } from '@devflow/core';
import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';

/** The first words of an agent that notes its launch where devflow does not look; `$n` counts them. */
export function launched(outside: string, who: string): string {
  const launches = `'${outside}/launches'`;
  return `cat >/dev/null; echo ${who} >>${launches}; n=$(grep -c ${who} ${launches})`;
}

/** An agent that commits a file at once. */
export function quick(outside: string): ProfileDefinition {
  return scriptedAgent(`${launched(outside, 'quick')}; ${commitFile('made.txt')}; ${giveAnswer()}`);
}

/** An agent that commits a file once somebody makes `go` outside. */
export function patient(outside: string): ProfileDefinition {
  const wait = `until test -e '${outside}/go'; do sleep 0.05; done`;
  return scriptedAgent(
    `${launched(outside, 'patient')}; ${wait}; ${commitFile('made.txt')}; ${giveAnswer()}`,
  );
}
