import { z } from 'zod';
import { isData } from './data.js';
import { argv, name, text } from './schema-words.js';

const variables = z.record(
  z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of a variable: letters, digits and _'),
  z.string(),
);
const localServer = z.strictObject({
  command: argv.describe('Program and arguments; it speaks on its standard input and output.'),
  env: variables.optional().describe('Variables for the server.'),
  envFrom: z.array(text).optional().describe("Names of the caller's variables to pass on."),
});
const remoteServer = z.strictObject({
  url: z.url('expected a URL'),
  headers: z.record(z.string(), z.string()).optional(),
  tokenFrom: text.optional().describe("Name of the caller's variable with the bearer token."),
});

export const profile = z
  .object({
    adapter: text
      .optional()
      .describe('Name of the adapter, a path, or a package; `claude` where it is left out.'),
    model: text.optional(),
    effort: text.optional().describe('How hard to think, in the words of the agent.'),
    env: variables.optional().describe('Variables for the agent.'),
    envFrom: z.array(z.string()).optional().describe("Names of the caller's variables to pass on."),
    instructions: text.optional().describe('Standing instructions beside every prompt.'),
    instructionsFile: text.optional().describe('A file with them, relative to the configuration.'),
    mcp: z
      .record(name, z.union([localServer, remoteServer]))
      .optional()
      .describe('Tool servers for the agent, by name; it gets no others.'),
  })
  .catchall(z.unknown().refine((value) => isData(value), 'expected plain data'))
  .describe("A named adapter with its model, environment and the adapter's own options.");

export type ProfileDefinition = z.input<typeof profile>;
