import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { WorkflowDefinition } from '@devflow/core';
import { type Place, makePlace, pointsOf } from './devflow.js';
import { type EndState, endState } from './end-state.js';
import { effectsOf } from './rows.js';

/** A way through devflow, each point of which is tried. */
export interface Scenario {
  /** By which `rows.ts` names it. */
  readonly id: string;
  readonly name: string;
  /** @param outside a directory that devflow does not know, where agents note what they did */
  workflow(outside: string): WorkflowDefinition;
  readonly files?: Readonly<Record<string, string>>;
  /** Brings the repository to where the command is given. */
  prepare?(place: Place): Promise<void>;
  /** The command that is killed. */
  readonly command: readonly string[];
  /** What a person may do after a crash; one of them is tried for each point, in turn. */
  readonly recoveries: readonly (readonly string[])[];
  /** Waits for what goes on by itself after the command. */
  until?(place: Place): Promise<void>;
  /** Is the first of them given undisturbed as well? */
  readonly goesOn?: true;
  /** The points that are tried; all of them where it is left out. */
  readonly only?: RegExp;
  /** The steps that must be the same. */
  settle?(steps: readonly string[]): readonly string[];
}

interface Row {
  readonly point: string;
  /** How often it was killed: also while it recovered, where that was tried. */
  readonly killed: number;
  readonly recovered: string;
  readonly same: boolean;
}

/** Tries a scenario undisturbed, and then with a kill at each of its points. @returns the points */
export async function walk(scenario: Scenario): Promise<readonly string[]> {
  const { whole, points } = await undisturbed(scenario);
  const rows: Row[] = [];
  describe.concurrent(`${scenario.name}, killed`, () => {
    it('never, comes to the effects that it stands for', () => {
      const effects = new Set(points.map((point) => point.split(' ').slice(1, -1).join(' ')));
      expect(effectsOf(scenario.id).filter((effect) => !effects.has(effect))).toEqual([]);
    });
    it('never, leaves nothing behind', () => {
      expect(whole.leftovers).toEqual([]);
    });
    it.each(points)('%s', async (point) => {
      const number = points.indexOf(point);
      const place = await placeFor(scenario);
      try {
        await place.devflow(scenario.command, { kill: point });
        await scenario.until?.(place);
        expect(place.wasKilled()).toBe(true);
        const { killed, output } = await recover(scenario, place, number);
        const state = await stateOf(scenario, place);
        const same = JSON.stringify(state) === JSON.stringify(whole);
        rows.push({ point, killed: 1 + killed, recovered: state.ended, same });
        expect({ state, ...(!same && { output }) }).toEqual({ state: whole });
      } finally {
        place.remove();
      }
    });
  });
  afterAll(() => print(scenario.name, rows, points));
  return points;
}

/**
 * What a person does then: one of the recoveries, and the others where that one finds nothing to go on with.
 * For each third point the recovery is killed as well, somewhere.
 */
async function recover(
  { recoveries }: Scenario,
  place: Place,
  number: number,
): Promise<{ killed: number; output: string }> {
  const from = number % recoveries.length;
  const inTurn = [...recoveries.slice(from), ...recoveries.slice(0, from)];
  let killed = 0;
  if (number % 3 === 2) {
    const somewhere = String(1 + ((number * 13) % 50));
    await place.devflow(inTurn[0] ?? [], { kill: somewhere });
    if (place.wasKilled()) killed = 1;
  }
  let said = '';
  for (const recovery of inTurn) {
    const { code, output } = await place.devflow(recovery);
    said += output;
    if (code === 0) break;
  }
  return { killed, output: said };
}

async function undisturbed(scenario: Scenario): Promise<{ whole: EndState; points: string[] }> {
  const place = await placeFor(scenario);
  try {
    const trace = path.join(place.directory, 'trace');
    const { output } = await place.devflow(scenario.command, { trace });
    if (scenario.goesOn === true) await place.devflow(scenario.recoveries[0] ?? []);
    await scenario.until?.(place); // what goes on by itself comes to effects too
    const points = pointsOf(trace);
    if (points.length === 0) throw new Error(`no effect of ${scenario.name}: ${output}`);
    return { whole: await stateOf(scenario, place), points: worthTrying(points, scenario.only) };
  } finally {
    place.remove();
  }
}

async function stateOf({ settle, until }: Scenario, place: Place): Promise<EndState> {
  await until?.(place);
  const state = await endState(place);
  return { ...state, steps: settle?.(state.steps) ?? state.steps };
}

/** What comes just after an effect is mostly what comes just before the next: of those the first of each kind. */
function worthTrying(points: readonly string[], only = /^/): string[] {
  const worth = points.filter((point) => point.startsWith('before ') || point.endsWith(' #1'));
  return worth.filter((point) => only.test(point));
}

async function placeFor({ workflow, files, prepare }: Scenario): Promise<Place> {
  const place = await makePlace(workflow, files);
  await prepare?.(place);
  return place;
}

function print(name: string, rows: readonly Row[], points: readonly string[]): void {
  const inOrder = rows.toSorted((a, b) => points.indexOf(a.point) - points.indexOf(b.point));
  const width = Math.max(...points.map((point) => point.length));
  const lines = inOrder.map(
    ({ point, killed, recovered, same }) =>
      `  ${point.padEnd(width)}  killed ${killed}×  ${recovered.padEnd(10)}  ${same ? 'same end state' : 'ANOTHER END STATE'}`,
  );
  process.stdout.write(`\n${name}: ${rows.length} points\n${lines.join('\n')}\n`);
}
