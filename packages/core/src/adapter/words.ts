import type { AgentEventKind } from './agent-event.js';

/** Text cut to a number of characters, with a mark where it was cut. Never splits a character. */
export function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const whole = text.slice(0, characters - 1);
  const last = whole.charCodeAt(whole.length - 1);
  const halved = last >= 0xd800 && last <= 0xdbff;
  return `${halved ? whole.slice(0, -1) : whole}…`;
}

/** Words as one line for a person, at most 300 characters. */
export function oneLine(words: string): string {
  return cut(cut(words.trimStart(), 1000).replaceAll(/\s+/g, ' ').trim(), 300);
}

/** Colours, cursor moves and titles, then each control character but newline and tab. */
const CONTROLS =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** What a person has typed as words alone, in its lines. */
export function withoutControls(words: string): string {
  return words.replaceAll('\r\n', '\n').replace(CONTROLS, '');
}

// Only for display: a command that is taken for a test run, or is not, changes no judgement.
const TEST_RUN =
  /\b(?:(?:npm|pnpm|yarn|bun) (?:run )?test|vitest|jest|mocha|pytest|tox|rspec|phpunit|ctest|(?:go|cargo|deno|mvn|gradle) test|node --test|make (?:test|check))\b/;
const GIT_CALL = /^(?:cd \S+ && )?git /;

/** What a shell command does, in devflow's vocabulary. */
export function commandKind(cmd: string): AgentEventKind {
  if (TEST_RUN.test(cmd.slice(0, 1000))) return 'test';
  return GIT_CALL.test(cmd) ? 'git' : 'command';
}
