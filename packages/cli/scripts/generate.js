/** Writes the files that are made from the built program and committed: help.txt and schema.json. */
import { writeFileSync } from 'node:fs';
import { rootHelp, schemaText } from '../dist/generated.js';

const file = (name) => new URL(`../${name}`, import.meta.url);
writeFileSync(file('help.txt'), rootHelp());
writeFileSync(file('schema.json'), schemaText());
