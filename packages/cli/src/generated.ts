import { workflowJsonSchema } from '@devflow/core';
import { buildProgram } from './parser/program.js';
import { createStyle } from './text/style.js';

/** What `bin/devflow.js` prints without the parser: `help.txt`. */
export function rootHelp(): string {
  let text = '';
  const style = createStyle(false);
  const { program } = buildProgram({
    out: (part) => {
      text += String(part);
    },
    err: () => undefined,
    interactive: false,
    closed: false,
    width: 80,
    errWidth: 80,
    style,
    errStyle: style,
  });
  program.outputHelp();
  return text;
}

/** The JSON schema of data configurations, for editors: `schema.json`. */
export function schemaText(): string {
  return `${JSON.stringify(workflowJsonSchema(), undefined, 2)}\n`;
}
