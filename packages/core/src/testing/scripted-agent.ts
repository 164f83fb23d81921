import type { Answer } from '../adapter/index.js';
import type { ProfileDefinition } from '../workflow/schema-profile.js';

/** A profile whose agent is a shell script: its standard input is the prompt, its standard output its text. */
export function scriptedAgent(script: string): ProfileDefinition {
  return { adapter: 'command', command: ['/bin/sh', '-c', script] };
}

/** A line of shell that gives an answer as the completion contract asks for it. */
export function giveAnswer(answer: Answer = { status: 'success', summary: 'done' }): string {
  return `printf '%s\\n' '${`DEVFLOW_RESULT: ${JSON.stringify(answer)}`.replaceAll("'", String.raw`'\''`)}'`;
}

/** Lines of shell that write a file and commit it. */
export function commitFile(file: string, content = 'content'): string {
  return `printf '%s\\n' '${content}' >'${file}' && git add --all && git commit --quiet --message 'Add ${file}'`;
}
